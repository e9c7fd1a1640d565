//! Workers: each a run of its own, with its issue, its lease, its session and its journal, on a thread of its own.
//!
//! What a worker says returns as a handoff artifact; what it uses counts for whoever spawned it. It must not give a worker
//! more than its parent has left.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use premath_bd::StoreError;
use premath_kernel::{Digest, OrchestrationRole};
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::{
    Beginning, ContextLimits, Crew, Limits, Machine, OnFull, ParentRun, Redriven, Relation, RunConfig,
    RunEvent, RunOutcome, RunReport, Scope, Step, Toolbox, WorkerPlan, WorkerReturn, Workflow,
};

use super::assemble::{self, Made, Plan, make};
use super::instructed::inherited;
use super::lease::{self, Authority};
use super::ports::FileJournal;
use super::resume::{may_end_without, redriven, resumed};
use super::run::{Ground, Session, Watch, is_begun, journal, one, released};
use super::verification::VerificationSource;
use crate::table::ActionError;

/// Runs the workers of a run.
#[derive(Debug)]
pub(super) struct HostCrew<'h> {
    pub(super) ground: Ground<'h>,
}

impl Crew for HostCrew<'_> {
    fn run(
        &mut self,
        parent: &Machine,
        plans: &[WorkerPlan],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<WorkerReturn>, StoreError> {
        let ground = self.ground;
        let limits = share(parent, plans.len());
        let config = parent.config();
        let call_id = parent.last_verdict().map(|verdict| verdict.call_id.clone()).unwrap_or_default();
        let policy = parent.mutation_policy().clone();
        let shared = Mutex::new(watch);
        let work = |plan: &WorkerPlan| {
            let worker =
                Worker { ground, parent: config, call_id: &call_id, policy: &policy, limits: &limits };
            let ran = worker.run(plan, &mut |event| {
                let mut watch = shared.lock().unwrap_or_else(PoisonError::into_inner);
                watch(&RunEvent::Worker { issue_id: &plan.issue_id, event });
            });
            ran.unwrap_or_else(|error| {
                let mut watch = shared.lock().unwrap_or_else(PoisonError::into_inner);
                worker.failed(plan, &error, &mut **watch)
            })
        };
        let work = &work;
        let returned: Vec<Option<WorkerReturn>> = std::thread::scope(|scope| {
            let threads: Vec<_> = plans.iter().map(|plan| scope.spawn(move || work(plan))).collect();
            threads.into_iter().map(|thread| thread.join().ok()).collect()
        });
        let worker = Worker { ground, parent: config, call_id: &call_id, policy: &policy, limits: &limits };
        let broke = ActionError::Unavailable { what: "the worker broke off".to_owned(), hint: String::new() };
        let all = returned.into_iter().zip(plans);
        Ok(all.map(|(ran, plan)| ran.unwrap_or_else(|| worker.failed(plan, &broke, &mut |_| {}))).collect())
    }
}

/// What each of so many workers may use: an equal part of what is left.
fn share(parent: &Machine, workers: usize) -> Limits {
    let budget = parent.run_state().budget;
    let part = |left: Option<u64>| left.map(|left| left / u64::try_from(workers.max(1)).unwrap_or(1));
    let own = &parent.config().limits;
    let turns = part(budget.turns.left());
    Limits {
        turns,
        tool_calls: part(budget.tool_calls.left()),
        tokens: part(budget.tokens.left()),
        cost_micros: part(budget.cost_micros.left()),
        // Time passes for all of them at once.
        wall_millis: budget.wall_millis.left(),
        workers: part(budget.workers.left()),
        workflow_turns: turns,
        checkpoint_every: None,
        ..own.clone()
    }
}

struct Worker<'w> {
    ground: Ground<'w>,
    parent: &'w RunConfig,
    call_id: &'w str,
    policy: &'w Digest,
    limits: &'w Limits,
}

