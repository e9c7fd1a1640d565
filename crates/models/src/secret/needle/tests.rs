//! Every spelling is found, wherever it is cut, and nothing else is.

use proptest::prelude::*;

use super::{Needle, scrubbed};

const SECRET: &str = "sk/\"te\\st-0123456789";

fn needle(secret: &str) -> Needle {
    Needle::new(secret).unwrap()
}

/// One character in one of its spellings, within so many JSON texts.
fn spelt(character: char, spelling: u8, depth: u32) -> String {
    let slashes = "\\".repeat(1 << depth);
    match (spelling, character) {
        (0, '\\') => slashes,
        (0, _) => character.to_string(),
        (1, '/' | '"') => format!("{slashes}{character}"),
        (1, '\\') => format!("{slashes}{}", if depth == 3 { "" } else { &slashes }),
        (2, _) => format!("{slashes}u{:04X}", u32::from(character)),
        (_, _) => format!("{slashes}u{:04x}", u32::from(character)),
    }
}

proptest! {
    #[test]
    fn every_spelling_is_found(
        spellings in prop::collection::vec((0u8..4, 0u32..4), SECRET.len()),
        before in "[a-rt-z{:, ]{0,9}",
        after in "[a-z{:, ]{0,9}",
    ) {
        let text: String = SECRET.chars().zip(&spellings).map(|(one, (kind, depth))| spelt(one, *kind, *depth)).collect();
        let whole = format!("{before}{text}{after}");
        prop_assert_eq!(scrubbed(&[needle(SECRET)], &whole), format!("{before}[secret]{after}"));
    }

    #[test]
    fn what_json_writes_is_found_at_every_depth(secret in "[!-~]{6,40}", depth in 0usize..4, quoted in "[a-z ]{0,5}") {
        prop_assume!(!secret.ends_with('\\') && !secret.starts_with('\\'));
        let mut text = secret.clone();
        for _ in 0..depth {
            text = serde_json::Value::from(text).to_string();
        }
        let hidden = scrubbed(&[needle(&secret)], &format!("{quoted}{text}"));
        prop_assert!(!hidden.contains(&secret), "{}", hidden);
        prop_assert!(hidden.contains("[secret]"), "{} in {}", secret, text);
    }

    #[test]
    fn text_in_pieces_is_said_as_in_one_and_no_more_is_held_than_a_beginning(
        words in prop::collection::vec(prop::sample::select(vec!["a", "sk", "sk-ab", "\\", "\\u00", "\\u0073", "é", "sk-abcdef", " "]), 0..20),
        cut in 1usize..7,
    ) {
        let secret = "sk-abcdef";
        let whole: Vec<char> = words.concat().chars().collect();
        let (mut held, mut said) = (String::new(), String::new());
        for piece in whole.chunks(cut) {
            held.extend(piece);
            said.push_str(&needle(secret).take_safe(&mut held));
            if !held.contains('\\') {
                prop_assert!(held.len() < secret.len() && secret.starts_with(&held), "{}", held);
            }
        }
        said.push_str(&held);
        let whole: String = whole.into_iter().collect();
        prop_assert_eq!(said, scrubbed(&[needle(secret)], &whole));
    }
}

#[test]
fn a_slash_and_a_code_hide_nothing() {
    let secret = "ab/cde-SECRET";
    for text in [
        r"ab/cde-SECRET",
        r"ab\/cde-SECRET",
        r"ab\\/cde-SECRET",
        r"ab\\\\/cde-SECRET",
        r"ab/cde-\u0053ECRET",
        r"ab/cde-\\u0053ECRET",
        r"\u0061b\u002Fcde-SECRE\u0054",
        r"\\u0061b\\u002fcde-SECRE\\u0054",
    ] {
        assert_eq!(scrubbed(&[needle(secret)], &format!("<{text}>")), "<[secret]>", "{text}");
    }
    for text in [r"ab/cde-\U0053ECRET", r"ab/cde-\u0054ECRET", r"ab/cde-\u053ECRET", "ab/cde-SECRE"] {
        assert_eq!(scrubbed(&[needle(secret)], text), text);
    }
}

#[test]
fn a_needle_does_not_show_itself() {
    assert_eq!(format!("{:?}", needle(SECRET)), "Needle");
}
