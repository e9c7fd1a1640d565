//! How a workflow goes on: what follows a turn, what the harness does in place of a model, who is spawned.
//!
//! Every pattern runs on the same machine; only what follows differs. It must not ask, run or store anything.

use std::collections::BTreeMap;

use premath_kernel::ExecutionPattern;

use super::config::RunConfig;
use super::event::WorkerReturn;
use super::state::{After, Open, Progress, Purpose};
use super::step::{PlannedCall, WorkerPlan};
use super::watch::{RunOutcome, StopCause};
use super::workflow::{Judge, Workflow};
use crate::JsonText;
use crate::context::views::{PlanStep, StepState};
use crate::context::{fenced, plain_line};
use crate::model::{StopReason, ToolCall};
use crate::tools::clip::{head, tail};

/// The tool that chooses a route.
pub const CHOOSE_ROUTE: &str = "choose_route";
/// The tool that asks for a worker.
pub const SPAWN_WORKER: &str = "spawn_worker";
/// The tool a judge speaks with.
pub const GIVE_VERDICT: &str = "give_verdict";
/// The tool that proposes a plan; proposing ends the turn.
pub const PROPOSE_PLAN: &str = "desk_propose_plan";
/// The tool that runs commands.
const SHELL: &str = "shell";
/// How often an answer that was cut off may go on.
const MOST_CONTINUATIONS: u64 = 4;

pub(crate) fn is_spawn(call: &PlannedCall) -> bool {
    call.call.name == SPAWN_WORKER
}

/// The first thing a run does.
pub(crate) fn first(config: &RunConfig) -> Purpose {
    if config.policy.as_ref().is_some_and(|policy| policy.plan.is_some()) {
        return Purpose::Plan;
    }
    match config.workflow.pattern {
        ExecutionPattern::Parallel => Purpose::Branches,
        ExecutionPattern::Route => Purpose::Route,
        ExecutionPattern::Single
        | ExecutionPattern::Chain
        | ExecutionPattern::OrchestratorWorkers
        | ExecutionPattern::EvaluatorOptimizer => Purpose::Work,
    }
}

/// What follows a turn, when nothing else ends the run.
pub(crate) fn after(config: &RunConfig, progress: &mut Progress, open: &Open) -> After {
    if let Some(outcome) = &open.stop {
        return After::Finish(outcome.clone());
    }
    match open.purpose {
        Purpose::Descent => After::Finish(RunOutcome::HandedOff { run_id: config.successor_id() }),
        Purpose::Branches => match &config.workflow.join {
            Some(prompt) => After::GoOn(Some(prompt.clone())),
            None => After::Finish(RunOutcome::Completed),
        },
        // A model that judges has not said anything yet: its verdict comes when it returns.
        Purpose::Judgement if open.calls.iter().any(is_spawn) => After::GoOn(None),
        Purpose::Judgement => judged(config, progress, command_verdict(open)),
        Purpose::Plan => After::Finish(RunOutcome::Completed),
        Purpose::Route => chosen(config, progress, open),
        Purpose::Work => worked(config, progress, open),
    }
}

fn worked(config: &RunConfig, progress: &mut Progress, open: &Open) -> After {
    if open.answer.stop == StopReason::MaxTokens && config.evidence.is_computed() {
        return continued(config, progress, open);
    }
    if config.workflow.pattern == ExecutionPattern::Single {
        return After::Finish(RunOutcome::Completed);
    }
    if !open.calls.is_empty() {
        if config.evidence.is_computed() {
            progress.continued = 0;
        }
        return After::GoOn(None);
    }
    match &open.answer.stop {
        StopReason::PauseTurn => After::GoOn(None),
        StopReason::MaxTokens => {
            progress.continued += 1;
            if progress.continued > MOST_CONTINUATIONS {
                return After::Finish(RunOutcome::Stopped(StopCause::Limit("continuations".to_owned())));
            }
            After::GoOn(Some("Your answer was cut off at its longest. Go on where it ended.".to_owned()))
        }
        StopReason::EndTurn | StopReason::ToolUse => ended(config, progress),
        // The kernel knows no such end; it says so.
        StopReason::Refusal | StopReason::Other(_) => After::Finish(RunOutcome::Completed),
    }
}

