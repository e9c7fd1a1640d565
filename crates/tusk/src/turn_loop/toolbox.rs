//! The tools of a run as its driver calls them: several at once, each in the walls of its context, each ending in an
//! outcome that the journal can keep.
//!
//! One failure does not stop its siblings, and a call that panics fails alone. It must not decide which call runs.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::Change;

use super::plan::{self, arguments_digest, refused};
use super::ports::Stopwatch;
use super::run_secrets::RunSecrets;
use super::step::PlannedCall;
use crate::evidence::{CallOutcome, CallStatus, IntentRow, Payload, ShellRow};
use crate::policy::{GovernedCall, SensorTrace, Target};
use crate::sandbox::{ExecutionLimits, Interrupt, Profile, Sandbox, SandboxEvidence};
use crate::tools::files::{EntryKind, WorkFiles};
use crate::tools::payloads::Payloads;
use crate::tools::{
    Catalogue, ChangeRule, ChangeTracker, Consent, ProtectedPaths, Reader, Shown, ToolContext, ToolFailure,
    ToolKind, ToolOutput, ToolSpec, UndoRecord, WorkPath,
};

/// What the calls of a run work with.
#[derive(Debug, Clone)]
pub struct Toolbox {
    /// The tools themselves.
    pub catalogue: Catalogue,
    /// The files below the workdir.
    pub files: Arc<dyn WorkFiles>,
    /// Where commands run.
    pub sandbox: Arc<dyn Sandbox>,
    /// Whether somebody asked for the end.
    pub interrupt: Interrupt,
    /// The workdir.
    pub workdir: PathBuf,
    /// The walls around commands.
    pub profile: Profile,
    /// How much a command may use.
    pub limits: ExecutionLimits,
    /// What no tool changes on its own.
    pub protected: ProtectedPaths,
    /// Files of premath's own folder that commands of this run may read, relative to the workdir.
    pub readable_state: Vec<String>,
    /// What earlier calls gave back as a whole.
    pub payloads: Arc<dyn Payloads>,
    /// The most bytes of content that a call gives back.
    pub budget: usize,
    /// The most bytes of a command's output.
    pub capture: usize,
    /// How many calls run at the same time.
    pub parallel: usize,
    /// Compares the workdir before and after commands. Without it the row of a command says nothing about files, and a
    /// turn whose policy asks for that does not close.
    pub changes: Option<Arc<ChangeTracker>>,
    /// The secrets that calls may use when a person agrees.
    pub secrets: Arc<RunSecrets>,
}

/// What a call would do with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// Look at it.
    Look,
    /// Change it, or run something in it.
    Change,
    /// Change it by a patch. Policy asks a person about protected paths that may be changed at all.
    Patch,
}

/// What a person said about a call.
fn consent(call: &PlannedCall) -> Consent {
    if call.approval.is_some() { Consent::Given } else { Consent::None }
}

/// What one call came to.
#[derive(Debug)]
pub struct Ran {
    /// The outcome; its payload is whole, however long.
    pub outcome: CallOutcome,
    /// The change it asks for.
    pub operation: Option<Change>,
    /// What was noted of it; none of what did not run.
    pub trace: Option<SensorTrace>,
}

impl Ran {
    fn without(outcome: CallOutcome) -> Self {
        Self { outcome, operation: None, trace: None }
    }
}

