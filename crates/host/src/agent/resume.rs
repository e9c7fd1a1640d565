//! Going on with a run that stopped: its machine is run again from its journal, what was open is closed, and it goes on.

use premath_bd::{
    Cursor, Distrust, Journal, JournalEvent, JournalRow, LogReport, Problem, ProblemClass, Reference,
    StoreError, VerifiedJournal, references,
};
use premath_kernel::{LeaseClass, Value};
use premath_tusk::turn_loop::{
    Beginning, Event, Limits, Machine, Redrive, RedriveError, Redriven, Relation, RunConfig, RunEvent,
    RunJournal as _, RunOutcome, Step,
};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::assemble::{again, check_checkpoints};
use super::beginning;
use super::conversing;
use super::cost_limit::{CostLimit, refuse_unpriced};
use super::instructed::authority;
use super::lease::{self, Refused};
use super::ports::FileJournal;
use super::request::unpriced_models;
use super::retention;
use super::run::{Ground, Session, Started, Watch, continued, is_begun, journal, next_session, released};
use super::traces;
use crate::actions::issue::{arguments, told};
use crate::chat::Unfinished;
use crate::governance::pinned_refusal;
use crate::recording::{audit_log, named_from_root};
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// How many rows are read at once.
const PAGE: usize = 1_000;

/// What `run.resume` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResumeArgs {
    /// The run; the newest that can be resumed when absent.
    run_id: Option<String>,
    /// Model turns from now on, all of them counted.
    max_turns: Option<u64>,
    /// Tool calls, all of them counted.
    max_tool_calls: Option<u64>,
    /// Tokens, all of them counted.
    max_tokens: Option<u64>,
    /// Millionths of a dollar, all of them counted.
    max_cost_micros: Option<u64>,
    /// What a cost limit does about a model without a price: `refuse` or `allow`.
    unpriced: Option<String>,
    /// Wall time, all of it counted.
    max_wall_millis: Option<u64>,
    /// Workers, all of them counted.
    max_workers: Option<u64>,
    /// A person is asked every so many turns.
    checkpoint_every: Option<u64>,
    /// A person is asked before these tools run.
    checkpoint_before: Option<Vec<String>>,
}

/// Goes on with a run.
///
/// # Errors
/// No such run, one that cannot be resumed, or an environment that gives no answer.
pub fn resume(host: &Host<'_>, args: &Value<'_>, watch: &mut Watch<'_>) -> Result<Started, ActionError> {
    let args: ResumeArgs = arguments(args)?;
    let workspace = host.workspace;
    let run_id = match told(args.run_id.as_deref()) {
        Some(id) => id.to_owned(),
        None => traces::newest_resumable(workspace)?.ok_or_else(|| missing("there is no run to resume"))?,
    };
    if let Some(refused) = beginning::refused(workspace, host.agent)? {
        return Ok(Started::Refused(refused));
    }
    // Nobody else answers in its conversation meanwhile.
    let conversation = match conversing::hold_of_run(workspace, &run_id)? {
        Ok(held) => held,
        Err(refused) => return Ok(Started::Refused(refused)),
    };
    let is_said = conversation.is_some();
    let seen = retention::of_run(workspace, &run_id)?;
    let host = &Host { workspace: &seen, ..*host };
    let workspace = host.workspace;
    let ground = Ground { workspace, agent: host.agent };
    let Left { machine, unwritten, writer, is_begun } = newest_session(ground, &run_id)?;
    refuse_ended(&machine)?;
    if let Some(refused) = missing_object(workspace, &machine.config().run_id)? {
        return Ok(Started::Refused(refused));
    }
    if let Some(refused) = other_package(workspace, machine.config())? {
        return Ok(Started::Refused(refused));
    }
    check_checkpoints(workspace, args.checkpoint_before.as_deref().unwrap_or_default())?;
    let limits = raised(&machine, &args)?;
    let config = machine.config();
    let unpriced = unpriced_models(args.unpriced.as_deref(), &workspace.settings.turn_loop)?;
    let limit = CostLimit::find_resumed(workspace, &config.limits, args.max_cost_micros.is_some());
    if let Some(refused) = refuse_unpriced(host.agent, limit, unpriced, &config.models, &config.workflow)? {
        return Ok(Started::Refused(refused));
    }
    let held = match machine.config().issue_id.clone() {
        None => None,
        Some(issue) => {
            let wall = limits_of(&machine, limits.as_ref());
            let lineage = lineage(workspace, machine.config())?;
            // The lease is that of the whole work, whose name is the first session's.
            let first = lineage.last().unwrap_or(&run_id);
            match lease::take(workspace, &issue, first, wall, &authority(machine.config()))? {
                Ok(held) => Some(held),
                Err(refused) if may_end_without(workspace, &lineage, &issue, &refused)? => None,
                Err(refused) => return Ok(Started::Refused(refused)),
            }
        }
    };
    let holder = held.as_ref().map(|held| held.holder.clone());
    let toolbox = again(workspace, host.agent, machine.config(), holder);
    let mut unfinished = Unfinished::default();
    let mut watch = |event: &RunEvent<'_>| {
        unfinished.take(event);
        watch(event);
    };
    let ran = toolbox.and_then(|toolbox| {
        let session = if is_begun {
            resumed(machine, unwritten, writer, limits)?
        } else {
            Session { machine, writer, beginning: Beginning::Fresh }
        };
        continued(ground, session, &toolbox, held.as_ref(), &mut watch)
    });
    if is_said {
        conversing::keep_unfinished(workspace, &run_id, &unfinished)?;
    }
    released(workspace, held.as_ref(), ran).map(|answer| Started::Ran(Box::new(answer)))
}

