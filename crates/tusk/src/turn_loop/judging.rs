//! What a machine makes of what policy and people say: which calls run, which do not, who is asked.
//!
//! Policy is asked before anything runs; a call it says nothing about does not run. It must not judge by itself, but for what
//! only the loop can see: how many things one turn would destroy, and that a plan stands alone in its turn.

use std::collections::BTreeSet;

use super::batch::{BatchRule, beside_a_plan};
use super::machine::Machine;
use super::people::{Confirmation, ConfirmationAnswer, PlanDecision};
use super::plan;
use super::progress::PROPOSE_PLAN;
use super::state::{After, Open, Paused, Phase, Purpose};
use super::step::{Approval, PlannedCall};
use super::watch::{RunOutcome, StopCause};
use crate::context::{fenced, plain_line};
use crate::evidence::CallOutcome;
use crate::policy::{Effect, Judged, PolicyCode, PolicyError};
use crate::tools::{Risk, ToolKind};

/// The longest word of a person to a model.
const LONGEST_MESSAGE: usize = 500;

impl Machine {
    /// Has policy look at an answer, where the run is under one.
    pub(super) fn look_at(&mut self, open: Open) {
        if self.config.policy.is_some() {
            self.state.phase = Phase::Judging(Box::new(open));
        } else {
            self.ask_or_go_on(open);
        }
    }

    /// Policy has spoken.
    pub(super) fn judged(&mut self, mut open: Open, judged: Judged) {
        if !open.is_nested() {
            open.guards = judged.guards;
        }
        for call in open.calls.iter_mut().filter(|call| call.runs()) {
            let said = judged.calls.iter().find(|said| said.tool_call_id == call.call.id);
            match said {
                None => {
                    let error =
                        PolicyError::new(PolicyCode::Denied, "governor", "policy said nothing about it");
                    refuse(call, &error);
                }
                Some(said) => {
                    if let (Effect::Deny, Some(error)) = (said.effect, &said.error) {
                        refuse(call, error);
                    }
                    call.judged = Some(said.clone());
                }
            }
        }
        if let Some(error) = &judged.error {
            open.calls.iter_mut().filter(|call| call.runs()).for_each(|call| refuse(call, error));
            if open.calls.is_empty() && open.stop.is_none() {
                let classes = vec![error.code.code().to_owned()];
                let detail = error.model_message().to_owned();
                open.stop = Some(RunOutcome::FailedClosed { classes, detail });
            }
        }
        if open.purpose == Purpose::Plan {
            whole_plan(&mut open.calls);
        } else {
            self.plan_first(&mut open);
        }
        self.ask_or_go_on(open);
    }

    /// One turn destroys one thing at most; more than one needs a plan that a person sees as a whole. Policy has said so already
    /// where it goes by [`BatchRule`]; journals from before that have it from here.
    fn plan_first(&self, open: &mut Open) {
        let destroys = |call: &&PlannedCall| {
            call.runs()
                && self.tools.facts(&call.call.name).is_some_and(|facts| facts.risk == Risk::Destructive)
        };
        let mut targets = targets_of(open.calls.iter().filter(destroys));
        let is_destroying = !targets.is_empty();
        // What a program did before counts: it is the same turn.
        let (has_changed, is_proposed) = open.programs.as_ref().map_or((false, false), |programs| {
            targets.extend(programs.so_far.destroyed.iter().cloned());
            (programs.so_far.has_changed, programs.so_far.is_proposed)
        });
        if is_destroying && targets.len() > 1 {
            let error = BatchRule::of(&self.config).too_many(targets.len());
            let facts = |name: &str| self.tools.facts(name).map(|facts| facts.risk);
            for call in open.calls.iter_mut().filter(|call| call.runs()) {
                if facts(&call.call.name) == Some(Risk::Destructive) {
                    refuse(call, &error);
                }
            }
        }
        let proposes = |call: &PlannedCall| call.runs() && call.call.name == PROPOSE_PLAN;
        if has_changed && !is_proposed {
            let error = behind_a_change();
            open.calls.iter_mut().filter(|call| proposes(call)).for_each(|call| refuse(call, &error));
        }
        if is_proposed || open.calls.iter().any(proposes) {
            let error = beside_a_plan();
            for call in open.calls.iter_mut().filter(|call| call.call.name != PROPOSE_PLAN) {
                let (code, why) = (error.code.code(), error.model_message());
                plan::hold_back(std::slice::from_mut(call), code, error.retryable, why);
            }
        }
    }

    /// A person is asked where a checkpoint is due, then about what policy asks about; then it runs.
    pub(super) fn ask_or_go_on(&mut self, open: Open) {
        match self.question(&open).filter(|_| open.stop.is_none()) {
            Some(question) => self.ask(question, Box::new(open)),
            None => self.confirm_or_execute(open),
        }
    }

    /// Calls that policy asks about wait for a person. Those of an approved plan were agreed to as a whole.
    pub(super) fn confirm_or_execute(&mut self, open: Open) {
        let is_agreed = open.purpose == Purpose::Plan;
        if !is_agreed && open.stop.is_none() && open.calls.iter().any(PlannedCall::asks) {
            self.state.phase = Phase::Confirming(Box::new(open));
        } else {
            self.execute(open);
        }
    }