impl Toolbox {
    fn context(&self) -> ToolContext<'_> {
        self.context_for(Reader::Model, Consent::None)
    }

    fn context_for(&self, reader: Reader, consent: Consent) -> ToolContext<'_> {
        ToolContext {
            reader,
            consent,
            readable_state: &self.readable_state,
            files: self.files.as_ref(),
            sandbox: self.sandbox.as_ref(),
            interrupt: &self.interrupt,
            workdir: &self.workdir,
            profile: self.profile,
            limits: self.limits,
            protected: &self.protected,
            catalogue: &self.catalogue,
            payloads: self.payloads.as_ref(),
            budget: self.budget,
            capture: self.capture,
        }
    }

    /// What each call that changes files will change, read before anything happens; and what a person was shown of a call
    /// that they agreed to, as it would be shown now.
    #[must_use]
    pub fn prepare(&self, calls: &[PlannedCall]) -> Prepared {
        let was_shown =
            |call: &PlannedCall| call.approval.as_ref().is_some_and(|approval| approval.preview.is_some());
        self.prepared(calls, was_shown, consent)
    }

    /// As [`Self::prepare`], with what a person is shown of every call.
    #[must_use]
    pub fn previewed(&self, calls: &[PlannedCall]) -> Prepared {
        self.prepared(calls, |_| true, |_| Consent::Preview)
    }

    fn prepared(
        &self,
        calls: &[PlannedCall],
        is_shown: impl Fn(&PlannedCall) -> bool,
        consent: impl Fn(&PlannedCall) -> Consent,
    ) -> Prepared {
        let mut prepared = Prepared::default();
        for call in calls.iter().filter(|call| call.runs()) {
            let Some((tool, shown)) = self.catalogue.get(&call.call.name).zip(call.arguments.as_ref()) else {
                continue;
            };
            let Ok(used) = self.used_arguments(call, shown) else {
                prepared.failed.insert(call.call.id.clone(), plan::secret_gone(&call.call.id));
                continue;
            };
            let arguments = used.as_ref();
            let context = self.context_for(Reader::Model, consent(call));
            let looked = contain_panic(&call.call.name, || match tool.prepare(arguments, &context)? {
                None if is_shown(call) => Ok((None, tool.preview(arguments, &context)?)),
                undo => Ok((undo, None)),
            });
            match looked {
                Ok((undo, preview)) => {
                    let preview = self.scrubbed_preview(call, undo.as_ref(), preview);
                    prepared.undo.extend(undo.map(|undo| (call.call.id.clone(), undo)));
                    prepared.previews.extend(preview.map(|preview| (call.call.id.clone(), preview)));
                }
                Err(failure) => {
                    prepared.failed.insert(call.call.id.clone(), refused(&call.call.id, failure));
                }
            }
        }
        prepared
    }

    /// What a call would be about, when the tool takes such arguments at all.
    ///
    /// # Errors
    /// Arguments that the tool does not take. What cannot be found out is inside.
    pub fn targets(
        &self,
        tool: &str,
        arguments: &crate::JsonText,
    ) -> Result<Result<Vec<Target>, ToolFailure>, ToolFailure> {
        let (found, arguments) = self.catalogue.resolve(tool, arguments)?;
        Ok(contain_panic(tool, || found.targets(&arguments, &self.context())))
    }

    /// Why a path may not be touched by whoever would do it, for calls that are run elsewhere: what is outside, what is
    /// reached through a link, and for a change what is protected. The tools here look at the same when they run.
    ///
    /// # Errors
    /// `path.invalid`, `path.outside`, `path.link`, `path.protected`, or what the files say.
    pub fn may_touch(&self, path: &str, touch: Touch) -> Result<(), ToolFailure> {
        let context = self.context();
        let path = WorkPath::read(path, context.workdir)?;
        match touch {
            Touch::Look => path.refuse_links(context.files),
            Touch::Change => path.refuse_protected(&context),
            Touch::Patch => path.refuse_protected(&self.context_for(Reader::Model, Consent::Preview)),
        }
    }

    /// What a step of a plan would do to what is there now; nothing happens.
    pub(super) fn shown(&self, call: &PlannedCall) -> Option<Result<Shown, ToolFailure>> {
        let (tool, arguments) = self.catalogue.get(&call.call.name).zip(call.arguments.as_ref())?;
        Some(contain_panic(&call.call.name, || Shown::look(tool.as_ref(), arguments, &self.context())))
    }

    /// Whether commands of the run can read the history of the repository in the workdir.
    #[must_use]
    pub fn reads_history(&self) -> bool {
        self.catalogue.get("shell").is_some()
            && !self.profile.hides_history()
            && (self.files.metadata(".git/HEAD").is_ok()
                || self.files.metadata(".git").is_ok_and(|found| found.kind == EntryKind::File))
    }

    /// The protected paths among the files that a call would change, where a person may agree to it.
    #[must_use]
    pub fn protected_changes(&self, spec: &ToolSpec, targets: &[Target]) -> Vec<String> {
        if spec.kind != ToolKind::Effect {
            return Vec::new();
        }
        let is_asked = |target: &&Target| {
            target.kind == "file"
                && WorkPath::read(&target.id, &self.workdir)
                    .is_ok_and(|path| self.protected.rule(&path) == Some(ChangeRule::Ask))
        };
        targets.iter().filter(is_asked).map(|target| target.id.clone()).collect()
    }

    /// The calls that could run, with what they are about, as policy sees them.
    pub fn governed<'c>(&'c self, calls: &'c [PlannedCall]) -> Vec<GovernedCall<'c>> {
        let context = self.context();
        let governed = |call: &'c PlannedCall| {
            let (tool, arguments) = self.catalogue.get(&call.call.name).zip(call.arguments.as_ref())?;
            let targets = contain_panic(&call.call.name, || tool.targets(arguments, &context));
            Some(GovernedCall {
                tool_call_id: &call.call.id,
                spec: tool.spec(),
                arguments: arguments.value(),
                arguments_digest: arguments_digest(&call.call),
                protected: self.protected_changes(tool.spec(), targets.as_deref().unwrap_or_default()),
                targets,
                secrets: self.secret_places(call),
            })
        };
        calls.iter().filter(|call| call.runs()).filter_map(governed).collect()
    }

    /// Runs every call that runs, as many at once as the policy admits, and returns what came of all, in their order.
    #[must_use]
    pub fn run(&self, calls: &[PlannedCall], prepared: &Prepared, time: &dyn Stopwatch) -> Vec<Ran> {
        let running = calls.iter().filter(|call| call.runs()).count();
        if running <= 1 || self.parallel <= 1 {
            return calls.iter().map(|call| self.timed(call, prepared, time)).collect();
        }
        let slots: Vec<Mutex<Option<Ran>>> = calls.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((call, slot)) = calls.get(at).zip(slots.get(at)) else { break };
                let ran = self.timed(call, prepared, time);
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(ran);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..running.min(self.parallel) {
                scope.spawn(work);
            }
            work();
        });
        let ran = slots.into_iter().zip(calls).map(|(slot, call)| {
            let ran = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            ran.unwrap_or_else(|| Ran::without(call.interrupted()))
        });
        ran.collect()
    }

    /// The sensor: what ran is timed, what did not leaves no trace.
    fn timed(&self, call: &PlannedCall, prepared: &Prepared, time: &dyn Stopwatch) -> Ran {
        let before = time.elapsed_micros();
        let mut ran = self.one(call, prepared);
        if call.uses_secrets() {
            self.scrub(&mut ran.outcome);
        }
        if call.runs() {
            let micros = time.elapsed_micros().saturating_sub(before);
            ran.trace = Some(SensorTrace::of(&call.call.name, call.kind.token(), &ran.outcome, micros));
        }
        ran
    }

    fn one(&self, call: &PlannedCall, prepared: &Prepared) -> Ran {
        let id = call.call.id.as_str();
        let early = call.refusal.as_ref().or_else(|| prepared.failed.get(id));
        if let Some(outcome) = early {
            return Ran::without(outcome.clone());
        }
        let Some((tool, arguments)) = self.catalogue.get(&call.call.name).zip(call.arguments.as_ref()) else {
            let failure = ToolFailure::new("tool.not_here", format!("`{}` is not here", call.call.name));
            return Ran::without(refused(id, failure));
        };
        let reader = call.caller.as_ref().map_or(Reader::Model, |_| Reader::Program);
        let Ok(used) = self.used_arguments(call, arguments) else {
            return Ran::without(plan::secret_gone(id));
        };
        let arguments = used.as_ref();
        let context = self.context_for(reader, consent(call));
        let call_tool = || {
            let name = &call.call.name;
            match contain_panic(name, || tool.call_prepared(arguments, prepared.undo.get(id), &context)) {
                Ok(output) => ran(id, output),
                Err(failure) => Ran::without(failed(id, failure)),
            }
        };
        let mut ran = match &self.changes {
            Some(changes) if call.shell.is_some() => self.observed(changes, call, call_tool),
            Some(changes) if call.kind == ToolKind::Effect => {
                let effect = changes.note_effect(id);
                let ran = call_tool();
                changes.effect_over(effect);
                ran
            }
            Some(_) | None => call_tool(),
        };
        keep_shown_digest(call, &mut ran);
        ran
    }

    /// Runs a command between two looks at the workdir. One that cannot be looked at runs no command.
    fn observed(&self, changes: &ChangeTracker, call: &PlannedCall, run: impl FnOnce() -> Ran) -> Ran {
        let baseline = match changes.begin(&call.call.id, &self.interrupt) {
            Ok(baseline) => baseline,
            Err(failure) => {
                let outcome = refused(&call.call.id, failure);
                return Ran::without(CallOutcome { shell: call.shell.clone(), ..outcome });
            }
        };
        let mut ran = run();
        let found = changes.finish(baseline);
        ran.outcome.artifacts.extend(found.artifacts);
        if let Some(row) = &mut ran.outcome.shell {
            row.observed = Some(found.observed);
        }
        ran
    }

    /// The change that a call asks for, planned again: nothing happens.
    #[must_use]
    pub fn operation(&self, call: &PlannedCall) -> Option<Change> {
        self.one(call, &Prepared::default()).operation
    }
}

