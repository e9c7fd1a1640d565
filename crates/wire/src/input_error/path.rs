//! Where in a document a value stands, written as a JSON path.
//!
//! It must not be built on the way down: only a failing decoder pays for it, segment by segment, as the error unwinds.

use std::fmt;

use super::Echo;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// The member of that name
    Key(String),
    /// The item at that place, counted from zero
    Index(usize),
}

/// The way from the document to a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JsonPath {
    /// Innermost first, so that an outer segment is a push.
    reversed: Vec<Segment>,
}

impl JsonPath {
    /// The document itself, `$`.
    #[must_use]
    pub fn root() -> Self {
        JsonPath::default()
    }

    /// This path, one member further in.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.reversed.insert(0, Segment::Key(key.into()));
        self
    }

    /// This path, one item further in.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.reversed.insert(0, Segment::Index(index));
        self
    }

    /// Adds the segment that leads to where this path began.
    pub fn push_outer(&mut self, segment: Segment) {
        self.reversed.push(segment);
    }

    /// The segments, outermost first.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.reversed.iter().rev()
    }
}

impl fmt::Display for JsonPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("$")?;
        for segment in self.segments() {
            match segment {
                Segment::Index(index) => write!(formatter, "[{index}]")?,
                Segment::Key(key) if is_identifier(key) => write!(formatter, ".{}", Echo(key))?,
                Segment::Key(key) => write!(formatter, "[\"{}\"]", Echo(key))?,
            }
        }
        Ok(())
    }
}

fn is_identifier(key: &str) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    key.as_bytes().first().is_some_and(starts)
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
