//! The port to policy-as-code. It must not name a language.

use std::fmt::Debug;

use premath_kernel::Digest;

use super::subject::CallFacts;

/// What a decision comes to, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It may run.
    Allow,
    /// A person must be asked.
    Ask,
    /// It does not run.
    Deny,
}

impl Effect {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The token in rules, rows and answers.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What the rules say about one call. There is always one: rules that fail deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What it comes to.
    pub effect: Effect,
    /// The rule that decided; none when no rule spoke, which denies, or when the rules failed.
    pub rule: Option<String>,
    /// Why, for a person and the audit; names rules and values.
    pub reason: String,
    /// What to do instead, for a model: names neither rules nor ids. Empty when there is nothing to say.
    pub hint: String,
    /// Every rule that matched, the deciding one among them, sorted.
    pub matched: Vec<String>,
    /// What went wrong while deciding; anything in here has made the effect a denial.
    pub errors: Vec<String>,
}

/// How one rule stands to a call, for whoever wants it explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// Which rule.
    pub rule: String,
    /// What it would come to.
    pub effect: Effect,
    /// Whether it matched.
    pub matched: bool,
    /// Why it exists, in its author's words.
    pub reason: String,
}

/// What is known of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleInfo {
    /// Its id, unique among all.
    pub id: String,
    /// What it comes to when it matches.
    pub effect: Effect,
    /// Why it exists.
    pub reason: String,
    /// The file and the line it is written at.
    pub source: String,
    /// How many examples it was tried with when it was loaded.
    pub examples: usize,
}

/// Rules that decide about calls.
pub trait Rules: Debug + Send + Sync {
    /// Decides. Never fails open: an error, a missing rule or a time-out is a denial.
    fn decide(&self, call: &CallFacts<'_>) -> Ruling;

    /// How every rule stands to a call, sorted by id.
    fn explain(&self, call: &CallFacts<'_>) -> Vec<Evaluated>;

    /// All rules, sorted by id.
    fn rules(&self) -> Vec<RuleInfo>;

    /// The digest over every rule.
    fn digest(&self) -> &Digest;

    /// Why there are none, each with its file and line; empty for rules that loaded.
    fn failures(&self) -> &[String] {
        &[]
    }
}