impl Worker<'_> {
    fn run_id(&self, plan: &WorkerPlan) -> String {
        format!("{}.{}", self.parent.run_id, plan.issue_id)
    }

    fn run(&self, plan: &WorkerPlan, watch: &mut Watch<'_>) -> Result<WorkerReturn, ActionError> {
        let (workspace, run_id) = (self.ground.workspace, self.run_id(plan));
        watch(&RunEvent::WorkerStarted { run_id: &run_id, issue_id: &plan.issue_id, title: &plan.title });
        let journal = journal(workspace, &run_id)?;
        let writer = FileJournal::open(&journal, workspace)?;
        let earlier = if is_begun(&journal)? { Some(redriven(&journal)?) } else { None };
        let (machine, report) = match earlier {
            // It ended before its parent knew; its issue may be closed by now, and is nobody's to take.
            Some(again) if is_over(&again.machine) => {
                let report = again.machine.report();
                (again.machine, report)
            }
            earlier => self.drive(plan, &run_id, writer, earlier, watch)?,
        };
        watch(&RunEvent::WorkerFinished {
            run_id: &run_id,
            issue_id: &plan.issue_id,
            outcome: &report.outcome,
        });
        Ok(returned(plan, run_id, report, machine.judgement().cloned()))
    }

    fn drive(
        &self,
        plan: &WorkerPlan,
        run_id: &str,
        writer: FileJournal,
        earlier: Option<Redriven>,
        watch: &mut Watch<'_>,
    ) -> Result<(Machine, RunReport), ActionError> {
        let workspace = self.ground.workspace;
        let authority = Authority::Parent { run_id: self.parent.run_id.clone(), policy: self.policy.clone() };
        let wall = self.limits.wall_millis;
        let own = [run_id.to_owned()];
        let held = match lease::take(workspace, &plan.issue_id, run_id, wall, &authority)? {
            Ok(held) => Some(held),
            Err(refused)
                if earlier.is_some() && may_end_without(workspace, &own, &plan.issue_id, &refused)? =>
            {
                None
            }
            Err(refused) => {
                let what = format!("{}: {}", refused.class, refused.detail);
                return Err(ActionError::Unavailable { what, hint: refused.hint });
            }
        };
        let prepared = self.session(plan, run_id, writer, earlier, held.as_ref());
        let ran = prepared.and_then(|(session, toolbox)| one(self.ground, session, &toolbox, watch));
        released(workspace, held.as_ref(), ran)
    }

    fn session(
        &self,
        plan: &WorkerPlan,
        run_id: &str,
        writer: FileJournal,
        earlier: Option<Redriven>,
        held: Option<&lease::Held>,
    ) -> Result<(Session, Toolbox), ActionError> {
        let workspace = self.ground.workspace;
        if let Some(again) = earlier {
            let holder = held.map(|held| held.holder.clone());
            let toolbox = assemble::again(workspace, self.ground.agent, again.machine.config(), holder)?;
            return Ok((resumed(again.machine, again.unwritten, writer, None)?, toolbox));
        }
        let Made { config, toolbox } = make(workspace, self.ground.agent, self.plan(plan, run_id, held))?;
        let machine = Machine::new(config).map_err(|error| super::run::unusable(&error))?;
        Ok((Session { machine, writer, beginning: Beginning::Fresh }, toolbox))
    }

    fn plan(&self, plan: &WorkerPlan, run_id: &str, held: Option<&lease::Held>) -> Plan {
        let is_scoped = !plan.read.is_empty() || !plan.write.is_empty();
        let parent = self.parent;
        let mut limits = self.limits.clone();
        if let Some(most) = plan.max_turns {
            limits.turns = Some(limits.turns.map_or(most, |turns| turns.min(most)));
        }
        let mut read = plan.read.clone();
        read.extend(plan.write.iter().filter(|path| !plan.read.contains(path)).cloned());
        let profile = Profile::ALL.into_iter().find(|profile| profile.as_str() == parent.profile);
        Plan {
            run_id: run_id.to_owned(),
            task: plan.task.clone(),
            issue: held.map(|held| held.row.clone()),
            holder: held.map(|held| held.holder.clone()),
            models: plan.model.clone().map_or_else(|| parent.models.clone(), |model| vec![model]),
            workflow: Workflow::chain(),
            action_mode: parent.action_mode,
            normalizer: parent.normalizer.clone(),
            // Whoever judges looks, and cannot touch what it judges.
            profile: profile.filter(|_| !plan.judges).unwrap_or(Profile::ReadOnly),
            scopes: Some(self.scopes(plan.judges)),
            limits,
            context: ContextLimits { on_full: full(parent.context.on_full), ..parent.context.clone() },
            autonomy: parent.autonomy.clone(),
            role: Some(OrchestrationRole::Specialist),
            scope: is_scoped.then(|| Scope { read, write: plan.write.clone() }),
            parent: Some(ParentRun {
                run_id: parent.run_id.clone(),
                call_id: self.call_id.to_owned(),
                depth: parent.depth() + 1,
                relation: Relation::Worker,
            }),
            required_artifacts: plan.artifacts.clone(),
            judges: plan.judges,
            material: plan.material.clone(),
            approved: None,
            instruction: inherited(parent, run_id),
            conversation: None,
            verification: VerificationSource::Parent(parent.verification.clone()),
        }
    }

    /// What its parent was granted, and of that, for a judge, what only looks.
    fn scopes(&self, judges: bool) -> Vec<String> {
        let granted: BTreeSet<&str> = self.parent.tools.iter().map(|spec| spec.scope.as_str()).collect();
        let is_given =
            |scope: &&str| !OWN_SCOPES.contains(scope) && (!judges || JUDGE_SCOPES.contains(scope));
        granted.into_iter().filter(is_given).map(str::to_owned).collect()
    }

    /// A worker that did not begin, or could not go on: it is said why, and what it used until then counts.
    fn failed(&self, plan: &WorkerPlan, error: &ActionError, watch: &mut Watch<'_>) -> WorkerReturn {
        let run_id = self.run_id(plan);
        let detail = told(error);
        let classes = vec!["worker_failed".to_owned()];
        let outcome = RunOutcome::FailedClosed { classes, detail: detail.clone() };
        watch(&RunEvent::WorkerFinished { run_id: &run_id, issue_id: &plan.issue_id, outcome: &outcome });
        let journal = journal(self.ground.workspace, &run_id);
        let used = journal.ok().and_then(|journal| redriven(&journal).ok()).map(|left| left.machine.report());
        WorkerReturn {
            tool_call_id: plan.tool_call_id.clone(),
            issue_id: plan.issue_id.clone(),
            outcome: if used.is_some() { "failed" } else { "not_started" }.to_owned(),
            run_id,
            text: detail,
            artifact_ref: None,
            turns: used.as_ref().map_or(0, |used| used.turns),
            tool_calls: used.as_ref().map_or(0, |used| used.tool_calls),
            tokens: used.as_ref().map_or(0, |used| used.tokens),
            cost_micros: used.as_ref().map_or(0, |used| used.cost_micros),
            workers: used.as_ref().map_or(0, |used| used.workers),
            verdict: None,
        }
    }
}

