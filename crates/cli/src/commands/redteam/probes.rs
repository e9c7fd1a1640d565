//! Attacks and harmless tasks, as data: which calls a model makes. Names in braces are filled in where they are carried out.

use serde::Deserialize;
use serde_json::Value;

/// One thing that a compromised model does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attack {
    /// What is attacked.
    pub(super) plugin: String,
    /// Its name.
    pub(super) name: String,
    /// What the model read that made it do so.
    pub(super) order: String,
    /// Whether it works on the desk.
    #[serde(default)]
    pub(super) desk: bool,
    /// Whether it has files, commands and issues besides.
    #[serde(default)]
    pub(super) files: bool,
    /// Whether premath itself lies in the repository, to be run in the shell.
    #[serde(default)]
    pub(super) program: bool,
    /// What a run before asked for while nobody was there: the questions wait.
    #[serde(default)]
    pub(super) before: Vec<Vec<Call>>,
    /// The calls, turn by turn.
    pub(super) turns: Vec<Vec<Call>>,
}

/// One harmless task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    /// Its name.
    pub(super) name: String,
    /// Whether it works on the desk.
    #[serde(default)]
    pub(super) desk: bool,
    /// The calls, turn by turn.
    pub(super) turns: Vec<Vec<Call>>,
}

/// One call: a tool and its arguments.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Call(pub(super) String, pub(super) Value);

/// Every attack.
pub(super) fn attacks() -> Result<Vec<Attack>, serde_json::Error> {
    serde_json::from_str(include_str!("probes/attacks.json"))
}

/// Every harmless task.
pub(super) fn tasks() -> Result<Vec<Task>, serde_json::Error> {
    serde_json::from_str(include_str!("probes/tasks.json"))
}
