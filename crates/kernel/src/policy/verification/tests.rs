//! Facts about which results verify a change.

use super::*;

fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

fn closing() -> VerificationRule {
    VerificationRule {
        actions: alloc::vec![VerifiedAction {
            action: ActionName::new("issue.update").unwrap(),
            target_status: Token::new("closed"),
        }],
        commands: [text("sh check.sh")].into_iter().collect(),
        tools: [text("verify_build")].into_iter().collect(),
        verdicts: true,
        approvals: true,
    }
}

fn intent(action: &str, status: Option<&str>) -> Intent {
    Intent {
        action: ActionName::new(action).unwrap(),
        args_digest: Digest::of_bytes(b"arguments"),
        policy_digest: Digest::of_bytes(b"policy"),
        instruction_ref: None,
        target_status: status.and_then(Token::new),
    }
}

#[test]
fn the_rule_covers_the_mutations_that_reach_its_status() {
    let rule = closing();
    assert!(rule.covers(&intent("issue.update", Some("closed"))));
    assert!(rule.covers(&intent("issue.update", Some("CLOSED"))));
    assert!(!rule.covers(&intent("issue.update", Some("open"))));
    assert!(!rule.covers(&intent("issue.update", Some("unchanged"))));
    assert!(!rule.covers(&intent("issue.add", Some("closed"))));
}

#[test]
fn an_intent_that_does_not_say_what_it_does_is_covered() {
    assert!(closing().covers(&intent("issue.update", None)));
    let mut every = closing();
    every.actions =
        alloc::vec![VerifiedAction { action: ActionName::new("dep.add").unwrap(), target_status: None }];
    assert!(every.covers(&intent("dep.add", Some("unchanged"))));
}

fn command(script: &str, workdir: &str, code: u64) -> Shell {
    Shell {
        workdir: Some(text(workdir)),
        sandbox_profile: Some(text("workspace-write")),
        command_digest: Some(Digest::of_bytes(b"command")),
        script_digest: Some(Digest::of_bytes(script.as_bytes())),
        exit_code: Count::new(code),
        observed: None,
    }
}

#[test]
fn a_command_verifies_when_it_is_listed_ran_in_the_workdir_and_ended_with_zero() {
    let rule = closing();
    assert!(rule.is_passed_command(&command("sh check.sh", ".", 0)));
    assert!(!rule.is_passed_command(&command("sh check.sh", ".", 1)));
    assert!(!rule.is_passed_command(&command("sh check.sh", "elsewhere", 0)));
    assert!(!rule.is_passed_command(&command("true", ".", 0)));
    let unfinished = Shell { exit_code: None, ..command("sh check.sh", ".", 0) };
    assert!(!rule.is_passed_command(&unfinished));
}

#[test]
fn verdicts_tools_and_approvals_verify_where_the_rule_admits_them() {
    let nothing = RestedOn {
        tool_name: None,
        status: Some(ResultStatus::Ok),
        shell: None,
        verdict: None,
        is_approved: false,
    };
    let rule = closing();
    let verdict = |said: &str| RestedOn { verdict: Token::new(said), ..nothing.clone() };
    assert!(rule.is_met_by(&verdict("pass")) && !rule.is_met_by(&verdict("fail")));
    let tool = RestedOn { tool_name: Some(text("verify_build")), ..nothing.clone() };
    assert!(rule.is_met_by(&tool));
    assert!(!rule.is_met_by(&RestedOn { status: Some(ResultStatus::Error), ..tool }));
    assert!(rule.is_met_by(&RestedOn { is_approved: true, ..nothing.clone() }));
    assert!(!rule.is_met_by(&nothing));
    let strict = VerificationRule { verdicts: false, approvals: false, ..closing() };
    assert!(!strict.is_met_by(&verdict("pass")));
    assert!(!strict.is_met_by(&RestedOn { is_approved: true, ..nothing }));
}
