//! Looking at runs: which there are, what happened in one, what a model saw in a turn, and whether one runs again.
//!
//! Everything is read from journals; a turn is shown by running its machine again. It must not change anything.

mod case;
mod kept_rows;
mod listing;
mod made;
mod turn;

use premath_bd::{Journal, JournalRow, Problem, ProblemClass, StoreError, runs_folder, sessions};
use premath_kernel::{Moment, Value};
use premath_tusk::turn_loop::{
    Answer, AppliedIntent, Event, IntentOutcome, Judge, Redrive, RedriveError, Relation, RunConfig,
    SPAWN_WORKER, Workflow,
};
use premath_wire::time::format_time;
use premath_wire::v1::{
    FilteredTokens, IntentResult, ReasonRow, ReplayAnswer, ReplayDifference, RunCard, RunEnding, RunRow,
    TurnRow, TurnVerdict, WorkerRow,
};

pub(crate) use self::case::{NoCase, export_turn};
use self::kept_rows::{each, kept_intent};
pub use self::listing::KeptRuns;
use self::listing::every;
pub(crate) use self::listing::{QuestionState, Questions, STATES, Wanted, list};
pub(crate) use self::made::{MadeRun, MadeTurn, made, run_names};
pub(crate) use self::turn::turn;
use super::artifact_rows::changed_files;
use super::kept::RETENTION;
use super::resume::{damage, differs, each_journal_row, each_readable_row, missing};
use super::retention;
use super::run::is_begun;
use super::shown::intent_result;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// The journal with everything that was said, as long as there is one.
fn journal(workspace: &Workspace, run_id: &str) -> Result<Journal, ActionError> {
    Ok(retention::whole(&retention::of_run(workspace, run_id)?, run_id)?)
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}

fn number(row: &Value<'_>, member: &str) -> Option<u64> {
    row.as_object()?.get(member)?.as_number()?.as_u64()
}

fn ending(token: &str) -> Option<RunEnding> {
    [
        RunEnding::Completed,
        RunEnding::HandedOff,
        RunEnding::FailedClosed,
        RunEnding::Limit,
        RunEnding::Interrupted,
        RunEnding::NeedsPerson,
        RunEnding::QuestionExpired,
        RunEnding::Declined,
        RunEnding::ModelFailed,
    ]
    .into_iter()
    .find(|ending| ending.token() == token)
}

/// What a journal says of its run, row by row.
#[derive(Debug, Default)]
struct Trace {
    row: Option<RunRow>,
    workflow: Option<Workflow>,
    pattern: String,
    /// Whether it works for another run.
    is_worker: bool,
    /// Whether these are the rows that stay of a run that kept nothing.
    is_kept: bool,
    detail: Option<String>,
    filtered: Option<FilteredTokens>,
    turns: Vec<TurnRow>,
    workers: Vec<WorkerRow>,
    applied: Vec<IntentResult>,
    /// When something happened last.
    updated_at: Option<Moment>,
}

impl Trace {
    fn read(journal: &Journal) -> Result<Self, ActionError> {
        let mut trace = Self::default();
        // What is listed is looked at, not gone on from: a damaged line must not hide the other runs.
        each_readable_row(journal, |row| {
            trace.take(row);
            Ok(())
        })?;
        Ok(trace)
    }

    fn take(&mut self, journal_row: &JournalRow) {
        let event = &journal_row.event;
        self.updated_at = Some(journal_row.at);
        match text(event, "kind").unwrap_or_default() {
            "run.started" => self.started(journal_row),
            "turn.called" => self.called(event),
            "turn.answered" if self.is_kept => self.kept_answer(event),
            "turn.applied" if self.is_kept => self.applied.extend(each(event, "outcomes").map(kept_intent)),
            "workers.returned" if self.is_kept => {
                each(event, "workers").for_each(|worker| self.kept_worker(worker))
            }
            "turn.answered" | "turn.results" | "turn.applied" | "workers.returned" => self.happened(event),
            "turn.closed" => self.closed(event),
            "workers.spawned" => self.spawned(event),
            "run.stopped" => {
                self.detail = text(event, "detail").map(str::to_owned);
                self.filtered = number(event, "filteredTokens")
                    .zip(number(event, "unfilteredTokens"))
                    .map(|(shown, unfiltered)| FilteredTokens { shown, unfiltered });
                if let Some(row) = &mut self.row {
                    row.outcome = text(event, "outcome").and_then(ending);
                    row.stopped_at = Some(format_time(journal_row.at));
                }
            }
            "run.resumed" => {
                if let Some(row) = &mut self.row {
                    (row.outcome, row.stopped_at) = (None, None);
                }
            }
            _other => {}
        }
    }

