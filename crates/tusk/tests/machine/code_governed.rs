//! Programs under policy: each batch of their calls is judged, a person is asked inside them, and what holds for a turn holds
//! for all batches of it together.

use premath_kernel::ActionMode;
use premath_tusk::policy::Effect;
use premath_tusk::tools::Tool as _;
use premath_tusk::turn_loop::{
    CodeExecution, ConfirmationAnswer, Limits, RunConfig, RunOutcome, Step, StopCause,
};

use crate::governed::governed;
use crate::{Play, calls, done, program};

fn coding() -> RunConfig {
    let mut config = RunConfig { action_mode: ActionMode::Code, ..governed() };
    config.tools.push(CodeExecution::new(&config.tools).unwrap().spec().clone());
    config
}

/// A class where a call fails, and else whether what it asks for is done.
const TRY: &str =
    "(define (try call id) (guard (e (else (error-class e))) (json-ref (call id) \"applied\")))\n";

fn trying(text: &str) -> String {
    format!("{TRY}{text}")
}

#[test]
fn the_program_is_judged_first_and_then_every_batch_of_its_calls() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(fs_read \"a\")\n(parallel-map fs_read '(\"b\" \"c\"))\n1")]));
    play.is_judged(Effect::Allow).is_judged(Effect::Allow).does_it();
    let Step::Judge { said, calls: asked } = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    assert_eq!((said, asked.len()), ("", 2));
    play.is_judged(Effect::Allow).does_it().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.says(done("so")).is_judged(Effect::Allow);
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn a_program_that_policy_denies_does_not_begin() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(fs_read \"a\")")])).is_judged(Effect::Deny).works();
    assert!(play.ran.is_empty());
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains("errorCode: policy_denied"), "{}", play.told());
    play.replays();
}

#[test]
fn a_call_that_policy_denies_is_a_condition_and_the_turn_closes() {
    let mut play = Play::of(coding());
    let text = "(list (guard (e (else (error-class e))) (fs_read \"a\")) (fs_read \"b\"))";
    play.says(calls([program("p", text)])).is_judged(Effect::Allow);
    play.is_judged(Effect::Deny).works().is_judged(Effect::Allow).does_it().keeps();
    assert_eq!(play.ran, ["p.2"]);
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains(r#"["policy_denied","what p.2 gives"]"#), "{}", play.told());
    play.replays();
}

#[test]
fn a_person_who_is_not_there_is_waited_for_inside_the_program() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", &trying("(try desk_delete_file \"a\")"))]));
    play.is_judged(Effect::Allow).is_judged(Effect::Ask).is_told(ConfirmationAnswer::Pending);
    assert!(matches!(play.outcome(), RunOutcome::Stopped(StopCause::NeedsPerson(_))), "{:?}", play.outcome());
    play.replays();
    play.resumes(None).is_told(ConfirmationAnswer::Approved).does_it().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    let Step::Apply(admitted) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    assert_eq!(admitted.len(), 1);
    play.replays();
}

#[test]
fn a_program_destroys_no_more_than_one_thing_however_it_spreads_its_calls() {
    let mut play = Play::of(coding());
    let text = trying("(list (try desk_delete_file \"a\") (try desk_delete_file \"b\") (fs_read \"c\"))");
    play.says(calls([program("p", &text)])).is_judged(Effect::Allow);
    play.is_judged(Effect::Allow).does_it();
    play.is_judged(Effect::Allow).works();
    play.is_judged(Effect::Allow).does_it().keeps();
    assert_eq!(play.ran, ["p.1", "p.3"]);
    assert_eq!(play.verdict(), (true, Vec::new()));
    let Step::Apply(admitted) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    assert_eq!(admitted.len(), 1, "one of the two is done");
    play.replays();
}

#[test]
fn a_plan_stands_alone_in_its_turn_whichever_comes_first() {
    let change_first = trying("(list (try desk_delete_file \"a\") (try desk_propose_plan \"g\"))");
    let mut play = Play::of(coding());
    play.says(calls([program("p", &change_first)])).is_judged(Effect::Allow);
    play.is_judged(Effect::Allow).does_it().is_judged(Effect::Allow).works().keeps();
    assert_eq!(play.ran, ["p.1"], "behind a change no plan is proposed");
    play.replays();
    let plan_first = trying("(list (try desk_propose_plan \"g\") (try desk_delete_file \"a\"))");
    let mut play = Play::of(coding());
    play.says(calls([program("p", &plan_first)])).is_judged(Effect::Allow);
    play.is_judged(Effect::Allow).does_it().is_judged(Effect::Allow).works().keeps();
    assert_eq!(play.ran, ["p.1"], "behind a plan nothing changes");
    play.replays();
}

#[test]
fn a_checkpoint_before_a_tool_asks_inside_the_program() {
    let limits = Limits { checkpoint_before: vec!["shell".to_owned()], ..Limits::standard() };
    let mut play = Play::of(RunConfig { limits, ..coding() });
    let text =
        "(list (string-length (fs_read \"a\")) (guard (e (else (error-class e))) (shell \"true\" \".\")))";
    play.says(calls([program("p", text)])).is_judged(Effect::Allow).is_judged(Effect::Allow).does_it();
    play.is_judged(Effect::Allow);
    assert!(matches!(play.machine.next(), Step::AskHuman(_)), "{:?}", play.machine.next());
    play.hears(premath_tusk::turn_loop::Decision::Stop).works().keeps();
    assert_eq!(play.ran, ["p.1"]);
    assert_eq!(play.outcome(), RunOutcome::Stopped(StopCause::Declined));
    play.replays();
}
