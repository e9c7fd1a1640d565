//! Looking with every guard of a stage, and what the looks come to together.
//!
//! A guard that fails, or failed its self-test, is a decision that blocks. It must not swallow one.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_kernel::{Digest, GuardrailStage, Object, Value};

use super::guard::{Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject};
use super::judgement::GuardRow;

/// The guards of a run, each tried before anything runs past it.
#[derive(Debug, Default)]
pub struct Guards {
    all: Vec<Arc<dyn Guard>>,
    /// Those that do not do what they say, and why.
    red: BTreeMap<String, String>,
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
    /// These guards, each tried with its own samples; one that fails is red and blocks.
    #[must_use]
    pub fn boot(all: Vec<Arc<dyn Guard>>) -> Self {
        let failed = |guard: &Arc<dyn Guard>| {
            guard.self_test().err().map(|failure| (guard.id().to_owned(), failure.what))
        };
        let red = all.iter().filter_map(failed).collect();
        Self { all, red }
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
        self.all.iter().map(|guard| (guard.as_ref(), self.red.get(guard.id()).map(String::as_str)))
    }

    /// Looks with every guard of a stage.
    #[must_use]
    pub fn look(&self, subject: &GuardSubject<'_>) -> Looked {
        let mut looked = Looked::default();
        for guard in self.all.iter().filter(|guard| guard.stages().contains(&subject.stage)) {
            let result = match self.red.get(guard.id()) {
                Some(why) => Err(GuardError::Unavailable(format!("it failed its self-test: {why}"))),
                None => guard.check(subject),
            };
            let action = if result.is_err() { GuardAction::Block } else { guard.action(subject.stage) };
            let look = Look { guard: guard.id().to_owned(), action, result };
            looked.rows.push(look.row(subject.stage));
            if look.is_triggered() {
                looked.triggered.push(look);
            }
        }
        looked
    }
}

/// A text without what was found in it.
#[must_use]
pub fn without(text: &str, findings: &[Finding]) -> String {
    let mut spans: Vec<(usize, usize, &str)> = findings
        .iter()
        .filter_map(|finding| {
            let span = finding.span.as_ref()?;
            text.get(span.clone()).map(|_| (span.start, span.end, finding.label.as_str()))
        })
        .collect();
    spans.sort_unstable();
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end, label) in spans {
        if end <= at {
            continue;
        }
        left.push_str(text.get(at..start.max(at)).unwrap_or_default());
        left.push_str("[redacted:");
        left.push_str(label);
        left.push(']');
        at = end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left
}
