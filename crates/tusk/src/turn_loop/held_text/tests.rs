//! A secret is never shown, however it comes in pieces.

use super::HeldText;
use crate::model::ModelEvent;

const SECRET: &str = "zq9F3kLmP0aXw7RtYb2N";

/// Everything that is told, one text for each time.
fn told(pieces: &[&str]) -> Vec<String> {
    let redact = |text: &str| {
        let text = text.replace(SECRET, "[redacted]");
        match (text.split_once("-----BEGIN"), text.split_once("-----END KEY-----")) {
            (Some((before, _)), Some((_, after))) => format!("{before}[key]{after}"),
            _other => text,
        }
    };
    let mut held = HeldText::new(&redact);
    let mut told = Vec::new();
    let mut tell = |event: &ModelEvent| {
        if let ModelEvent::TextDelta { text, .. } = event {
            told.push(text.clone());
        }
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
        let (first, second) = text.split_at(at);
        let shown = told(&[first, second]).concat();
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
fn what_stands_before_a_secret_may_be_shown_already() {
    let redact =
        |text: &str| text.replace("token\n= abc", "token\n= [redacted]").replace("pass\nword", "[gone]");
    let shown = |pieces: &[&str]| {
        let mut held = HeldText::new(&redact);
        let mut shown = String::new();
        let mut tell = |event: &ModelEvent| {
            if let ModelEvent::TextDelta { text, .. } = event {
                shown.push_str(text);
            }
        };
        for piece in pieces {
            held.take(&ModelEvent::TextDelta { index: 0, text: (*piece).to_owned() }, &mut tell);
        }
        held.finish(&mut tell);
        shown
    };
    assert_eq!(shown(&["my token\n", "= abc\n", "and on\n"]), "my token\n= [redacted]\nand on\n");
    assert_eq!(shown(&["my token", "\n= ", "abc ", "more"]), "my token\n= [redacted] more");
    assert_eq!(shown(&["a pass\n", "word b\n", "c d\n"]), "a pass\n[gone] b\nc d\n");
}

#[test]
fn what_is_cut_off_is_shown_without_its_secret() {
    assert_eq!(told(&["token=", SECRET]).concat(), "token=[redacted]");
}

/// What a person is shown when `redact` takes out a card, an account, a phone and an address, in any pieces.
#[test]
fn personal_data_is_held_until_its_line_is_whole() {
    let (card, account) = ("4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00");
    let (phone, mail) = ("+49 30 901820", "jo@example.com");
    let redact = |text: &str| {
        [card, account, phone, mail].iter().fold(text.to_owned(), |text, one| text.replace(one, "[redacted]"))
    };
    let text =
        format!("The card is {card} and the account {account} too\ncall {phone} or {mail} please ok\n");
    for length in 1..12 {
        let mut held = HeldText::new(&redact);
        let mut told = Vec::new();
        let mut tell = |event: &ModelEvent| {
            if let ModelEvent::TextDelta { text, .. } = event {
                told.push(text.clone());
            }
        };
        for piece in text.as_bytes().chunks(length) {
            let text = String::from_utf8(piece.to_vec()).unwrap();
            held.take(&ModelEvent::TextDelta { index: 0, text }, &mut tell);
        }
        held.finish(&mut tell);
        assert_eq!(told.concat(), redact(&text), "pieces of {length}");
        assert_eq!(told.first().map(String::as_str).map(|first| first.starts_with("The")), Some(true));
        assert!(told.len() > 2, "what comes before a number is shown at once: {told:?}");
    }
}