/// An answer that was cut off is no answer yet: it goes on, or the run stops.
fn continued(config: &RunConfig, progress: &mut Progress, open: &Open) -> After {
    if config.workflow.pattern == ExecutionPattern::Single {
        return After::Finish(RunOutcome::Stopped(StopCause::Limit("outputTokens".to_owned())));
    }
    progress.continued += 1;
    if progress.continued > MOST_CONTINUATIONS {
        return After::Finish(RunOutcome::Stopped(StopCause::Limit("continuations".to_owned())));
    }
    let text = if open.calls.is_empty() {
        "Your answer was cut off at its longest. Go on where it ended."
    } else {
        "Your answer was cut off at its longest, and none of its calls ran. Make them again, fewer or shorter ones at once."
    };
    After::GoOn(Some(text.to_owned()))
}

/// The model has said that it is done with what it was asked.
fn ended(config: &RunConfig, progress: &mut Progress) -> After {
    progress.continued = 0;
    match config.workflow.pattern {
        ExecutionPattern::Chain => match config.workflow.stages.get(progress.stage) {
            Some(stage) => {
                progress.stage += 1;
                After::GoOn(Some(stage.prompt.clone()))
            }
            None => After::Finish(RunOutcome::Completed),
        },
        ExecutionPattern::EvaluatorOptimizer if config.workflow.evaluator.is_some() => After::Judge,
        ExecutionPattern::EvaluatorOptimizer
        | ExecutionPattern::Single
        | ExecutionPattern::Route
        | ExecutionPattern::Parallel
        | ExecutionPattern::OrchestratorWorkers => After::Finish(RunOutcome::Completed),
    }
}

fn chosen(config: &RunConfig, progress: &mut Progress, open: &Open) -> After {
    let name = open.calls.iter().find(|call| call.call.name == CHOOSE_ROUTE && call.runs());
    let name = name.and_then(|call| call.arguments.as_ref()?.text("route").map(str::to_owned));
    let position = name.and_then(|name| config.workflow.routes.iter().position(|route| route.name == name));
    match position.and_then(|at| Some((at, config.workflow.routes.get(at)?))) {
        Some((at, route)) => {
            progress.route = Some(at);
            After::GoOn(Some(route.prompt.clone()))
        }
        None => After::GoOn(Some("Choose one of the routes with choose_route first.".to_owned())),
    }
}

/// What is left of a workflow for the session that goes on from this one.
pub(crate) fn remaining(workflow: &Workflow, progress: &Progress) -> Workflow {
    let chain = || Workflow { worker: workflow.worker.clone(), ..Workflow::chain() };
    let mut rest = workflow.clone();
    match workflow.pattern {
        ExecutionPattern::Chain => {
            rest.stages.drain(..progress.stage.min(workflow.stages.len()));
            rest
        }
        ExecutionPattern::Route if progress.route.is_some() => chain(),
        ExecutionPattern::Parallel if progress.is_joined => chain(),
        ExecutionPattern::EvaluatorOptimizer => {
            if let Some(evaluator) = &mut rest.evaluator {
                evaluator.max_rounds = evaluator.max_rounds.saturating_sub(progress.round).max(1);
            }
            rest
        }
        ExecutionPattern::Single
        | ExecutionPattern::Route
        | ExecutionPattern::Parallel
        | ExecutionPattern::OrchestratorWorkers => rest,
    }
}

/// The purpose of the next model turn.
pub(crate) fn purpose(config: &RunConfig, progress: &Progress) -> Purpose {
    let is_choosing = config.workflow.pattern == ExecutionPattern::Route && progress.route.is_none();
    if is_choosing { Purpose::Route } else { Purpose::Work }
}

