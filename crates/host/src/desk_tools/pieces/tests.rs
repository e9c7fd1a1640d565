//! Pieces of texts and sheets that fit a budget.

use serde_json::{Value, json};

use super::{fitting, piece};

fn written(text: &str) -> Value {
    json!({"content": text})
}

#[test]
fn pieces_of_any_text_reach_its_end_and_make_it_whole_again() {
    let texts = ["", "a", "ääää", "🦀🦀🦀", "\"\"\"\n\n\t\u{1}\u{1}\u{1}\"", "plain text, some of it\n"];
    for text in texts.map(|text| text.repeat(7)) {
        for budget in [0, 1, 20, 30, 64, 1000] {
            let mut whole = String::new();
            let mut offset = 0;
            loop {
                let (start, end) =
                    piece(&text, i64::try_from(offset).unwrap(), None, budget, written).unwrap();
                assert_eq!(start, offset);
                let shown = text.get(start..end).unwrap();
                let one = shown.chars().count() == 1;
                assert!(
                    one || written(shown).to_string().len() <= budget || text.is_empty(),
                    "{budget}: {shown:?}"
                );
                whole.push_str(shown);
                if end == text.len() {
                    break;
                }
                assert!(end > start, "no getting on");
                offset = end;
            }
            assert_eq!(whole, text);
        }
    }
}

#[test]
fn a_negative_offset_counts_from_the_end() {
    assert_eq!(piece("abcdef", -2, None, 100, written), Some((4, 6)));
    assert_eq!(piece("abcdef", -99, Some(3), 100, written), Some((0, 3)));
    assert_eq!(piece("aä", -1, None, 100, written), Some((1, 3)), "a character is not cut");
    assert_eq!(piece("abc", 4, None, 100, written), None);
}

#[test]
fn as_many_things_as_fit_and_never_none() {
    let list = |count: usize| json!(vec!["x"; count]);
    for (count, budget) in [(0, 0), (1, 0), (5, 0), (50, 30), (50, 41), (50, 10_000)] {
        let fits = fitting(count, budget, list);
        assert!(fits >= 1.min(count));
        assert!(fits <= 1 || list(fits).to_string().len() <= budget);
        assert!(fits == count || list(fits + 1).to_string().len() > budget);
    }
}
