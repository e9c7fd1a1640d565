//! A refusal: the normal negative answer of a check, with every reason it found.
//!
//! A refusal is never empty and always sorted. It must not be used for accidents (bad input, I/O).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::failure::FailureClass;

/// The longest detail, in characters. Evidence repeated in a detail may be long and stand behind thousands of rows.
const DETAIL_LIMIT: usize = 320;

/// One finding: which rule, about what, in words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The rule that was broken.
    pub class: FailureClass,
    /// The row, policy or field it is about.
    pub subject: String,
    /// What was found, for a person. Not part of any digest.
    pub detail: String,
}

impl Reason {
    /// A finding about `subject`.
    pub fn new(class: FailureClass, subject: impl Into<String>, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        if let Some((end, _)) = detail.char_indices().nth(DETAIL_LIMIT) {
            detail.truncate(end);
            detail.push('…');
        }
        Self { class, subject: subject.into(), detail }
    }
}

/// A piece of evidence as a detail may repeat it.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LIMIT: usize = 64;
        match self.0.char_indices().nth(LIMIT).and_then(|(end, _)| self.0.get(..end)) {
            Some(kept) => write!(formatter, "{kept}…"),
            None => formatter.write_str(self.0),
        }
    }
}

/// The findings of one evaluation while it runs.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Reason>);

impl Findings {
    /// Notes one finding.
    pub(crate) fn add(&mut self, class: FailureClass, subject: impl Into<String>, detail: impl Into<String>) {
        self.0.push(Reason::new(class, subject, detail));
    }

    /// Notes findings made earlier.
    pub(crate) fn extend(&mut self, reasons: impl IntoIterator<Item = Reason>) {
        self.0.extend(reasons);
    }

    /// None when nothing was found.
    pub(crate) fn into_refusal(self) -> Option<Refusal> {
        Refusal::new(self.0)
    }
}

/// Why a turn or a mutation was refused: all reasons, sorted, without repeats, never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    reasons: Vec<Reason>,
}

impl Refusal {
    /// None for no reasons: an empty refusal cannot exist.
    #[must_use]
    pub fn new(mut reasons: Vec<Reason>) -> Option<Self> {
        reasons.sort_unstable();
        reasons.dedup();
        (!reasons.is_empty()).then_some(Self { reasons })
    }

    /// Every reason, sorted by class, subject and detail.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// The reasons, given away.
    #[must_use]
    pub fn into_reasons(self) -> Vec<Reason> {
        self.reasons
    }

    /// The distinct classes, sorted.
    #[must_use]
    pub fn classes(&self) -> Vec<FailureClass> {
        let classes: BTreeSet<FailureClass> = self.reasons.iter().map(|reason| reason.class).collect();
        classes.into_iter().collect()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, class) in self.classes().iter().enumerate() {
            if position > 0 {
                formatter.write_str(", ")?;
            }
            write!(formatter, "{class}")?;
        }
        Ok(())
    }
}
