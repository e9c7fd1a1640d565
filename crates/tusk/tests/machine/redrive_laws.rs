//! Laws over generated runs: what was written runs again byte for byte, and a run that is cut anywhere goes on without a
//! call unanswered and without an effect twice.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    Play, calls, config, cut_off, done, failed, forged, lookup, note, ok, paused, program, redriven, refusal,
    routes, said, spawn, values, worker, working,
};
use premath_kernel::{ActionMode, ExecutionPattern};
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::{StopReason, Usage};
use premath_tusk::tools::Tool as _;
use premath_tusk::turn_loop::{
    Answer, Branch, CodeExecution, ContextLimits, Decision, Evaluator, Event, Judge, Limits, OnFull,
    PlannedCall, RunConfig, RunOutcome, Step, Workflow,
};
use serde_json::json;

/// Choices that a generator made beforehand; when they are used up, all are zero.
#[derive(Debug)]
struct Dice<'d>(std::slice::Iter<'d, u8>);

impl Dice<'_> {
    fn roll(&mut self, sides: u8) -> u8 {
        self.0.next().copied().unwrap_or(0) % sides
    }

    fn is_lucky(&mut self, one_in: u8) -> bool {
        self.0.next().is_some_and(|value| value % one_in == 1)
    }
}

fn any_config(dice: &mut Dice<'_>) -> RunConfig {
    let pattern = ExecutionPattern::ALL[usize::from(dice.roll(6)) % ExecutionPattern::ALL.len()];
    let mut workflow = Workflow::of(pattern);
    match pattern {
        ExecutionPattern::Route => workflow.routes = routes(),
        ExecutionPattern::Parallel => {
            let name = "left".to_owned();
            workflow.branches = vec![Branch { name, task: "do left".to_owned(), ..Branch::default() }];
            workflow.join = dice.is_lucky(2).then(|| "join".to_owned());
        }
        ExecutionPattern::EvaluatorOptimizer => {
            workflow.evaluator =
                Some(Evaluator { judge: Judge::Command("sh check".to_owned()), max_rounds: 2 });
        }
        ExecutionPattern::Single | ExecutionPattern::Chain | ExecutionPattern::OrchestratorWorkers => {}
    }
    let mut config = working(workflow);
    config.limits = Limits {
        turns: Some(u64::from(dice.roll(12)) + 2),
        tool_calls: Some(u64::from(dice.roll(20)) + 2),
        checkpoint_every: dice.is_lucky(4).then_some(3),
        ..Limits::standard()
    };
    if pattern != ExecutionPattern::OrchestratorWorkers && dice.is_lucky(2) {
        config.action_mode = ActionMode::Code;
        config.tools.push(CodeExecution::new(&config.tools).unwrap().spec().clone());
    }
    let on_full = OnFull::ALL[usize::from(dice.roll(3))];
    let max_tokens = if dice.is_lucky(2) { 3_000 } else { 160_000 };
    config.context = ContextLimits { max_tokens, on_full, ..ContextLimits::standard() };
    config
}

fn any_answer(dice: &mut Dice<'_>) -> Answer {
    let mut answer = match dice.roll(18) {
        0 | 1 => done("done"),
        2 => cut_off("and so"),
        3 => paused("wait"),
        4 => said(Vec::new(), StopReason::EndTurn),
        5 if dice.is_lucky(3) => refusal("no"),
        6 => calls([("way", "choose_route", json!({"route": "mend"}))]),
        14..=16 => programs(dice),
        7 => calls([("unknown", "no_such_tool", json!({})), note("beside")]),
        _ => {
            let mut parts = Vec::new();
            for number in 0..=dice.roll(4) {
                // Small, so that ids meet again in other turns.
                let id = format!("c{}{number}", dice.roll(3));
                let call = match dice.roll(6) {
                    0 | 1 => calls([lookup(&id)]),
                    2 | 3 => calls([note(&id)]),
                    4 => calls([forged(&id)]),
                    _ => calls([spawn(&id)]),
                };
                parts.extend(call.parts);
            }
            said(parts, if dice.is_lucky(5) { StopReason::MaxTokens } else { StopReason::ToolUse })
        }
    };
    answer.usage = Usage { output_tokens: 5, ..Usage::default() };
    answer
}

