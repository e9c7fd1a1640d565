//! Characters that a person does not see and a model reads: how they are found, and how they are shown.

/// The first character of a text that nobody sees, or that changes how what follows is shown.
#[must_use]
pub fn first_hidden(text: &str) -> Option<char> {
    text.chars().find(|letter| is_hidden(*letter))
}

/// The same text with every such character spelled out.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Line ends and tabs are seen by what they do; everything else that draws nothing, joins, turns or selects is not.
const fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{escaped, first_hidden};

    #[test]
    fn what_nobody_sees_is_found_and_spelled_out() {
        for hidden in [
            "\u{200b}",
            "\u{202e}",
            "\u{e0041}",
            "\u{feff}",
            "\u{1b}[31m",
            "\u{ad}",
            "\u{fe0f}",
            "\r",
            "\u{9b}2J",
        ] {
            let text = format!("Weather{hidden}of a town");
            assert!(first_hidden(&text).is_some(), "{hidden:?}");
            assert!(first_hidden(&escaped(&text)).is_none(), "{hidden:?}");
        }
    }

    #[test]
    fn what_people_write_is_left_as_it_is() {
        let text = "Größe, 東京, día, עברית, 🎉\n\ta second line";
        assert_eq!(first_hidden(text), None);
        assert_eq!(escaped(text), text);
    }
}
