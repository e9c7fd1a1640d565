//! Programs of a model: what flows between their calls, what they can catch, what they may not do, and that a run of them runs
//! again to the byte.

use premath_kernel::{ActionMode, ExecutionPattern};
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::tools::Tool as _;
use premath_tusk::tools::{Caller, Risk, ToolKind, ToolSpec};
use premath_tusk::turn_loop::{
    CODE_EXECUTION, CodeExecution, CodeLimits, ConfigError, Event, Limits, Machine, PlannedCall, RunConfig,
    RunOutcome, Step, StopCause, Workflow,
};

use crate::{Play, calls, coding, config, done, lookup, ok, program, redriven, working};

/// A file whose content says which it is.
fn file(call: &PlannedCall) -> CallOutcome {
    let path = call.arguments.as_ref().and_then(|arguments| arguments.text("path")).unwrap_or_default();
    let mut outcome = ok(call);
    if call.runs() && call.call.name == "fs_read" {
        outcome.payload = Payload::Inline(format!("{path} has seven words in one line"));
    }
    outcome
}

fn ids(play: &Play) -> Vec<String> {
    let Step::CallTools(calls) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    calls.iter().map(|call| call.call.id.clone()).collect()
}

/// Seed: 001 §5.1/1, 001 §5.1/2, 001 §5.1/4, 004 §7/1, 001 §3/12
#[test]
fn a_program_passes_what_one_call_gives_to_the_next_and_only_its_value_is_shown() {
    let mut play = Play::of(coding());
    assert_eq!(play.offered(), [CODE_EXECUTION]);
    play.says(calls([program(
        "p",
        r#"(define first (fs_read "a.txt"))
           (define second (fs-read (hash-table "path" (string-append "b-" (number->string (string-length first))))))
           (display "looked twice")
           (list (string-length first) second)"#,
    )]));
    assert_eq!(ids(&play), ["p.1"]);
    play.comes_to(1, file);
    assert_eq!(ids(&play), ["p.2"]);
    play.comes_to(1, file).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    let told = play.told();
    assert!(told.contains("p: status: ok"), "{told}");
    assert!(told.contains("looked twice"), "{told}");
    assert!(told.contains(r#"[33,"b-33 has seven words in one line"]"#), "{told}");
    assert!(!told.contains("a.txt has seven"), "what the first call gave stays in the program: {told}");
    play.says(done("all is well"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    let report = play.machine.report();
    assert_eq!((report.turns, report.tool_calls, report.refused_turns), (2, 3, 0));
    assert!(report.filtered_tokens > 0 && report.unfiltered_tokens > 0, "{report:?}");
    play.replays();
}

/// Seed: 001 §4.2/7, 001 §4.3/5, 001 §8/6
#[test]
fn calls_of_parallel_map_come_out_together_and_in_parts_where_they_are_too_many() {
    let mut play = Play::of(coding());
    let text = "(length (parallel-map (lambda (n) (fs_read (number->string n))) (iota 200)))";
    play.says(calls([program("p", text)]));
    assert_eq!(ids(&play).len(), 128);
    play.comes_to(1, file);
    assert_eq!(ids(&play).len(), 72);
    play.comes_to(1, file).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains("200"), "{}", play.told());
    play.replays();
}

/// Seed: 001 §5.1/3
#[test]
fn a_call_that_fails_is_a_condition_with_its_class() {
    let fails =
        |call: &PlannedCall| CallOutcome::failed(&call.call.id, "file.missing", true, "it is not there");
    let mut play = Play::of(coding());
    let text = r#"(guard (e (else (list (error-class e) (error-retryable? e)))) (fs_read "a"))"#;
    play.says(calls([program("p", text)])).comes_to(1, fails).keeps();
    assert!(play.told().contains(r#"["file.missing",true]"#), "{}", play.told());
    play.says(calls([program("q", "(display \"before\")\n(string-length (fs_read \"a\"))")]));
    play.comes_to(1, fails).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    let told = play.told();
    assert!(told.contains("errorCode: program.host\nretryable: true"), "{told}");
    assert!(told.contains("nothing caught it at 2:16 [file.missing]\n"), "{told}");
    assert!(told.contains("host: it is not there [file.missing"), "its own words are in the payload: {told}");
    assert!(told.contains("before"), "what it wrote before is shown: {told}");
    play.replays();
}

#[test]
fn a_text_that_is_no_program_runs_nothing_and_says_where() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(fs_read \"a\")\n(let ((x 1)")])).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    let told = play.told();
    assert!(told.contains("errorCode: program.syntax"), "{told}");
    assert!(told.contains(" at 2:6\n"), "{told}");
    play.replays();
}

#[test]
fn arguments_that_do_not_fit_are_a_condition_and_no_call() {
    let mut play = Play::of(coding());
    let text = r#"(define (class-of thunk) (guard (e (else (error-class e))) (thunk)))
        (list (class-of (lambda () (fs_read 7)))
              (class-of (lambda () (fs_read "a" "b")))
              (class-of (lambda () (rare "a")))
              (class-of (lambda () (shell "true" "/etc"))))"#;
    play.says(calls([program("p", text)])).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()), "a turn is not spoiled by what was never called");
    let told = play.told();
    let expected =
        r#"["tool.schema_invalid","tool.schema_invalid","tool.discovery_unresolved","path.outside"]"#;
    assert!(told.contains(expected), "{told}");
    assert_eq!(play.machine.report().tool_calls, 5, "what is not made counts too");
    play.replays();
}

