//! A JSON file of somebody else's, changed in one place: every byte that is not ours stays as it is.
//!
//! Texts come in that the strict decoder has read. It must not write a document anew: people format their settings.

use std::ops::Range;

use serde_json::Value;

/// What lies where in a text.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// An object: each member with where it begins, its name, and its value.
    Object(Range<usize>, Vec<(usize, String, Node)>),
    /// An array.
    Array(Range<usize>, Vec<Node>),
    /// Anything else.
    Leaf(Range<usize>),
}

impl Node {
    pub(super) fn span(&self) -> &Range<usize> {
        match self {
            Self::Object(span, _) | Self::Array(span, _) | Self::Leaf(span) => span,
        }
    }

    /// A member of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(_, members) => {
                members.iter().find(|(_, one, _)| one == name).map(|(_, _, node)| node)
            }
            Self::Array(..) | Self::Leaf(_) => None,
        }
    }

    /// The items of an array; none of anything else.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::Array(_, items) => items,
            Self::Object(..) | Self::Leaf(_) => &[],
        }
    }

    /// Where each part begins and ends: a member with its name.
    fn parts(&self) -> Vec<Range<usize>> {
        match self {
            Self::Object(_, members) => members.iter().map(|(at, _, node)| *at..node.span().end).collect(),
            Self::Array(_, items) => items.iter().map(|item| item.span().clone()).collect(),
            Self::Leaf(_) => Vec::new(),
        }
    }
}

/// Finds out what lies where; none where the text is no JSON.
pub(super) fn scan(text: &str) -> Option<Node> {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    scanner.value()
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    /// INVARIANT: the strict decoder bounded the depth.
    fn value(&mut self) -> Option<Node> {
        let (first, start) = (self.peek()?, self.at);
        match first {
            b'{' => {
                let members = self.list(b'}', |scanner| {
                    let (_, at) = (scanner.peek()?, scanner.at);
                    let name = scanner.text()?;
                    scanner.peek().filter(|byte| *byte == b':')?;
                    scanner.at += 1;
                    Some((at, name, scanner.value()?))
                })?;
                Some(Node::Object(start..self.at, members))
            }
            b'[' => {
                let items = self.list(b']', Self::value)?;
                Some(Node::Array(start..self.at, items))
            }
            b'"' => {
                self.text()?;
                Some(Node::Leaf(start..self.at))
            }
            _ => {
                while self.bytes.get(self.at).is_some_and(|byte| !b",]} \t\r\n".contains(byte)) {
                    self.at += 1;
                }
                (self.at > start).then_some(Node::Leaf(start..self.at))
            }
        }
    }

    fn list<T>(&mut self, end: u8, mut part: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            match self.peek()? {
                byte if byte == end => {
                    self.at += 1;
                    return Some(parts);
                }
                b',' => self.at += 1,
                _ => parts.push(part(self)?),
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.bytes.get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_slice(self.bytes.get(start..self.at)?).ok()
    }
}

/// How a file is indented: by its first member, or by two spaces.
pub(super) fn indentation(text: &str) -> String {
    let spaces =
        |line: &str| line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect::<String>();
    let indented = text.lines().map(spaces).find(|spaces| !spaces.is_empty());
    indented.unwrap_or_else(|| "  ".to_owned())
}

/// A value on several lines, at a level.
pub(super) fn pretty(value: &Value, unit: &str, level: usize) -> String {
    let lines = serde_json::to_string_pretty(value).unwrap_or_default();
    let relined = lines.lines().map(|line| {
        let bare = line.trim_start_matches(' ');
        format!("{}{bare}", unit.repeat(level + (line.len() - bare.len()) / 2))
    });
    relined.collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

/// The text with one more part at the end of an object or array that lies at a level.
pub(super) fn with_part(text: &str, node: &Node, part: &str, unit: &str, level: usize) -> Option<String> {
    let span = node.span();
    let (inner, outer) = (unit.repeat(level + 1), unit.repeat(level));
    let (at, upto, piece) = match node.parts().last() {
        Some(last) => (last.end, last.end, format!(",\n{inner}{part}")),
        None => (span.start + 1, span.end - 1, format!("\n{inner}{part}\n{outer}")),
    };
    Some(format!("{}{piece}{}", text.get(..at)?, text.get(upto..)?))
}

/// The text without one part of an object or array.
pub(super) fn without_part(text: &str, node: &Node, position: usize) -> Option<String> {
    let (parts, span) = (node.parts(), node.span());
    let part = parts.get(position)?;
    let before = position.checked_sub(1).and_then(|before| parts.get(before));
    let gap = match (before, parts.get(position + 1)) {
        (None, None) => span.start + 1..span.end - 1,
        (Some(before), _) => before.end..part.end,
        (None, Some(next)) => part.start..next.start,
    };
    Some(format!("{}{}", text.get(..gap.start)?, text.get(gap.end..)?))
}

#[cfg(test)]
mod tests;