/// Refuses a run whose journal cites an object that is not there: what its model was shown nobody can say any more.
fn missing_object(workspace: &Workspace, run_id: &str) -> Result<Option<Refused>, ActionError> {
    let objects = retention::objects(workspace)?;
    let mut missing = None;
    each_journal_row(&journal(workspace, run_id)?, |row| {
        for reference in row.event.as_object().map(references).unwrap_or_default() {
            if let Reference::Object(id) | Reference::Outcome(id) = reference
                && missing.is_none()
                && !objects.contains(&id)?
            {
                missing = Some((row.seq, id.to_string()));
            }
        }
        Ok(())
    })?;
    Ok(missing.map(|(seq, object)| Refused {
        class: "object_missing".to_owned(),
        detail: format!("row {seq} of the journal of run `{run_id}` cites the object `{object}`, which is not there"),
        hint: "`premath verify` names every object that is missing; put them back from a backup, or start a new run"
            .to_owned(),
    }))
}

/// A run goes on under the policy package it is bound to, or not at all. One from before runs were bound goes on, and changes
/// nothing: see [`super::instructed`].
fn other_package(workspace: &Workspace, config: &RunConfig) -> Result<Option<Refused>, ActionError> {
    match config.policy.as_ref().and_then(|policy| policy.governance.as_ref()) {
        None => Ok(None),
        pinned => pinned_refusal(workspace, pinned),
    }
}

/// The sessions of one work, from this one back to the first.
pub(super) fn lineage(workspace: &Workspace, config: &RunConfig) -> Result<Vec<String>, ActionError> {
    let mut ids = vec![config.run_id.clone()];
    let mut parent = config.parent.clone();
    while let Some(before) = parent.take().filter(|parent| parent.relation == Relation::Successor) {
        if ids.contains(&before.run_id) {
            break;
        }
        parent = traces::config_of(workspace, &before.run_id)?.and_then(|config| config.parent);
        ids.push(before.run_id);
    }
    Ok(ids)
}

