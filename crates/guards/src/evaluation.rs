//! How good guards are: rows of texts with what is in them, counted.
//!
//! Pure. What was missed is named by its row, never by its text. A guard that could not look is counted as wrong, whatever
//! was expected.

mod dataset;
mod ratio;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use premath_tusk::policy::{GuardSubject, GuardrailStage, Guards};
use serde_json::{Map, Value, json};

pub use self::dataset::{DatasetError, Row, RowSource, Split, read_dataset, read_source_limits};
pub use self::ratio::Ratio;
use self::sources::Sources;
pub use self::sources::{SourceCount, SplitCount};

/// How often it was right and wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Expected and found.
    pub true_positives: u64,
    /// Found and not expected.
    pub false_positives: u64,
    /// Neither.
    pub true_negatives: u64,
    /// Expected and not found.
    pub false_negatives: u64,
}

/// Which way a row was judged wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissKind {
    /// Found and not expected.
    FalsePositive,
    /// Expected and not found.
    FalseNegative,
    /// A guard could not look.
    Failed,
}

impl MissKind {
    /// The token in reports.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::FalsePositive => "false_positive",
            Self::FalseNegative => "false_negative",
            Self::Failed => "failed",
        }
    }
}

/// One row that was judged wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// Its id.
    pub row: String,
    /// Which way.
    pub kind: MissKind,
}

/// One label and how it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRow {
    /// The label: that of a finding, or the id of a guard.
    pub label: String,
    /// How often it was right and wrong.
    pub confusion: Confusion,
}

/// How long a guard took, over all its looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardTime {
    /// Which guard.
    pub guard: String,
    /// How often it looked.
    pub looks: u64,
    /// How long that took.
    pub micros: u64,
}

/// How good guards are on a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// How many rows there are.
    pub rows: usize,
    /// Whether anything fired, over all rows.
    pub overall: Confusion,
    /// The same for each label that a row names, sorted.
    pub labels: Vec<LabelRow>,
    /// What was judged wrongly, in the order of the rows.
    pub misses: Vec<Miss>,
    /// How often a guard could not look.
    pub errors: u64,
    /// How each guard did on each source that rows name, sorted.
    pub sources: Vec<SourceCount>,
    /// The same over all sources of a split.
    pub splits: Vec<SplitCount>,
    /// How long each guard took, by name; none where nobody measured. No part of how good they are.
    pub times: Vec<GuardTime>,
}

impl Confusion {
    fn count(&mut self, expected: bool, found: bool) {
        let field = match (expected, found) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (false, false) => &mut self.true_negatives,
            (true, false) => &mut self.false_negatives,
        };
        *field += 1;
    }

    /// How much of what was found was expected.
    #[must_use]
    pub fn precision(&self) -> Ratio {
        Ratio::of(self.true_positives, self.true_positives + self.false_positives, "nothing was found")
    }

    /// How much of what was expected was found.
    #[must_use]
    pub fn recall(&self) -> Ratio {
        Ratio::of(self.true_positives, self.true_positives + self.false_negatives, "nothing was expected")
    }

    /// Both in one.
    #[must_use]
    pub fn f1(&self) -> Ratio {
        let twice = 2 * self.true_positives;
        Ratio::of(twice, twice + self.false_positives + self.false_negatives, "nothing was found or expected")
    }

    /// As JSON: counts, and `precision`, `recall`, `f1` with six decimals; undefined is null with a `…Reason`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        for (name, ratio) in [("precision", self.precision()), ("recall", self.recall()), ("f1", self.f1())] {
            object.insert(name.to_owned(), ratio.to_json());
            if let Some(reason) = ratio.reason() {
                object.insert(format!("{name}Reason"), json!(reason));
            }
        }
        object.insert("truePositives".to_owned(), json!(self.true_positives));
        object.insert("falsePositives".to_owned(), json!(self.false_positives));
        object.insert("trueNegatives".to_owned(), json!(self.true_negatives));
        object.insert("falseNegatives".to_owned(), json!(self.false_negatives));
        Value::Object(object)
    }
}

