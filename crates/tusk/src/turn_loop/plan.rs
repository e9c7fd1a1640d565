//! What becomes of the calls of an answer before anything runs: which tool each names, whether its arguments fit, whether
//! it may run at all.
//!
//! A turn that cannot close has no effects: one call that is inadmissible keeps every call of the turn that would change
//! something from running. It must not run a tool.

use std::collections::BTreeMap;
use std::path::Path;

use premath_kernel::{Digest, SearchRef};

use super::step::PlannedCall;
use crate::context::plain_line;
use crate::evidence::{CallOutcome, CallStatus, Failure, ShellRow};
use crate::model::{MalformedArguments, ToolCall};
use crate::sandbox::ExecutionLimits;
use crate::tools::{Arguments, Catalogue, FoundTools, Risk, ToolFailure, ToolKind, ToolSpec, WorkPath};

/// The scope of tools that run commands.
const COMMANDS: &str = "process:run";
/// The code of a call that was held back because another call of its answer is not admissible.
pub(crate) const TURN_REFUSED: &str = "turn_refused";
/// The code of a call of an answer that was cut off.
pub(crate) const ANSWER_CUT_OFF: &str = "answer_cut_off";
/// The longest excerpt of arguments that are none.
const EXCERPT: usize = 300;
/// The class of a step of a plan that was not tried, because another one could not be done.
pub(crate) const PLAN_STOPPED: &str = "plan_stopped";
/// Why, in words, where no step was done.
pub(crate) const NOTHING_DONE: &str = "another step could not be done, so none was";

/// What is known of the tools of a run.
#[derive(Debug)]
pub(crate) struct Toolset {
    catalogue: Catalogue,
    facts: BTreeMap<String, Facts>,
    profile: String,
    /// The most calls of one answer.
    most_calls: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) kind: ToolKind,
    pub(crate) is_idempotent: bool,
    pub(crate) schema_digest: Digest,
    pub(crate) is_command: bool,
    pub(crate) is_deferred: bool,
    pub(crate) risk: Risk,
}

impl Facts {
    fn of(spec: &ToolSpec) -> Self {
        Self {
            kind: spec.kind,
            is_idempotent: spec.idempotent,
            schema_digest: spec.schema_digest(),
            is_command: spec.scope == COMMANDS,
            is_deferred: spec.defer_loading,
            risk: spec.risk,
        }
    }
}

impl Toolset {
    pub(crate) fn new(catalogue: Catalogue, profile: &str, most_calls: u64) -> Self {
        let facts = catalogue.specs().map(|spec| (spec.name.clone(), Facts::of(spec))).collect();
        Self { catalogue, facts, profile: profile.to_owned(), most_calls }
    }

    /// Sets the most calls of one answer.
    pub(crate) const fn limit_calls(&mut self, most_calls: u64) {
        self.most_calls = most_calls;
    }

    pub(crate) const fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    pub(crate) fn facts(&self, tool: &str) -> Option<&Facts> {
        self.facts.get(tool)
    }

    /// Looks at every call of an answer; `is_offered` says what may be called in this turn.
    pub(crate) fn plan(
        &self,
        calls: Vec<ToolCall>,
        found: &[FoundTools],
        is_offered: &dyn Fn(&str) -> bool,
    ) -> Vec<PlannedCall> {
        let look = |call: ToolCall| {
            let is_offered = is_offered(&call.name);
            let mut planned = self.look(call, found);
            if planned.runs() && !is_offered {
                planned.refusal = Some(not_offered(&planned.call));
            }
            planned
        };
        let mut planned: Vec<PlannedCall> = calls.into_iter().map(look).collect();
        if u64::try_from(planned.len()).is_ok_and(|count| count > self.most_calls) {
            let why = format!(
                "it was not run: one answer asks for {} calls, and the policy admits {}; make fewer at once",
                planned.len(),
                self.most_calls
            );
            hold_all(&mut planned, "tool.parallel_policy_violation", &why);
        }
        if planned.iter().any(|call| !call.runs()) {
            let why =
                "it was not run: another call of the same answer is not admissible; make this call again";
            hold_back(&mut planned, TURN_REFUSED, true, why);
        }
        planned
    }

    /// Looks at one call of a program.
    pub(crate) fn look_nested(&self, call: ToolCall, found: &[FoundTools], is_offered: bool) -> PlannedCall {
        let mut planned = self.look(call, found);
        if planned.runs() && !is_offered {
            planned.refusal = Some(not_offered(&planned.call));
        }
        planned
    }

