//! The limits of a run and the people it asks: each limit stops it under its own name, and a raised one lets it go on.

use crate::{Play, calls, config, done, limited, lookup, note, said, spawn, working};
use premath_kernel::ExecutionPattern;
use premath_tusk::model::{AssistantPart, StopReason, Usage};
use premath_tusk::turn_loop::{Decision, Limits, RunOutcome, Step, StopCause, Workflow};

fn raised(change: impl FnOnce(&mut Limits)) -> Option<Limits> {
    let mut limits = Limits::standard();
    change(&mut limits);
    Some(limits)
}

/// Seed: 001 §3/7, 001 §8/7, 001 §4.1/34
#[test]
fn turns_stop_a_run_and_more_of_them_let_it_go_on() {
    let mut play = Play::of(limited(Limits { turns: Some(2), ..Limits::standard() }));
    play.says(calls([lookup("a")])).works().says(calls([lookup("b")])).works();
    assert_eq!(play.limit(), "turns");
    assert_eq!(play.machine.report().turns, 2);
    play.resumes(None);
    assert_eq!(play.limit(), "turns", "nothing was raised");
    play.resumes(raised(|limits| limits.turns = Some(3)));
    assert!(play.told().contains("what b gives"), "{}", play.told());
    play.says(done("in three"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn a_call_beyond_the_limit_of_calls_does_not_run() {
    let mut play = Play::of(limited(Limits { tool_calls: Some(2), ..Limits::standard() }));
    play.says(calls([lookup("a")])).works();
    play.says(calls([note("b"), note("c")])).works();
    assert_eq!(play.limit(), "toolCalls");
    assert_eq!(play.ran, ["a"], "none of an answer that goes over the limit");
    play.resumes(raised(|limits| limits.tool_calls = Some(9)));
    assert!(play.told().contains("b: status: error\nerrorCode: limit_exceeded"), "{}", play.told());
    play.says(calls([note("d")])).works().says(done("in time"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    assert_eq!(play.ran, ["a", "d"]);
    play.replays();
}

#[test]
fn tokens_stop_a_run_before_its_calls_run() {
    let mut play = Play::of(limited(Limits { tokens: Some(150), ..Limits::standard() }));
    play.says(calls([lookup("a")])).works();
    play.says(calls([note("b")])).works();
    assert_eq!(play.limit(), "tokens");
    assert_eq!(play.ran, ["a"]);
    play.resumes(raised(|limits| limits.tokens = Some(100_000))).says(done("cheaper"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn cost_stops_a_run_where_it_is_known() {
    let mut play = Play::of(limited(Limits { cost_micros: Some(50), ..Limits::standard() }));
    play.says(calls([lookup("a")])).works();
    assert_eq!(play.limit(), "costMicros");
    play.resumes(raised(|limits| limits.cost_micros = Some(10_000))).says(done("paid"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn time_that_a_tool_takes_stops_a_run_under_its_name() {
    let mut play = Play::of(limited(Limits { wall_millis: Some(1_000), ..Limits::standard() }));
    play.says(calls([note("slow")])).comes_to(5_000, crate::ok);
    assert_eq!(play.limit(), "wallMillis");
    play.resumes(raised(|limits| limits.wall_millis = Some(60_000)));
    assert!(play.told().contains("what slow gives"), "{}", play.told());
    play.says(done("slowly"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn time_that_an_answer_takes_stops_a_run_before_its_calls_run() {
    let mut play = Play::of(limited(Limits { wall_millis: Some(1_000), ..Limits::standard() }));
    let mut late = calls([note("late")]);
    late.elapsed_millis = 1_001;
    play.says(late).works();
    assert_eq!(play.limit(), "wallMillis");
    assert!(play.ran.is_empty());
    play.replays();
}

#[test]
fn a_last_answer_that_takes_too_long_is_a_limit_and_not_a_failure() {
    let mut play = Play::of(limited(Limits { wall_millis: Some(1_000), ..Limits::standard() }));
    let mut late = done("late");
    late.elapsed_millis = 2_000;
    play.says(late);
    assert_eq!(play.limit(), "wallMillis");
    play.replays();
}

#[test]
fn workers_beyond_their_limit_are_not_spawned_and_the_limit_is_named() {
    let mut config = working(Workflow::of(ExecutionPattern::OrchestratorWorkers));
    config.limits.workers = Some(1);
    let mut play = Play::of(config);
    play.says(calls([spawn("a"), spawn("b")]));
    if let Step::CallTools(_) = play.machine.next() {
        play.works();
    }
    assert!(play.ran.is_empty(), "{:?}", play.ran);
    assert!(!play.kinds().contains(&"workers.spawned".to_owned()));
    assert_eq!(play.limit(), "workers");
    let mut limits = play.machine.config().limits.clone();
    limits.workers = Some(2);
    play.resumes(Some(limits));
    play.says(calls([spawn("c"), spawn("d")])).works().applies();
    assert!(
        matches!(play.machine.next(), Step::Spawn(plans) if plans.len() == 2),
        "{:?}",
        play.machine.next()
    );
    play.replays();
}

#[test]
fn an_answer_without_usage_counts_no_tokens() {
    let mut play = Play::of(limited(Limits { tokens: Some(1), ..Limits::standard() }));
    let mut answer = said(vec![AssistantPart::Text("free".to_owned())], StopReason::EndTurn);
    answer.usage = Usage::default();
    play.says(answer);
    assert_eq!(play.outcome(), RunOutcome::Completed);
}

/// Seed: 001 §6.3/4, 001 §8/7
#[test]
fn the_same_call_three_times_asks_a_person() {
    let same = || calls([lookup("same")]);
    let mut play = Play::of(config());
    play.says(same()).works().says(same()).works().says(same());
    let Step::AskHuman(question) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    assert!(question.contains("3 times"), "{question}");
    play.hears(Decision::Continue).works();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.says(same()).works().says(done("enough"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn another_call_in_between_begins_the_count_again() {
    let mut play = Play::of(config());
    for _ in 0..3 {
        play.says(calls([lookup("a")])).works().says(calls([lookup("b")])).works();
    }
    assert!(matches!(play.machine.next(), Step::CallModel(_)));
    play.replays();
}

#[test]
fn a_person_who_says_no_stops_the_run_and_nothing_of_the_turn_runs() {
    let mut play =
        Play::of(limited(Limits { checkpoint_before: vec!["shell".to_owned()], ..Limits::standard() }));
    play.says(calls([lookup("a")])).works();
    play.says(calls([note("effect"), lookup("b")]));
    play.hears(Decision::Stop).works();
    assert_eq!(play.outcome(), RunOutcome::Stopped(StopCause::Declined));
    assert_eq!(play.ran, ["a"]);
    play.resumes(None);
    assert!(play.told().contains("effect: status: error\nerrorCode: declined"), "{}", play.told());
    play.says(done("as you like"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

/// Seed: 001 §3/7, 001 §8/7
#[test]
fn a_checkpoint_comes_every_so_many_turns() {
    let mut play = Play::of(limited(Limits { checkpoint_every: Some(2), ..Limits::standard() }));
    play.says(calls([lookup("a")])).works();
    play.says(calls([lookup("b")]));
    assert!(matches!(play.machine.next(), Step::AskHuman(_)));
    play.hears(Decision::Continue).works();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.says(calls([lookup("c")])).works();
    play.says(done("four"));
    assert!(matches!(play.machine.next(), Step::AskHuman(_)), "an end is a turn like any other");
    play.hears(Decision::Continue);
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn nobody_to_ask_stops_the_run_and_it_resumes_at_the_question() {
    let mut play = Play::of(limited(Limits { checkpoint_every: Some(1), ..Limits::standard() }));
    play.says(calls([note("effect")]));
    let Step::AskHuman(question) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    let question = question.to_owned();
    play.hears(Decision::NoAnswer);
    assert_eq!(play.outcome(), RunOutcome::Stopped(StopCause::NeedsPerson(question.clone())));
    play.replays();
    play.resumes(None);
    assert!(matches!(play.machine.next(), Step::AskHuman(again) if again == question));
    assert!(play.ran.is_empty());
    play.hears(Decision::Continue).works();
    assert_eq!(play.ran, ["effect"]);
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.replays();
}
