//! Facts about the disposition of each result.

use premath_kernel::{ActionName, Count, Shell, Token, VerifiedAction};

use super::*;
use crate::JsonText;
use crate::evidence::{CallOutcome, CallStatus};
use crate::model::ToolCall;
use crate::tools::FileBase;
use crate::turn_loop::step::{PlannedCall, ProgramCaller};

/// One call of a turn, with what came of it.
struct Case {
    call: PlannedCall,
    outcome: CallOutcome,
    digest: Digest,
    shell: Option<Shell>,
}

fn digest(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

fn case(id: &str, tool: &str, kind: ToolKind, arguments: &str) -> Case {
    let call = ToolCall::new(id, tool, JsonText::new(arguments).unwrap());
    let call = PlannedCall {
        call,
        kind,
        is_idempotent: true,
        arguments: None,
        shell: None,
        refusal: None,
        judged: None,
        approval: None,
        caller: None,
        schema_errors: Vec::new(),
        search: None,
    };
    Case { call, outcome: CallOutcome::empty(id, CallStatus::Ok), digest: digest(id), shell: None }
}

impl Case {
    fn reads(mut self, path: &str, content: &str) -> Self {
        self.outcome.artifacts.push(artifact(path, content, Access::Read));
        self
    }

    fn patches(mut self, path: &str, before: &str, after: &str) -> Self {
        self.outcome.bases.push(FileBase { path: path.to_owned(), digest: digest(before) });
        self.outcome.artifacts.push(artifact(path, after, Access::Write));
        self
    }

    fn inside(mut self, parent: &str, group: &str) -> Self {
        self.call.caller = Some(ProgramCaller { parent: parent.to_owned(), group: group.to_owned() });
        self
    }

    fn failing(mut self, code: &str, is_held: bool) -> Self {
        self.outcome = CallOutcome::failed(&self.call.call.id, code, true, "no");
        self.call.refusal = is_held.then(|| self.outcome.clone());
        self
    }

    fn passing(mut self, script: &str) -> Self {
        self.shell = Some(Shell {
            workdir: Text::new("."),
            sandbox_profile: Text::new("workspace-write"),
            command_digest: Some(digest("command")),
            script_digest: Some(digest(script)),
            exit_code: Count::new(0),
            observed: None,
        });
        self
    }
}

fn artifact(path: &str, content: &str, access: Access) -> ToolArtifact {
    ToolArtifact::touched(path.to_owned(), Some(digest(content)), access)
}

fn read(id: &str, path: &str, content: &str) -> Case {
    case(id, "fs_read", ToolKind::Read, &format!("{{\"path\":\"{path}\"}}")).reads(path, content)
}

fn patch(id: &str, path: &str, before: &str, after: &str) -> Case {
    case(id, "apply_patch", ToolKind::Effect, &format!("{{\"patch\":\"{id}\"}}")).patches(path, before, after)
}

fn rule() -> VerificationRule {
    VerificationRule {
        actions: vec![VerifiedAction {
            action: ActionName::new("issue.update").unwrap(),
            target_status: Token::new("closed"),
        }],
        commands: Text::new("sh check.sh").into_iter().collect(),
        ..VerificationRule::default()
    }
}

fn closing() -> Intent {
    Intent {
        action: ActionName::new("issue.update").unwrap(),
        args_digest: digest("arguments"),
        policy_digest: digest("policy"),
        instruction_ref: None,
        target_status: Token::new("closed"),
    }
}

/// The rows of a turn, each as `disposition` and what it says beside it.
fn rows(cases: &[Case], intents: &[(String, Intent)], goes_on: bool) -> Vec<(&'static str, Option<String>)> {
    let calls: Vec<ClosedCall<'_>> = cases
        .iter()
        .map(|case| ClosedCall {
            call: &case.call,
            outcome: &case.outcome,
            result_digest: &case.digest,
            shell: case.shell.clone(),
            verdict: None,
        })
        .collect();
    let rule = rule();
    let results =
        TurnResults { calls: &calls, intents, rule: Some(&rule), handoff: None, judgement: None, goes_on };
    let said = |row: ToolUse| {
        let said = row.reason.or(row.mutation_input_ref).or(row.summary_ref).or(row.handoff_ref);
        (row.disposition.token(), said.map(|text| text.as_str().to_owned()))
    };
    results.rows().unwrap().into_iter().map(said).collect()
}

fn said(disposition: &'static str, what: &str) -> (&'static str, Option<String>) {
    (disposition, Some(what.to_owned()))
}

const OBSERVED: (&str, Option<String>) = ("observed_only", None);

#[test]
fn a_result_that_nothing_rests_on_is_observed() {
    assert_eq!(rows(&[read("a", "x", "1"), patch("b", "y", "1", "2")], &[], true), [OBSERVED, OBSERVED]);
}

#[test]
fn an_intent_consumes_the_result_that_asks_for_it() {
    let ask = case("a", "issue_update", ToolKind::Intent, "{}");
    let intent = closing();
    let intents = [("a".to_owned(), intent.clone())];
    assert_eq!(rows(&[ask], &intents, true), [said("consumed", intent.digest().as_str())]);
}

#[test]
fn a_check_that_passed_in_the_turn_is_consumed_by_the_change_that_needs_it() {
    let check = || case("c", "shell", ToolKind::Effect, "{}").passing("sh check.sh");
    let ask = || case("a", "issue_update", ToolKind::Intent, "{}");
    let intent = closing();
    let intents = [("a".to_owned(), intent.clone())];
    let consumed = said("consumed", intent.digest().as_str());
    assert_eq!(rows(&[check(), ask()], &intents, true), [consumed.clone(), consumed.clone()]);
    let other = case("c", "shell", ToolKind::Effect, "{}").passing("true");
    assert_eq!(rows(&[other, ask()], &intents, true), [OBSERVED, consumed.clone()]);
    let changed = [check(), patch("p", "x", "1", "2"), ask()];
    assert_eq!(rows(&changed, &intents, true), [OBSERVED, OBSERVED, consumed], "a file changed beside it");
}

#[test]
fn a_patch_consumes_the_read_that_supplied_its_before_digest() {
    let program = || case("p", "code_execution", ToolKind::Effect, "{}");
    let nested = |path: &str, content: &str| read("p.1", path, content).inside("p", "p#1");
    let change = || patch("p.2", "x", "1", "2").inside("p", "p#2");
    let input = plan::arguments_digest(&change().call.call);
    let summary = said("consumed", digest("p").as_str());
    assert_eq!(
        rows(&[program(), nested("x", "1"), change()], &[], true),
        [OBSERVED, said("consumed", input.as_str()), summary.clone()]
    );
    assert_eq!(
        rows(&[program(), nested("x", "0"), change()], &[], true),
        [OBSERVED, summary.clone(), summary],
        "other bytes than those that were read"
    );
}

#[test]
fn what_went_into_a_program_that_failed_is_discarded() {
    let program = case("p", "code_execution", ToolKind::Effect, "{}").failing("program.error", false);
    let nested = read("p.1", "x", "1").inside("p", "p#1");
    assert_eq!(
        rows(&[program, nested], &[], true),
        [said("discarded_with_reason", "program.error"), said("discarded_with_reason", "program_failed")]
    );
}

#[test]
fn errors_are_discarded_with_their_code_and_held_calls_are_tried_again() {
    let failed = || case("a", "shell", ToolKind::Effect, "{}").failing("shell.timed_out", false);
    let held = || case("b", "apply_patch", ToolKind::Effect, "{}").failing(TURN_REFUSED, true);
    let denied = || case("c", "shell", ToolKind::Effect, "{}").failing("policy_denied", true);
    let discarded = |code: &str| said("discarded_with_reason", code);
    assert_eq!(
        rows(&[failed(), held(), denied()], &[], true),
        [discarded("shell.timed_out"), ("retry_scheduled", None), discarded("policy_denied")]
    );
    assert_eq!(rows(&[held()], &[], false), [discarded(TURN_REFUSED)], "nobody is asked again");
}

#[test]
fn the_same_answer_twice_is_a_duplicate_and_a_changed_file_supersedes_its_read() {
    let twice = |content: &str| Case { digest: digest("same"), ..read("b", "x", content) };
    let first = Case { digest: digest("same"), ..read("a", "x", "1") };
    assert_eq!(rows(&[first, twice("1")], &[], true), [OBSERVED, said("discarded_with_reason", "duplicate")]);
    assert_eq!(
        rows(&[read("a", "x", "1"), read("b", "x", "2")], &[], true),
        [said("discarded_with_reason", "superseded"), OBSERVED]
    );
    assert_eq!(
        rows(&[read("a", "x", "0"), patch("b", "x", "1", "2")], &[], true),
        [said("discarded_with_reason", "superseded"), OBSERVED]
    );
}
