//! What is cut is cut in the middle, in whole characters, within its budget.

use premath_kernel::Digest;
use proptest::prelude::*;

use super::{Source, Voice, bounded, excerpt, items};
use crate::context::fence::escaped;
use crate::context::fixture::texts;

#[test]
fn a_text_within_its_budget_is_shown_whole() {
    let shown = excerpt("0123456789", 10);
    assert_eq!((shown.shown.as_ref(), shown.cut), ("0123456789", None));
}

#[test]
fn ends_that_overlap_or_meet_are_the_whole_text() {
    let joined = |head, tail, bytes| Source { head, tail, bytes }.joined().map(std::borrow::Cow::into_owned);
    assert_eq!(joined("0123", "456", 7).as_deref(), Some("0123456"));
    assert_eq!(joined("01234", "3456", 7).as_deref(), Some("0123456"));
    assert_eq!(joined("0123456", "0123456", 7).as_deref(), Some("0123456"));
    assert_eq!(joined("012", "456", 7), None);
    assert_eq!(joined("01ä", "ä56", 7), None, "an overlap inside a character shows nothing");
}

#[test]
fn what_is_cut_says_where_the_rest_is_and_has_to_be_stored() {
    let text = format!("begin {} end", "x".repeat(200));
    let mut to_store = Vec::new();
    let said = bounded(&text, 64, Voice::Other("issue:bd-1"), &mut to_store);
    let stored = Digest::of_bytes(text.as_bytes());
    assert_eq!(
        said,
        format!(
            "payload: {{\"originalBytes\":210,\"ref\":\"{stored}\",\"truncated\":true}}\n\
             hint: the middle is left out; read on with resolve_ref {{\"offset\":15,\"ref\":\"{stored}\"}}\n\
             <untrusted source=\"issue:bd-1\" id=\"048b43a875e7b2be\">\n\
             begin xxxxxxxxx\n[… the middle is left out …]\nxxxxxxxxxxx end\n\
             </untrusted id=\"048b43a875e7b2be\">"
        )
    );
    assert_eq!(to_store.len(), 1);
    assert_eq!(to_store[0].text, text);
}

#[test]
fn a_list_says_how_many_more_there_are() {
    let list = texts(&["one", "two\nlines", "three"]);
    let shown = items(&list, 2, 100);
    assert_eq!((shown.text.as_str(), shown.is_cut), ("- one\n- two\\nlines\n- and 1 more", true));
    assert!(!items(&list, 3, 100).is_cut);
    assert!(items(&list, 3, 9).is_cut, "a line that is cut is not all of it");
}

proptest! {
    #[test]
    fn both_ends_are_equal_within_three_bytes(text in "(<untrusted|[a-zäß漢🙂<\n]){0,80}", most in 0_usize..200) {
        let shown = excerpt(&text, most);
        prop_assert!(escaped(&shown.shown).len() <= most);
        match shown.cut {
            None => prop_assert_eq!(shown.shown.as_ref(), text.as_str()),
            Some(cut) => {
                prop_assert!(cut.head_bytes.abs_diff(cut.tail_bytes) <= 3);
                prop_assert!(cut.head_bytes + cut.tail_bytes < text.len());
                prop_assert!(shown.shown.is_empty() == (cut.head_bytes == 0));
                prop_assert!(text.starts_with(shown.shown.get(..cut.head_bytes).unwrap()));
                prop_assert!(text.ends_with(shown.shown.get(shown.shown.len() - cut.tail_bytes..).unwrap()));
            }
        }
    }
}
