//! The calls of a program, carried out: each through `Host::call` and nothing else, with what stands behind a change looked
//! at first.
//!
//! Whatever is not only reading needs an instruction, and its intent is on the disk before it is made. It must not keep a
//! permission from one call to the next.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use premath_kernel::{Digest, Value};
use premath_repl::{HostAnswer, HostCall, HostCalls, Interruption as _};

use super::answered::{Answered, given};
use super::arguments::Resolved;
use super::book::CallBook;
use super::broken_off::LiveEnd;
use super::denial::{denied, envelope, failure};
use super::door::ProgramDoor;
use super::journal::EvaluationJournal;
use super::session::SchemeWishes;
use crate::agent::RunRefused;
use crate::table::{ACTIONS, ActionError, Door, Host};

/// The calls of one evaluation.
#[derive(Debug)]
pub(super) struct LiveCalls<'e> {
    /// The host, over a workspace whose door is the program's
    pub(super) host: Host<'e>,
    pub(super) door: Arc<ProgramDoor>,
    pub(super) actor: &'e str,
    pub(super) wishes: &'e SchemeWishes,
    /// What its calls fail of before they are made
    pub(super) end: LiveEnd,
    pub(super) book: CallBook,
    pub(super) journal: EvaluationJournal<'e>,
}

impl HostCalls for LiveCalls<'_> {
    fn call(&mut self, call: &HostCall) -> HostAnswer {
        let resolved = self.book.resolve(call, self.actor);
        let answered = match self.carry_out(call, &resolved) {
            Ok(answered) => answered,
            Err(error) => Answered::failed(&error),
        };
        let answered = self.book.note(call, &resolved, answered);
        if let Some(noted) = self.book.calls.last() {
            self.journal.call(noted);
        }
        given(&resolved, &answered)
    }
}

impl LiveCalls<'_> {
    fn carry_out(&mut self, call: &HostCall, resolved: &Resolved) -> Result<Answered, ActionError> {
        if let Some(reason) = self.end.reason() {
            return Ok(Answered::Failed(reason));
        }
        let action = ACTIONS.iter().find(|action| action.name == resolved.action);
        if self.wishes.read_only
            && let Some(action) = action.filter(|action| action.door != Door::Read)
        {
            let detail = format!("`{}` does more than read, and this program only reads", action.name);
            return refuse(resolved, &denied(detail, "run it without --read-only"));
        }
        if let Some(why) = &resolved.refused {
            return refuse(resolved, why);
        }
        if let Some(why) = self.wishes.working_on.as_deref().and_then(|held| of_the_step(resolved, held)) {
            return refuse(resolved, &why);
        }
        let (Some(action), Some(_)) = (action, resolved.function) else {
            return refuse(resolved, &denied(format!("`{}` is no function", resolved.action), ""));
        };
        match action.door {
            Door::Read => Ok(Answered::of(&self.host.call(action.name, &resolved.args)?)),
            Door::Mutation | Door::Record => self.change(call, resolved),
            Door::Effect => refuse(resolved, &denied(format!("`{}` reaches outside", resolved.action), "")),
        }
    }

    /// Makes a call that may change something. The door links it: a change to a permit, a record to an instruction.
    fn change(&mut self, call: &HostCall, resolved: &Resolved) -> Result<Answered, ActionError> {
        self.door.call.store(call.index, Ordering::Relaxed);
        // Nothing can come of a change without an instruction, and its action says so.
        if self.door.instruction.is_some() || resolved.action == "instruction.run" {
            let args = Digest::prefixed("he1_", &resolved.args);
            self.journal.intent(call, &resolved.action, &args)?;
        }
        Ok(Answered::of(&self.host.call(&resolved.action, &resolved.args)?))
    }
}

/// Why a call is the business of the step that runs the program: leases are, and whose an issue is, and the end of the one
/// that it works on, which comes after its verification. What it finds begins as open work of nobody.
fn of_the_step(resolved: &Resolved, held: &str) -> Option<RunRefused> {
    let given = |name: &str| resolved.args.as_object().and_then(|args| args.get(name));
    let text = |name: &str| given(name).and_then(Value::as_text).map(str::trim);
    let hands_over = given("assignee").or_else(|| given("owner")).is_some();
    match resolved.action.as_str() {
        "issue.update" if text("id") == Some(held) && given("status").is_some() => {
            let hint = "leave its status alone: it is closed when the verification passes";
            Some(denied(format!("the step says how `{held}` ends, not its program"), hint))
        }
        "issue.update" if text("id") == Some(held) && hands_over => {
            let detail = format!("the step says who has `{held}`, not its program");
            Some(denied(detail, "leave its assignee and its owner alone"))
        }
        "issue.add" | "issue.discover"
            if hands_over || given("status").is_some_and(|status| status.as_text() != Some("open")) =>
        {
            let detail =
                format!("what the program of a step finds is open and nobody's: `{}`", resolved.action);
            Some(denied(detail, "leave its status, its assignee and its owner alone"))
        }
        "issue.claim" | "issue.claim_next" | "issue.lease_release" | "issue.lease_renew" => {
            let detail = format!("the step takes and gives back work, and `{}` is that", resolved.action);
            Some(denied(detail, "one step is about one issue"))
        }
        _other => None,
    }
}

/// The envelope of a refusal; where there is no such action, a failure.
fn refuse(resolved: &Resolved, why: &RunRefused) -> Result<Answered, ActionError> {
    Ok(match envelope(&resolved.action, &resolved.args, why)? {
        Some(effect) => Answered::of(&effect),
        None => Answered::Failed(failure(why)),
    })
}
