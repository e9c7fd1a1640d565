//! Texts in passages: paragraphs under their headings, as long as fits together, each known by the digest of its bytes.

use premath_bd::desk::DeskFile;
use premath_kernel::{Digest, Object, Value};

/// As long as paragraphs are put together, in bytes.
const FULL: usize = 1000;
/// How much of a digest a citation shows.
const SHOWN: usize = 8;

/// Where a passage is, and what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The file.
    pub file_id: String,
    /// What the file is called.
    pub name: String,
    /// The version that was read.
    pub version: u64,
    /// The heading above the passage; empty where there is none.
    pub heading: String,
    /// The first byte of the passage.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// The digest of the passage.
    pub digest: String,
}

impl Citation {
    /// What an answer writes to cite it: `[c:1a2b3c4d]`.
    #[must_use]
    pub fn mark(&self) -> String {
        let hash = self.digest.rsplit(':').next().unwrap_or_default();
        format!("[c:{}]", hash.chars().take(SHOWN).collect::<String>())
    }

    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Object::fields()
            .field("cite", self.mark())
            .field("digest", self.digest.as_str())
            .field("end", number(self.end))
            .field("fileId", self.file_id.as_str())
            .field("heading", self.heading.as_str())
            .field("name", self.name.as_str())
            .field("start", number(self.start))
            .field("version", u32::try_from(self.version).unwrap_or(u32::MAX))
            .finish()
    }
}

/// A passage of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) citation: Citation,
    pub(super) text: String,
}

/// The passages of a text, in their order. Together they are all of it but blank lines.
pub(super) fn chunks(file: &DeskFile, content: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut heading = String::new();
    let mut close = |open: &mut Option<(usize, usize)>, heading: &str| {
        if let Some((start, end)) = open.take() {
            push(&mut chunks, file, content, heading, (start, end));
        }
    };
    let mut place = 0;
    for line in content.split_inclusive('\n') {
        let (start, end) = (place, place + line.len());
        place = end;
        let is_heading = line.starts_with('#');
        let is_blank = line.trim().is_empty();
        let is_full = open.is_some_and(|(start, end)| end - start >= FULL);
        if is_heading || (is_full && is_blank) || open.is_some_and(|(begin, _)| end - begin > 2 * FULL) {
            close(&mut open, &heading);
        }
        if is_heading {
            heading = line.trim_matches(|letter: char| letter == '#' || letter.is_whitespace()).to_owned();
        }
        if !is_blank {
            open = Some((open.map_or(start, |(start, _)| start), end));
        }
    }
    close(&mut open, &heading);
    chunks
}

/// Adds a passage; one line that is too long becomes several.
fn push(
    chunks: &mut Vec<Chunk>,
    file: &DeskFile,
    content: &str,
    heading: &str,
    (mut start, end): (usize, usize),
) {
    while start < end {
        let most = (start + 2 * FULL).min(end);
        let cut = (start + 1..=most).rev().find(|place| content.is_char_boundary(*place)).unwrap_or(end);
        let text = content.get(start..cut).unwrap_or_default();
        let citation = Citation {
            file_id: file.id.clone(),
            name: file.name.clone(),
            version: file.version,
            heading: heading.to_owned(),
            start,
            end: cut,
            digest: Digest::of_bytes(text.as_bytes()).as_str().to_owned(),
        };
        chunks.push(Chunk { citation, text: text.to_owned() });
        start = cut;
    }
}
