//! Secrets in disguise: base64, hexadecimal digits, written backwards, with letters between that nobody sees. Whoever
//! encodes a secret wants it to pass.
//!
//! Each run of letters that could be an encoding is decoded once, and what comes out is looked at like any text; nothing
//! else is tried. It must not follow encodings of encodings further than twice.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use premath_tusk::policy::Finding;

use super::shape::Subject;
use super::{credentials, marked, scan};

/// Shorter runs hold no secret that anybody would know by its look.
const SHORTEST: usize = 23;
/// A line that another follows in the same encoding is at least this long: programs wrap at 60, 64 or 76.
const WRAPPED: usize = 56;
/// What is unreadable up to here is not decoded further.
const LOOKED_AT_FIRST: usize = 64;
/// How often an encoding may hold another.
const DEEPEST: u32 = 2;
/// Shorter marks stand in any text when they are read backwards.
const SHORTEST_MARK: usize = 4;
/// So much around a mark is read backwards.
const AROUND: usize = 512;

/// Looks at plain text.
type Plain = fn(&str) -> Vec<Finding>;

/// Every secret that is encoded in a text; the place of each is the whole run.
pub(super) fn find(text: &str, plain: Plain) -> Vec<Finding> {
    let runs: Vec<Range<usize>> = Runs { bytes: text.as_bytes(), at: 0 }.collect();
    let mut found = in_runs(text, &runs, plain, DEEPEST);
    found.extend(bot_tokens(text, &runs));
    found.extend(backwards(text, plain));
    found.extend(spread(text, plain));
    found
}

const fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// What is a secret when letters that nobody sees are left out.
fn spread(text: &str, plain: Plain) -> Vec<Finding> {
    if text.is_ascii() || !text.chars().any(is_invisible) {
        return Vec::new();
    }
    let (mut shown, mut places) = (String::new(), Vec::new());
    for (at, letter) in text.char_indices().filter(|(_, letter)| !is_invisible(*letter)) {
        shown.push(letter);
        places.extend(at..at + letter.len_utf8());
    }
    let moved = |span: Range<usize>| {
        let last = places.get(span.end.checked_sub(1)?)?;
        Some(*places.get(span.start)?..last + 1)
    };
    let place = |finding: Finding| Some(Finding { label: finding.label, span: Some(moved(finding.span?)?) });
    plain(&shown).into_iter().filter_map(place).collect()
}

fn in_runs(text: &str, runs: &[Range<usize>], plain: Plain, depth: u32) -> Vec<Finding> {
    let mut found = Vec::new();
    for run in runs.iter().cloned() {
        let Some(bytes) = text.as_bytes().get(run.clone()) else { continue };
        // A letter before it shifts everything behind.
        let shifted = (0..4).filter_map(|letters| base64(bytes.get(letters..)?));
        let label = hexadecimal(bytes).into_iter().chain(shifted).find_map(|inner| {
            let direct = plain(&inner).into_iter().next();
            let deeper = || match depth {
                0 | 1 => Vec::new(),
                _ => {
                    let runs: Vec<Range<usize>> = Runs { bytes: inner.as_bytes(), at: 0 }.collect();
                    in_runs(&inner, &runs, plain, depth - 1)
                }
            };
            direct.or_else(|| deeper().into_iter().next()).map(|finding| finding.label)
        });
        found.extend(label.map(|label| Finding { label, span: Some(run) }));
    }
    found
}

/// The length of a number of 17 to 20 digits in base64.
const NUMBER: std::ops::RangeInclusive<usize> = 23..=28;

/// Tokens that begin with an encoded number. They have no mark, so that every run of the right length is looked at.
fn bot_tokens(text: &str, runs: &[Range<usize>]) -> Vec<Finding> {
    let mut subject = Subject::new(text);
    let found = runs.iter().filter(|run| NUMBER.contains(&run.len()));
    let found = found.filter_map(|run| credentials::discord_bot_token(&mut subject, run.start, run.end));
    found.map(|(start, end)| Finding { label: scan::DISCORD.to_owned(), span: Some(start..end) }).collect()
}

