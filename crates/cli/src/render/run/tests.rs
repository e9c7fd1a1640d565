//! What a person sees of a run, what a program reads of it, and what neither can be made to do.

use std::time::Duration;

use premath_kernel::{Access, Moment};
use premath_tusk::JsonText;
use premath_tusk::evidence::{CallOutcome, CallStatus, Failure, IntentRow, Payload};
use premath_tusk::model::{AssistantPart, ModelEvent, Usage};
use premath_tusk::tools::ToolArtifact;
use premath_tusk::turn_loop::{
    AppliedIntent, Decision, IntentOutcome, RunEvent, RunOutcome, RunReport, StopCause, Verdict,
};
use premath_wire::v1::{RunEnding, RunEventRow};

use super::ending::next;
use super::{EventRows, RunScreen, exit};
use crate::exit::Exit;

mod afterwards;

fn bare(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::TextDelta { index: 0, text: text.to_owned() }
}

fn json(text: &str) -> JsonText {
    JsonText::new(text).unwrap()
}

fn said(id: &str, content: &str) -> CallOutcome {
    CallOutcome { payload: Payload::Inline(content.to_owned()), ..CallOutcome::empty(id, CallStatus::Ok) }
}

fn closed(call_id: &str) -> Verdict {
    Verdict {
        call_id: call_id.to_owned(),
        is_closed: true,
        reasons: Vec::new(),
        turn_digest: "sha256:aa".to_owned(),
        witness_id: "w1_aa".to_owned(),
    }
}

/// A call that a model makes.
fn starts<'e>(
    tool_call_id: &'e str,
    tool: &'e str,
    arguments: &'e JsonText,
    diff: Option<&'e str>,
) -> RunEvent<'e> {
    RunEvent::CallStarted { tool_call_id, tool, arguments, diff, program: None }
}

fn report(outcome: RunOutcome) -> RunReport {
    RunReport {
        run_id: "run-1".to_owned(),
        outcome,
        text: "Done.".to_owned(),
        turns: 3,
        refused_turns: 1,
        tool_calls: 4,
        tokens: 12_345,
        cost_micros: 12_300,
        wall_millis: 63_210,
        workers: 0,
        applied: 1,
        filtered_tokens: 0,
        unfiltered_tokens: 0,
        is_kept: true,
    }
}

const USAGE: Usage = Usage {
    input_tokens: 900,
    cache_read_tokens: 300,
    cache_write_tokens: 0,
    output_tokens: 34,
    reasoning_tokens: 0,
};

