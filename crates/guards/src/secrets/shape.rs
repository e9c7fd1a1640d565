//! What a secret looks like: literal texts and runs of characters, one after the other.
//!
//! Matching is greedy and looks at each character a bounded number of times per set: ends of runs are remembered, so that
//! a text of a thousand beginnings inside one long run costs no more than the run.

use super::set::{self, Set};

/// One piece of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// These characters.
    Text(&'static str),
    /// These characters in any case.
    Folded(&'static str),
    /// So many characters of a set, as many as there are.
    Run { set: Set, least: usize, most: usize },
    /// The first of these that fits, with what follows.
    OneOf(&'static [&'static [Self]]),
}

/// A literal.
pub(super) const fn text(text: &'static str) -> Part {
    Part::Text(text)
}

/// A literal in any case.
pub(super) const fn folded(text: &'static str) -> Part {
    Part::Folded(text)
}

impl Set {
    pub(super) const fn exactly(self, count: usize) -> Part {
        Part::Run { set: self, least: count, most: count }
    }

    pub(super) const fn between(self, least: usize, most: usize) -> Part {
        Part::Run { set: self, least, most }
    }

    pub(super) const fn at_least(self, least: usize) -> Part {
        Part::Run { set: self, least, most: usize::MAX }
    }
}

/// A text that shapes are held against.
#[derive(Debug)]
pub(super) struct Subject<'t> {
    bytes: &'t [u8],
    /// The run of each set that was measured last.
    runs: [(usize, usize); set::COUNT],
}

impl<'t> Subject<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), runs: [(0, 0); set::COUNT] }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The byte before a place.
    pub(super) fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.byte(before))
    }

    /// How many digits stand before a place, at most so many.
    pub(super) fn digits_before(&self, at: usize, most: usize) -> usize {
        let before = self.bytes.get(at.saturating_sub(most)..at).unwrap_or_default();
        before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'t [u8] {
        self.bytes.get(from..to.min(self.bytes.len())).unwrap_or_default()
    }

    /// Where the run of a set that goes on at a place ends.
    pub(super) fn run_end(&mut self, set: Set, at: usize) -> usize {
        let Some(known) = self.runs.get_mut(set.number()) else { return at };
        if (known.0..known.1).contains(&at) {
            return known.1;
        }
        let length =
            self.bytes.get(at..).unwrap_or_default().iter().take_while(|byte| set.has(**byte)).count();
        *known = (at, at + length);
        at + length
    }

    /// Where a shape that begins at a place ends, if it is there.
    pub(super) fn fits(&mut self, parts: &[Part], at: usize) -> Option<usize> {
        let Some((first, rest)) = parts.split_first() else { return Some(at) };
        match *first {
            Part::Text(text) => {
                let end = at + text.len();
                (self.bytes.get(at..end)? == text.as_bytes()).then_some(())?;
                self.fits(rest, end)
            }
            Part::Folded(text) => {
                let end = at + text.len();
                self.bytes.get(at..end)?.eq_ignore_ascii_case(text.as_bytes()).then_some(())?;
                self.fits(rest, end)
            }
            Part::Run { set, least, most } => {
                let length = (self.run_end(set, at) - at).min(most);
                (length >= least).then_some(())?;
                self.fits(rest, at + length)
            }
            Part::OneOf(choices) => choices.iter().find_map(|choice| {
                let end = self.fits(choice, at)?;
                self.fits(rest, end)
            }),
        }
    }
}
