//! What may stand beside a secret. The text may be JSON, so that an escape such as `\n` is an edge too.

use super::shape::Subject;

/// What must stand before a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Anything.
    Anything,
    /// No letter, digit or underscore.
    Word,
    /// The beginning, white space, a quote, an opening or an assignment.
    Opening,
}

/// What must stand behind a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Anything.
    Anything,
    /// No letter, digit or underscore.
    Word,
    /// The end, white space, a quote, or something that closes or separates.
    Token,
}

/// Whether a byte is part of a word.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// White space as scanners of source code mean it.
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

/// Whether the character that ends before a place is the letter of an escape such as `\n`.
pub(super) fn is_escape_before(subject: &Subject<'_>, at: usize) -> bool {
    let letter = subject.before(at);
    let is_letter = matches!(letter, Some(b'n' | b'r' | b't' | b'f' | b'b' | b'"' | b'\''));
    is_letter && at >= 2 && subject.byte(at - 2) == Some(b'\\')
}

/// How long the escape at a place is; 0 when there is none.
pub(super) fn escape_length(subject: &Subject<'_>, at: usize) -> usize {
    let is_escape = subject.byte(at) == Some(b'\\')
        && matches!(subject.byte(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'f' | b'b'));
    if is_escape { 2 } else { 0 }
}

impl Before {
    pub(super) fn holds(self, subject: &Subject<'_>, at: usize) -> bool {
        match (self, subject.before(at)) {
            (Self::Anything, _) | (Self::Word | Self::Opening, None) => true,
            (Self::Word, Some(byte)) => !is_word(byte) || is_escape_before(subject, at),
            (Self::Opening, Some(byte)) => {
                is_space(byte)
                    || matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'>' | b'=' | b':' | b'(' | b',' | b')')
                    || is_escape_before(subject, at)
            }
        }
    }
}

impl After {
    pub(super) fn holds(self, subject: &Subject<'_>, at: usize) -> bool {
        match (self, subject.byte(at)) {
            (Self::Anything, _) | (Self::Word | Self::Token, None) => true,
            (Self::Word, Some(byte)) => !is_word(byte) || !subject.before(at).is_some_and(is_word),
            (Self::Token, Some(byte)) => is_space(byte) || b"`'\";,)]}<&\\".contains(&byte),
        }
    }
}