/// What a file or a pipe gets of these events.
fn piped(events: &[RunEvent<'_>]) -> String {
    let mut screen = RunScreen::new(None);
    let shown: String = events.iter().map(|event| screen.take(event, Duration::ZERO)).collect();
    bare(&shown)
}

/// One call from its start to its end.
fn one_call(tool: &str, arguments: &str, outcome: &CallOutcome, diff: Option<&str>) -> String {
    let arguments = json(arguments);
    piped(&[
        starts(&outcome.tool_call_id, tool, &arguments, diff),
        RunEvent::CallFinished { tool, outcome, millis: 7 },
    ])
}

fn closed_issue() -> AppliedIntent {
    AppliedIntent {
        tool_call_id: "c3".to_owned(),
        action: "issue.update".to_owned(),
        intent_digest: "sha256:cc".to_owned(),
        outcome: IntentOutcome::Applied { issue_id: "bd-1".to_owned(), status: "closed".to_owned() },
    }
}

#[test]
fn a_program_is_shown_with_its_lines_and_the_first_of_its_calls() {
    let mut screen = RunScreen::new(None);
    let program = json(r#"{"program": "(define a 1)\n(fs_read \"a\")"}"#);
    let path = json(r#"{"path": "a"}"#);
    let mut text = screen.take(&starts("p", "code_execution", &program, None), Duration::ZERO);
    for number in 1..=15 {
        let id = format!("p.{number}");
        let nested = RunEvent::CallStarted {
            tool_call_id: &id,
            tool: "fs_read",
            arguments: &path,
            diff: None,
            program: Some("p"),
        };
        text.push_str(&screen.take(&nested, Duration::ZERO));
        let outcome = CallOutcome::empty(&id, CallStatus::Ok);
        let ended = RunEvent::CallFinished { tool: "fs_read", outcome: &outcome, millis: 1 };
        text.push_str(&screen.take(&ended, Duration::ZERO));
    }
    let outcome = CallOutcome::empty("p", CallStatus::Ok);
    let ended = RunEvent::CallFinished { tool: "code_execution", outcome: &outcome, millis: 1 };
    text.push_str(&screen.take(&ended, Duration::ZERO));
    let text = bare(&text);
    assert!(text.starts_with("     1 (define a 1)\n     2 (fs_read \"a\")\n    ✓ fs_read a\n"), "{text}");
    assert_eq!(text.matches("✓ fs_read").count(), 12, "{text}");
    assert!(text.ends_with("    … 3 more calls\n  ✓ code_execution 2 lines\n"), "{text}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "the whole of one run, in order")]
fn a_run_is_shown_from_its_task_to_what_to_look_at_next() {
    let (look, check) = (json(r#"{"path":"."}"#), json(r#"{"command":"sh check.sh","workdir":"."}"#));
    let listed = said("c1", "README.md\t20\ncheck.sh\t300\n");
    let failed = CallOutcome { exit_code: Some(1), ..said("c2", "FAIL: the totals differ\n") };
    let asked = CallOutcome {
        intent: Some(IntentRow {
            action: "issue.update".to_owned(),
            args_digest: "sha256:bb".to_owned(),
            targets: Vec::new(),
            target_status: None,
        }),
        ..said("c3", "")
    };
    let close = json(r#"{"id":"bd-1","status":"closed"}"#);
    let (one, two) = (closed("run-1.t1"), closed("run-1.t2"));
    let applied = closed_issue();
    let models = ["anthropic:claude".to_owned(), "local:qwen".to_owned()];
    let report = report(RunOutcome::Completed);
    let shown = piped(&[
        RunEvent::Started {
            run_id: "run-1",
            task: "Mend the totals",
            issue_id: Some("bd-1"),
            models: &models,
            pattern: "single",
            is_resumed: false,
            depth: 0,
            reads_history: false,
            denied: &[],
            blocked: &[],
            workdir: std::path::Path::new("/work/project"),
        },
        RunEvent::TurnStarted { call_id: "run-1.t1", turn: 1, harness: None },
        RunEvent::Model(&ModelEvent::ReasoningDelta { index: 0, text: "Both at once.".to_owned() }),
        RunEvent::Model(&ModelEvent::TextDelta { index: 1, text: "I look ".to_owned() }),
        RunEvent::Model(&ModelEvent::TextDelta { index: 1, text: "around.".to_owned() }),
        RunEvent::Answered {
            call_id: "run-1.t1",
            model: "anthropic:claude",
            usage: USAGE,
            cost_micros: Some(2_100),
            stop: "tool_use".to_owned(),
        },
        starts("c1", "fs_list", &look, None),
        starts("c2", "shell", &check, None),
        RunEvent::CallFinished { tool: "shell", outcome: &failed, millis: 1_480 },
        RunEvent::CallFinished { tool: "fs_list", outcome: &listed, millis: 1 },
        RunEvent::Closed(&one),
        RunEvent::TurnStarted { call_id: "run-1.t2", turn: 2, harness: None },
        RunEvent::Model(&text("I close it.")),
        starts("c3", "issue_update", &close, None),
        RunEvent::CallFinished { tool: "issue_update", outcome: &asked, millis: 2 },
        RunEvent::Closed(&two),
        RunEvent::Applied(&applied),
        RunEvent::TurnStarted { call_id: "run-1.t3", turn: 3, harness: None },
        RunEvent::Model(&text("Done.")),
        RunEvent::Stopped(&report),
    ]);
    insta::assert_snapshot!(shown, @r"
    run run-1 in /work/project
      task    Mend the totals
      issue   bd-1
      model   anthropic:claude, then local:qwen

    turn 1
    Both at once.
    I look around.

      ✗ shell sh check.sh  exit 1 · 1.4 s
          FAIL: the totals differ
      ✓ fs_list .
          README.md    20
          check.sh    300
      ✓ CallSpec → ✓ ToolRequests → ✓ ToolResults → ✓ ToolUse → ✓ JoinClosed  1,234 tokens · $0.0021

    turn 2
    I close it.

      ✓ issue_update bd-1 closed  waits for the turn to close
      ✓ CallSpec → ✓ ToolRequests → ✓ ToolResults → ✓ ToolUse → ✓ JoinClosed
        → ✓ MutationReady issue.update: bd-1 is closed

    turn 3
    Done.

    ✓ completed
      3 turns (1 refused) · 4 calls · 12,345 tokens · $0.0123 · 1 min 03 s · 1 change
      premath runs show run-1  every turn of it
      premath replay run-1     the same again, without a model, row for row
      premath verify           is everything on the disk as it was written?
    ");
}

#[test]
fn a_refused_turn_says_which_stage_broke_why_and_what_to_do() {
    let reason =
        |class: &str, subject: &str, detail: &str| (class.to_owned(), subject.to_owned(), detail.to_owned());
    let verdict = Verdict {
        is_closed: false,
        reasons: vec![
            reason("tool.result_orphan", "call-2", "nobody requested the call that this result answers"),
            reason("tool.join_incomplete", "call-2", "nobody requested the call that this result answers"),
        ],
        ..closed("run-1.t1")
    };
    insta::assert_snapshot!(piped(&[RunEvent::Closed(&verdict)]), @r"
    ✓ CallSpec → ✓ ToolRequests → ✗ ToolResults → ✓ ToolUse → ✗ JoinClosed
        refused: nothing that this turn asked for was changed
        tool.result_orphan call-2: nobody requested the call that this result answers
          hint: Find where the extra result came from, and give it to the turn that requested it.
        tool.join_incomplete call-2: nobody requested the call that this result answers
          hint: Fix the other `tool.*` reasons first; if there are none, find out why a result came twice.
    ");
}

#[test]
fn a_change_that_the_gate_refuses_is_told_with_its_class() {
    let applied = AppliedIntent {
        tool_call_id: "c3".to_owned(),
        action: "issue.update".to_owned(),
        intent_digest: "sha256:cc".to_owned(),
        outcome: IntentOutcome::Refused {
            class: "mutation.capability_claim_missing".to_owned(),
            detail: "nobody claimed issue_update".to_owned(),
        },
    };
    insta::assert_snapshot!(piped(&[RunEvent::Applied(&applied)]), @r"
    → ✗ MutationReady issue.update: mutation.capability_claim_missing: nobody claimed issue_update
        hint: Grant the action in the mutation policy and claim it, or leave the change to one who may make it.
    ");
}

#[test]
fn a_patch_is_shown_as_a_diff_in_colours() {
    let diff = "--- a/totals.sh\n+++ b/totals.sh\n@@ -6,3 +6,3 @@\n     awk -F ,\n-    NR > 2\n+    NR > 1\n     END\n";
    let arguments =
        r#"{"patch":"*** Begin Patch\n*** Update File: totals.sh\n*** Add File: b.txt\n*** End Patch"}"#;
    let outcome = CallOutcome {
        artifacts: vec![ToolArtifact::touched("totals.sh".to_owned(), None, Access::Write)],
        ..said("c1", "changed totals.sh\n")
    };
    insta::assert_snapshot!(one_call("apply_patch", arguments, &outcome, Some(diff)), @r"
    ✓ apply_patch totals.sh, b.txt
        --- a/totals.sh
        +++ b/totals.sh
        @@ -6,3 +6,3 @@
             awk -F ,
        -    NR > 2
        +    NR > 1
             END
    ");
    let mut screen = RunScreen::new(None);
    let arguments = json(arguments);
    let (tool_call_id, tool) = ("c1", "apply_patch");
    let begun = starts(tool_call_id, tool, &arguments, Some(diff));
    assert_eq!(screen.take(&begun, Duration::ZERO), "", "a card is shown when its call has ended");
    let card = screen.take(&RunEvent::CallFinished { tool, outcome: &outcome, millis: 7 }, Duration::ZERO);
    assert!(card.contains("\u{1b}[32m+    NR > 1\u{1b}[0m"), "{card:?}");
    assert!(card.contains("\u{1b}[31m-    NR > 2\u{1b}[0m"), "{card:?}");
}

#[test]
fn a_long_diff_is_cut_and_counted() {
    let diff: String = (0..100).map(|number| format!("+line {number}\n")).collect();
    let shown = one_call("apply_patch", r#"{"patch":""}"#, &said("c1", ""), Some(&diff));
    assert_eq!(shown.lines().count(), 1 + 40 + 1);
    assert_eq!(shown.lines().last(), Some("      … 60 more lines"));
}

#[test]
fn a_patch_that_fits_nowhere_shows_what_is_there_instead() {
    let failure = Failure {
        error_code: "patch.context_stale".to_owned(),
        retryable: false,
        message: "hunk 1 of `totals.sh` fits nowhere".to_owned(),
        pointers: Vec::new(),
        closest_matches: vec!["5: for invoice in \"$@\"; do\n6:     awk -F , \\".to_owned()],
    };
    let outcome = CallOutcome::empty("c1", CallStatus::Failed(failure));
    let arguments = r#"{"patch":"*** Begin Patch\n*** Update File: totals.sh\n*** End Patch"}"#;
    insta::assert_snapshot!(one_call("apply_patch", arguments, &outcome, None), @r#"
    ✗ apply_patch totals.sh  patch.context_stale
        hunk 1 of `totals.sh` fits nowhere
        closest:
        5: for invoice in "$@"; do
        6:     awk -F , \
    "#);
}

#[test]
fn ten_thousand_lines_become_twelve() {
    let output: String = (1..=10_000).map(|number| format!("line {number}\n")).collect();
    let outcome = CallOutcome { exit_code: Some(0), ..said("c1", &output) };
    insta::assert_snapshot!(one_call("shell", r#"{"command":"seq 10000","workdir":"src"}"#, &outcome, None), @r"
    ✓ shell seq 10000  (in src)
        line 1
        line 2
        line 3
        line 4
        line 5
        line 6
        line 7
        line 8
        line 9
        … 9,988 more lines
        line 9998
        line 9999
        line 10000
    ");
    let stored = Payload::Stored {
        reference: "sha256:0123".to_owned(),
        bytes: 5_000_000,
        head: (1..=50).map(|number| format!("first {number}\n")).collect(),
        tail: "last but one\nlast\n".to_owned(),
    };
    let outcome = CallOutcome { payload: stored, ..said("c1", "") };
    insta::assert_snapshot!(one_call("fs_read", r#"{"path":"huge.log","offset":-5}"#, &outcome, None), @r"
    ✓ fs_read huge.log -5
        first 1
        first 2
        first 3
        first 4
        … 5.0 MB in all: sha256:0123
        last
    ");
}

#[test]
fn nothing_that_others_say_acts_on_the_terminal() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\r\u{202e}gnp.exe\u{200b}";
    let arguments = json(&serde_json::json!({ "command": evil, "workdir": evil }).to_string());
    let outcome = CallOutcome { exit_code: Some(1), ..said("c1", &format!("{evil}\n{evil}")) };
    let failure = CallOutcome::failed("c2", evil, true, evil);
    let verdict = Verdict {
        call_id: evil.to_owned(),
        is_closed: false,
        reasons: vec![(evil.to_owned(), evil.to_owned(), evil.to_owned())],
        ..closed("x")
    };
    let applied = AppliedIntent {
        tool_call_id: evil.to_owned(),
        action: evil.to_owned(),
        intent_digest: evil.to_owned(),
        outcome: IntentOutcome::Refused { class: evil.to_owned(), detail: evil.to_owned() },
    };
    let models = [evil.to_owned()];
    let failed = RunOutcome::FailedClosed { classes: vec![evil.to_owned()], detail: evil.to_owned() };
    let report = RunReport { run_id: evil.to_owned(), ..report(failed.clone()) };
    let inner = RunEvent::Asked { question: evil, calls: &[] };
    let events = [
        RunEvent::Started {
            run_id: evil,
            task: evil,
            issue_id: Some(evil),
            models: &models,
            pattern: "chain",
            is_resumed: true,
            depth: 0,
            reads_history: false,
            denied: &[],
            blocked: &[],
            workdir: std::path::Path::new("/work/project"),
        },
        RunEvent::TurnStarted { call_id: evil, turn: 1, harness: None },
        RunEvent::Model(&ModelEvent::TextDelta { index: 0, text: evil.to_owned() }),
        RunEvent::Model(&ModelEvent::ReasoningDelta { index: 1, text: evil.to_owned() }),
        RunEvent::Model(&ModelEvent::PartDone { index: 2, part: AssistantPart::Refusal(evil.to_owned()) }),
        RunEvent::Answered {
            call_id: evil,
            model: evil,
            usage: USAGE,
            cost_micros: None,
            stop: evil.to_owned(),
        },
        starts("c1", "shell", &arguments, None),
        RunEvent::CallFinished { tool: "shell", outcome: &outcome, millis: 1 },
        starts("c2", evil, &arguments, Some(evil)),
        RunEvent::CallFinished { tool: evil, outcome: &failure, millis: 1 },
        starts("c3", evil, &arguments, Some(evil)),
        RunEvent::Closed(&verdict),
        RunEvent::Applied(&applied),
        RunEvent::WorkerStarted { run_id: evil, issue_id: evil, title: evil },
        RunEvent::Worker { issue_id: evil, event: &inner },
        RunEvent::WorkerFinished { run_id: evil, issue_id: evil, outcome: &failed },
        RunEvent::HandedOff { run_id: evil },
        RunEvent::Stopped(&report),
    ];
    for width in [None, Some(80)] {
        let mut screen = RunScreen::new(width);
        for event in &events {
            let shown = screen.take(event, Duration::from_secs(1));
            // Colours are ours; without them, only line breaks and the way back to the start of our own line are left.
            let acting = bare(&shown).chars().find(|each| each.is_control() && !matches!(each, '\n' | '\r'));
            assert_eq!(acting, None, "{event:?}\n{shown:?}");
            assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{200b}', '\u{7}']), "{shown:?}");
            for escape in shown.split('\u{1b}').skip(1) {
                let colour: String = escape.chars().take_while(|each| !each.is_ascii_alphabetic()).collect();
                assert!(escape.get(colour.len()..).is_some_and(|rest| rest.starts_with('m')), "{shown:?}");
            }
            if width.is_none() {
                assert!(!shown.contains('\r'), "{shown:?}");
            }
        }
    }
}

#[test]
fn workers_speak_in_whole_lines_behind_the_id_of_their_issue() {
    let arguments = json(r#"{"path":"docs/a.md"}"#);
    let read = said("c1", "A\n");
    let verdict = closed("run-2.t1");
    let (hello, rest) = (text("I read\nthe do"), text("cs."));
    let (other, limit) = (text("I test."), RunOutcome::Stopped(StopCause::Limit("turns".to_owned())));
    let begun = RunEvent::TurnStarted { call_id: "run-2.t1", turn: 1, harness: None };
    let (one, two, three) = (RunEvent::Model(&hello), RunEvent::Model(&other), RunEvent::Model(&rest));
    let call = starts("c1", "fs_read", &arguments, None);
    let ended = RunEvent::CallFinished { tool: "fs_read", outcome: &read, millis: 1 };
    let judged = RunEvent::Closed(&verdict);
    let deeper = RunEvent::Worker { issue_id: "bd-9", event: &judged };
    let shown = piped(&[
        RunEvent::TurnStarted { call_id: "run-1.t1", turn: 1, harness: None },
        RunEvent::WorkerStarted { run_id: "run-2", issue_id: "bd-2", title: "The docs" },
        RunEvent::WorkerStarted { run_id: "run-3", issue_id: "bd-3", title: "The tests" },
        RunEvent::Worker { issue_id: "bd-2", event: &begun },
        RunEvent::Worker { issue_id: "bd-2", event: &one },
        RunEvent::Worker { issue_id: "bd-3", event: &two },
        RunEvent::Worker { issue_id: "bd-2", event: &three },
        RunEvent::Worker { issue_id: "bd-2", event: &call },
        RunEvent::Worker { issue_id: "bd-2", event: &ended },
        RunEvent::Worker { issue_id: "bd-2", event: &deeper },
        RunEvent::WorkerFinished { run_id: "run-2", issue_id: "bd-2", outcome: &RunOutcome::Completed },
        RunEvent::WorkerFinished { run_id: "run-3", issue_id: "bd-3", outcome: &limit },
    ]);
    insta::assert_snapshot!(shown, @r"

    turn 1
      + worker bd-2 The docs
      + worker bd-3 The tests
    bd-2 │ turn 1
    bd-2 │ I read
    bd-2 │ the docs.
    bd-2 │
    bd-2 │   ✓ fs_read docs/a.md
    bd-2 │       A
    bd-2 bd-9 │   ✓ CallSpec → ✓ ToolRequests → ✓ ToolResults → ✓ ToolUse → ✓ JoinClosed
      ✓ worker bd-2 completed
    bd-3 │ I test.
      ■ worker bd-3 stopped at a limit: turns
    ");
}

#[test]
fn a_question_to_a_person_and_the_answer_are_shown() {
    let shown = piped(&[
        RunEvent::Asked { question: "`shell rm -r build` was asked for three times. Go on?", calls: &[] },
        RunEvent::Decided { decision: Decision::Stop },
        RunEvent::Asked { question: "10 turns are over. Go on?", calls: &[] },
        RunEvent::Decided { decision: Decision::NoAnswer },
        RunEvent::Compacted { dropped_turns: 12 },
    ]);
    insta::assert_snapshot!(shown, @r"
    ? `shell rm -r build` was asked for three times. Go on?
    a person stops it
    ? 10 turns are over. Go on?
    nobody is here to answer: the run waits
    context compacted: 12 turns as a summary from here on
    ");
}

#[test]
fn a_call_that_never_ended_is_not_passed_over() {
    let arguments = json(r#"{"command":"sleep 100","workdir":"."}"#);
    let report = report(RunOutcome::Stopped(StopCause::Interrupted));
    let shown = piped(&[starts("c1", "shell", &arguments, None), RunEvent::Stopped(&report)]);
    insta::assert_snapshot!(shown, @r"
      ? shell sleep 100  did not finish

    ■ interrupted
      3 turns (1 refused) · 4 calls · 12,345 tokens · $0.0123 · 1 min 03 s · 1 change
      premath resume run-1     goes on from here
      premath runs show run-1  every turn of it
      premath replay run-1     the same again, without a model, row for row
      premath verify           is everything on the disk as it was written?
    ");
}

#[test]
fn the_status_line_is_only_on_a_terminal_and_goes_before_anything_else() {
    let arguments = json(r#"{"command":"cargo test","workdir":"."}"#);
    let outcome = said("c1", "ok\n");
    let begun = RunEvent::TurnStarted { call_id: "t", turn: 2, harness: None };
    let call = starts("c1", "shell", &arguments, None);
    let ended = RunEvent::CallFinished { tool: "shell", outcome: &outcome, millis: 1 };
    let mut screen = RunScreen::new(Some(60));
    let first = bare(&screen.take(&begun, Duration::ZERO));
    assert_eq!(first, "\nturn 2\nturn 2 · 0 tokens · 0 s · the model thinks");
    let second = bare(&screen.take(&call, Duration::from_secs(2)));
    let blank = " ".repeat("turn 2 · 0 tokens · 0 s · the model thinks".chars().count());
    assert_eq!(second, format!("\r{blank}\rturn 2 · 0 tokens · 2 s · shell cargo test"));
    assert_eq!(screen.tick(Duration::from_millis(2_900)), "", "nothing has changed");
    let third = bare(&screen.tick(Duration::from_secs(65)));
    assert!(third.ends_with("\rturn 2 · 0 tokens · 1 min 05 s · shell cargo test"), "{third:?}");
    let fourth = bare(&screen.take(&ended, Duration::from_secs(65)));
    assert!(fourth.contains("\r  ✓ shell cargo test\n      ok\nturn 2"), "{fourth:?}");
    let said = bare(&screen.take(&RunEvent::Model(&text("Hel")), Duration::from_secs(66)));
    assert!(said.ends_with("\rHel"), "no status line in the middle of a line: {said:?}");
    assert_eq!(bare(&screen.take(&RunEvent::Model(&text("lo")), Duration::from_secs(67))), "lo");
    let report = report(RunOutcome::Completed);
    let last = bare(&screen.take(&RunEvent::Stopped(&report), Duration::from_secs(68)));
    assert!(last.starts_with("\n\n✓ completed") && last.ends_with("as it was written?\n"), "{last:?}");
    assert_eq!(screen.tick(Duration::from_secs(70)), "");
    assert_eq!(screen.cleared(), "");

    let mut pipe = RunScreen::new(None);
    assert_eq!(bare(&pipe.take(&begun, Duration::ZERO)), "\nturn 2\n");
    assert_eq!(pipe.take(&call, Duration::ZERO) + &pipe.tick(Duration::from_secs(9)), "");
}

#[test]
fn a_status_line_never_wraps() {
    let arguments = json(r#"{"command":"a very long command that goes on and on and on","workdir":"."}"#);
    let mut screen = RunScreen::new(Some(42));
    let call = starts("c1", "shell", &arguments, None);
    let line = bare(&screen.take(&call, Duration::ZERO));
    assert_eq!(line.chars().count(), 41, "{line:?}");
    assert!(line.ends_with('…'));
}

/// A row as a line, and what is read back from it.
fn line(rows: &mut EventRows, event: &RunEvent<'_>) -> String {
    let row = rows.row(event).unwrap();
    let line = serde_json::to_string(&row).unwrap();
    assert_eq!(serde_json::from_str::<RunEventRow>(&line).unwrap(), row, "{line}");
    line
}

#[test]
fn a_program_reads_one_row_per_event() {
    let mut rows = EventRows::default();
    let arguments = json(r#"{"command":"sh check.sh","workdir":"."}"#);
    let outcome = CallOutcome {
        exit_code: Some(1),
        note: "exit code 1".to_owned(),
        artifacts: vec![ToolArtifact::touched("a".to_owned(), None, Access::Read)],
        ..said("c1", "FAIL\n")
    };
    let failure = CallOutcome::failed("c2", "file.missing", false, "there is no `b`");
    let (verdict, report) = (closed("t1"), report(RunOutcome::Completed));
    let inner = RunEvent::TurnStarted { call_id: "t2", turn: 1, harness: None };
    let deeper = RunEvent::Worker { issue_id: "bd-3", event: &inner };
    let call = starts("c1", "shell", &arguments, None);
    let lines = [
        line(&mut rows, &RunEvent::TurnStarted { call_id: "t1", turn: 1, harness: None }),
        line(&mut rows, &RunEvent::Model(&text("Hi\u{1b}"))),
        line(&mut rows, &call),
        line(&mut rows, &RunEvent::CallFinished { tool: "shell", outcome: &outcome, millis: 7 }),
        line(&mut rows, &RunEvent::CallFinished { tool: "fs_read", outcome: &failure, millis: 1 }),
        line(&mut rows, &RunEvent::Closed(&verdict)),
        line(&mut rows, &RunEvent::Worker { issue_id: "bd-2", event: &deeper }),
        line(&mut rows, &RunEvent::Stopped(&report)),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"event":"turn.started","callId":"t1","turn":1}
    {"event":"model.text","kind":"text","text":"Hi\u001b"}
    {"event":"call.started","toolCallId":"c1","tool":"shell","arguments":{"command":"sh check.sh","workdir":"."}}
    {"event":"call.finished","toolCallId":"c1","tool":"shell","status":"ok","exitCode":1,"content":"FAIL\n","bytes":5,"note":"exit code 1","artifacts":[{"path":"a","access":"read"}],"millis":7}
    {"event":"call.finished","toolCallId":"c2","tool":"fs_read","status":"error","errorCode":"file.missing","retryable":false,"message":"there is no `b`","content":"","bytes":0,"millis":1}
    {"event":"turn.closed","callId":"t1","closed":true,"reasons":[],"turnDigest":"sha256:aa","witnessId":"w1_aa"}
    {"workers":["bd-2","bd-3"],"event":"turn.started","callId":"t2","turn":1}
    {"event":"run.stopped","runId":"run-1","outcome":"completed"}
    "#);
}

#[test]
fn a_part_that_was_not_streamed_is_told_once_and_one_that_was_is_not_told_again() {
    let done = ModelEvent::PartDone { index: 0, part: AssistantPart::Text("Hello".to_owned()) };
    let mut rows = EventRows::default();
    let turn = RunEvent::TurnStarted { call_id: "t", turn: 1, harness: None };
    rows.row(&turn).unwrap();
    assert!(rows.row(&RunEvent::Model(&done)).is_some());
    assert!(rows.row(&RunEvent::Model(&done)).is_none());
    rows.row(&turn).unwrap();
    assert!(rows.row(&RunEvent::Model(&text("Hel"))).is_some());
    assert!(rows.row(&RunEvent::Model(&done)).is_none());
    assert_eq!(piped(&[turn, RunEvent::Model(&done), RunEvent::Model(&done)]), "\nturn 1\nHello");
    // Once it has answered, its line is over: what runs meanwhile can be shown below it.
    let model = "a:b";
    let answered = RunEvent::Answered {
        call_id: "t",
        model,
        usage: USAGE,
        cost_micros: None,
        stop: "tool_use".to_owned(),
    };
    assert_eq!(piped(&[RunEvent::Model(&done), answered]), "Hello\n");
}

#[test]
fn every_ending_has_its_exit_code_and_its_way_on() {
    let model = StopCause::Model { kind: "timeout".to_owned(), message: "no answer".to_owned() };
    let table = [
        (RunOutcome::Completed, RunEnding::Completed, Exit::Accepted, "premath runs show run-1"),
        (
            RunOutcome::HandedOff { run_id: "run-2".to_owned() },
            RunEnding::HandedOff,
            Exit::Accepted,
            "premath runs show run-2",
        ),
        (
            RunOutcome::FailedClosed { classes: vec!["tool.use_missing".to_owned()], detail: String::new() },
            RunEnding::FailedClosed,
            Exit::Rejected,
            "premath explain tool.use_missing",
        ),
        (
            RunOutcome::Stopped(StopCause::Limit("turns".to_owned())),
            RunEnding::Limit,
            Exit::Rejected,
            "premath resume run-1",
        ),
        (
            RunOutcome::Stopped(StopCause::NeedsPerson("a checkpoint".to_owned())),
            RunEnding::NeedsPerson,
            Exit::Busy,
            "premath resume run-1",
        ),
        (
            RunOutcome::Stopped(StopCause::Interrupted),
            RunEnding::Interrupted,
            Exit::Interrupted,
            "premath resume run-1",
        ),
        (
            RunOutcome::Stopped(StopCause::Declined),
            RunEnding::Declined,
            Exit::Rejected,
            "premath resume run-1",
        ),
        (RunOutcome::Stopped(model), RunEnding::ModelFailed, Exit::Rejected, "premath resume run-1"),
    ];
    for (outcome, expected, code, first) in table {
        let (token, is_resumable) = (outcome.token(), outcome.is_resumable());
        assert_eq!((premath_host::ending(&outcome), exit(expected)), (expected, code), "{token}");
        assert_eq!((expected.token(), serde_json::to_value(expected).unwrap()), (token, token.into()));
        let commands = next(&report(outcome));
        assert_eq!(commands.first().map(|(command, _)| command.as_str()), Some(first), "{token}");
        assert_eq!(commands.iter().any(|(command, _)| command.starts_with("premath resume")), is_resumable);
    }
}

fn now() -> Moment {
    premath_wire::time::parse_time("2026-11-15T07:15:52Z").unwrap()
}
