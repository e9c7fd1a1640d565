//! Which texts are arguments.

use proptest::prelude::*;

use super::{Ending, arguments};

fn code(text: &str, ending: Ending) -> Result<String, String> {
    arguments("t", text, ending).map(|json| json.as_str().to_owned()).map_err(|error| error.code.unwrap())
}

#[test]
fn no_text_is_a_call_without_arguments_unless_the_model_ran_out_of_tokens() {
    assert_eq!(code("", Ending::Complete), Ok("{}".to_owned()));
    assert_eq!(code(" \n", Ending::Complete), Ok("{}".to_owned()));
    assert_eq!(code("", Ending::CutShort), Err("arguments_cut_off".to_owned()));
}

#[test]
fn arguments_stay_as_the_model_wrote_them() {
    let text = r#"{ "b": 1.0, "a" : "\u00e9" }"#;
    assert_eq!(code(text, Ending::Complete), Ok(text.to_owned()));
    assert_eq!(code(text, Ending::CutShort), Ok(text.to_owned()));
}

#[test]
fn what_is_no_object_or_not_strict_is_invalid() {
    for text in
        ["[]", "1", "null", "\"{}\"", "{\"a\":1}x", "{a:1}", "{\"a\":1,\"a\":2}", "{\"a\":9007199254740993}"]
    {
        assert_eq!(code(text, Ending::Complete), Err("arguments_invalid".to_owned()), "{text}");
    }
}

#[test]
fn an_error_names_the_tool_on_one_line() {
    let error = arguments("a\nb", "{", Ending::Complete).unwrap_err();
    assert_eq!(error.message, "the arguments of tool `a b` are cut off");
}

proptest! {
    #[test]
    fn every_beginning_of_an_object_is_cut_off(
        key in "[a-z\"\\\\é]{0,6}",
        text in any::<String>(),
        number in -1_000_000i64..1_000_000,
    ) {
        let whole = serde_json::json!({ key: { "list": [text, number, 0.25, -1.5e-9, null, true] } }).to_string();
        prop_assert_eq!(code(&whole, Ending::Complete), Ok(whole.clone()));
        for (cut, _) in whole.char_indices().skip(1) {
            prop_assert_eq!(code(whole.get(..cut).unwrap(), Ending::Complete), Err("arguments_cut_off".to_owned()));
        }
    }
}
