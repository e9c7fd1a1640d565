//! Characters that a person does not see and a model reads: how they are found, and how they are shown.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Everything that draws nothing, joins, turns or selects, by its properties: all that is no letter, mark, digit or sign
/// (controls, format, private use, unassigned), every blank but the plain one, what may be ignored when it is shown, and the
/// empty braille cell. Line ends and tabs are seen by what they do, but not in a run that pushes what follows out of sight.
const HIDDEN: &str = r"[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\x{2800}]--[\x20\n\t]]|[\x20\n\t]{81,}";

/// None would mean that the pattern is wrong: then nothing is taken for plain.
static FOUND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(HIDDEN).ok());

/// The first character of a text that nobody sees, or that changes how what follows is shown.
#[must_use]
pub fn first_hidden(text: &str) -> Option<char> {
    match FOUND.as_ref() {
        Some(hidden) => hidden.find(text)?.as_str().chars().next(),
        None => text.chars().next(),
    }
}

/// The same text with every such character spelled out.
#[must_use]
pub fn escaped(text: &str) -> String {
    let spelled = |found: &str| found.chars().flat_map(char::escape_unicode).collect::<String>();
    match FOUND.as_ref() {
        Some(hidden) => hidden
            .replace_all(text, |found: &Captures<'_>| spelled(found.get(0).map_or("", |all| all.as_str())))
            .into_owned(),
        None => spelled(text),
    }
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
            "\u{1bca0}",
            "\u{2800}",
            "\u{13430}",
            "\u{e000}",
            "\u{f0000}",
            "\u{378}",
            "\u{a0}",
            "\u{2003}",
            "\u{3000}",
            &" ".repeat(81),
            &"\n".repeat(81),
        ] {
            let text = format!("Weather{hidden}of a town");
            assert!(first_hidden(&text).is_some(), "{hidden:?}");
            assert!(first_hidden(&escaped(&text)).is_none(), "{hidden:?}");
        }
    }

    #[test]
    fn every_code_point_of_the_properties_is_found() {
        let plain = [' ', '\n', '\t'];
        let ranges = [
            ('\0', '\u{9f}', true),
            ('\u{2000}', '\u{200f}', false),
            ('\u{2028}', '\u{202f}', false),
            ('\u{205f}', '\u{206f}', false),
            ('\u{e000}', '\u{f8ff}', false),
            ('\u{fe00}', '\u{fe0f}', false),
            ('\u{fff0}', '\u{fffb}', false),
            ('\u{13430}', '\u{1343f}', false),
            ('\u{1bca0}', '\u{1bca3}', false),
            ('\u{1d173}', '\u{1d17a}', false),
            ('\u{e0000}', '\u{10ffff}', false),
        ];
        for (first, last, is_ascii) in ranges {
            for letter in first..=last {
                let is_drawn = is_ascii && matches!(letter, ' '..='~');
                let found = first_hidden(letter.encode_utf8(&mut [0; 4])).is_some();
                assert_eq!(found, !is_drawn && !plain.contains(&letter), "{}", letter.escape_unicode());
            }
        }
    }

    #[test]
    fn what_people_write_is_left_as_it_is() {
        let text = "Größe, 東京, día, עברית, 🎉\n\ta second line";
        assert_eq!(first_hidden(text), None);
        assert_eq!(escaped(text), text);
    }
}
