//! Looking with every guard of a stage, and what the looks come to together.
//!
//! A guard that fails, or failed its self-test, is a decision that blocks. It must not swallow one.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

use premath_kernel::{Digest, GuardrailStage, Object, Value};

use super::guard::{Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject};
use super::judgement::GuardRow;
use super::redaction::{Redaction, RemovedText};

/// A counter of microseconds that never goes back. From which moment is its own affair.
pub trait Micros: Debug + Send + Sync {
    /// Now.
    fn micros(&self) -> u64;
}

/// The guards of a run, each tried before anything runs past it.
#[derive(Debug, Default)]
pub struct Guards {
    all: Vec<Arc<dyn Guard>>,
    /// Those that do not do what they say, by their place, and why.
    red: BTreeMap<usize, String>,
    /// What measures their looks, where anybody asks.
    time: Option<Arc<dyn Micros>>,
}

/// What one guard's look came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Which guard.
    pub guard: String,
    /// What is to be done about it.
    pub action: GuardAction,
    /// What it found, or why it could not look.
    pub result: Result<GuardReport, GuardError>,
    /// How long it took, where that is measured.
    pub micros: Option<u64>,
}

impl Look {
    /// Whether something is to be done: it fired, or could not look.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        self.result.as_ref().map_or(true, GuardReport::is_triggered)
    }

    fn row(&self, stage: GuardrailStage) -> GuardRow {
        let report = self.result.as_ref().ok();
        GuardRow {
            id: self.guard.clone(),
            stage,
            triggered: self.is_triggered(),
            score_millis: report.and_then(|report| report.score_millis),
            threshold_millis: report.and_then(|report| report.threshold_millis),
            model_ref: report.and_then(|report| report.model_ref.clone()),
        }
    }

    /// What was found, in words that quote nothing.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.result {
            Err(error) => format!("{}: {error}", error.code()),
            Ok(report) => {
                let mut labels: Vec<&str> =
                    report.findings.iter().map(|finding| finding.label.as_str()).collect();
                labels.sort_unstable();
                labels.dedup();
                if labels.is_empty() { "its threshold is reached".to_owned() } else { labels.join(", ") }
            }
        }
    }
}

/// What all guards of some stages came to.
#[derive(Debug, Default)]
pub struct Looked {
    /// Each decision, in order.
    pub rows: Vec<GuardRow>,
    /// The looks that something is to be done about.
    pub triggered: Vec<Look>,
}

impl Looked {
    /// The look that is to be acted on: the severest, the first among equals.
    #[must_use]
    pub fn worst(&self) -> Option<&Look> {
        let severest = self.triggered.iter().map(|look| look.action).max()?;
        self.triggered.iter().find(|look| look.action == severest)
    }

    pub(super) fn extend(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.triggered.extend(more.triggered);
    }
}

impl Guards {
    /// These guards, each tried with its own samples; one that fails, or bears the name of another, is red and blocks.
    #[must_use]
    pub fn boot(all: Vec<Arc<dyn Guard>>) -> Self {
        let mut names = BTreeSet::new();
        let mut red = BTreeMap::new();
        for (place, guard) in all.iter().enumerate() {
            if !names.insert(guard.id().to_owned()) {
                red.insert(place, "there are two guards of this name".to_owned());
            } else if let Err(failure) = guard.self_test() {
                red.insert(place, format!("it failed its self-test: {}", failure.what));
            }
        }
        Self { all, red, time: None }
    }

    /// The same guards with their looks measured.
    #[must_use]
    pub fn timed(self, time: Arc<dyn Micros>) -> Self {
        Self { time: Some(time), ..self }
    }

    /// The digest over every guard: its name, when it looks, what is done about what it finds.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let stage = |guard: &dyn Guard, stage: &GuardrailStage| {
            Value::from(format!("{}:{}", stage.token(), guard.action(*stage).token()))
        };
        let row = |guard: &Arc<dyn Guard>| {
            let stages: Vec<Value<'_>> =
                guard.stages().iter().map(|one| stage(guard.as_ref(), one)).collect();
            Object::fields().field("id", guard.id().to_owned()).field("stages", stages).finish()
        };
        Digest::prefixed("pol1_", &Value::Array(self.all.iter().map(row).collect()))
    }

    /// Every guard, and why it is red if it is.
    pub fn health(&self) -> impl Iterator<Item = (&dyn Guard, Option<&str>)> {
        let all = self.all.iter().enumerate();
        all.map(|(place, guard)| (guard.as_ref(), self.red.get(&place).map(String::as_str)))
    }

    /// Each guard's look at a subject of its stage, in order. A guard that is red is not asked.
    pub fn each<'g>(&'g self, subject: &'g GuardSubject<'_>) -> impl Iterator<Item = Look> + 'g {
        let asked = self.all.iter().enumerate().filter(|(_, guard)| guard.stages().contains(&subject.stage));
        asked.map(|(place, guard)| self.ask(place, guard.as_ref(), subject))
    }

    fn ask(&self, place: usize, guard: &dyn Guard, subject: &GuardSubject<'_>) -> Look {
        let begun = self.time.as_ref().map(|time| time.micros());
        let result = match self.red.get(&place) {
            Some(why) => Err(GuardError::Unavailable(why.clone())),
            None => guard.check(subject),
        };
        let ended = self.time.as_ref().map(|time| time.micros());
        let action = if result.is_err() { GuardAction::Block } else { guard.action(subject.stage) };
        let micros = begun.zip(ended).map(|(begun, ended)| ended.saturating_sub(begun));
        Look { guard: guard.id().to_owned(), action, result, micros }
    }

    /// Looks with every guard of a stage.
    #[must_use]
    pub fn look(&self, subject: &GuardSubject<'_>) -> Looked {
        let mut looked = Looked::default();
        for look in self.each(subject) {
            looked.rows.push(look.row(subject.stage));
            if look.is_triggered() {
                looked.triggered.push(look);
            }
        }
        looked
    }
}

/// A text without what was found in it, and what that was.
#[must_use]
pub fn take_out(text: &str, findings: &[Finding]) -> Redaction {
    let mut spans: Vec<(usize, usize, &str)> = findings
        .iter()
        .filter_map(|finding| {
            let span = finding.span.as_ref()?;
            text.get(span.clone()).map(|_| (span.start, span.end, finding.label.as_str()))
        })
        .collect();
    spans.sort_unstable();
    let mut left = String::with_capacity(text.len());
    let mut removed = Vec::new();
    let mut at = 0;
    for (start, end, label) in spans {
        if end <= at {
            continue;
        }
        left.push_str(text.get(at..start.max(at)).unwrap_or_default());
        let placeholder = format!("[redacted:{label}]");
        left.push_str(&placeholder);
        let value = text.get(start.max(at)..end).unwrap_or_default().to_owned();
        removed.push(RemovedText { placeholder, value });
        at = end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    Redaction { text: left, removed }
}
