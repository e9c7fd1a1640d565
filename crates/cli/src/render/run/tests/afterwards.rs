//! Runs as they are looked at afterwards.

use premath_wire::v1::{
    CallRow, CallTruncation, IntentResult, IntentState, MessageRow, ReasonRow, ReplayAnswer,
    ReplayDifference, RunCard, RunEnding, RunListing, RunRow, TurnCard, TurnDigests, TurnRow, TurnVerdict,
    WorkerRow,
};

use super::super::{Extent, card, listing, replayed, turn_card};
use super::{bare, now};

fn run(run_id: &str, outcome: Option<RunEnding>) -> RunRow {
    RunRow {
        run_id: run_id.to_owned(),
        task: "Mend the totals\nand more".to_owned(),
        issue_id: Some("bd-1".to_owned()),
        started_at: "2026-11-15T07:12:52Z".to_owned(),
        stopped_at: outcome.map(|_| "2026-11-15T07:13:52Z".to_owned()),
        outcome,
        turns: 2,
        model: Some("anthropic:claude".to_owned()),
        ..RunRow::default()
    }
}

fn turn(turn: u64, verdict: TurnVerdict, tools: &[&str]) -> TurnRow {
    TurnRow {
        call_id: format!("run-1.t{turn}"),
        turn,
        model: "anthropic:claude".to_owned(),
        stop: "tool_use".to_owned(),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        verdict,
        failure_classes: match verdict {
            TurnVerdict::Refused => vec!["tool.use_missing".to_owned()],
            TurnVerdict::Closed | TurnVerdict::Open => Vec::new(),
        },
        turn_digest: "sha256:aa".to_owned(),
        witness_id: "w1_aa".to_owned(),
        tokens: 1_234,
        cost_micro_usd: Some(2_100),
        files: Vec::new(),
    }
}

fn intent() -> IntentResult {
    IntentResult {
        tool_call_id: "c3".to_owned(),
        action: "issue.update".to_owned(),
        intent_digest: "sha256:cc".to_owned(),
        result: IntentState::Applied,
        issue_id: Some("bd-1".to_owned()),
        subject_id: None,
        status: Some("closed".to_owned()),
        class: None,
        detail: None,
    }
}

