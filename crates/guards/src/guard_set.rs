//! All guards of a run: tried before anything runs, asked at every stage, and taken at their worst.
//!
//! A guard that errors or failed its self-test is a decision that blocks (I9). It must not let one
//! guard keep another from looking.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Debug;

use premath_tusk::policy::{
    Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, SelfTestFailure,
};

/// A counter of microseconds that never goes back. From which moment is its own affair.
pub trait Micros: Debug + Send + Sync {
    /// Now.
    fn micros(&self) -> u64;
}

/// What one guard came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It looked.
    Looked(GuardReport),
    /// It could not. That blocks.
    Failed(GuardError),
}

/// One decision of one guard at one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardDecision {
    /// Which guard.
    pub guard: String,
    /// When.
    pub stage: GuardrailStage,
    /// What is to be done; none when it looked and found nothing.
    pub action: Option<GuardAction>,
    /// What it said.
    pub outcome: Outcome,
    /// How long it took.
    pub micros: u64,
}

impl GuardDecision {
    /// Whether something is to be done.
    #[must_use]
    pub const fn is_triggered(&self) -> bool {
        self.action.is_some()
    }

    /// Whether the call does not run, or the result is not shown.
    #[must_use]
    pub fn blocks(&self) -> bool {
        self.action == Some(GuardAction::Block)
    }
}

/// All guards of a run.
#[derive(Debug)]
pub struct GuardSet {
    guards: Vec<Box<dyn Guard>>,
    clock: Box<dyn Micros>,
    /// Why a guard is not asked any more, by its place.
    red: BTreeMap<usize, String>,
}

impl GuardSet {
    /// A set of guards, none of them tried yet. Until [`Self::self_test_all`] was called they are asked as they are.
    #[must_use]
    pub fn new(guards: Vec<Box<dyn Guard>>, clock: Box<dyn Micros>) -> Self {
        let mut seen: Vec<String> = Vec::new();
        let mut red = BTreeMap::new();
        for (place, guard) in guards.iter().enumerate() {
            if seen.iter().any(|id| id == guard.id()) {
                red.insert(place, "there are two guards of this name".to_owned());
            }
            seen.push(guard.id().to_owned());
        }
        Self { guards, clock, red }
    }

    /// The names of all guards, in the order they look.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.guards.iter().map(|guard| guard.id())
    }

    /// Whether any guard is red: nothing passes it.
    #[must_use]
    pub fn has_red(&self) -> bool {
        !self.red.is_empty()
    }

    /// Has every guard look at its own samples. One that fails is red from now on; one that passes is not any more.
    pub fn self_test_all(&mut self) -> Vec<(String, Result<(), SelfTestFailure>)> {
        let mut results = Vec::new();
        for (place, guard) in self.guards.iter().enumerate() {
            let is_second = self.guards.iter().take(place).any(|other| other.id() == guard.id());
            let result = if is_second {
                let what = "there are two guards of this name".to_owned();
                Err(SelfTestFailure { guard: guard.id().to_owned(), what })
            } else {
                guard.self_test()
            };
            match &result {
                Ok(()) => self.red.remove(&place),
                Err(failure) => self.red.insert(place, failure.to_string()),
            };
            results.push((guard.id().to_owned(), result));
        }
        results
    }

    /// Has every guard of the subject's stage look, in order; a guard that is red is not asked.
    #[must_use]
    pub fn look(&self, subject: &GuardSubject<'_>) -> Vec<GuardDecision> {
        let guards = self.guards.iter().enumerate();
        guards
            .filter(|(_, guard)| guard.stages().contains(&subject.stage))
            .map(|(place, guard)| self.ask(place, guard.as_ref(), subject))
            .collect()
    }

    fn ask(&self, place: usize, guard: &dyn Guard, subject: &GuardSubject<'_>) -> GuardDecision {
        let begun = self.clock.micros();
        let answer = match self.red.get(&place) {
            Some(why) => Err(GuardError::Unavailable(why.clone())),
            None => guard.check(subject),
        };
        let micros = self.clock.micros().saturating_sub(begun);
        let (action, outcome) = match answer {
            Ok(report) => {
                let action = report.is_triggered().then(|| guard.action(subject.stage));
                (action, Outcome::Looked(report))
            }
            Err(error) => (Some(GuardAction::Block), Outcome::Failed(error)),
        };
        GuardDecision { guard: guard.id().to_owned(), stage: subject.stage, action, outcome, micros }
    }
}
