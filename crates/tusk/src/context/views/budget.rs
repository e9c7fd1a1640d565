//! What a run may use and what it has: the one place that says whether a limit is reached.

use premath_kernel::{Object, Value};

use super::{RunState, number};

/// What was used of something, and how much of it may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// What was used.
    pub used: u64,
    /// What may be; none: as much as one likes.
    pub limit: Option<u64>,
}

/// What a run may use and what it has, the runs below it included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Turns of a model.
    pub turns: Spent,
    /// Tool calls.
    pub tool_calls: Spent,
    /// Tokens, in and out.
    pub tokens: Spent,
    /// Cost, in millionths of the currency unit.
    pub cost_micros: Spent,
    /// Wall time, in milliseconds.
    pub wall_millis: Spent,
    /// The longest run of equal calls.
    pub identical_calls: Spent,
    /// Workers that were spawned.
    pub workers: Spent,
}

/// When a limit stops a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Once it is reached: every further turn needs more of it.
    Reached,
    /// Once it is passed: a further turn can do without.
    Passed,
}

impl Spent {
    /// What may still be used; none: as much as one likes.
    #[must_use]
    pub fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.used))
    }

    /// How much of the limit is used, in percent, rounded down. Of a limit of nothing, all is used.
    #[must_use]
    pub fn percent(&self) -> Option<u64> {
        let limit = self.limit?;
        let parts = u128::from(self.used) * 100;
        Some(parts.checked_div(u128::from(limit)).map_or(100, |part| u64::try_from(part).unwrap_or(u64::MAX)))
    }

    fn stops(&self, rule: Rule) -> bool {
        self.limit.is_some_and(|limit| match rule {
            Rule::Reached => self.used >= limit,
            Rule::Passed => self.used > limit,
        })
    }

    fn exact(&self) -> Value<'static> {
        Object::fields().optional("limit", self.limit.map(number)).field("used", number(self.used)).finish()
    }

    /// Percent of the limit, in tenths.
    pub(super) fn rough(&self) -> Option<u64> {
        self.percent().map(|percent| percent / 10 * 10)
    }
}

impl Budget {
    fn named(&self) -> [(&'static str, Spent, Rule); 7] {
        [
            ("turns", self.turns, Rule::Reached),
            ("toolCalls", self.tool_calls, Rule::Passed),
            ("tokens", self.tokens, Rule::Reached),
            ("costMicros", self.cost_micros, Rule::Reached),
            ("wallMillis", self.wall_millis, Rule::Reached),
            ("identicalCalls", self.identical_calls, Rule::Reached),
            ("workers", self.workers, Rule::Passed),
        ]
    }

    fn exceeded(&self) -> Vec<&'static str> {
        self.named()
            .into_iter()
            .filter(|(_, spent, rule)| spent.stops(*rule))
            .map(|(name, ..)| name)
            .collect()
    }

    /// What the view shows. Money, time and tokens differ between equal runs: providers count tokens each in their own way.
    pub(super) fn content(&self) -> Value<'static> {
        Object::fields()
            .optional("costPercent", self.cost_micros.rough().map(number))
            .field("exceeded", Value::text_list(self.exceeded()))
            .field("identicalCalls", self.identical_calls.exact())
            .optional("tokensPercent", self.tokens.rough().map(number))
            .field("toolCalls", self.tool_calls.exact())
            .field("turns", self.turns.exact())
            .optional("wallPercent", self.wall_millis.rough().map(number))
            .field("workers", self.workers.exact())
            .finish()
    }
}

/// The limits that stop the run, in a fixed order. Turns, tokens, money, time and equal calls stop it once their limit is
/// reached, since the next turn needs more of them; tool calls and workers once it is passed, since it can do without.
#[must_use]
pub fn exceeded(state: &RunState) -> Vec<&'static str> {
    state.budget.exceeded()
}
