//! The fence around other people's words, and lines of ours that quote them.
//!
//! What is inside a fence is data. Nothing inside can look like the line that opens or closes one: a backslash is put
//! behind the `<` of whatever does, and taking it away again gives the content back. It must not change anything else.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use premath_kernel::{hex, sha256};

/// What a tag is called. Content that names it behind a `<` is escaped.
const WORD: &str = "untrusted";

/// The most bytes of a source's name.
const SOURCE_BYTES: usize = 64;

/// The most bytes that a fence adds to its escaped content, whatever its source.
pub(super) const FENCE_BYTES: usize = 128 + SOURCE_BYTES;

/// Content between two lines that it cannot know: their id is taken from its digest.
#[must_use]
pub fn fenced(source: &str, content: &str) -> String {
    let hash = sha256(content.as_bytes());
    let id = hex(hash.get(..8).unwrap_or_default());
    let source = safe_source(source);
    let body = escaped(content);
    let gap = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("<{WORD} source=\"{source}\" id=\"{id}\">\n{body}{gap}</{WORD} id=\"{id}\">")
}

/// One line of ours that may quote a name: no control character, no line break, nothing invisible, nothing that looks
/// like a fence, at most `most` bytes.
#[must_use]
pub fn plain_line(text: &str, most: usize) -> String {
    // No character gets shorter by being escaped, so what lies behind `most` cannot be shown.
    let near = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    flattened(&escaped(near), near.len() < text.len(), most)
}

/// The same for a line that goes into a fence, which escapes tags itself.
pub(super) fn bare_line(text: &str, most: usize) -> String {
    let near = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    flattened(near, near.len() < text.len(), most)
}

/// The content with a backslash behind every `<` that would begin a tag.
pub(super) fn escaped(content: &str) -> Cow<'_, str> {
    let mut text = String::new();
    let mut done = 0;
    for after in behind_openings(content) {
        if content.get(after..).is_some_and(begins_a_tag) {
            text.push_str(content.get(done..after).unwrap_or_default());
            text.push('\\');
            done = after;
        }
    }
    if done == 0 {
        return Cow::Borrowed(content);
    }
    text.push_str(content.get(done..).unwrap_or_default());
    Cow::Owned(text)
}

/// Where a `<`, or what looks like one, ends. Most content is ASCII and is searched many bytes at a time.
fn behind_openings(content: &str) -> Vec<usize> {
    if content.is_ascii() {
        return memchr::memchr_iter(b'<', content.as_bytes()).map(|at| at + 1).collect();
    }
    let openings = content.char_indices().filter(|(_, sign)| is_opening(*sign));
    openings.map(|(at, sign)| at + sign.len_utf8()).collect()
}

/// Whether a reader who is not careful could take what stands behind a `<` for a tag of ours. Backslashes are passed
/// over, so that content which holds an escape of ours is told from what we escaped.
fn begins_a_tag(rest: &str) -> bool {
    let mut signs = rest.chars().filter(|sign| !is_passed_over(*sign)).map(folded).peekable();
    while signs.next_if_eq(&'\\').is_some() {}
    let mut has_spaces = false;
    while signs.next_if(|sign| sign.is_whitespace()).is_some() {
        has_spaces = true;
    }
    if signs.next_if_eq(&'/').is_some() {
        while signs.next_if(|sign| sign.is_whitespace()).is_some() {}
    } else if has_spaces {
        // `size < untrusted_size` is code; `< /untrusted` is not.
        return false;
    }
    WORD.chars().all(|wanted| signs.next() == Some(wanted))
}

fn is_opening(sign: char) -> bool {
    matches!(sign, '<' | '\u{2039}' | '\u{27e8}' | '\u{3008}' | '\u{fe64}' | '\u{ff1c}')
}

/// A character as a reader takes it: letters of every width and style are the plain ones.
fn folded(sign: char) -> char {
    let plain = match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xfee0),
        // The styled alphabets of mathematics: 26 capitals, 26 small letters, and so on.
        '\u{1d400}'..='\u{1d6a3}' => char::from_u32(u32::from('a') + (u32::from(sign) - 0x1d400) % 26),
        '\u{17f}' => Some('s'),
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => Some('/'),
        _ => None,
    };
    plain.unwrap_or(sign).to_ascii_lowercase()
}

/// Whether a reader may not see it, or see it as a part of what is before it.
fn is_passed_over(sign: char) -> bool {
    is_invisible(sign) || matches!(sign, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}')
}

/// Whether it takes no room: controls other than white space, and what Unicode says may be ignored when it is shown.
fn is_invisible(sign: char) -> bool {
    if sign.is_control() {
        return !sign.is_whitespace();
    }
    matches!(
        sign,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn safe_source(source: &str) -> String {
    let is_safe =
        |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.' | '/' | ':' | '#');
    let safe: String =
        source.chars().take(SOURCE_BYTES).map(|sign| if is_safe(sign) { sign } else { '_' }).collect();
    if safe.is_empty() { "unknown".to_owned() } else { safe }
}

/// One line of at most `most` bytes. `is_cut`: more came behind `text`.
fn flattened(text: &str, is_cut: bool, most: usize) -> String {
    const MORE: char = '…';
    let mut line = String::new();
    // Where the line would have to end for the sign of a cut to fit behind it.
    let mut end = 0;
    for sign in text.chars() {
        let breaks = matches!(sign, '\u{2028}' | '\u{2029}');
        if sign.is_control() || breaks || is_invisible(sign) {
            line.extend(sign.escape_default());
        } else {
            line.push(sign);
        }
        if line.len() + MORE.len_utf8() <= most {
            end = line.len();
        }
        if line.len() > most {
            break;
        }
    }
    if is_cut || line.len() > most {
        line.truncate(end);
        if end + MORE.len_utf8() <= most {
            line.push(MORE);
        }
    }
    line
}
