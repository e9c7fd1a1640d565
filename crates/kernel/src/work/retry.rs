//! What becomes of a step that failed: which kind of failure it is, whether it is tried again, and what follows when not.
//!
//! A pure table. Failures come as classes, never as text of a log; a class that no rule names falls under the default rule,
//! which tries nothing again. Must not wait, look at an issue, or know where the table was read from.

use alloc::string::String;
use alloc::vec::Vec;

pub use self::pattern::ClassPattern;

mod pattern;

/// The kinds of failure, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// It may be gone by itself.
    Transient,
    /// Something around the work is not as it should be.
    Operational,
    /// The work is not what was asked for.
    Semantic,
    /// A rule of governance speaks against it.
    Governance,
    /// Nobody said what it is.
    Default,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Transient, Self::Operational, Self::Semantic, Self::Governance, Self::Default];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Operational => "operational",
            Self::Semantic => "semantic",
            Self::Governance => "governance",
            Self::Default => "default",
        }
    }
}

/// How long to wait before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BackoffClass {
    /// Not at all.
    None,
    /// Always two seconds.
    FixedShort,
    /// One second, two, four; no longer.
    ExponentialShort,
}

impl BackoffClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::None, Self::FixedShort, Self::ExponentialShort];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::FixedShort => "fixed_short",
            Self::ExponentialShort => "exponential_short",
        }
    }

    /// The seconds to wait after the attempt of this number, the first being 1.
    #[must_use]
    pub const fn seconds_after(self, attempt: u32) -> u64 {
        match (self, attempt) {
            (Self::None, _) => 0,
            (Self::FixedShort, _) | (Self::ExponentialShort, 2) => 2,
            (Self::ExponentialShort, 0 | 1) => 1,
            (Self::ExponentialShort, _) => 4,
        }
    }
}

/// What follows when nothing is tried again. In the order of how much they stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EscalationAction {
    /// The failure becomes an issue of its own, and the one it happened to waits for it.
    IssueDiscover,
    /// The issue is set aside.
    MarkBlocked,
    /// The worker lets go of the issue and stops.
    Stop,
}

impl EscalationAction {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::IssueDiscover, Self::MarkBlocked, Self::Stop];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::IssueDiscover => "issue_discover",
            Self::MarkBlocked => "mark_blocked",
            Self::Stop => "stop",
        }
    }
}

/// What is done about one kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryRule {
    /// Which kind.
    pub kind: FailureKind,
    /// The classes that are of this kind; none for the default rule.
    pub classes: Vec<ClassPattern>,
    /// So many attempts in all.
    pub max_attempts: u32,
    /// How long to wait between them.
    pub backoff: BackoffClass,
    /// What follows the last of them.
    pub escalation: EscalationAction,
}

/// What is wrong with a table of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryTableFault {
    /// A kind has no rule.
    KindMissing(FailureKind),
    /// A kind has two rules.
    KindTwice(FailureKind),
    /// The default rule names classes, or another one names none.
    ClassesMisplaced(FailureKind),
    /// A rule allows no attempt, or more than can be meant.
    AttemptsOutOfRange(FailureKind),
    /// A class may be of two kinds.
    Overlap {
        /// The pattern of one kind.
        left: String,
        /// The pattern of the other.
        right: String,
    },
}

/// More attempts than this are a slip of the pen.
const MOST_ATTEMPTS: u32 = 100;

/// A table in which every class has exactly one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryTable {
    rules: Vec<RetryRule>,
    default: RetryRule,
}

/// What is to be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryDecision {
    /// Of which kind it is.
    pub kind: FailureKind,
    /// What follows.
    pub next: RetryNext,
}

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryNext {
    /// Another attempt.
    Retry {
        /// After so many seconds.
        backoff_seconds: u64,
    },
    /// No more attempts.
    Escalate(EscalationAction),
}

impl RetryTable {
    /// A table of these rules: one for each kind, none of them sharing a class with another.
    ///
    /// # Errors
    /// The first thing that is wrong with them.
    pub fn new(mut rules: Vec<RetryRule>) -> Result<Self, RetryTableFault> {
        rules.sort_by_key(|rule| rule.kind);
        for kind in FailureKind::ALL {
            match rules.iter().filter(|rule| rule.kind == kind).count() {
                0 => return Err(RetryTableFault::KindMissing(kind)),
                1 => {}
                _more => return Err(RetryTableFault::KindTwice(kind)),
            }
        }
        for rule in &rules {
            if rule.classes.is_empty() != (rule.kind == FailureKind::Default) {
                return Err(RetryTableFault::ClassesMisplaced(rule.kind));
            }
            if !(1..=MOST_ATTEMPTS).contains(&rule.max_attempts) {
                return Err(RetryTableFault::AttemptsOutOfRange(rule.kind));
            }
        }
        check_disjoint(&rules)?;
        let default = rules.pop().ok_or(RetryTableFault::KindMissing(FailureKind::Default))?;
        Ok(Self { rules, default })
    }

    /// The rules, the default one last.
    pub fn rules(&self) -> impl Iterator<Item = &RetryRule> {
        self.rules.iter().chain(core::iter::once(&self.default))
    }

    /// The rule of one class.
    #[must_use]
    pub fn rule_of(&self, class: &str) -> &RetryRule {
        let is_named = |rule: &&RetryRule| rule.classes.iter().any(|pattern| pattern.matches(class));
        self.rules.iter().find(is_named).unwrap_or(&self.default)
    }

    /// What follows the attempt of this number, the first being 1, which failed with these classes.
    ///
    /// Of several rules the strictest counts: the one with the fewest attempts, and of those the one that stops the most.
    /// A failure without a class is nobody's, and falls under the default rule.
    #[must_use]
    pub fn decide(&self, classes: &[String], attempt: u32) -> RetryDecision {
        let strictness =
            |rule: &&RetryRule| (core::cmp::Reverse(rule.max_attempts), rule.escalation, rule.kind);
        let rule =
            classes.iter().map(|class| self.rule_of(class)).max_by_key(strictness).unwrap_or(&self.default);
        let next = if attempt < rule.max_attempts {
            RetryNext::Retry { backoff_seconds: rule.backoff.seconds_after(attempt) }
        } else {
            RetryNext::Escalate(rule.escalation)
        };
        RetryDecision { kind: rule.kind, next }
    }
}

fn check_disjoint(rules: &[RetryRule]) -> Result<(), RetryTableFault> {
    for (at, rule) in rules.iter().enumerate() {
        for other in rules.iter().skip(at + 1) {
            for left in &rule.classes {
                if let Some(right) = other.classes.iter().find(|right| left.overlaps(right)) {
                    let (left, right) = (String::from(left.as_str()), String::from(right.as_str()));
                    return Err(RetryTableFault::Overlap { left, right });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