/// What the exit code of the check says; none when it did not run to its end.
pub(crate) fn command_verdict(open: &Open) -> Option<(bool, String)> {
    let outcome = open.outcomes.first()?;
    let passes = outcome.failure().is_none() && outcome.exit_code == Some(0);
    let said = match &outcome.payload {
        crate::evidence::Payload::Inline(text) => text.clone(),
        crate::evidence::Payload::Stored { head, tail, .. } => format!("{head}\n[…]\n{tail}"),
    };
    let ending = match (outcome.exit_code, outcome.failure()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(failure)) => format!("{}: {}", failure.error_code, plain_line(&failure.message, 500)),
        (None, None) => "no exit code".to_owned(),
    };
    Some((passes, format!("The check ended with {ending}.\n{}", fenced("check", &said))))
}

/// What follows a judgement.
pub(crate) fn judged(config: &RunConfig, progress: &mut Progress, verdict: Option<(bool, String)>) -> After {
    progress.round += 1;
    progress.critique = None;
    let most = config.workflow.evaluator.as_ref().map_or(1, |evaluator| evaluator.max_rounds.max(1));
    let over = After::Finish(RunOutcome::Stopped(StopCause::Limit("rounds".to_owned())));
    match verdict {
        Some((true, _)) => After::Finish(RunOutcome::Completed),
        Some((false, critique)) => {
            let told = format!(
                "What you made was judged and does not pass yet (round {} of {most}).\n{critique}\nMake it pass, then end \
                 your turn.",
                progress.round
            );
            if progress.round < most {
                return After::GoOn(Some(told));
            }
            progress.critique = Some(told);
            over
        }
        None => over,
    }
}

/// The calls the harness makes in place of a model.
pub(crate) fn harness_calls(config: &RunConfig, purpose: &Purpose, call_id: &str) -> Vec<ToolCall> {
    let call = |number: usize, name: &str, arguments: serde_json::Value| {
        let arguments = JsonText::new(arguments.to_string()).ok()?;
        Some(ToolCall::new(format!("{call_id}.{number}"), name, arguments))
    };
    match purpose {
        Purpose::Branches => {
            let branches = config.workflow.branches.iter().zip(1..);
            let spawn = branches.map(|(branch, number)| {
                let mut arguments = serde_json::json!({ "title": branch.name, "task": branch.task });
                for (key, list) in
                    [("read", &branch.read), ("write", &branch.write), ("artifacts", &branch.artifacts)]
                {
                    if let (false, Some(members)) = (list.is_empty(), arguments.as_object_mut()) {
                        members.insert(key.to_owned(), serde_json::json!(list));
                    }
                }
                call(number, SPAWN_WORKER, arguments)
            });
            spawn.flatten().collect()
        }
        Purpose::Judgement => match config.workflow.evaluator.as_ref().map(|evaluator| &evaluator.judge) {
            Some(Judge::Command(command)) => {
                call(1, SHELL, serde_json::json!({ "command": command, "workdir": "." }))
                    .into_iter()
                    .collect()
            }
            Some(Judge::Model { prompt, .. }) => {
                let arguments = serde_json::json!({ "title": "judge what was made", "task": prompt });
                call(1, SPAWN_WORKER, arguments).into_iter().collect()
            }
            None => Vec::new(),
        },
        Purpose::Plan => {
            let steps =
                config.policy.iter().filter_map(|policy| policy.plan.as_ref()).flat_map(|plan| &plan.steps);
            let call = |step: &crate::policy::PlannedStep| {
                let arguments = JsonText::new(step.arguments.clone()).ok()?;
                Some(ToolCall::new(step.id.clone(), step.tool.clone(), arguments))
            };
            steps.filter_map(call).collect()
        }
        Purpose::Work | Purpose::Route | Purpose::Descent => Vec::new(),
    }
}