    fn started(&mut self, journal_row: &JournalRow) {
        if journal_row.event.as_object().is_some_and(|event| event.get(RETENTION).is_some()) {
            return self.kept_start(journal_row);
        }
        let config = journal_row.event.as_object().and_then(|event| event.get("config"));
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else { return };
        self.pattern = config.workflow.pattern.token().to_owned();
        self.workflow = Some(config.workflow);
        self.is_worker = config.parent.as_ref().is_some_and(|parent| parent.relation == Relation::Worker);
        self.row = Some(RunRow {
            run_id: config.run_id,
            task: config.task,
            issue_id: config.issue_id,
            started_at: format_time(journal_row.at),
            parent_run_id: config.parent.map(|parent| parent.run_id),
            ..RunRow::default()
        });
    }

    fn called(&mut self, event: &Value<'_>) {
        if let Some(row) = &mut self.row {
            row.turns += 1;
        }
        let workflow = self.workflow.as_ref();
        let tools = text(event, "purpose").zip(workflow).map(|(purpose, flow)| harness_tools(flow, purpose));
        self.turns.push(TurnRow {
            call_id: text(event, "callId").unwrap_or_default().to_owned(),
            turn: number(event, "turn").unwrap_or_default(),
            model: "harness".to_owned(),
            stop: "tool_use".to_owned(),
            tools: tools.unwrap_or_default(),
            verdict: TurnVerdict::Open,
            failure_classes: Vec::new(),
            turn_digest: String::new(),
            witness_id: String::new(),
            tokens: 0,
            cost_micro_usd: None,
            files: Vec::new(),
        });
    }

    fn happened(&mut self, event: &Value<'_>) {
        match Event::from_value(event) {
            Ok(Some(Event::Answered(answer))) => self.answered(&answer),
            Ok(Some(Event::ToolsFinished { outcomes, .. })) => {
                if let Some(turn) = self.turns.last_mut() {
                    turn.files.extend(outcomes.iter().flat_map(changed_files));
                }
            }
            Ok(Some(Event::Applied { outcomes })) => self.applied.extend(outcomes.iter().map(intent_result)),
            Ok(Some(Event::WorkersReturned { workers })) => {
                for returned in workers {
                    let known = self.workers.iter_mut().find(|worker| worker.issue_id == returned.issue_id);
                    if let Some(worker) = known {
                        worker.run_id = returned.run_id;
                        worker.outcome = ending(&returned.outcome);
                    }
                }
            }
            Ok(Some(_) | None) | Err(_) => {}
        }
    }

    fn answered(&mut self, answer: &Answer) {
        if let Some(row) = &mut self.row {
            row.model = Some(answer.model_ref.clone());
        }
        let Some(turn) = self.turns.last_mut() else { return };
        let usage = answer.usage;
        turn.model.clone_from(&answer.model_ref);
        turn.stop = answer.stop.to_string();
        turn.tools = answer.calls().map(|call| call.name.clone()).collect();
        turn.tokens =
            usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
        turn.cost_micro_usd = answer.cost_micros;
    }

    fn closed(&mut self, event: &Value<'_>) {
        let call_id = text(event, "callId").unwrap_or_default();
        let Some(turn) = self.turns.iter_mut().rfind(|turn| turn.call_id == call_id) else { return };
        let is_closed = text(event, "result") == Some("accepted");
        turn.verdict = if is_closed { TurnVerdict::Closed } else { TurnVerdict::Refused };
        turn.failure_classes = reasons(event).into_iter().map(|reason| reason.class).collect();
        turn.failure_classes.sort();
        turn.failure_classes.dedup();
        turn.turn_digest = text(event, "turnDigest").unwrap_or_default().to_owned();
        turn.witness_id = text(event, "witnessId").unwrap_or_default().to_owned();
    }

    fn spawned(&mut self, event: &Value<'_>) {
        let workers = event.as_object().and_then(|event| event.get("workers")).and_then(Value::as_array);
        for worker in workers.into_iter().flatten() {
            self.workers.push(WorkerRow {
                run_id: String::new(),
                issue_id: text(worker, "issueId").unwrap_or_default().to_owned(),
                title: text(worker, "title").unwrap_or_default().to_owned(),
                outcome: None,
            });
        }
    }
}

/// What the harness calls itself in a turn that no model answers.
fn harness_tools(workflow: &Workflow, purpose: &str) -> Vec<String> {
    let judge = workflow.evaluator.as_ref().map(|evaluator| &evaluator.judge);
    match (purpose, judge) {
        ("branches", _) => workflow.branches.iter().map(|_| SPAWN_WORKER.to_owned()).collect(),
        ("judgement", Some(Judge::Command(_))) => vec!["shell".to_owned()],
        ("judgement", Some(Judge::Model { .. })) => vec![SPAWN_WORKER.to_owned()],
        (_other, _) => Vec::new(),
    }
}

