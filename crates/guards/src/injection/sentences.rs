//! Sentences of a text as words with their classes. One pass, bounded pieces; it must not judge a sentence.

use std::ops::Range;

use super::lexicon::{Classes, classes_of_parts};

/// A sentence with more words goes on in the next one.
const MOST_WORDS: usize = 80;

/// One word: what it is, where it is, and what stands before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) classes: Classes,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The last mark of punctuation between the word before and this one; a space when there is none.
    pub(super) mark: u8,
}

/// The next sentence from a place: its words go into `words`; its range, and nothing at the end of the text.
pub(super) fn next(text: &str, from: usize, words: &mut Vec<Word>) -> Option<Range<usize>> {
    words.clear();
    let bytes = text.as_bytes();
    let (mut at, mut mark, mut begins) = (from, b'.', None);
    while let Some(byte) = bytes.get(at) {
        if is_word(*byte) {
            let end = word_end(bytes, at);
            let word = text.get(at..end).unwrap_or_default().trim_end_matches(['\'', '-', '.']);
            let start = at + usize::from(word.starts_with('\''));
            begins.get_or_insert(start);
            words.push(Word { classes: classes_of_parts(word.trim_start_matches('\'')), start, end, mark });
            (at, mark) = (end, b' ');
            if words.len() == MOST_WORDS {
                break;
            }
            continue;
        }
        let ends = match byte {
            b'\n' | b'|' => true,
            b'.' | b'!' | b'?' | b';' => bytes.get(at + 1).is_none_or(|next| b" \t\n\"')}]".contains(next)),
            _ => false,
        };
        if ends && !words.is_empty() {
            at += 1;
            break;
        }
        if !byte.is_ascii_whitespace() {
            mark = *byte;
        }
        at += 1;
    }
    let begins = begins?;
    Some(begins..at)
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let inner = |byte: &u8| is_word(*byte) || matches!(byte, b'\'' | b'-');
    bytes
        .get(from..)
        .unwrap_or_default()
        .iter()
        .position(|byte| !inner(byte))
        .map_or(bytes.len(), |length| from + length)
}