    /// A person has spoken about calls, or nobody has.
    pub(super) fn confirmed(&mut self, mut open: Box<Open>, confirmations: &[Confirmation]) {
        let said = |call: &PlannedCall| confirmations.iter().find(|said| said.tool_call_id == call.call.id);
        let waits =
            |said: Option<&Confirmation>| said.is_none_or(|said| said.answer == ConfirmationAnswer::Pending);
        if let Some(call) = open.calls.iter().find(|call| call.asks() && waits(said(call))) {
            let id = said(call).map_or("an approval", |said| said.approval_id.as_str());
            let question = format!("{id} waits for a person: `{}`", call.call.name);
            self.stop(StopCause::NeedsPerson(question), Some(Paused::Confirming(open)));
            return;
        }
        let is_unanswered = |said: &Confirmation| said.answer == ConfirmationAnswer::Unanswered;
        if let Some((call, said)) = open
            .calls
            .iter()
            .filter(|call| call.asks())
            .find_map(|call| said(call).filter(|said| is_unanswered(said)).map(|said| (call, said)))
        {
            let question = format!("{} expired without an answer: `{}`", said.approval_id, call.call.name);
            self.stop(StopCause::QuestionExpired(question), Some(Paused::Confirming(open)));
            return;
        }
        for call in open.calls.iter_mut().filter(|call| call.asks()) {
            let Some(said) = confirmations.iter().find(|said| said.tool_call_id == call.call.id) else {
                continue;
            };
            match said.answer {
                ConfirmationAnswer::Approved => {
                    let (id, preview) = (said.approval_id.clone(), said.preview.clone());
                    call.approval = Some(Approval { id, preview });
                }
                ConfirmationAnswer::Denied => refuse(call, &declined(said.message.as_deref())),
                ConfirmationAnswer::Expired
                | ConfirmationAnswer::Unanswered
                | ConfirmationAnswer::Pending => refuse(call, &expired()),
                ConfirmationAnswer::Stale => refuse(call, &stale()),
                ConfirmationAnswer::SecretGone => call.refusal = Some(plan::secret_gone(&call.call.id)),
                ConfirmationAnswer::Forbidden => {
                    let why = "it was allowed when a person was asked, and is not any more";
                    refuse(call, &PolicyError::new(PolicyCode::Denied, "governor", why));
                }
            }
        }
        self.execute(*open);
    }

    /// A plan was decided and carried out, or was not.
    pub(super) fn planned_out(&mut self, plan: PlanDecision, after: After) {
        if plan.is_open() {
            let question = format!("{} waits for a person", plan.proposal_id);
            let paused = Paused::Planning { proposal_id: plan.proposal_id, after };
            self.stop(StopCause::NeedsPerson(question), Some(paused));
            return;
        }
        if plan.state == PlanDecision::UNANSWERED {
            let question = format!("{} expired without an answer", plan.proposal_id);
            let paused = Paused::Planning { proposal_id: plan.proposal_id, after };
            self.stop(StopCause::QuestionExpired(question), Some(paused));
            return;
        }
        let mut text = format!("The plan you proposed was {}.", plain_line(&plan.state, 40));
        if !plan.steps.is_empty() {
            let line = |(number, step): (usize, &super::people::PlanStepResult)| {
                let detail =
                    if step.detail.is_empty() { String::new() } else { format!(": {}", step.detail) };
                format!("{}. {} {}: {}{detail}", number + 1, step.tool, step.about, step.state)
            };
            let lines: Vec<String> = plan.steps.iter().enumerate().map(line).collect();
            text.push_str(&format!(" What became of its steps:\n{}", fenced("plan", &lines.join("\n"))));
        }
        self.wait_with(text);
        self.go(after);
    }
}

/// What calls are about, as policy found out.
pub(super) fn targets_of<'c>(calls: impl Iterator<Item = &'c PlannedCall>) -> BTreeSet<(String, String)> {
    let judged = calls.filter_map(|call| call.judged.as_ref());
    let targets = judged.flat_map(|judged| &judged.targets);
    targets.map(|target| (target.kind.clone(), target.id.clone())).collect()
}

/// A plan is carried out as it was shown, or not at all: what acts at once is none of it, and one step that may not be done
/// keeps the others from being tried.
fn whole_plan(calls: &mut [PlannedCall]) {
    for call in calls.iter_mut().filter(|call| call.runs()) {
        match call.kind {
            ToolKind::Intent => {}
            ToolKind::Read | ToolKind::Effect => {
                let why = "it was not done: it is no change that can be made in the order of a plan";
                call.refusal = Some(CallOutcome::failed(&call.call.id, "plan_effect", false, why));
            }
        }
    }
    if calls.iter().any(|call| !call.runs()) {
        plan::hold_all(calls, plan::PLAN_STOPPED, plan::NOTHING_DONE);
    }
}

/// A call that does not run, told to the model in the one view that is for it.
fn refuse(call: &mut PlannedCall, error: &PolicyError) {
    let message = plain_line(error.model_message(), LONGEST_MESSAGE);
    let code = error.code.code();
    call.refusal = Some(CallOutcome::failed(&call.call.id, code, error.retryable, message));
}

fn declined(message: Option<&str>) -> PolicyError {
    let mut error = PolicyError::new(PolicyCode::Denied, "approval", "a person said no");
    error.hint = match message {
        None => "it was not run: a person said no".to_owned(),
        Some(message) => format!("it was not run: a person said no: {message}"),
    };
    error
}

fn behind_a_change() -> PolicyError {
    let why = "the same turn has changed something already, or asked for it";
    let mut error = PolicyError::new(PolicyCode::RequiresApproval, "plan-first", why);
    error.hint = format!("it was not run: {why}; propose the plan in a turn of its own");
    error
}

fn stale() -> PolicyError {
    let why = "what it is about is not what a person was asked about any more";
    let mut error = PolicyError::new(PolicyCode::RequiresApproval, "approval", why);
    error.hint = "it was not run: what it is about has changed since; look again, then ask again".to_owned();
    error
}

fn expired() -> PolicyError {
    let mut error = PolicyError::new(PolicyCode::Denied, "approval", "nobody agreed in time");
    error.hint = "it was not run: nobody agreed in time".to_owned();
    error
}
