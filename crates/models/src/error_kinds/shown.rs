//! Texts of others as a person may be shown them. It must not cut a text that may still hold a secret.

use premath_tusk::model::ModelError;

use crate::secret::ApiKey;

/// How much of a provider's message is kept.
const LONGEST_MESSAGE: usize = 500;

/// One line, whatever a provider sent: what begins a line or moves a cursor is a blank, what cannot be seen is gone. Its
/// length is bounded by `bounded`, and only after every secret is out of it: half a key would not be found.
pub(crate) fn one_line(text: &str) -> String {
    let is_break = |one: char| one.is_control() || matches!(one, '\u{2028}' | '\u{2029}');
    let seen = text.chars().filter(|one| !is_invisible(*one));
    seen.map(|one| if is_break(one) { ' ' } else { one }).collect()
}

/// The beginning of a text, as much of it as anybody wants to read.
pub(crate) fn bounded(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_MESSAGE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// An error as it may be shown: on one line, without the key, and of bounded length, in this order.
pub(crate) fn presentable(error: ModelError, key: Option<&ApiKey>) -> ModelError {
    let flat = ModelError {
        message: one_line(&error.message),
        code: error.code.map(|code| one_line(&code)),
        request_id: error.request_id.map(|id| one_line(&id)),
        ..error
    };
    let scrubbed = match key {
        Some(key) => key.scrub_error(flat),
        None => flat,
    };
    ModelError {
        message: bounded(scrubbed.message),
        code: scrubbed.code.map(bounded),
        request_id: scrubbed.request_id.map(bounded),
        ..scrubbed
    }
}

/// What takes no room on a screen, or changes the direction of what does.
const fn is_invisible(one: char) -> bool {
    matches!(one,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