#[test]
fn a_tool_that_a_search_found_can_be_called_in_the_same_program() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(tool_search \"rare things\")\n(rare \"a\")")]));
    play.works();
    assert_eq!(ids(&play), ["p.2"]);
    play.works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    let offered = play.request().tools.iter().next().unwrap().description.clone();
    assert!(offered.contains("(rare text:string) ; Looks at rare things."), "{offered}");
    play.replays();
}

/// Seed: 001 §3/10, 001 §4.3/6, 001 §8/6
#[test]
fn tools_that_only_a_model_may_call_are_not_bound() {
    let mut config = coding();
    let schema = r#"{"type": "object", "properties": {}, "additionalProperties": false}"#;
    let mut own = ToolSpec::new("own_hands", "files:read", "Only by hand.", schema, &[]).unwrap();
    own.allowed_callers = vec![Caller::Model];
    config.tools.push(own);
    let mut play = Play::of(config);
    play.says(calls([program("p", "(own_hands)")])).keeps();
    assert!(play.told().contains("program.unbound"), "{}", play.told());
    let offer = play.request().tools.iter().next().unwrap().input_schema.as_str().to_owned();
    assert!(!offer.contains("own_hands") && offer.contains("(fs_read path:string ["), "{offer}");
    play.replays();
}

#[test]
fn a_tool_that_is_called_by_itself_is_refused_with_a_hint_and_no_program_beside_it_runs() {
    let mut play = Play::of(coding());
    play.says(calls([lookup("direct"), program("p", "(fs_read \"a\")")])).works();
    assert!(play.ran.is_empty(), "{:?}", play.ran);
    let told = play.told();
    assert!(told.contains("errorCode: tool.unknown_or_disallowed"), "{told}");
    assert!(told.contains("call it as a function in the program of code_execution"), "{told}");
    play.replays();
}

#[test]
fn a_second_program_runs_after_the_first_in_a_world_of_its_own() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(define x 1)\n(fs_read \"a\")\nx"), program("q", "(fs_read \"b\")\nx")]));
    assert_eq!(ids(&play), ["p.1"]);
    play.works().keeps();
    assert_eq!(ids(&play), ["q.1"]);
    play.works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains("program.unbound"), "{}", play.told());
    play.replays();
}

#[test]
fn what_a_program_asks_for_is_applied_after_the_turn() {
    let mut play = Play::of(coding());
    play.says(calls([program(
        "p",
        "(map (lambda (n) (json-ref (issue_add n) \"applied\")) '(\"a\" \"b\"))",
    )]));
    play.works().works();
    assert!(matches!(play.machine.next(), Step::Keep { .. }));
    play.keeps();
    let Step::Apply(admitted) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
    let asked: Vec<&str> = admitted.iter().map(|one| one.tool_call_id.as_str()).collect();
    assert_eq!(asked, ["p.1", "p.2"]);
    assert!(admitted.iter().all(|one| one.grant.is_ok()), "{admitted:?}");
    play.applies();
    assert_eq!(play.machine.report().applied, 2);
    assert!(play.told().contains("[false,false]"), "{}", play.told());
    play.replays();
}

#[test]
fn nothing_is_applied_of_a_turn_that_is_refused() {
    // The stop policy refuses what took too long.
    let limits = Limits { wall_millis: Some(10), ..Limits::standard() };
    let mut play = Play::of(RunConfig { limits, ..coding() });
    play.says(calls([program("p", "(issue_add \"a\")\n(guard (e (else (error-class e))) (fs_read \"b\"))")]));
    play.comes_to(100, ok).keeps();
    assert_eq!(play.ran, ["p.1"], "behind a limit nothing more is called");
    assert!(!play.verdict().0);
    assert_eq!(play.limit(), "wallMillis");
    assert_eq!(play.machine.report().applied, 0);
    play.replays();
}