/// Calls a tool. A panic in it is a defect of that tool, and ends this call alone.
fn contain_panic<T>(tool: &str, call: impl FnOnce() -> Result<T, ToolFailure>) -> Result<T, ToolFailure> {
    catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(ToolFailure::new("tool.broken", format!("`{tool}` broke off"))))
}

/// What is known of calls before they run.
#[derive(Debug, Default)]
pub struct Prepared {
    /// How to take each back.
    pub undo: BTreeMap<String, UndoRecord>,
    /// What a person is shown of those that change no files, or that use a secret.
    pub previews: BTreeMap<String, String>,
    /// Those that cannot be done.
    pub failed: BTreeMap<String, CallOutcome>,
}

impl Prepared {
    /// What a person is shown of a call.
    #[must_use]
    pub fn preview(&self, tool_call_id: &str) -> Option<String> {
        self.previews.get(tool_call_id).cloned().or_else(|| self.diff(tool_call_id))
    }

    /// What a call changes in files, as whoever watches may see it.
    #[must_use]
    pub fn diff(&self, tool_call_id: &str) -> Option<String> {
        let undo = self.undo.get(tool_call_id)?;
        Some(self.previews.get(tool_call_id).cloned().unwrap_or_else(|| undo.diff()))
    }
}

fn ran(id: &str, output: ToolOutput) -> Ran {
    let intent = output.intent.as_ref().map(|intent| IntentRow {
        action: intent.action.to_owned(),
        args_digest: intent.change.args_digest().as_str().to_owned(),
        targets: intent.targets.clone(),
        target_status: intent.change.target_status().map(str::to_owned),
    });
    let outcome = CallOutcome {
        tool_call_id: id.to_owned(),
        status: CallStatus::Ok,
        payload: Payload::Inline(output.content),
        note: output.note,
        extent: output.extent,
        artifacts: output.artifacts,
        bases: output.bases,
        exit_code: output.exit_code.map(i64::from),
        // The profile is the one the sandbox says it enforced, not the one that was asked for. A command without that
        // has no row, and its turn does not close.
        shell: output.shell_row.zip(output.shell).map(|(row, seen)| seen_row(row, &seen)),
        found: output.found.map(|found| (found.query, found.names)),
        intent,
        guards: Vec::new(),
    };
    Ran { outcome, operation: output.intent.map(|intent| intent.change), trace: None }
}

