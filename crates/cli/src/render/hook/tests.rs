//! What agents are told, word for word.

use premath_wire::Json;
use premath_wire::strict::{Limits, parse};

use super::*;

fn decision(event: &str, effect: &str) -> GuardDecision {
    let refused = effect != "allow";
    GuardDecision {
        action: "guard.decide".to_owned(),
        format: "claude-code".to_owned(),
        event: event.to_owned(),
        effect: effect.to_owned(),
        code: refused.then(|| "policy_denied".to_owned()),
        policy_name: refused.then(|| "secrets.named".to_owned()),
        reason: refused.then(|| "The name says so".to_owned()),
        hint: refused.then(|| "go on without it".to_owned()),
        host_tool: None,
        tool: None,
        args_digest: None,
        targets: Vec::new(),
        findings: Vec::new(),
        note: None,
        replacement: None,
        audit_id: "aud_000000000000".to_owned(),
    }
}

#[test]
fn what_is_allowed_is_left_to_the_agent() {
    for host in [HookHost::ClaudeCode, HookHost::Codex] {
        assert_eq!(answer(host, &decision("PreToolUse", "allow")), HookAnswer::Nothing);
    }
}

#[test]
fn a_model_reads_no_name_of_a_policy() {
    let HookAnswer::Block { words, document } = answer(HookHost::ClaudeCode, &decision("PreToolUse", "deny"))
    else {
        panic!("it does not block");
    };
    assert_eq!((words.as_str(), document), ("premath guard: policy_denied: go on without it\n", None));
}

#[test]
fn a_person_reads_which_policy_it_was() {
    let HookAnswer::Document(asked) = answer(HookHost::ClaudeCode, &decision("PreToolUse", "ask")) else {
        panic!("nobody is asked");
    };
    assert!(asked.contains(r#""permissionDecision":"ask""#), "{asked}");
    assert!(asked.contains("The name says so (policy_denied)"), "{asked}");
    assert!(!asked.contains("secrets.named"), "where nobody is there the model reads it: {asked}");
    let HookAnswer::Block { words, .. } = answer(HookHost::ClaudeCode, &decision("UserPromptSubmit", "deny"))
    else {
        panic!("it does not block");
    };
    assert!(words.contains("secrets.named"), "{words}");
}

#[test]
fn codex_has_the_block_as_a_document_too() {
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", ""] {
        let HookAnswer::Block { document, .. } = answer(HookHost::Codex, &decision(event, "deny")) else {
            panic!("it does not block");
        };
        assert!(document.unwrap().contains(r#""decision":"block""#), "{event}");
    }
}

#[test]
fn a_result_that_is_withheld_is_replaced_and_blocked() {
    let mut withheld = decision("PostToolUse", "deny");
    let stands = parse(br#"{"stdout":"[withheld]"}"#, Limits::default()).unwrap().into_owned();
    withheld.replacement = Some(Json(stands));
    let HookAnswer::Document(said) = answer(HookHost::ClaudeCode, &withheld) else { panic!("no document") };
    for part in [r#""decision":"block""#, r#""updatedToolOutput":{"stdout":"[withheld]"}"#] {
        assert!(said.contains(part), "{said}");
    }
}
