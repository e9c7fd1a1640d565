//! Which changes of a run need a verification result, and what counts as one. Fixed when the run begins.
//!
//! Data and the document it becomes. It must not judge a result: the kernel reads the document.

use premath_kernel::{Object, Value};

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, text_list};

/// The status that is reached with a verification result only.
const CLOSED: &str = "closed";
/// Every action that can bring an issue to that status.
const CLOSING: [&str; 3] = ["issue.add", "issue.discover", "issue.update"];

/// What verifies the work of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// Commands that verify when `shell` runs them in the workdir and they end with code 0.
    pub commands: Vec<String>,
    /// Tools that verify when their call ends well.
    pub tools: Vec<String>,
}

impl Verification {
    pub(super) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .non_empty("commands", text_list(&self.commands))
            .non_empty("tools", text_list(&self.tools))
            .finish()
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self { commands: row.texts("commands")?, tools: row.texts("tools")? })
    }

    /// The member of the mutation policy.
    pub(super) fn document(&self) -> Value<'static> {
        let action = |action: &'static str| {
            Object::fields().field("action", action).field("targetStatus", CLOSED).finish()
        };
        Object::fields()
            .field("actions", CLOSING.map(action).to_vec())
            .field("approvals", true)
            .non_empty("commands", owned(&self.commands))
            .non_empty("tools", owned(&self.tools))
            .field("verdicts", true)
            .finish()
    }

    /// What a model has to do before it can close an issue.
    #[must_use]
    pub fn advice(&self) -> String {
        let listed =
            |texts: &[String]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
        let mut ways = Vec::new();
        if !self.commands.is_empty() {
            ways.push(format!(
                "run {} with shell in workdir `.`, see it end with exit code 0, change no file after it",
                listed(&self.commands)
            ));
        }
        if !self.tools.is_empty() {
            ways.push(format!("call {} and see it end well", listed(&self.tools)));
        }
        if ways.is_empty() {
            return "This run knows no command that verifies its work, so it cannot close an issue by itself. Leave the \
                    issue open and say so: a person names the command with `premath run --verify COMMAND`, with \
                    `mutation.verify` in premath.toml, or on a `Verification:` line of the issue."
                .to_owned();
        }
        format!("To close an issue, first {}; then ask for the change again.", ways.join(", or "))
    }
}

fn owned(texts: &[String]) -> Vec<Value<'static>> {
    text_list(texts).into_iter().map(Value::into_owned).collect()
}