impl Evaluation {
    /// As JSON: `rows`, `overall`, `labels`, `misses`, `errors`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let labels: Map<String, Value> =
            self.labels.iter().map(|row| (row.label.clone(), row.confusion.to_json())).collect();
        let misses: Vec<Value> =
            self.misses.iter().map(|miss| json!({"row": miss.row, "kind": miss.kind.token()})).collect();
        json!({
            "rows": self.rows,
            "overall": self.overall.to_json(),
            "labels": labels,
            "misses": misses,
            "errors": self.errors,
        })
    }
}

/// Has guards look at every row and counts. A row without a stage is looked at as input and as output.
#[must_use]
pub fn evaluate(guards: &Guards, rows: &[Row]) -> Evaluation {
    let known: BTreeSet<&str> = rows.iter().flat_map(|row| row.labels.iter().map(String::as_str)).collect();
    let mut by_label: BTreeMap<&str, Confusion> =
        known.iter().map(|label| (*label, Confusion::default())).collect();
    let (mut overall, mut misses, mut errors) = (Confusion::default(), Vec::new(), 0);
    let mut times = BTreeMap::new();
    let mut sources = Sources::default();
    for row in rows {
        let seen = look(guards, row, &mut times);
        if let Some(source) = &row.source {
            for guard in seen.looked.iter().filter(|guard| known.contains(guard.as_str())) {
                let expected = row.labels.contains(guard);
                let found = if seen.errors > 0 { !expected } else { seen.labels.contains(guard) };
                sources.count(source, guard, expected, found);
            }
        }
        errors += seen.errors;
        let has_failed = seen.errors > 0;
        let found = if has_failed { !row.expected } else { seen.fired };
        overall.count(row.expected, found);
        for (label, confusion) in &mut by_label {
            let expected = row.labels.iter().any(|one| one == label);
            confusion.count(expected, if has_failed { !expected } else { seen.labels.contains(*label) });
        }
        let kind = match (has_failed, row.expected, found) {
            (true, _, _) => Some(MissKind::Failed),
            (false, true, false) => Some(MissKind::FalseNegative),
            (false, false, true) => Some(MissKind::FalsePositive),
            (false, true, true) | (false, false, false) => None,
        };
        misses.extend(kind.map(|kind| Miss { row: row.id.clone(), kind }));
    }
    let labels =
        by_label.into_iter().map(|(label, confusion)| LabelRow { label: label.to_owned(), confusion });
    let times = times.into_iter().map(|(guard, (looks, micros))| GuardTime { guard, looks, micros });
    let (labels, times) = (labels.collect(), times.collect());
    let (sources, splits) = sources.finish();
    Evaluation { rows: rows.len(), overall, labels, misses, errors, sources, splits, times }
}

/// What guards made of one row.
#[derive(Debug, Default)]
struct Seen {
    fired: bool,
    labels: BTreeSet<String>,
    /// The guards that looked.
    looked: BTreeSet<String>,
    errors: u64,
}

fn look(guards: &Guards, row: &Row, times: &mut BTreeMap<String, (u64, u64)>) -> Seen {
    let both = [GuardrailStage::Input, GuardrailStage::Output];
    let one = row.stage.map(|stage| [stage]);
    let stages = one.as_ref().map_or(both.as_slice(), <[GuardrailStage; 1]>::as_slice);
    let mut seen = Seen::default();
    for stage in stages {
        let subject =
            GuardSubject { stage: *stage, tool: row.tool.as_deref(), text: &row.text, paths: &row.paths };
        for look in guards.each(&subject) {
            if let Some(micros) = look.micros {
                let (looks, total) = times.entry(look.guard.clone()).or_default();
                *looks += 1;
                *total = total.saturating_add(micros);
            }
            seen.looked.insert(look.guard.clone());
            match look.result {
                Err(_) => seen.errors += 1,
                Ok(report) if report.is_triggered() => {
                    seen.fired = true;
                    seen.labels.insert(look.guard);
                    seen.labels.extend(report.findings.into_iter().map(|finding| finding.label));
                }
                Ok(_) => {}
            }
        }
    }
    seen
}