/// Texts that call, catch, fail and loop.
const PROGRAMS: [&str; 6] = [
    "(fs_read \"a\")",
    "(guard (e (else (error-class e))) (shell \"true\" \".\") (fs_read \"b\"))",
    "(parallel-map (lambda (path) (guard (e (else 'no)) (fs_read path))) '(\"a\" \"b\" \"c\"))",
    "(issue_add \"x\") (car 1)",
    "(let loop ((n 0)) (if (< n 4) (begin (guard (e (else 'no)) (shell (number->string n) \".\")) (loop (+ n 1)))))",
    "(choose_route \"mend\") (fs_read",
];

fn programs(dice: &mut Dice<'_>) -> Answer {
    let mut parts = Vec::new();
    for number in 0..=dice.roll(2) {
        let text = PROGRAMS[usize::from(dice.roll(6))];
        parts.extend(calls([program(&format!("p{}{number}", dice.roll(2)), text)]).parts);
    }
    said(parts, StopReason::ToolUse)
}

fn any_outcome(dice: &mut Dice<'_>, call: &PlannedCall) -> CallOutcome {
    let mut outcome = match dice.roll(6) {
        0 if call.runs() => CallOutcome::failed(&call.call.id, "io_failed", true, "it broke"),
        1 => call.interrupted(),
        2 => failed(call, 1),
        _ => ok(call),
    };
    if outcome.failure().is_none() && dice.is_lucky(3) {
        outcome.payload = Payload::Inline("words ".repeat(600));
    }
    outcome
}

/// What happens next, as the dice say; none when the run is over.
fn any_event(dice: &mut Dice<'_>, play: &mut Play, executed: &mut Vec<(usize, String)>) -> Option<Event> {
    let place = play.rows.len();
    Some(match play.machine.next() {
        Step::CallModel(_) => match dice.roll(12) {
            0 => Event::Interrupted,
            1 => Event::ModelFailed { error_kind: "timeout".to_owned(), message: "late".to_owned() },
            _ => Event::Answered(Box::new(any_answer(dice))),
        },
        Step::Keep { outcome, .. } => Event::ProgramKept { outcome: Box::new(outcome.clone()) },
        Step::CallTools(calls) if calls[0].caller.is_some() && dice.is_lucky(6) => Event::Interrupted,
        Step::CallTools(calls) => {
            let turn = play.machine.report().turns;
            let ran = calls.iter().filter(|call| call.runs());
            executed.extend(ran.map(|call| (place, format!("{turn}/{}", call.call.id))));
            let outcomes = calls.iter().map(|call| any_outcome(dice, call)).collect();
            Event::ToolsFinished { outcomes, elapsed_millis: 1, traces: Vec::new() }
        }
        Step::Judge { .. } | Step::Confirm(_) | Step::AwaitPlan(_) => {
            panic!("these runs are under no policy")
        }
        Step::AskHuman(_) => {
            let all = [Decision::Continue, Decision::Stop, Decision::NoAnswer];
            Event::PersonDecided { decision: all[usize::from(dice.roll(3))] }
        }
        Step::Handoff(packet) => {
            let there = packet.artifacts.iter();
            let observed =
                there.map(|one| (one.reference.clone(), Some(one.digest.as_str().to_owned()))).collect();
            Event::HandoffStored { observed }
        }
        Step::Apply(_) => {
            play.applies();
            return any_event(dice, play, executed);
        }
        Step::Spawn(plans) => {
            if dice.is_lucky(4) {
                return Some(Event::Interrupted);
            }
            let back = plans.iter().map(|plan| worker(&plan.tool_call_id, &plan.issue_id, "made")).collect();
            Event::WorkersReturned { workers: back }
        }
        Step::Compact(_) => Event::CompactionStored,
        Step::Done(RunOutcome::Stopped(_)) if dice.is_lucky(2) => {
            let limits = play.machine.config().limits.clone();
            let more = Limits { turns: limits.turns.map(|turns| turns + 2), ..limits };
            Event::Resumed { limits: dice.is_lucky(2).then_some(more) }
        }
        Step::Done(_) => return None,
    })
}