#[test]
fn calls_of_programs_count_and_behind_the_limit_they_are_conditions() {
    let limits = Limits { tool_calls: Some(3), ..Limits::standard() };
    let mut play = Play::of(RunConfig { limits, ..coding() });
    let text = "(map (lambda (n) (guard (e (else (error-class e))) (fs_read n))) '(\"a\" \"b\" \"c\"))";
    play.says(calls([program("p", text)])).works().works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains(r#""what p.2 gives","limit_exceeded"]"#), "{}", play.told());
    assert!(play.told().contains("3 of 3 tool calls used"), "{}", play.told());
    play.replays();
}

#[test]
fn a_budget_that_is_used_up_is_a_result_and_the_run_goes_on() {
    let code = CodeLimits { fuel: 2_000, calls: 2, ..CodeLimits::standard() };
    let mut play = Play::of(RunConfig { code: Some(code), ..coding() });
    play.says(calls([program("p", "(let loop () (loop))")])).keeps();
    assert!(play.told().contains("errorCode: program.budget.fuel"), "{}", play.told());
    play.says(calls([program("q", "(map fs_read '(\"a\" \"b\" \"c\"))")])).works().works().keeps();
    assert!(play.told().contains("errorCode: program.budget.host_calls"), "{}", play.told());
    play.says(done("enough"));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn ids_of_calls_do_not_meet_those_of_the_answer() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(fs_read \"a\")"), program("p.1", "(fs_read \"b\")")]));
    assert_eq!(ids(&play), ["p.2"]);
    play.works().keeps();
    assert_eq!(ids(&play), ["p.1.1"]);
    play.works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.replays();
}

#[test]
fn one_answer_of_the_pattern_single_closes_with_all_calls_in_one_group() {
    let mut play = Play::of(RunConfig { workflow: Workflow::of(ExecutionPattern::Single), ..coding() });
    play.says(calls([program("p", "(fs_read \"a\")\n(parallel-map fs_read '(\"b\" \"c\"))\n1")]));
    play.works().works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn a_route_is_chosen_in_a_program() {
    let mut config = working(Workflow { routes: crate::routes(), ..Workflow::of(ExecutionPattern::Route) });
    config.action_mode = ActionMode::Code;
    config.tools.push(CodeExecution::new(&config.tools).unwrap().spec().clone());
    let mut play = Play::of(config);
    play.says(calls([program("p", "(guard (e (else 'no)) (fs_read \"a\"))\n(choose_route \"mend\")")]));
    assert_eq!(ids(&play), ["p.1"], "before a route is chosen nothing else is called");
    play.works().keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains("You are on the way of mend."), "{}", play.told());
    play.replays();
}

#[test]
fn a_run_that_is_interrupted_in_a_program_goes_on_in_it() {
    let mut play = Play::of(coding());
    play.says(calls([program("p", "(string-append (fs_read \"a\") (fs_read \"b\"))")])).comes_to(1, file);
    play.feed(Event::Interrupted);
    assert_eq!(play.outcome(), RunOutcome::Stopped(StopCause::Interrupted));
    play.replays();
    let again = redriven(&play.rows);
    let mut play = Play { machine: again.machine, rows: play.rows.clone(), ran: Vec::new() };
    play.resumes(None);
    assert_eq!(ids(&play), ["p.2"]);
    play.comes_to(1, file).keeps();
    assert!(play.told().contains("a has seven words in one lineb has seven"), "{}", play.told());
    play.replays();
}

