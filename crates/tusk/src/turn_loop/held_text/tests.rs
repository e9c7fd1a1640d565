use super::HeldText;
use crate::model::{AssistantPart, ModelEvent};

const SECRET: &str = "zq9F3kLmP0aXw7RtYb2N";

/// Everything that is told, one text for each time.
fn told(pieces: &[&str]) -> Vec<String> {
    let redact = |text: &str| {
        let text = text.replace(SECRET, "[redacted]");
        match (text.find("-----BEGIN"), text.find("-----END KEY-----")) {
            (Some(begin), Some(end)) => format!("{}[key]{}", &text[..begin], &text[end + 17..]),
            _other => text,
        }
    };
    let mut held = HeldText::new(&redact);
    let mut told = Vec::new();
    let mut tell = |event: &ModelEvent| match event {
        ModelEvent::TextDelta { text, .. } => told.push(text.clone()),
        ModelEvent::PartDone { part: AssistantPart::Text(text), .. } => told.push(format!("done {text}")),
        other => told.push(format!("{other:?}")),
    };
    for piece in pieces {
        held.take(&ModelEvent::TextDelta { index: 0, text: (*piece).to_owned() }, &mut tell);
    }
    held.finish(&mut tell);
    told
}

#[test]
fn prose_is_shown_word_by_word_and_nothing_is_lost_or_twice() {
    let told = told(&["I rea", "d the", " file and", " then\nstop", " here"]);
    assert!(told.len() > 2, "{told:?}");
    assert_eq!(told.concat(), "I read the file and then\nstop here");
}

#[test]
fn a_secret_in_single_characters_is_never_shown() {
    let text = format!("the key is {SECRET} and that was it\nnext {SECRET}");
    let pieces: Vec<String> = text.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let shown = told(&pieces).concat();
    assert_eq!(shown, "the key is [redacted] and that was it\nnext [redacted]");
}

#[test]
fn every_cut_of_a_secret_in_two_is_caught() {
    let text = format!("a {SECRET} b\n");
    for at in 0..text.len() {
        let shown = told(&[&text[..at], &text[at..]]).concat();
        assert_eq!(shown, "a [redacted] b\n", "cut at {at}");
    }
}

#[test]
fn a_block_that_begins_like_a_key_is_held_until_it_ends() {
    let pieces = ["first\n---", "--BEGIN KEY-----\nAAAA\n", "BBBB\n", "-----END KEY--", "---\nafter\n"];
    assert_eq!(told(&pieces).concat(), "first\n[key]\nafter\n");
    for piece in told(&pieces) {
        assert!(!piece.contains("AAAA"), "{piece}");
    }
}

#[test]
fn what_is_cut_off_is_shown_without_its_secret() {
    assert_eq!(told(&["token=", SECRET]).concat(), "token=[redacted]");
}
