//! How large and how deep a text is. It must not parse: what is too deep must not be descended into.

#[cfg(test)]
mod tests;

use premath_tusk::policy::Finding;

/// How much is too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeSettings {
    /// The most bytes.
    pub max_bytes: usize,
    /// The most brackets inside each other.
    pub max_depth: usize,
}

impl Default for SizeSettings {
    fn default() -> Self {
        Self { max_bytes: 1 << 20, max_depth: 64 }
    }
}

/// What of a text is too much.
pub(crate) fn find(text: &str, settings: SizeSettings) -> Vec<Finding> {
    let mut found = Vec::new();
    if text.len() > settings.max_bytes {
        found.push(Finding { label: "size-bytes".to_owned(), span: None });
    }
    let begins = text.trim_start().as_bytes().first().copied();
    if matches!(begins, Some(b'{' | b'[')) && depth(text.as_bytes(), settings.max_depth) > settings.max_depth
    {
        found.push(Finding { label: "size-depth".to_owned(), span: None });
    }
    found
}

/// How deep brackets go outside of strings, counted until it is more than `most`.
fn depth(bytes: &[u8], most: usize) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = bytes;
    while let Some((byte, more)) = rest.split_first() {
        rest = more;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => rest = behind_string(rest),
            _ => {}
        }
        deepest = deepest.max(depth);
        if deepest > most {
            break;
        }
    }
    deepest
}

fn behind_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let is_escape = rest.get(at) == Some(&b'\\');
        rest = rest.get(at + 1 + usize::from(is_escape)..).unwrap_or_default();
        if !is_escape {
            return rest;
        }
    }
    &[]
}