/// Whether a run may go on though its issue is closed: it has closed it itself, and may have a last word to say.
pub(super) fn may_end_without(
    workspace: &Workspace,
    lineage: &[String],
    issue: &str,
    refused: &Refused,
) -> Result<bool, ActionError> {
    if refused.class != LeaseClass::IssueClosed.code() {
        return Ok(false);
    }
    let row = lease::look(workspace, issue)?;
    let witness = row.as_ref().and_then(|row| row.object().get("write_witness")?.as_object());
    let written_by = witness.and_then(|witness| witness.get("turn_digest")?.as_text());
    for session in lineage {
        if traces::has_closed(workspace, session, issue, written_by)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a process left of the newest session of a run.
struct Left {
    machine: Machine,
    unwritten: Vec<JournalEvent>,
    writer: FileJournal,
    /// Whether that session has a row already.
    is_begun: bool,
}

/// The session that a run goes on in: itself, or the last of those it was handed over to.
fn newest_session(ground: Ground<'_>, run_id: &str) -> Result<Left, ActionError> {
    let workspace = ground.workspace;
    let mut id = run_id.to_owned();
    loop {
        let journal = journal(workspace, &id)?;
        if !is_begun(&journal)? {
            return Err(missing(&format!("there is no run `{id}`")));
        }
        // Held before it is read: whoever else drives the run is done with it, or this one does not begin.
        let mut writer = FileJournal::open(&journal, workspace)?;
        let Redriven { machine, unwritten, .. } = redriven(workspace, &journal)?;
        let next = match machine.next() {
            Step::Done(RunOutcome::HandedOff { run_id }) => run_id.clone(),
            Step::Done(_)
            | Step::CallModel(_)
            | Step::Judge { .. }
            | Step::Confirm(_)
            | Step::AwaitPlan(_)
            | Step::CallTools(_)
            | Step::Keep { .. }
            | Step::Apply(_)
            | Step::Spawn(_)
            | Step::AskHuman(_)
            | Step::Handoff(_)
            | Step::Compact(_) => return Ok(Left { machine, unwritten, writer, is_begun: true }),
        };
        if !unwritten.is_empty() {
            writer.append(&unwritten)?;
        }
        if !is_begun(&super::run::journal(workspace, &next)?)? {
            // Whoever handed it over died before the next session had begun.
            let Session { machine, writer, .. } = next_session(ground, &machine, &next)?;
            return Ok(Left { machine, unwritten: Vec::new(), writer, is_begun: false });
        }
        id = next;
    }
}

/// A machine that is told that it goes on, with the row that says so.
pub(super) fn resumed(
    mut machine: Machine,
    mut unwritten: Vec<JournalEvent>,
    writer: FileJournal,
    limits: Option<Limits>,
) -> Result<Session, ActionError> {
    let event = Event::Resumed { limits };
    let row = event.row();
    machine.feed(event).map_err(|error| missing(&error.to_string()))?;
    unwritten.push(row);
    unwritten.extend(machine.take_records());
    Ok(Session { machine, writer, beginning: Beginning::Resumed { unwritten } })
}

fn limits_of(machine: &Machine, raised: Option<&Limits>) -> Option<u64> {
    raised.unwrap_or_else(|| &machine.config().limits).wall_millis
}

fn refuse_ended(machine: &Machine) -> Result<(), ActionError> {
    let Step::Done(outcome) = machine.next() else { return Ok(()) };
    match outcome {
        RunOutcome::Stopped(_) => Ok(()),
        RunOutcome::Completed | RunOutcome::HandedOff { .. } | RunOutcome::FailedClosed { .. } => {
            let id = &machine.config().run_id;
            Err(missing(&format!("run `{id}` is over ({}); start a new one", outcome.token())))
        }
    }
}

/// The limits from now on, when somebody names one.
fn raised(machine: &Machine, args: &ResumeArgs) -> Result<Option<Limits>, ActionError> {
    let named = [
        args.max_turns,
        args.max_tool_calls,
        args.max_tokens,
        args.max_cost_micros,
        args.max_wall_millis,
        args.max_workers,
        args.checkpoint_every,
    ];
    if named.iter().all(Option::is_none) && args.checkpoint_before.is_none() {
        return Ok(None);
    }
    if !matches!(machine.next(), Step::Done(_)) {
        let id = &machine.config().run_id;
        let what = format!(
            "run `{id}` was cut off inside a turn, which ends under the limits it began with; resume it without limits"
        );
        return Err(InputError::new(InputClass::FieldInvalid, &what, JsonPath::root()).into());
    }
    let before = machine.config().limits.clone();
    Ok(Some(Limits {
        turns: args.max_turns.or(before.turns),
        workflow_turns: args.max_turns.or(before.workflow_turns),
        tool_calls: args.max_tool_calls.or(before.tool_calls),
        tokens: args.max_tokens.or(before.tokens),
        cost_micros: args.max_cost_micros.or(before.cost_micros),
        wall_millis: args.max_wall_millis.or(before.wall_millis),
        workers: args.max_workers.or(before.workers),
        checkpoint_every: args.checkpoint_every.or(before.checkpoint_every),
        checkpoint_before: args.checkpoint_before.clone().unwrap_or_else(|| before.checkpoint_before.clone()),
        ..before
    }))
}

/// A machine where its journal ends, which this clone wrote and which has the row that the audit log knows of it.
pub(super) fn redriven(workspace: &Workspace, journal: &Journal) -> Result<Redriven, ActionError> {
    let VerifiedJournal { report, rows } = match journal.read_verified() {
        Err(StoreError::Missing { .. }) => return Err(no_run(journal)),
        read => read?,
    };
    refuse(journal, first_damage(&report, Reliance::Act))?;
    require_anchor(workspace, journal, &rows)?;
    let mut redrive = Redrive::default();
    for row in &rows {
        redrive.take(row.seq, &row.event).map_err(|error| differs(journal, &error))?;
    }
    redrive.finish().map_err(|error| differs(journal, &error))
}

/// Refuses a journal without the row that the audit log saw last: it was rolled back, head and all.
fn require_anchor(workspace: &Workspace, journal: &Journal, rows: &[JournalRow]) -> Result<(), ActionError> {
    let audit = audit_log(workspace);
    audit.require_authentic()?;
    let Some(anchor) = audit.anchor_of(&named_from_root(workspace, journal.path()))? else { return Ok(()) };
    let is_met = |row: &JournalRow| row.seq == anchor.rows && row.row_digest == anchor.digest;
    if rows.iter().any(is_met) {
        return Ok(());
    }
    Err(ActionError::Store(StoreError::Untrusted {
        path: journal.path().to_owned(),
        reason: Distrust::RolledBack,
        detail: format!("the audit log knows row {} of it, which is not there", anchor.rows),
    }))
}

/// What a journal is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reliance {
    /// To be shown: whoever wrote it.
    Show,
    /// To be gone on from: only this clone may have written it.
    Act,
}

/// Nothing is shown of a journal that contradicts itself.
pub(super) fn refuse_damaged(journal: &Journal) -> Result<(), ActionError> {
    refuse(journal, damage(journal)?)
}

fn refuse(journal: &Journal, problem: Option<Problem>) -> Result<(), ActionError> {
    let Some(problem) = problem else { return Ok(()) };
    let path = journal.path().to_owned();
    let place = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let detail = format!(
        "{place}{} ({}); `premath verify` says more, and nothing goes on from it",
        problem.detail, problem.class
    );
    Err(ActionError::Store(match problem.class.distrust() {
        Some(reason) => StoreError::Untrusted { path, reason, detail },
        None => StoreError::Corrupt { path, detail },
    }))
}

/// The first thing that is wrong with a journal, whoever wrote it, beside what a process that died leaves behind.
pub(super) fn damage(journal: &Journal) -> Result<Option<Problem>, ActionError> {
    let report = match journal.verify() {
        Err(StoreError::Missing { .. }) => return Err(no_run(journal)),
        report => report?,
    };
    Ok(first_damage(&report, Reliance::Show))
}

fn first_damage(report: &LogReport, reliance: Reliance) -> Option<Problem> {
    let is_harmless = |class: ProblemClass| match reliance {
        Reliance::Act => class == ProblemClass::TornTail,
        Reliance::Show => {
            matches!(class, ProblemClass::TornTail | ProblemClass::HeadMissing) || class.distrust().is_some()
        }
    };
    let problems = report.problems.kept();
    // Who wrote it comes first: what else is wrong with a log of somebody else says less.
    let distrusted = problems.iter().find(|problem| problem.class.distrust().is_some());
    distrusted.into_iter().chain(problems).find(|problem| !is_harmless(problem.class)).cloned()
}

/// Every row of a journal, in order; a line that is none is an error.
pub(super) fn each_journal_row(
    journal: &Journal,
    take: impl FnMut(&JournalRow) -> Result<(), ActionError>,
) -> Result<(), ActionError> {
    match each_readable_row(journal, take)? {
        0 => Ok(()),
        count => Err(ActionError::Store(StoreError::Corrupt {
            path: journal.path().to_owned(),
            detail: format!("lines that are no rows of a run: {count}; `premath verify` says more"),
        })),
    }
}

/// Every row of a journal that can be read, in order, and how many lines cannot.
pub(super) fn each_readable_row(
    journal: &Journal,
    mut take: impl FnMut(&JournalRow) -> Result<(), ActionError>,
) -> Result<u64, ActionError> {
    let mut cursor = Cursor::START;
    let mut unreadable = 0_u64;
    loop {
        let page = match journal.read_from(cursor, PAGE) {
            Err(StoreError::Missing { .. }) => return Err(no_run(journal)),
            page => page?,
        };
        unreadable = unreadable.saturating_add(page.unreadable_count);
        for row in &page.rows {
            take(row)?;
        }
        if page.is_end {
            return Ok(unreadable);
        }
        cursor = page.next;
    }
}

fn no_run(journal: &Journal) -> ActionError {
    missing(&format!("there is no run `{}`", journal.session()))
}

pub(super) fn differs(journal: &Journal, error: &RedriveError) -> ActionError {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    ActionError::Store(StoreError::Corrupt {
        path: journal.path().to_owned(),
        detail: format!("it does not run again: {error}{why}"),
    })
}

pub(super) fn missing(what: &str) -> ActionError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("runId")).into()
}
