//! A worker: boot, step after step in one worktree, stop.

use premath_kernel::Value;
use premath_tusk::session::StepOutcome;
use premath_wire::v1::{WorkEventRow, WorkerAnswer};

use super::WorkWatch;
use super::beginning::begin;
use super::bench::Bench;
use super::landing::{Landing, ResolvedWork};
use super::place::Place;
use super::publishing::recover;
use super::request::{WorkRequest, WorkWishes};
use super::streak::{MOST_ALIKE, Streak};
use crate::actions::issue::invalid;
use crate::agent::RunRefused;
use crate::table::{ActionError, Host};
use crate::workspace::shown;

/// What came of asking for work.
#[derive(Debug)]
pub enum Worked {
    /// It worked.
    Done(Box<WorkerAnswer>),
    /// It did not begin.
    Refused(RunRefused),
}

/// Works in one worktree until there is nothing to do, the steps are used up, or somebody says that it is enough.
///
/// # Errors
/// Arguments that cannot be read, or an environment that gives no answer.
pub fn work(
    host: &Host<'_>,
    args: &Value<'_>,
    wishes: &WorkWishes,
    watch: &mut WorkWatch<'_>,
) -> Result<Worked, ActionError> {
    let request = WorkRequest::read_in(host.workspace, args)?;
    if let Some(missing) = request.baseline_missing(host.workspace) {
        return Ok(Worked::Refused(missing));
    }
    request.commands()?;
    if request.worker_id.is_none() {
        return Err(invalid("a worker needs a name", "workerId").into());
    }
    if let Some(unsupported) = request.unsupported() {
        return Ok(Worked::Refused(unsupported));
    }
    request.ready(host)?;
    let place = Place::of(host.workspace, request.worker_id.as_deref())?;
    let ResolvedWork { mut request, landing } = match Landing::resolve(host, request, &place.worker)? {
        Ok(resolved) => resolved,
        Err(refused) => return Ok(Worked::Refused(refused)),
    };
    request.verifies_base = landing.is_some();
    if let Some(refused) = landing.as_ref().and_then(Landing::begin_refusal) {
        return Ok(Worked::Refused(refused));
    }
    let _lock = place.enter(host.workspace)?;
    let booted = match begin(host, &request, &place)? {
        Ok(booted) => booted,
        Err(refused) => return Ok(Worked::Refused(refused)),
    };
    let Some(lease) = booted.lease else {
        return Ok(Worked::Refused(RunRefused {
            class: booted.boot.refused.first().cloned().unwrap_or_default(),
            detail: "the graph of open issues is broken".to_owned(),
            hint: "`premath dep diagnostics` says what is wrong".to_owned(),
        }));
    };
    let mut told = |row: &WorkEventRow| watch(row);
    let bench = Bench::new(host, (&request, place), (booted.retry, lease), (wishes.clone(), &mut told))?;
    let mut bench = bench.landing(landing);
    let mode = WorkEventRow { result: Some(booted.boot.mode.token().to_owned()), ..WorkEventRow::default() };
    bench.tell("booted", mode);
    if let Some(before) = &booted.before
        && let Some(step_id) = recover(host.workspace, &bench.place, before)?
    {
        let row = WorkEventRow {
            step_id: Some(step_id),
            result: Some("verified_accept".to_owned()),
            detail: Some("an earlier process closed the issue and was killed".to_owned()),
            ..WorkEventRow::default()
        };
        bench.tell("published", row);
    }
    let answer = bench.steps(booted.boot.resumes, booted.baseline)?;
    bench.remove_checkout();
    let next = match answer.outcome.as_str() {
        "idle" => "nothing is ready",
        _other => "take an issue",
    };
    bench.hand_on(next, None)?;
    let row = WorkEventRow {
        result: Some(answer.outcome.clone()),
        failure_classes: answer.failure_classes.clone(),
        ..WorkEventRow::default()
    };
    bench.tell("ended", row);
    Ok(Worked::Done(Box::new(answer)))
}

impl Bench<'_> {
    fn steps(
        &mut self,
        mut resumes: Option<String>,
        mut baseline: Option<premath_tusk::session::Checked>,
    ) -> Result<WorkerAnswer, ActionError> {
        let mut answer = WorkerAnswer {
            action: "worker.run".to_owned(),
            worker_id: self.place.worker.clone(),
            worktree: shown(&self.folder),
            steps: 0,
            completed: Vec::new(),
            submitted: Vec::new(),
            escalated: Vec::new(),
            lost: Vec::new(),
            outcome: "idle".to_owned(),
            failure_classes: Vec::new(),
            session_ref: shown(self.place.session(self.workspace()).path()),
        };
        let mut streak = Streak::default();
        while self.request.steps.is_none_or(|most| answer.steps < most) {
            if self.wishes.drain.is_requested() || self.wishes.abandon.is_requested() {
                answer.outcome = "interrupted".to_owned();
                break;
            }
            let stepped = self.step(resumes.take(), baseline.take())?;
            answer.steps += u64::from(stepped.outcome.issue_id().is_some());
            answer.outcome = stepped.outcome.token().to_owned();
            answer.failure_classes = stepped.classes;
            streak.take(&stepped.outcome, &answer.failure_classes);
            match &stepped.outcome {
                StepOutcome::Completed { issue_id } => answer.completed.push(issue_id.clone()),
                StepOutcome::Submitted { issue_id } => answer.submitted.push(issue_id.clone()),
                StepOutcome::Escalated { issue_id, .. } => answer.escalated.push(issue_id.clone()),
                StepOutcome::Lost { issue_id, .. } => answer.lost.push(issue_id.clone()),
                StepOutcome::Idle | StepOutcome::Stopped { .. } | StepOutcome::Interrupted { .. } => {}
            }
            if !stepped.outcome.goes_on() {
                break;
            }
            if let Some(classes) = streak.is_enough() {
                let detail = format!("{MOST_ALIKE} steps in a row failed alike");
                let row = WorkEventRow {
                    detail: Some(detail),
                    failure_classes: classes.clone(),
                    ..WorkEventRow::default()
                };
                self.tell("stopping", row);
                (answer.outcome, answer.failure_classes) = ("stopped".to_owned(), classes);
                break;
            }
        }
        Ok(answer)
    }
}