#[test]
fn a_call_whose_end_nobody_saw_is_a_condition_and_is_not_made_again() {
    let mut play = Play::of(coding());
    let text = r#"(fs_read "a")
        (define left (guard (e (else (error-class e))) (shell "make" ".")))
        (list left (fs_read "b"))"#;
    play.says(calls([program("p", text)])).comes_to(1, file);
    // The process dies while the command runs; another one goes on from the rows.
    let again = redriven(&play.rows);
    let mut play = Play { machine: again.machine, rows: play.rows.clone(), ran: Vec::new() };
    play.resumes(None).comes_to(1, PlannedCall::interrupted);
    assert_eq!(ids(&play), ["p.3"]);
    play.comes_to(1, file).keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    assert!(play.told().contains(r#"["interrupted","b has seven"#), "{}", play.told());
    play.replays();
}

#[test]
fn commands_give_their_code_and_output_as_a_table() {
    let mut play = Play::of(coding());
    play.says(calls([program(
        "p",
        "(define ran (shell \"true\" \".\"))\n(list (json-ref ran \"exitCode\") (json-ref ran \"output\"))",
    )]));
    play.works().keeps();
    assert!(play.told().contains(r#"[0,"what p.1 gives"]"#), "{}", play.told());
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.replays();
}

#[test]
fn a_thousand_calls_of_one_program_close_their_turn() {
    let limits = Limits { tool_calls: None, ..Limits::standard() };
    let mut play = Play::of(RunConfig { limits, ..coding() });
    play.says(calls([program("p", "(length (map (lambda (n) (fs_read (number->string n))) (iota 1000)))")]));
    for _ in 0..1000 {
        play.comes_to(1, file);
    }
    play.keeps();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.replays();
}

#[test]
fn programs_need_their_tool_and_do_not_ask_for_workers() {
    let bare = RunConfig { action_mode: ActionMode::Code, ..config() };
    assert!(matches!(Machine::new(bare), Err(ConfigError::CodeMode)));
    let mut workers = working(Workflow::of(ExecutionPattern::OrchestratorWorkers));
    workers.action_mode = ActionMode::Code;
    assert!(matches!(Machine::new(workers), Err(ConfigError::Incomplete { .. })));
}

/// What a model is told of the functions of a run with these tools.
fn told_of(config: &RunConfig) -> String {
    let spec = CodeExecution::new(&config.tools).unwrap().spec().clone();
    let schema: serde_json::Value = serde_json::from_str(spec.input_schema.as_str()).unwrap();
    schema["properties"]["program"]["description"].as_str().unwrap().to_owned()
}

#[test]
fn a_model_is_told_how_its_functions_are_called_and_what_they_give() {
    let mut config = config();
    let schema = r#"{"type": "object", "properties": {
        "rows": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "integer"}, "why": {"type": "string"}}, "required": ["at"]}},
        "by": {"enum": ["name", "age"]},
        "cells": {"type": "object", "additionalProperties": {"type": "string"}}
    }, "required": ["rows"]}"#;
    let example = r#"{"rows": [{"at": 1, "why": "a \"b\"\n"}], "by": "age", "cells": {}}"#;
    let mut sort =
        ToolSpec::new("sort_rows", "rows:read", "Sorts. Keeps\n  all.", schema, &[example]).unwrap();
    "a list of numbers".clone_into(&mut sort.returns);
    config.tools.push(sort);
    let told = told_of(&config);
    let expected = r##"(sort_rows rows:list({at:integer why?:string}) [by:"name"|"age" cells:{…:string}]) ; Sorts. Keeps all.
  gives a list of numbers
  e.g. (sort_rows (list (hash-table "at" 1 "why" "a \"b\"\n")) (hash-table "by" "age" "cells" (hash-table)))"##;
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("gives a table {\"exitCode\": integer, \"output\": string}"), "{told}");
    assert!(told.contains("gives a table {\"applied\": #f, \"intentDigest\": string}"), "{told}");
}

#[test]
fn what_a_model_is_told_is_bounded() {
    let mut config = config();
    let words = "Does much of what is good. ".repeat(400);
    for number in 0..100 {
        let schema = r#"{"type": "object", "properties": {}}"#;
        let name = format!("long_{number:03}");
        config.tools.push(ToolSpec::new(&name, "files:read", &words, schema, &["{}"]).unwrap());
    }
    let told = told_of(&config);
    assert!(told.len() < 48 << 10, "{} bytes", told.len());
    assert!(
        told.contains("(long_099) ; Does much of what is good\n")
            || told.ends_with("(long_099) ; Does much of what is good")
    );
}

#[test]
fn the_examples_cite_the_sheet_of_the_language_and_name_only_what_there_is() {
    let sheet = premath_kernel::Digest::of_bytes(premath_repl::CHEAT_SHEET.as_bytes());
    let spec = CodeExecution::new(&config().tools).unwrap().spec().clone();
    assert_eq!((spec.kind, spec.risk), (ToolKind::Effect, Risk::Read));
    assert!(spec.examples.first().unwrap().as_str().contains(sheet.as_str()), "{:?}", spec.examples);
    assert!(spec.examples.len() > 1);
    let bare = CodeExecution::new(&Vec::<ToolSpec>::new()).unwrap().spec().clone();
    assert_eq!(bare.examples.len(), 1, "no function is named that is not there: {:?}", bare.examples);
    assert_ne!(bare.example_digest(), spec.example_digest());
}

#[test]
fn the_sheet_that_a_model_is_shown_holds_in_its_run() {
    let blocks = premath_repl::CHEAT_SHEET.split("```scheme\n").skip(1);
    let blocks: Vec<&str> = blocks.map(|block| block.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 3);
    let mut play = Play::of(coding());
    for (at, block) in blocks.iter().enumerate() {
        let id = format!("p{at}");
        play.says(calls([program(&id, block)])).keeps();
        assert!(play.told().contains(&format!("{id}: status: ok")), "{block}: {}", play.told());
    }
}
