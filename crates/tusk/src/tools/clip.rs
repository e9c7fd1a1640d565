//! Content within its budget: what fits is kept whole, what does not is counted (I8).
//!
//! It must not cut a character in two, and must not drop anything without a trace.

/// Lines that are kept as long as they fit.
#[derive(Debug)]
pub(super) struct Clipped {
    text: String,
    budget: usize,
    /// How many bytes there would have been.
    pub(super) total: u64,
    /// How many lines did not fit.
    pub(super) dropped: u64,
}

impl Clipped {
    pub(super) const fn new(budget: usize) -> Self {
        Self { text: String::new(), budget, total: 0, dropped: 0 }
    }

    /// Takes a line; after the first that does not fit, none does: what is shown has no gaps.
    pub(super) fn push(&mut self, line: &str) {
        self.total = self.total.saturating_add(length(line.len())).saturating_add(1);
        if self.dropped == 0 && self.text.len() + line.len() < self.budget {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.dropped += 1;
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.dropped > 0
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// A length as evidence counts it.
pub(super) fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A count as memory has room for.
pub(super) fn room(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Bytes as text, and how many of them were none.
pub(super) fn decoded(bytes: &[u8]) -> (String, u64) {
    let replaced = bytes.utf8_chunks().map(|chunk| length(chunk.invalid().len())).sum();
    (String::from_utf8_lossy(bytes).into_owned(), replaced)
}

/// Without the beginning of a character whose end is not there.
pub(super) fn whole_characters(bytes: &[u8]) -> &[u8] {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let wanted = match bytes.get(at) {
            Some(0xC0..=0xDF) => 2,
            Some(0xE0..=0xEF) => 3,
            Some(0xF0..=0xF7) => 4,
            Some(0x80..=0xBF) => continue,
            Some(_) | None => return bytes,
        };
        return if wanted > back { bytes.get(..at).unwrap_or(bytes) } else { bytes };
    }
    bytes
}

/// How many bytes at the beginning are the end of a character that began before.
pub(super) fn stray_continuations(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| matches!(byte, 0x80..=0xBF)).count()
}

/// As many of the first bytes as fit when they are shown as text.
pub(super) fn fitting(bytes: &[u8], budget: usize) -> &[u8] {
    let bytes = bytes.get(..budget).unwrap_or(bytes);
    if decoded(bytes).0.len() <= budget {
        return bytes;
    }
    // What is no text takes up to three times its room when it is shown.
    bytes.get(..budget / 3).unwrap_or(bytes)
}

/// How many bytes before a piece are looked at, to see whether it begins within a character.
pub(super) const LOOK_BACK: u64 = 3;

/// Of a piece of something longer the whole characters, and how many bytes before them are the end of one that began in
/// what comes `before`. A piece shorter than one character is left as it is: without it nobody would ever get on.
pub(super) fn whole_piece<'b>(before: &[u8], bytes: &'b [u8]) -> (usize, &'b [u8]) {
    // A continuation that continues nothing is no part of a character, and is shown as what it is.
    let begun = before.len() - whole_characters(before).len();
    let stray = if begun == 0 { 0 } else { stray_continuations(bytes).min(missing(before, begun)) };
    let shown = whole_characters(bytes.get(stray..).unwrap_or_default());
    if shown.is_empty() { (0, bytes) } else { (stray, shown) }
}

/// How many bytes are missing of the character whose first `begun` bytes end `before`.
fn missing(before: &[u8], begun: usize) -> usize {
    let lead = before.len().checked_sub(begun).and_then(|at| before.get(at));
    let wanted = match lead {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        Some(_) | None => 0,
    };
    usize::saturating_sub(wanted, begun)
}

/// At most `most` bytes of a text, from its beginning.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// At most `most` bytes of a text, from its end.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}