/// Stretches of letters that could be an encoding, over the ends of lines where they were wrapped.
struct Runs<'t> {
    bytes: &'t [u8],
    at: usize,
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

impl Runs<'_> {
    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| is_letter(**byte)).count()
    }

    /// Where the next line of a wrapped run begins: behind the end of a line, also one that JSON has escaped.
    fn behind_break(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?;
        [b"\r\n".as_slice(), b"\n", b"\\n"].iter().find(|end| rest.starts_with(end)).map(|end| at + end.len())
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let start = self.at + rest.iter().position(|byte| is_letter(*byte))?;
            let (mut line, mut end) = (start, self.line_end(start));
            while end - line >= WRAPPED
                && let Some(next) = self.behind_break(end)
                && self.line_end(next) > next
            {
                line = next;
                end = self.line_end(next);
            }
            self.at = end;
            if end - start >= SHORTEST {
                return Some(start..end);
            }
        }
    }
}

/// Text, or nothing: what decodes to something unreadable was no encoding of a secret.
fn readable(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let strange =
        text.chars().filter(|letter| letter.is_control() && !letter.is_whitespace() || *letter == '\u{fffd}');
    // What stands before and behind it may have been cut within a letter.
    (strange.count() <= 4 + text.len() / 32).then_some(text)
}

fn hexadecimal(bytes: &[u8]) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut digits = Vec::new();
    for byte in bytes.iter().filter(|byte| is_letter(**byte)) {
        match digit(*byte) {
            Some(digit) => digits.push(digit),
            // The letter of an escaped end of a line.
            None if *byte == b'n' => {}
            None => return None,
        }
    }
    let bytes: Vec<u8> =
        digits.chunks_exact(2).filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect();
    readable(&bytes)
}

fn base64(bytes: &[u8]) -> Option<String> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let (mut decoded, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    let mut is_escape = false;
    for byte in bytes {
        let skipped = std::mem::replace(&mut is_escape, *byte == b'\\');
        let Some(six) = value(*byte).filter(|_| !skipped) else { continue };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push(u8::try_from(bits >> held & 0xff).unwrap_or(0));
            bits &= (1 << held) - 1;
            if decoded.len() == LOOKED_AT_FIRST && readable(&decoded).is_none() {
                return None;
            }
        }
    }
    readable(&decoded)
}

static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let anchors = marked::kinds().flat_map(|kind| kind.anchors);
    let long = anchors.filter(|anchor| anchor.len() >= SHORTEST_MARK);
    let turned = long.map(|anchor| anchor.chars().rev().collect::<String>());
    AhoCorasick::builder().ascii_case_insensitive(true).build(turned).ok()
});

/// What is a secret when the text around the mark of one is read from its end.
fn backwards(text: &str, plain: Plain) -> Vec<Finding> {
    let Some(marks) = MARKS.as_ref() else { return Vec::new() };
    let mut found: Vec<Finding> = Vec::new();
    let mut covered = 0;
    for hit in marks.find_iter(text) {
        if hit.start() < covered {
            continue;
        }
        let (start, end) = line(text, hit.start(), hit.end());
        let Some(part) = text.get(start..end) else { continue };
        let turned: String = part.chars().rev().collect();
        for finding in plain(&turned) {
            let span = finding.span.map(|span| end - span.end..end - span.start);
            found.push(Finding { label: finding.label, span });
        }
        covered = end;
    }
    found
}

/// The line of a place, or as much of it as is looked at.
fn line(text: &str, start: usize, end: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let before = bytes.get(start.saturating_sub(AROUND)..start).unwrap_or_default();
    let after = bytes.get(end..(end + AROUND).min(bytes.len())).unwrap_or_default();
    let back = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    let forth = after.iter().take_while(|byte| **byte != b'\n').count();
    let from = (start - back..=start).find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let to = (end..=end + forth).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(end);
    (from, to)
}
