//! Answers as a person reads them. Must not decide anything, and must not let evidence act on a terminal.

pub(crate) mod chain;
pub(crate) mod dep;
pub(crate) mod harness;
pub(crate) mod init;
pub(crate) mod issue;
pub(crate) mod markdown;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod upkeep;
pub(crate) mod vectors;

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

const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}
