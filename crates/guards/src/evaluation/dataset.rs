//! The rows that guards are measured on: one JSON document a line. It must not quote a row that it refuses.

use std::collections::{BTreeMap, BTreeSet};

use premath_tusk::policy::GuardrailStage;
use premath_wire::strict::{Limits, parse};
use serde::Deserialize;

/// One text and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name in reports.
    pub id: String,
    /// The text.
    pub text: String,
    /// When it is looked at; as input and as output when `None`.
    pub stage: Option<GuardrailStage>,
    /// The tool that it belongs to.
    pub tool: Option<String>,
    /// Paths that go with it.
    pub paths: Vec<String>,
    /// What is in it: labels of findings, ids of guards. Sorted.
    pub labels: Vec<String>,
    /// Whether anything must be found.
    pub expected: bool,
    /// The kind of text that it is, when the data set says.
    pub source: Option<RowSource>,
}

/// Where a row comes from, and what it may be used for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowSource {
    /// The kind of text: `email`, `source-code`.
    pub name: String,
    /// Whether guards were tuned on it.
    pub split: Split,
}

/// Whether the misses of a source were looked at when guards were changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Split {
    /// They were.
    Tuned,
    /// They were not: figures of these say how guards do on texts that nobody had in mind.
    HeldOut,
}

impl Split {
    const ALL: [Self; 2] = [Self::Tuned, Self::HeldOut];

    /// The token in data sets and reports.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::HeldOut => "held-out",
        }
    }
}

/// A data set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    /// A line that is no row.
    #[error("line {line} is no row: {what}")]
    Row {
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// No rows.
    #[error("the data set has no rows")]
    Empty,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    text: Pieces,
    stage: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    paths: Vec<String>,
    labels: Vec<String>,
    expected: bool,
    source: Option<String>,
    split: Option<String>,
}

/// A line about a source; it has no row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceLine {
    source: String,
    /// What its texts are; for readers of the file.
    #[serde(rename = "about")]
    _about: String,
    limits: Option<String>,
}

/// A text, whole or in pieces: what looks like a secret is kept in pieces, so that no scanner takes the data for one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Pieces {
    Whole(String),
    Parts(Vec<String>),
}

/// Reads a data set; empty lines are passed over.
///
/// # Errors
/// The first line that is no row, two rows of one id, or no rows at all.
pub fn read_dataset(text: &str) -> Result<Vec<Row>, DatasetError> {
    let mut ids = BTreeSet::new();
    let mut splits: BTreeMap<String, Split> = BTreeMap::new();
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refuse = |what| DatasetError::Row { line: index + 1, what };
        if source_line(line).is_some() {
            continue;
        }
        let row = row(line).map_err(refuse)?;
        if !ids.insert(row.id.clone()) {
            return Err(refuse("its id was used before"));
        }
        if let Some(source) = &row.source {
            let known = splits.entry(source.name.clone()).or_insert(source.split);
            if *known != source.split {
                return Err(refuse("its source has another split in an earlier row"));
            }
        }
        rows.push(row);
    }
    if rows.is_empty() { Err(DatasetError::Empty) } else { Ok(rows) }
}

/// What lines about sources say of their limits: why guards find little there.
#[must_use]
pub fn read_source_limits(text: &str) -> BTreeMap<String, String> {
    text.lines().filter_map(source_line).filter_map(|line| Some((line.source, line.limits?))).collect()
}

fn source_line(line: &str) -> Option<SourceLine> {
    serde_json::from_str(line).ok()
}

fn row(line: &str) -> Result<Row, &'static str> {
    parse(line.as_bytes(), Limits::default()).map_err(|_| "not one JSON document")?;
    let line: Line =
        serde_json::from_str(line).map_err(|_| "members are missing, unknown or of another type")?;
    let stage = match line.stage.as_deref() {
        None => None,
        Some(token) => {
            let stage = GuardrailStage::ALL.into_iter().find(|stage| stage.token() == token);
            Some(stage.ok_or("its stage is none of pre_flight, input, output")?)
        }
    };
    if line.expected == line.labels.is_empty() {
        return Err("what is expected has labels, and nothing else has");
    }
    let source = match (line.source, line.split) {
        (None, None) => None,
        (Some(name), Some(token)) => {
            let split = Split::ALL.into_iter().find(|split| split.token() == token);
            Some(RowSource { name, split: split.ok_or("its split is none of tuned, held-out")? })
        }
        _ => return Err("a source has a split, and nothing else has"),
    };
    let text = match line.text {
        Pieces::Whole(text) => text,
        Pieces::Parts(parts) => parts.concat(),
    };
    let labels: BTreeSet<String> = line.labels.into_iter().collect();
    Ok(Row {
        id: line.id,
        text,
        stage,
        tool: line.tool,
        paths: line.paths,
        labels: labels.into_iter().collect(),
        expected: line.expected,
        source,
    })
}
