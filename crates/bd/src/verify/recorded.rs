//! What this clone put on record: the runs it started, the turns whose changes it applied, the instructions it acted under and
//! the policy decisions it made, as the rows of the audit log say that it wrote itself.
//!
//! It is what tells evidence that was deleted from evidence that never came here. It must not count inherited rows.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Object, Value};

const INSTRUCTION: &str = "instruction://";

/// What this clone recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedHere {
    /// The runs that were started, each with the line that says so first.
    pub runs: BTreeMap<String, u64>,
    /// The turns that changed something, by digest.
    pub turns: BTreeSet<String>,
    /// The instructions that were run or acted under.
    pub instructions: BTreeSet<String>,
    /// The rows about policy, by id.
    pub policy_rows: BTreeSet<String>,
    /// The reports that were written, each with the line that says so.
    pub reports: BTreeMap<String, u64>,
}

impl RecordedHere {
    /// Takes note of a row of the audit log.
    pub(crate) fn learn(&mut self, line: u64, row: &Object<'_>) {
        let text = |name: &str| row.get(name).and_then(Value::as_text);
        let kind = text("kind").unwrap_or_default();
        if kind == "run"
            && text("effect") == Some("started")
            && let Some(run) = text("runId")
        {
            self.runs.entry(run.to_owned()).or_insert(line);
        }
        if kind == "mutation" {
            self.turns.extend(text("turnDigest").map(str::to_owned));
        }
        if kind == "policy" {
            self.policy_rows.extend(text("id").map(str::to_owned));
            if let Some(path) = text("path").filter(|_| text("effect") == Some("measured")) {
                self.reports.entry(path.to_owned()).or_insert(line);
            }
        }
        let actor = text("actor").and_then(|actor| actor.strip_prefix(INSTRUCTION));
        self.instructions.extend(actor.map(str::to_owned));
        if text("tool") == Some("instruction.run") {
            let targets = row.get("targets").and_then(Value::as_array).unwrap_or_default();
            self.instructions.extend(targets.iter().filter_map(Value::as_text).map(str::to_owned));
        }
    }
}
