//! The rows that guards are measured on: one JSON document a line. It must not quote a row that it refuses.

use std::collections::BTreeSet;

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
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refuse = |what| DatasetError::Row { line: index + 1, what };
        let row = row(line).map_err(refuse)?;
        if !ids.insert(row.id.clone()) {
            return Err(refuse("its id was used before"));
        }
        rows.push(row);
    }
    if rows.is_empty() { Err(DatasetError::Empty) } else { Ok(rows) }
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
    })
}