fn reasons(event: &Value<'_>) -> Vec<ReasonRow> {
    let rows = event.as_object().and_then(|event| event.get("reasons")).and_then(Value::as_array);
    let reason = |row: &Value<'_>| {
        let member = |name: &str| text(row, name).unwrap_or_default().to_owned();
        ReasonRow { class: member("class"), subject: member("subject"), detail: member("detail") }
    };
    rows.into_iter().flatten().map(reason).collect()
}

/// What is kept of every run, row by row. A damaged line must not hide the others.
pub(crate) fn each_kept_row(
    workspace: &Workspace,
    mut take: impl FnMut(&str, &Value<'_>),
) -> Result<(), ActionError> {
    for session in sessions(workspace.disk.as_ref(), &runs_folder(&workspace.root))? {
        let read = each_readable_row(&retention::kept(workspace, &session)?, |row| {
            take(&session, &row.event);
            Ok(())
        });
        match read {
            Ok(_) | Err(ActionError::Store(StoreError::Missing { .. }) | ActionError::Input(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The newest run that can be resumed.
pub(super) fn newest_resumable(workspace: &Workspace) -> Result<Option<String>, ActionError> {
    let mut runs = every(workspace, None)?;
    // A worker goes on with whoever spawned it.
    runs.retain(|(_, is_worker)| !is_worker);
    let has_next = |id: &str| runs.iter().any(|(row, _)| row.parent_run_id.as_deref() == Some(id));
    let can = |row: &RunRow| match row.outcome {
        None => true,
        // Whoever handed it over died before the next session had begun.
        Some(RunEnding::HandedOff) => !has_next(&row.run_id),
        Some(ending) => is_resumable(ending),
    };
    for (row, _) in runs.iter().filter(|(row, _)| can(row)) {
        if !retention::is_forgotten(workspace, &row.run_id)? {
            return Ok(Some(row.run_id.clone()));
        }
    }
    Ok(None)
}

/// Whether a run, not a worker, has ended in a way that nobody goes on from.
pub(super) fn is_ended_for_good(workspace: &Workspace, run_id: &str) -> Result<bool, ActionError> {
    match Trace::read(&retention::kept(workspace, run_id)?) {
        Ok(trace) => Ok(!trace.is_worker
            && trace
                .row
                .and_then(|row| row.outcome)
                .is_some_and(|ending| matches!(ending, RunEnding::Completed | RunEnding::FailedClosed))),
        Err(ActionError::Store(StoreError::Missing { .. }) | ActionError::Input(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What a run was made from; none where nothing is left of it.
pub(super) fn config_of(workspace: &Workspace, run_id: &str) -> Result<Option<RunConfig>, ActionError> {
    let mut found = None;
    let journal = match journal(workspace, run_id) {
        Err(ActionError::NotRetained { .. }) => return Ok(None),
        journal => journal?,
    };
    let read = each_readable_row(&journal, |row| {
        if found.is_none() {
            let config = row.event.as_object().and_then(|event| event.get("config"));
            found = config.and_then(|config| RunConfig::from_value(config).ok());
        }
        Ok(())
    });
    match read {
        Ok(_) => Ok(found),
        Err(ActionError::Input(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a session has closed an issue: it says so, or the row of the issue names one of its turns.
pub(super) fn has_closed(
    workspace: &Workspace,
    run_id: &str,
    issue: &str,
    written_by: Option<&str>,
) -> Result<bool, ActionError> {
    let mut found = false;
    let closes = |applied: &AppliedIntent| {
        matches!(&applied.outcome, IntentOutcome::Applied { issue_id, status }
            if issue_id == issue && status == "closed")
    };
    each_journal_row(&journal(workspace, run_id)?, |row| {
        let event = &row.event;
        found |= match text(event, "kind").unwrap_or_default() {
            "turn.closed" => written_by.is_some() && text(event, "turnDigest") == written_by,
            "turn.applied" => match Event::from_value(event) {
                Ok(Some(Event::Applied { outcomes })) => outcomes.iter().any(closes),
                Ok(Some(_) | None) | Err(_) => false,
            },
            _other => false,
        };
        Ok(())
    })?;
    Ok(found)
}

const fn is_resumable(ending: RunEnding) -> bool {
    match ending {
        RunEnding::Completed | RunEnding::HandedOff | RunEnding::FailedClosed => false,
        RunEnding::Limit
        | RunEnding::Interrupted
        | RunEnding::NeedsPerson
        | RunEnding::QuestionExpired
        | RunEnding::Declined
        | RunEnding::ModelFailed => true,
    }
}

/// One run with its turns.
pub(crate) fn show(workspace: &Workspace, run_id: &str) -> Result<RunCard, ActionError> {
    let journal = retention::kept(workspace, run_id)?;
    let trace = Trace::read(&journal)?;
    let questions = Questions::of(workspace)?;
    let row = trace.summary().map(|summary| summary.standing(&journal, &questions)).transpose()?;
    let row = row.ok_or_else(|| missing(&format!("there is no run `{run_id}`")))?;
    Ok(RunCard {
        action: "run.show".to_owned(),
        resumable: row.outcome.is_none_or(is_resumable) && !retention::is_forgotten(workspace, run_id)?,
        run: row,
        pattern: trace.pattern,
        detail: trace.detail,
        filtered: trace.filtered,
        journal: shown(journal.path()),
        turns: trace.turns,
        workers: trace.workers,
        applied: trace.applied,
    })
}

/// Every row of a run's journal, as it is.
pub(crate) fn rows(workspace: &Workspace, run_id: &str) -> Result<Vec<JournalRow>, ActionError> {
    let mut rows = Vec::new();
    each_journal_row(&journal(workspace, run_id)?, |row| {
        rows.push(row.clone());
        Ok(())
    })?;
    Ok(rows)
}

/// Every row that can be read of a run and of the sessions it went on in, in order; none where nothing is left of it.
pub(crate) fn each_session_row(
    workspace: &Workspace,
    run_id: &str,
    mut take: impl FnMut(&JournalRow),
) -> Result<(), ActionError> {
    let mut id = run_id.to_owned();
    loop {
        let journal = match journal(workspace, &id) {
            Err(ActionError::NotRetained { .. }) => return Ok(()),
            journal => journal?,
        };
        let mut is_handed_off = false;
        let read = each_readable_row(&journal, |row| {
            is_handed_off = text(&row.event, "outcome") == Some(RunEnding::HandedOff.token());
            take(row);
            Ok(())
        });
        match read {
            Ok(_) => {}
            // It has not begun.
            Err(ActionError::Input(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        let next = if is_handed_off { config_of(workspace, &id)? } else { None };
        match next {
            Some(config) => id = config.successor_id(),
            None => return Ok(()),
        }
    }
}

/// Where the payloads of a run are.
pub(crate) fn objects_of(workspace: &Workspace, run_id: &str) -> Result<premath_bd::Objects, ActionError> {
    Ok(retention::objects(&retention::of_run(workspace, run_id)?)?)
}

/// Runs a run again and compares everything.
pub(crate) fn replay(workspace: &Workspace, run_id: &str) -> Result<ReplayAnswer, ActionError> {
    let journal = journal(workspace, run_id)?;
    if !is_begun(&journal)? {
        return Err(missing(&format!("there is no run `{run_id}`")));
    }
    let mut redrive = Redrive::default();
    let mut answer = ReplayAnswer {
        action: "run.replay".to_owned(),
        run_id: run_id.to_owned(),
        rows: 0,
        turns: 0,
        identical: true,
        first_difference: damage(&journal)?.map(damaged),
        head: String::new(),
    };
    let mut last_kind = String::new();
    let unreadable = each_readable_row(&journal, |row| {
        answer.head.clone_from(&row.row_digest);
        if answer.first_difference.is_some() {
            return Ok(());
        }
        answer.rows += 1;
        let kind = text(&row.event, "kind").unwrap_or_default();
        answer.turns += u64::from(kind == "turn.closed");
        last_kind = kind.to_owned();
        if let Err(error) = redrive.take(row.seq, &row.event) {
            answer.first_difference = Some(difference(row.seq, kind, &error));
        }
        Ok(())
    })?;
    if answer.first_difference.is_none() && unreadable > 0 {
        let detail = format!("lines that are no rows of a run: {unreadable}");
        let kind = ProblemClass::BadLine.code().to_owned();
        answer.first_difference = Some(ReplayDifference { seq: answer.rows, kind, detail });
    }
    // Records that the journal lacks are a difference only where it says that the run has ended.
    let is_ended = last_kind == "run.stopped";
    if answer.first_difference.is_none() {
        let done = redrive.finish().map_err(|error| differs(&journal, &error))?;
        if let Some(record) = done.unwritten.first().filter(|_| is_ended) {
            let kind = record.kind().to_owned();
            let detail = "the machine goes on where the journal ends".to_owned();
            answer.first_difference = Some(ReplayDifference { seq: answer.rows, kind, detail });
        }
    }
    answer.identical = answer.first_difference.is_none();
    Ok(answer)
}

/// What is wrong with the journal itself, as a difference.
fn damaged(problem: Problem) -> ReplayDifference {
    let kind = problem.class.code().to_owned();
    ReplayDifference { seq: problem.line.unwrap_or_default(), kind, detail: problem.detail }
}

fn difference(seq: u64, kind: &str, error: &RedriveError) -> ReplayDifference {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    ReplayDifference { seq, kind: kind.to_owned(), detail: format!("{error}{why}") }
}