/// The workers that a turn asks for, by call, without their issues.
pub(crate) fn workers(config: &RunConfig, open: &Open, made: &str) -> BTreeMap<String, WorkerPlan> {
    let mut plans = BTreeMap::new();
    for (position, call) in open.calls.iter().enumerate().filter(|(_, call)| is_spawn(call) && call.runs()) {
        let Some(arguments) = &call.arguments else { continue };
        let list = |key: &str| -> Vec<String> {
            let items = arguments.value().get(key).and_then(serde_json::Value::as_array);
            items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let judge = config.workflow.evaluator.as_ref().and_then(|evaluator| match &evaluator.judge {
            Judge::Model { reference, .. } => Some(reference.clone()),
            Judge::Command(_) => None,
        });
        let model = match open.purpose {
            Purpose::Branches => {
                config.workflow.branches.get(position).and_then(|branch| branch.model.clone())
            }
            Purpose::Judgement => judge,
            Purpose::Work | Purpose::Route | Purpose::Descent | Purpose::Plan => None,
        };
        let plan = WorkerPlan {
            tool_call_id: call.call.id.clone(),
            issue_id: String::new(),
            title: arguments.text("title").unwrap_or_default().to_owned(),
            task: arguments.text("task").unwrap_or_default().to_owned(),
            read: list("read"),
            write: list("write"),
            artifacts: list("artifacts"),
            model: model.or_else(|| config.workflow.worker.model.clone()),
            max_turns: config.workflow.worker.max_turns,
            judges: open.purpose == Purpose::Judgement,
            material: (open.purpose == Purpose::Judgement).then(|| made.to_owned()),
        };
        plans.insert(call.call.id.clone(), plan);
    }
    plans
}

/// The most bytes of what one worker said; its artifact has all of it.
const WORKER_BYTES: usize = 8 * 1024;

/// A text, or its two ends.
fn excerpt(text: &str) -> String {
    if text.len() <= WORKER_BYTES {
        return text.to_owned();
    }
    let (head, tail) = (head(text, WORKER_BYTES / 2), tail(text, WORKER_BYTES / 2));
    format!("{head}\n[… {} bytes left out …]\n{tail}", text.len() - head.len() - tail.len())
}

/// What the model is told when workers have returned: their words are not ours.
pub(crate) fn returned(workers: &[WorkerReturn]) -> String {
    let mut text = String::from("Workers have returned.");
    for worker in workers {
        let artifact = worker.artifact_ref.as_deref().map_or_else(String::new, |reference| {
            format!("\nhandoff artifact: {reference} (resolve_ref reads it)")
        });
        text.push_str(&format!(
            "\n\nissue {}: {}{artifact}\n{}",
            plain_line(&worker.issue_id, 200),
            worker.outcome,
            fenced("worker", &excerpt(&worker.text))
        ));
    }
    text
}

/// The plan as the view shows it.
pub(crate) fn plan(config: &RunConfig, progress: &Progress) -> Vec<PlanStep> {
    let step = |title: &str, state| PlanStep { title: title.to_owned(), state };
    let workflow = &config.workflow;
    let stage = |(at, stage): (usize, &super::workflow::Stage)| {
        let state = match (at + 1).cmp(&progress.stage) {
            std::cmp::Ordering::Less => StepState::Done,
            std::cmp::Ordering::Equal => StepState::Active,
            std::cmp::Ordering::Greater => StepState::Open,
        };
        step(&stage.name, state)
    };
    let branch = |branch: &super::workflow::Branch| {
        step(&branch.name, if progress.is_joined { StepState::Done } else { StepState::Active })
    };
    let route = |(at, route): (usize, &super::workflow::Route)| {
        let state = match progress.route {
            None => StepState::Open,
            Some(chosen) if chosen == at => StepState::Active,
            Some(_) => StepState::Dropped,
        };
        step(&route.name, state)
    };
    let stages = workflow.stages.iter().enumerate().map(stage);
    let branches = workflow.branches.iter().map(branch);
    stages.chain(branches).chain(workflow.routes.iter().enumerate().map(route)).collect()
}

#[cfg(test)]
mod tests;
