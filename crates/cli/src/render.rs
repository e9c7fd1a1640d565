//! Answers as a person reads them. Must not decide anything, and must not let evidence act on a terminal.

pub(crate) mod audit;
pub(crate) mod card;
pub(crate) mod chain;
pub(crate) mod coherence;
pub(crate) mod conversation;
pub(crate) mod datum;
pub(crate) mod dep;
pub(crate) mod desk;
pub(crate) mod harness;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod instruction;
pub(crate) mod issue;
pub(crate) mod markdown;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod model;
pub(crate) mod observe;
pub(crate) mod people;
pub(crate) mod policy_package;
pub(crate) mod required;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod tools;
pub(crate) mod upkeep;
pub(crate) mod vectors;
pub(crate) mod work;

/// Evidence may hold anything. Control characters, line breaks and invisible or direction-changing characters are
/// written as what they are, so that nothing can be forged or hidden on a screen.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            plain.extend(character.escape_unicode());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// The same for a text of several lines: line breaks and tabs stay.
pub(crate) fn lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            other if other.is_control() || is_invisible(other) => shown.extend(other.escape_unicode()),
            other => shown.push(other),
        }
    }
    shown
}

const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}
