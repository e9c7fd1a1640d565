//! `desk_propose_plan`: several changes that a person sees and decides about as a whole.
//!
//! Every step is a call that would be accepted as it stands: of a tool that was granted, with arguments that its schema
//! takes, about things that are there, which are shown by name, with what it would do to them as they are. A failure names
//! the step. Nothing runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_bd::Change;
use premath_bd::desk::{Operation, PlanStep, ProposalDraft, Target as Shown};
use premath_kernel::{Object, Value as Canonical};
use premath_tusk::JsonText;
use premath_tusk::policy::Target;
use premath_tusk::tools::{
    Arguments, PendingIntent, Shown as Looked, SpecError, Tool, ToolContext, ToolFailure, ToolKind,
    ToolOutput, ToolSpec,
};
use premath_tusk::turn_loop::{PROPOSE_PLAN, SPAWN_WORKER};
use serde_json::{Value, json};

use super::PLAN_SCOPE;
use super::ask::canonical;
use super::definitions::PROPOSE;
use super::pieces::output;
use super::shelf::{Shelf, shown};

const EXAMPLE: &str = r#"{"goal": "Remove the drafts of last year", "steps": [
  {"tool": "desk_delete_file", "args": {"id": "fil_0123456789ab"}, "rationale": "It was published in March."},
  {"tool": "desk_delete_file", "args": {"id": "fil_ba9876543210"}, "rationale": "It is empty."}
], "rollback": "Restore both files."}"#;

/// Proposes a plan.
#[derive(Debug)]
pub(super) struct ProposePlan {
    spec: ToolSpec,
    shelf: Arc<Shelf>,
    run_id: String,
}

impl ProposePlan {
    pub(super) fn new(shelf: Arc<Shelf>, run_id: &str) -> Result<Self, SpecError> {
        let description = "Proposes several changes as one plan, which a person sees whole and decides about. Use it when \
                           more than one thing would be deleted, or when asked for a plan. Each step is a call of a tool \
                           that you have and that asks for a change of the workspace or of issues, with all its \
                           arguments; nothing is changed twice. Proposing ends your turn; what came of the plan is told \
                           in the next one.";
        let mut spec = ToolSpec::new(PROPOSE_PLAN, PLAN_SCOPE, description, PROPOSE, &[EXAMPLE])?;
        spec.kind = ToolKind::Intent;
        Ok(Self { spec, shelf, run_id: run_id.to_owned() })
    }