/// An error with what caused it and what to do about it, in one line.
fn told(error: &ActionError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    if let ActionError::Unavailable { hint, .. } = error
        && !hint.is_empty()
    {
        text.push_str(&format!("; {hint}"));
    }
    text
}

fn is_over(machine: &Machine) -> bool {
    let Step::Done(outcome) = machine.next() else { return false };
    match outcome {
        RunOutcome::Completed | RunOutcome::HandedOff { .. } | RunOutcome::FailedClosed { .. } => true,
        RunOutcome::Stopped(_) => false,
    }
}

fn returned(
    plan: &WorkerPlan,
    run_id: String,
    report: RunReport,
    verdict: Option<(bool, String)>,
) -> WorkerReturn {
    let is_done = report.outcome == RunOutcome::Completed;
    WorkerReturn {
        tool_call_id: plan.tool_call_id.clone(),
        issue_id: plan.issue_id.clone(),
        run_id,
        outcome: report.outcome.token().to_owned(),
        artifact_ref: is_done.then(|| Digest::of_bytes(report.text.as_bytes()).as_str().to_owned()),
        text: report.text,
        turns: report.turns,
        tool_calls: report.tool_calls,
        tokens: report.tokens,
        cost_micros: report.cost_micros,
        workers: report.workers,
        verdict,
    }
}

/// The scopes of the tools by which a run shapes itself; a worker has those of its own.
const OWN_SCOPES: [&str; 4] = ["run:code", "run:judge", "run:route", "workers:spawn"];
/// What a worker does when its context is full: its parent waits for this run, not for one that goes on from it.
const fn full(parent: OnFull) -> OnFull {
    match parent {
        OnFull::Descend | OnFull::Compact => OnFull::Compact,
        OnFull::Window => OnFull::Window,
    }
}

/// What a judge may do: look, and say.
const JUDGE_SCOPES: [&str; 4] = ["files:read", "issues:read", "process:run", "refs:read"];