    fn look(&self, call: ToolCall, found: &[FoundTools]) -> PlannedCall {
        let facts = self.facts.get(&call.name);
        let mut planned = PlannedCall {
            kind: facts.map_or(ToolKind::Read, |facts| facts.kind),
            is_idempotent: facts.is_some_and(|facts| facts.is_idempotent),
            arguments: None,
            shell: None,
            refusal: None,
            judged: None,
            approval: None,
            caller: None,
            schema_errors: Vec::new(),
            search: facts.filter(|facts| facts.is_deferred).and_then(|_| search(&call.name, found)),
            call,
        };
        if let Some(malformed) = &planned.call.malformed {
            planned.schema_errors.push(String::new());
            planned.refusal = Some(not_json(&planned.call, malformed));
            return planned;
        }
        if facts.is_some_and(|facts| facts.is_deferred) && planned.search.is_none() {
            let message =
                format!("`{}` was not found by a search yet; call tool_search first", planned.call.name);
            planned.refusal =
                Some(CallOutcome::failed(&planned.call.id, "tool.discovery_unresolved", false, message));
            return planned;
        }
        match self.catalogue.resolve(&planned.call.name, &planned.call.arguments) {
            Ok((_, arguments)) => {
                if facts.is_some_and(|facts| facts.is_command) {
                    let most = ExecutionLimits::default().wall;
                    planned.shell =
                        Some(ShellRow::of(arguments.value(), Path::new("."), &self.profile, most));
                    planned.refusal = outside(&planned.call.id, &arguments);
                }
                planned.arguments = Some(arguments);
            }
            Err(failure) => {
                if failure.error_code == "tool.schema_invalid" {
                    planned.schema_errors = failure.pointers.clone();
                    if planned.schema_errors.is_empty() {
                        planned.schema_errors.push(String::new());
                    }
                }
                planned.refusal = Some(refused(&planned.call.id, failure));
            }
        }
        planned
    }
}

/// Arguments that no decoder takes are the model's to write again.
fn not_json(call: &ToolCall, malformed: &MalformedArguments) -> CallOutcome {
    let message = format!(
        "{}; write them again as one JSON object. You wrote: {}",
        plain_line(&malformed.reason, EXCERPT),
        plain_line(&malformed.text, EXCERPT)
    );
    CallOutcome::failed(&call.id, "tool.schema_invalid", false, message)
}

fn not_offered(call: &ToolCall) -> CallOutcome {
    let message = format!("`{}` is not offered in this turn", call.name);
    CallOutcome::failed(&call.id, "tool.unknown_or_disallowed", false, message)
}

/// Why a command does not run where it wants to: its row would keep the turn open.
fn outside(tool_call_id: &str, arguments: &Arguments) -> Option<CallOutcome> {
    let named = arguments.text("workdir").unwrap_or(".");
    let failure = WorkPath::read(named, Path::new(".")).err()?;
    Some(refused(tool_call_id, failure))
}

/// What a call comes to whose secrets nobody holds any more. It must not run with their placeholders.
pub(super) fn secret_gone(tool_call_id: &str) -> CallOutcome {
    let why = "it was not run: the secret in its arguments was held in memory only, and is gone since the run was resumed; \
               ask the person for it again";
    CallOutcome::failed(tool_call_id, "secret_gone", false, why)
}

/// Keeps every call that would change something from running.
pub(crate) fn hold_back(calls: &mut [PlannedCall], code: &str, retryable: bool, why: &str) {
    for call in calls.iter_mut().filter(|call| call.runs()) {
        match call.kind {
            ToolKind::Read => {}
            ToolKind::Effect | ToolKind::Intent => {
                call.refusal = Some(CallOutcome::failed(&call.call.id, code, retryable, why));
            }
        }
    }
}

/// Keeps every call from running.
pub(crate) fn hold_all(calls: &mut [PlannedCall], code: &str, why: &str) {
    for call in calls.iter_mut().filter(|call| call.runs()) {
        call.refusal = Some(CallOutcome::failed(&call.call.id, code, true, why));
    }
}

/// The newest search that found a tool.
fn search(tool: &str, found: &[FoundTools]) -> Option<SearchRef> {
    found.iter().rev().find_map(|found| found.search_ref(tool))
}

/// A failure as the journal keeps it.
pub(crate) fn refused(tool_call_id: &str, failure: ToolFailure) -> CallOutcome {
    let failed = Failure {
        error_code: failure.error_code.to_owned(),
        retryable: failure.retryable,
        message: failure.message,
        pointers: failure.pointers,
        closest_matches: failure.closest_matches,
    };
    CallOutcome::empty(tool_call_id, CallStatus::Failed(failed))
}

/// What two calls have in common when they are the same call, however its arguments are spelled.
pub(crate) fn signature(call: &ToolCall) -> String {
    format!("{} {}", call.name, arguments_digest(call))
}

/// The digest of what the arguments mean, not of how they are spelled.
pub(crate) fn arguments_digest(call: &ToolCall) -> Digest {
    if let Some(malformed) = &call.malformed {
        return Digest::of_bytes(malformed.text.as_bytes());
    }
    let text = call.arguments.as_str().as_bytes();
    premath_wire::strict::parse(text, premath_wire::strict::Limits::default())
        .map_or_else(|_| Digest::of_bytes(text), |value| Digest::of(&value))
}