    fn draft(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ProposalDraft, ToolFailure> {
        let steps = arguments.value().get("steps").and_then(Value::as_array).into_iter().flatten();
        let (steps, changes): (_, Vec<Change>) = steps
            .enumerate()
            .map(|(at, step)| self.step(step, context).map_err(|failure| of_step(failure, at, step)))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .unzip();
        self.refuse_twice(&changes)?;
        Ok(ProposalDraft {
            run_id: self.run_id.clone(),
            goal: arguments.required_text("goal")?.trim().to_owned(),
            rollback: arguments.required_text("rollback")?.trim().to_owned(),
            steps,
        })
    }

    fn step(&self, step: &Value, context: &ToolContext<'_>) -> Result<(PlanStep, Change), ToolFailure> {
        let text = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = text("tool");
        if name == PROPOSE_PLAN {
            return Err(ToolFailure::new("tool.schema_invalid", "a plan does not propose plans"));
        }
        if name == SPAWN_WORKER {
            let message = "a plan has no workers; ask for them by themselves, in a turn of their own";
            return Err(ToolFailure::new("tool.schema_invalid", message));
        }
        let given = step.get("args").unwrap_or(&Value::Null);
        let json = JsonText::new(given.to_string())
            .map_err(|error| ToolFailure::new("tool.schema_invalid", error.to_string()))?;
        let (tool, arguments) = context.catalogue.resolve(name, &json)?;
        let seen = Looked::look(tool.as_ref(), &arguments, context)?;
        let step = PlanStep {
            id: String::new(),
            tool: name.to_owned(),
            arguments: canonical(given)?,
            rationale: text("rationale").trim().to_owned(),
            preview: seen.preview.as_deref().map(|preview| self.shelf.redacted(preview)),
            shown: seen.digest().as_str().to_owned(),
            compensation: self.compensation(&seen.change),
            targets: seen.targets.into_iter().map(as_shown).collect(),
        };
        Ok((step, seen.change))
    }

    /// Refuses a plan in which two steps change the same thing of the desk: what was shown of the second would not be what it
    /// does behind the first.
    fn refuse_twice(&self, changes: &[Change]) -> Result<(), ToolFailure> {
        let mut by_item: BTreeMap<String, usize> = BTreeMap::new();
        for (at, change) in changes.iter().enumerate() {
            for id in self.changed(change)? {
                if let Some(before) = by_item.insert(id.clone(), at) {
                    let message = format!(
                        "steps {} and {} both change `{id}`; what is shown of a step is what it does to what is there now, so \
                         a plan changes each thing once",
                        before + 1,
                        at + 1
                    );
                    let mut failure = ToolFailure::new("tool.schema_invalid", message);
                    failure.pointers.push(format!("/steps/{at}/args"));
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    /// The files and folders that a change of the desk is about.
    fn changed(&self, change: &Change) -> Result<Vec<String>, ToolFailure> {
        let Change::Desk(operation) = change else { return Ok(Vec::new()) };
        let mut ids: Vec<String> = operation.item().map(str::to_owned).into_iter().collect();
        if let Operation::DeleteFolder { folder } = operation {
            ids.extend(self.shelf.folder(folder, "/id")?.1.into_iter().map(|file| file.id));
        }
        Ok(ids)
    }

    /// What would take a change of the desk back.
    fn compensation(&self, change: &Change) -> Option<Canonical<'static>> {
        let Change::Desk(operation) = change else { return None };
        let undo = match operation {
            Operation::DeleteFile { file, .. } => {
                Operation::RestoreFile { file: file.clone(), version: None }
            }
            Operation::DeleteFolder { folder } => Operation::RestoreFolder { folder: folder.clone() },
            Operation::UpdateMarkdown { file, version, .. }
            | Operation::UpdateCells { file, version, .. } => {
                Operation::RestoreFile { file: file.clone(), version: Some(*version) }
            }
            Operation::RenameFile { file, .. } => {
                let version = self.shelf.file(file, "").ok()?.version;
                Operation::RestoreFile { file: file.clone(), version: Some(version) }
            }
            // What takes a new thing away again is known when it has a name.
            Operation::CreateMarkdown { .. }
            | Operation::CreateSpreadsheet { .. }
            | Operation::CreateFolder { .. }
            | Operation::RestoreFile { .. }
            | Operation::RestoreFolder { .. } => return None,
        };
        let value = Object::fields().field("action", undo.action()).field("args", undo.args()).finish();
        Some(value.into_owned())
    }
}

impl Tool for ProposePlan {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let draft = self.draft(arguments, context)?;
        let steps = draft.steps.iter().enumerate().map(|(at, step)| {
            let names: Vec<&str> = step.targets.iter().map(|target| target.name.as_str()).collect();
            json!({"n": at + 1, "tool": step.tool, "targets": names})
        });
        let answer = json!({"goal": draft.goal, "steps": steps.collect::<Vec<_>>()});
        let note =
            "nothing has changed: once this turn is closed, a person is asked about the plan; end your turn"
                .to_owned();
        let change = Change::Propose(draft);
        let intent = Some(PendingIntent { action: change.action(), change, targets: Vec::new() });
        Ok(ToolOutput { intent, ..output(&answer, false, note) })
    }
}

fn as_shown(target: Target) -> Shown {
    Shown { kind: target.kind, id: target.id, name: target.name }
}

/// The failure of a step, with its number and its tool, and pointers into the plan.
fn of_step(mut failure: ToolFailure, at: usize, step: &Value) -> ToolFailure {
    let tool = step.get("tool").and_then(Value::as_str).unwrap_or_default();
    failure.message = format!("step {} ({}): {}", at + 1, shown(tool), failure.message);
    let is_about_tool = failure.error_code == "tool.unknown_or_disallowed";
    if failure.pointers.is_empty() {
        let member = if is_about_tool { "tool" } else { "args" };
        failure.pointers.push(format!("/steps/{at}/{member}"));
    } else {
        for pointer in &mut failure.pointers {
            *pointer = format!("/steps/{at}/args{pointer}");
        }
    }
    failure
}
