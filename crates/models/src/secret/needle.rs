//! A secret in a text, in every spelling JSON has for it: a character may stand for itself, as `\\uXXXX`, or behind a
//! backslash, and inside a JSON text within a JSON text each backslash is doubled. It must not show what it looks for.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::{SCRUBBED, SHORTEST_SCRUBBED};

/// So many backslashes may stand for one: JSON within JSON within JSON within JSON.
const MOST_BACKSLASHES: usize = 8;

/// What is looked for.
#[derive(Clone)]
pub(crate) struct Needle(String);

impl fmt::Debug for Needle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Needle")
    }
}

/// What stands at one place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// The secret, in so many bytes.
    Whole(usize),
    /// What may become the secret if the text goes on.
    Beginning,
    /// Something else.
    Nothing,
}

impl Needle {
    /// A secret that is long enough to be looked for: shorter ones turn up in words that have nothing to do with them.
    pub(crate) fn new(secret: &str) -> Option<Self> {
        (secret.len() >= SHORTEST_SCRUBBED).then(|| Self(secret.to_owned()))
    }

    /// Its length as it is.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    fn may_begin_at(&self, bytes: &[u8]) -> Option<usize> {
        memchr2(self.0.bytes().next()?, b'\\', bytes)
    }

    fn at(&self, bytes: &[u8]) -> Found {
        // Nearly every place where a secret could begin is decided here, without a backslash on either side.
        let same = bytes.iter().zip(self.0.bytes()).take_while(|(one, other)| **one == *other).count();
        if memchr(b'\\', self.0.as_bytes()).is_none() {
            if same == self.0.len() {
                return Found::Whole(same);
            }
            if bytes.get(same).is_some_and(|byte| *byte != b'\\') {
                return Found::Nothing;
            }
        }
        self.in_every_spelling(bytes)
    }

    fn in_every_spelling(&self, bytes: &[u8]) -> Found {
        let mut ends = BTreeSet::from([0]);
        let mut is_beginning = false;
        for wanted in self.0.chars() {
            let mut next = BTreeSet::new();
            for end in ends {
                let rest = bytes.get(end..).unwrap_or_default();
                is_beginning |= spellings(wanted, rest, &mut |length| {
                    next.insert(end.saturating_add(length));
                });
            }
            ends = next;
        }
        match ends.last() {
            Some(length) => Found::Whole(*length),
            None if is_beginning => Found::Beginning,
            None => Found::Nothing,
        }
    }
}

/// Calls `take` with the length of every spelling of `wanted` at the beginning of `rest`, and says whether `rest` ends
/// within one.
fn spellings(wanted: char, rest: &[u8], take: &mut dyn FnMut(usize)) -> bool {
    let mut buffer = [0; 4];
    let plain = wanted.encode_utf8(&mut buffer).as_bytes();
    if rest.starts_with(plain) {
        take(plain.len());
    }
    let mut is_cut = rest.len() < plain.len() && plain.starts_with(rest);
    let slashes = rest.iter().take(MOST_BACKSLASHES).take_while(|byte| **byte == b'\\').count();
    if slashes == 0 {
        return is_cut;
    }
    let behind = rest.get(slashes..).unwrap_or_default();
    if wanted == '\\' {
        (2..=slashes).for_each(&mut *take);
    } else if matches!(wanted, '/' | '"') && behind.starts_with(plain) {
        take(slashes.saturating_add(plain.len()));
    }
    let escape = format!("u{:04x}", u32::from(wanted));
    let shared = behind.iter().zip(escape.bytes()).take_while(|(one, other)| is_same(**one, *other)).count();
    if shared == escape.len() {
        take(slashes.saturating_add(shared));
    }
    is_cut |= shared == behind.len() && shared < escape.len();
    is_cut
}

/// Digits may be large or small, the letter before them may not.
const fn is_same(one: u8, other: u8) -> bool {
    one == other || (other != b'u' && one.eq_ignore_ascii_case(&other))
}

/// Where the secrets are, in order; the first of `needles` that fits is the one that counts.
pub(crate) fn ranges(needles: &[Needle], bytes: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while let Some(rest) = bytes.get(start..) {
        let Some(ahead) = needles.iter().filter_map(|needle| needle.may_begin_at(rest)).min() else { break };
        start = start.saturating_add(ahead);
        let here = bytes.get(start..).unwrap_or_default();
        let found = needles.iter().find_map(|needle| match needle.at(here) {
            Found::Whole(length) => Some(length),
            Found::Beginning | Found::Nothing => None,
        });
        if let Some(length) = found {
            ranges.push(start..start.saturating_add(length));
        }
        start = start.saturating_add(found.unwrap_or(1));
    }
    ranges
}

/// A text without the secrets.
pub(crate) fn scrubbed(needles: &[Needle], text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for range in ranges(needles, text.as_bytes()) {
        kept.push_str(text.get(end..range.start).unwrap_or_default());
        kept.push_str(SCRUBBED);
        end = range.end;
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept
}

impl Needle {
    /// Takes from `text` what can be said of it now, without the secret. What may be the beginning of the secret stays.
    pub(crate) fn take_safe(&self, text: &mut String) -> String {
        let mut said = String::new();
        let mut rest = text.as_str();
        while let Some(ahead) = self.may_begin_at(rest.as_bytes()) {
            let (before, here) = rest.split_at_checked(ahead).unwrap_or((rest, ""));
            said.push_str(before);
            rest = here;
            let (kept, length) = match self.at(here.as_bytes()) {
                Found::Whole(length) => (SCRUBBED, length),
                Found::Beginning => break,
                Found::Nothing => (here.get(..1).unwrap_or_default(), 1),
            };
            said.push_str(kept);
            rest = rest.get(length..).unwrap_or_default();
        }
        let is_held = self.may_begin_at(rest.as_bytes()) == Some(0);
        if !is_held {
            said.push_str(rest);
            rest = "";
        }
        *text = rest.to_owned();
        said
    }
}