/// Plays for at most so many events.
fn play_on(dice: &mut Dice<'_>, play: &mut Play, most: usize) -> Vec<(usize, String)> {
    let mut executed = Vec::new();
    for _ in 0..most {
        let Some(event) = any_event(dice, play, &mut executed) else { break };
        play.feed(event);
    }
    executed
}

/// A play that goes on from rows that a process left behind, as a driver does it.
fn resumed(rows: &[premath_kernel::Value<'static>]) -> Option<Play> {
    let again = redriven(rows);
    let mut play = Play { machine: again.machine, rows: rows.to_vec(), ran: Vec::new() };
    play.rows.extend(values(&again.unwritten));
    match play.machine.next() {
        Step::Done(RunOutcome::Stopped(_)) => {}
        Step::Done(_) => return None,
        _under_way => {}
    }
    play.resumes(None);
    if let Step::CallTools(calls) = play.machine.next() {
        let outcomes = calls.iter().map(PlannedCall::interrupted).collect();
        play.feed(Event::ToolsFinished { outcomes, elapsed_millis: 2, traces: Vec::new() });
    }
    Some(play)
}

fn cases() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) }
}

proptest! {
    #![proptest_config(cases())]

    /// Seed: 002 §6/3, 001 §6.3/1, 002 §7/7
    #[test]
    fn what_was_written_runs_again_byte_for_byte(script in prop::collection::vec(any::<u8>(), 0..160)) {
        let mut dice = Dice(script.iter());
        let mut play = Play::of(any_config(&mut dice));
        play_on(&mut dice, &mut play, 60);
        play.replays();
    }

    /// Seed: 002 §4/1
    #[test]
    fn a_run_that_is_cut_anywhere_goes_on_and_does_nothing_twice(
        script in prop::collection::vec(any::<u8>(), 0..160),
        more in prop::collection::vec(any::<u8>(), 0..80),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let mut dice = Dice(script.iter());
        let mut play = Play::of(any_config(&mut dice));
        let mut executed = play_on(&mut dice, &mut play, 40);
        let mut further = Dice(more.iter());
        for cut in cuts {
            let kept = cut.index(play.rows.len()) + 1;
            // What began behind the cut never happened.
            executed.retain(|(place, _)| *place <= kept);
            let Some(next) = resumed(&play.rows[..kept]) else { break };
            play = next;
            executed.extend(play_on(&mut further, &mut play, 20));
            play.replays();
        }
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, call) in &executed {
            *times.entry(call).or_default() += 1;
        }
        let twice: Vec<_> = times.iter().filter(|(_, count)| **count > 1).collect();
        prop_assert!(twice.is_empty(), "{twice:?}");
    }
}

#[test]
fn a_record_that_was_changed_is_found() {
    let mut play = Play::of(config());
    play.says(calls([lookup("a")])).works().says(done("so"));
    let place = play.kinds().iter().position(|kind| kind == "turn.closed").unwrap();
    let bytes = premath_kernel::encode(&play.rows[place]);
    let forged = String::from_utf8(bytes).unwrap().replace("accepted", "rejected");
    let limits = premath_wire::strict::Limits::default();
    let forged = premath_wire::strict::parse(forged.as_bytes(), limits).unwrap().into_owned();
    let mut redrive = premath_tusk::turn_loop::Redrive::default();
    let mut found = None;
    for (at, row) in play.rows.iter().enumerate() {
        let row = if at == place { &forged } else { row };
        if let Err(error) = redrive.take(u64::try_from(at + 1).unwrap(), row) {
            found = Some(error.to_string());
            break;
        }
    }
    assert!(found.unwrap().contains(&format!("row {}", place + 1)));
}
