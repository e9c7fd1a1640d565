//! Which texts are arguments.

use proptest::prelude::*;

use super::{Ending, tool_call};

/// The arguments, or what is wrong with them.
fn read(text: &str, ending: Ending) -> Result<String, String> {
    let call = tool_call("c".to_owned(), "t".to_owned(), text, ending);
    match call.malformed {
        None => Ok(call.arguments.as_str().to_owned()),
        Some(malformed) => {
            assert_eq!((call.arguments.as_str(), malformed.text.as_str()), ("{}", text));
            Err(malformed.reason)
        }
    }
}

fn cut_off() -> Result<String, String> {
    Err("the arguments are cut off".to_owned())
}

#[test]
fn no_text_is_a_call_without_arguments_unless_the_model_ran_out_of_tokens() {
    assert_eq!(read("", Ending::Complete), Ok("{}".to_owned()));
    assert_eq!(read(" \n", Ending::Complete), Ok("{}".to_owned()));
    assert_eq!(read("", Ending::CutShort), cut_off());
}

#[test]
fn arguments_stay_as_the_model_wrote_them() {
    let text = r#"{ "b": 1.0, "a" : "\u00e9" }"#;
    assert_eq!(read(text, Ending::Complete), Ok(text.to_owned()));
    assert_eq!(read(text, Ending::CutShort), Ok(text.to_owned()));
}

#[test]
fn what_is_no_object_or_not_strict_is_carried_as_it_is() {
    for (text, reason) in [
        ("[]", "not a JSON object"),
        ("1", "not a JSON object"),
        ("null", "not a JSON object"),
        ("\"{}\"", "not a JSON object"),
        ("{\"a\":1}x", "refused"),
        ("{a:1}", "refused"),
        ("{\"a\":1,\"a\":2}", "duplicate key"),
        ("{\"a\":9007199254740993}", "refused"),
    ] {
        let found = read(text, Ending::Complete).unwrap_err();
        assert!(found.contains(reason) && !found.contains('\n'), "{text}: {found}");
    }
}

#[test]
fn a_text_that_is_far_too_long_is_carried_in_part() {
    let text = format!("{{\"a\":\"{}", "\u{e9}".repeat(40_000));
    let call = tool_call("c".to_owned(), "t".to_owned(), &text, Ending::Complete);
    let malformed = call.malformed.unwrap();
    assert!(malformed.text.len() <= super::LONGEST_TEXT && text.starts_with(&malformed.text));
}

proptest! {
    #[test]
    fn every_beginning_of_an_object_is_cut_off(
        key in "[a-z\"\\\\é]{0,6}",
        text in any::<String>(),
        number in -1_000_000i64..1_000_000,
    ) {
        let whole = serde_json::json!({ key: { "list": [text, number, 0.25, -1.5e-9, null, true] } }).to_string();
        prop_assert_eq!(read(&whole, Ending::Complete), Ok(whole.clone()));
        for (cut, _) in whole.char_indices().skip(1) {
            prop_assert_eq!(read(whole.get(..cut).unwrap(), Ending::Complete), cut_off());
        }
    }
}
