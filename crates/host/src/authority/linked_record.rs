//! One record that a door without a person writes: sessions, ledgers, steps, remediations.
//!
//! A record is nobody's authority and needs no permit. But whoever is no person writes it under an instruction, which is
//! looked at now, and whose scope must reach the issue that the record names. Refusals are on record.

use premath_kernel::Value;

use super::link::link;
use super::linked_call::linked_to;
use super::refusal::{Denied, denied, evidence_missing};
use crate::agent::RunRefused;
use crate::table::{ActionError, Link};
use crate::workspace::Workspace;

/// What a record is linked to: nothing where the door does not ask for it.
///
/// # Errors
/// A store or a policy that gives no answer.
pub(crate) fn linked_record(
    workspace: &Workspace,
    action: &str,
    args: &Value<'_>,
) -> Result<Result<Option<Link>, RunRefused>, ActionError> {
    // What is derived can be built again by anybody, and says nothing of its own.
    if !workspace.door.links_records() || !action.starts_with("harness.") {
        return Ok(Ok(None));
    }
    let issue = args.as_object().and_then(|args| args.get("issueId")).and_then(Value::as_text);
    let issue = issue.map(str::trim).filter(|issue| !issue.is_empty());
    let (instruction, why) = match workspace.door.linked() {
        None => {
            let hint = "run an instruction (`instruction_run`) and name it as `instruction` with the call";
            (None, evidence_missing("a client writes nothing down without an instruction", hint))
        }
        Some(Err(refusal)) => {
            let class = refusal.class.to_owned();
            (None, RunRefused { class, detail: refusal.detail, hint: refusal.hint })
        }
        Some(Ok(call)) => match link(workspace, &call.instruction)? {
            Ok(linked) => match linked.reaches(issue) {
                Ok(()) => return Ok(Ok(Some(linked_to(&linked, None)))),
                Err(why) => (Some(call.instruction), why),
            },
            Err(why) => (Some(call.instruction), why),
        },
    };
    let actor = workspace.door.actor().unwrap_or_default();
    let door = workspace.door.name().unwrap_or(&actor);
    let what = Denied { action, issue_id: issue, instruction: instruction.as_deref(), door };
    denied(workspace, &what, &why)?;
    Ok(Err(why))
}