/// Where a command ran, behind the walls that stood.
fn seen_row(row: ShellRow, seen: &SandboxEvidence) -> ShellRow {
    let profile = match &seen.operator_override {
        None => seen.profile.as_str().to_owned(),
        Some(_) => "none".to_owned(),
    };
    ShellRow { profile, ..row }
}

/// A call that failed may have said and done something nevertheless.
fn failed(id: &str, mut failure: ToolFailure) -> CallOutcome {
    let aftermath = failure.aftermath.take();
    let mut outcome = refused(id, failure);
    if let Some(aftermath) = aftermath {
        outcome.payload = Payload::Inline(aftermath.content);
        outcome.artifacts = aftermath.artifacts;
        outcome.shell = match (aftermath.shell_row, aftermath.shell) {
            (Some(row), Some(seen)) => Some(seen_row(row, &seen)),
            // It did not start: what it would have been is all there is to say.
            (row, _) => row,
        };
    }
    outcome
}

/// A command with a secret is known by the digest of what was shown of it.
fn keep_shown_digest(call: &PlannedCall, ran: &mut Ran) {
    if let (true, Some(row), Some(shown)) = (call.uses_secrets(), &mut ran.outcome.shell, &call.shell) {
        row.command_digest.clone_from(&shown.command_digest);
    }
}

mod secret_use;
#[cfg(test)]
mod tests;
