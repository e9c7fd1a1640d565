//! The agent as what does the work: a run on the issue, in the worktree, under the lease that the step holds.
//!
//! Whether the work is done the verification says, and the step closes: the run has no tool that changes issues. It must not
//! take or let go of a lease.

use premath_kernel::{Object, Value};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::{Checked, HeldIssue};
use premath_wire::v1::RunEnding;

use super::bench::Bench;
use crate::agent::{RunStarted, start};
use crate::table::{ActionError, Host};

/// What a run may do that works on somebody else's lease.
const SCOPES: [&str; 5] = ["files:read", "files:write", "issues:read", "process:run", "refs:read"];

impl Bench<'_> {
    /// Runs the agent on the issue.
    pub(super) fn agent(
        &self,
        held: &HeldIssue,
        (step_id, conflict): (&str, Option<&str>),
        model: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Checked, ActionError> {
        let door = self.host.agent.at(&self.folder, interrupt)?;
        let host = Host { agent: door.as_ref(), ..*self.host };
        let wall = u64::try_from(self.request.work_limit.as_millis()).unwrap_or(u64::MAX);
        let wall = premath_kernel::Number::unsigned(wall).map_or(Value::Null, Value::Number);
        let mut task = self.task(held)?;
        if let Some(conflict) = conflict {
            task.push_str("\n\n");
            task.push_str(conflict);
        }
        let args = Object::fields()
            .field("task", task)
            .field("runId", format!("{step_id}-{}", self.fresh()))
            .field("models", Value::text_list(model))
            .field("scopes", Value::text_list(SCOPES))
            .field("maxWallMillis", wall)
            .finish();
        match start(&host, &args, &mut |_| {})? {
            RunStarted::Refused(refused) => {
                let evidence =
                    self.evidence.put(format!("{}: {}", refused.class, refused.detail).as_bytes())?;
                Ok(Checked { classes: vec![refused.class], evidence })
            }
            RunStarted::Ran(answer) => {
                let said =
                    serde_json::to_vec(&answer).map_err(|source| ActionError::Unwritable { source })?;
                let evidence = self.evidence.put(&said)?;
                let classes = match answer.outcome {
                    RunEnding::Completed | RunEnding::HandedOff => Vec::new(),
                    RunEnding::Interrupted => vec!["interrupted".to_owned()],
                    RunEnding::FailedClosed
                    | RunEnding::Limit
                    | RunEnding::NeedsPerson
                    | RunEnding::QuestionExpired
                    | RunEnding::Declined
                    | RunEnding::ModelFailed
                        if answer.failure_classes.is_empty() =>
                    {
                        vec!["work_failed".to_owned()]
                    }
                    RunEnding::FailedClosed
                    | RunEnding::Limit
                    | RunEnding::NeedsPerson
                    | RunEnding::QuestionExpired
                    | RunEnding::Declined
                    | RunEnding::ModelFailed => answer.failure_classes.clone(),
                };
                Ok(Checked { classes, evidence })
            }
        }
    }

    fn task(&self, held: &HeldIssue) -> Result<String, ActionError> {
        let row = self.look(&held.issue_id)?;
        let texts =
            ["description", "design", "acceptance_criteria", "notes"].into_iter().filter_map(|name| {
                let text = row.as_ref()?.text(name)?;
                Some(format!("{name}: {text}"))
            });
        let mut task = format!("Work on issue {}: {}", held.issue_id, held.title);
        for text in texts {
            task.push_str("\n\n");
            task.push_str(&text);
        }
        Ok(task)
    }

    fn fresh(&self) -> String {
        let digits: String =
            self.workspace().ids.fresh().chars().filter(char::is_ascii_alphanumeric).collect();
        digits.chars().rev().take(8).collect()
    }
}