#[test]
fn runs_are_listed_with_how_they_ended() {
    let items = vec![
        run("run-2", None),
        run("run-1", Some(RunEnding::Completed)),
        run("run-0", Some(RunEnding::Limit)),
    ];
    let answer = RunListing { action: "run.list".to_owned(), count: 3, items, next_cursor: None };
    insta::assert_snapshot!(bare(&listing(&answer, now(), Some(80))), @r"
    RUN    STARTED    ENDED                 TURNS  ISSUE  TASK
    run-2  3 min ago  … no end              2      bd-1   Mend the totals …
    run-1  3 min ago  ✓ completed           2      bd-1   Mend the totals …
    run-0  3 min ago  ■ stopped at a limit  2      bd-1   Mend the totals …
    ");
    let none = RunListing { action: "run.list".to_owned(), count: 0, items: Vec::new(), next_cursor: None };
    assert!(bare(&listing(&none, now(), None)).starts_with("no runs yet\nhint: "));
}

#[test]
fn a_run_is_shown_with_its_turns_workers_and_changes() {
    let answer = RunCard {
        action: "run.show".to_owned(),
        run: run("run-1", Some(RunEnding::Limit)),
        pattern: "single".to_owned(),
        detail: Some("turns".to_owned()),
        resumable: true,
        filtered: None,
        journal: ".premath/runs/run-1/journal.jsonl".to_owned(),
        turns: vec![
            turn(1, TurnVerdict::Closed, &["fs_list", "fs_read"]),
            turn(2, TurnVerdict::Refused, &["shell"]),
            turn(3, TurnVerdict::Open, &[]),
        ],
        workers: vec![WorkerRow {
            run_id: "run-1-w1".to_owned(),
            issue_id: "bd-2".to_owned(),
            title: "The docs".to_owned(),
            outcome: Some(RunEnding::Completed),
        }],
        applied: vec![intent()],
    };
    insta::assert_snapshot!(bare(&card(&answer, now(), Some(90))), @r"
    run run-1
      ■ stopped at a limit: turns
      task    Mend the totals …
      issue   bd-1
      model   anthropic:claude
      pattern single
      started 3 min ago
      stopped 2 min ago
      journal .premath/runs/run-1/journal.jsonl
    hint: `premath resume run-1` goes on

    TURN  CALL ID   VERDICT             TOKENS  COST     TOOLS
    1     run-1.t1  ✓ closed            1,234   $0.0021  fs_list, fs_read
    2     run-1.t2  ✗ tool.use_missing  1,234   $0.0021  shell
    3     run-1.t3  … open              1,234   $0.0021  tool_use

    Workers
      bd-2 The docs (run-1-w1, completed)

    Changes
      ✓ issue.update: bd-1 is closed

    hint: `premath turn show run-1.t3` shows all of a turn
    ");
}

fn refused_turn() -> TurnCard {
    let message = |role: &str, text: &str| MessageRow {
        role: role.to_owned(),
        tool_call_id: (role == "tool").then(|| "c0".to_owned()),
        text: text.to_owned(),
    };
    TurnCard {
        action: "turn.show".to_owned(),
        call_id: "run-1.t2".to_owned(),
        run_id: "run-1".to_owned(),
        turn: 2,
        model: "anthropic:claude".to_owned(),
        stop: "tool_use".to_owned(),
        saw: vec![message("tool", &"a line\n".repeat(30)), message("user", "go on \u{1b}[2J")],
        answered: vec![message("assistant", "I run the check.")],
        calls: vec![CallRow {
            tool_call_id: "c1".to_owned(),
            tool: "shell".to_owned(),
            arguments: serde_json::from_str(r#"{"command":"sh check.sh","workdir":"."}"#).unwrap(),
            status: "ok".to_owned(),
            error_code: None,
            exit_code: Some(1),
            rendered: "exit code 1".to_owned(),
            truncation: Some(CallTruncation {
                original_bytes: 5_000_000,
                kept_bytes: 16_000,
                reference: Some("sha256:0123".to_owned()),
            }),
            artifacts: Vec::new(),
            observed: None,
            program: None,
            filtered: None,
        }],
        digests: Some(TurnDigests {
            call_spec_digest: "sha256:01".to_owned(),
            request_set_digest: "sha256:02".to_owned(),
            result_set_digest: "sha256:03".to_owned(),
            use_set_digest: "sha256:04".to_owned(),
            tool_render_set_digest: "sha256:07".to_owned(),
            reminder_queue_set_digest: "sha256:08".to_owned(),
            state_view_set_digest: "sha256:09".to_owned(),
            protocol_state_digest: "sha256:0a".to_owned(),
            join_set_digest: "sha256:05".to_owned(),
            turn_digest: "sha256:06".to_owned(),
        }),
        verdict: TurnVerdict::Refused,
        reasons: vec![ReasonRow {
            class: "tool.use_missing".to_owned(),
            subject: "c1".to_owned(),
            detail: "nobody said what became of it".to_owned(),
        }],
        witness_id: Some("w1_aa".to_owned()),
        applied: vec![intent()],
        sent: None,
        evidence: None,
        intents: Vec::new(),
        witness_ids: Vec::new(),
    }
}

#[test]
fn a_turn_is_shown_with_what_the_model_saw() {
    let answer = refused_turn();
    insta::assert_snapshot!(bare(&turn_card(&answer, Extent::Beginning)), @r#"
    turn run-1.t2 (2 of run-1, anthropic:claude, tool_use): ✗ refused
      tool.use_missing c1: nobody said what became of it

    What the model saw
      tool c0
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        a line
        … 10 more lines; --full shows them
      user
        go on \u{1b}[2J

    What it answered
      assistant
        I run the check.

    Calls
      shell c1 exit 1
        {
          "command": "sh check.sh",
          "workdir": "."
        }
        the model was shown 16 kB of 5.0 MB: sha256:0123

    Changes
      ✓ issue.update: bd-1 is closed

    Digests
      call spec sha256:01
      requests  sha256:02
      results   sha256:03
      uses      sha256:04
      join      sha256:05
      turn      sha256:06
      witness   w1_aa
    "#);
    let whole = bare(&turn_card(&answer, Extent::Whole));
    assert_eq!(whole.matches("a line").count(), 30);
}

#[test]
fn a_replay_says_whether_it_came_out_the_same_and_where_not() {
    let mut answer = ReplayAnswer {
        action: "run.replay".to_owned(),
        run_id: "run-1".to_owned(),
        rows: 1_040,
        turns: 9,
        identical: true,
        first_difference: None,
        head: "sha256:0123".to_owned(),
    };
    insta::assert_snapshot!(bare(&replayed(&answer)), @r"
    ✓ identical run-1: 1,040 rows in 9 turns, no model asked, nothing changed
      head sha256:0123
    ");
    answer.identical = false;
    answer.first_difference = Some(ReplayDifference {
        seq: 17,
        kind: "turn.closed".to_owned(),
        detail: "turnDigest is sha256:99".to_owned(),
    });
    insta::assert_snapshot!(bare(&replayed(&answer)), @r"
    ✗ different run-1: row 17 (turn.closed): turnDigest is sha256:99
      1,040 rows in 9 turns compared
    hint: `premath verify` says whether the journal itself was changed
    ");
}
