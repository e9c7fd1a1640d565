//! The governor with guards that find, fail, hang up and lie, and rules that say what they are told to.

#![expect(clippy::unwrap_used, reason = "what cannot be set up must fail the test")]

use std::sync::Arc;

use premath_kernel::Digest;
use premath_tusk::evidence::{CallOutcome, CallStatus, Payload};
use premath_tusk::policy::{
    CallFacts, ControlProfile, Effect, Evaluated, Finding, GovernedCall, Governor, Guard, GuardAction,
    GuardError, GuardReport, GuardSubject, GuardrailStage, Guards, PolicyCode, PolicyError, Principal,
    RiskTier, RuleInfo, Rules, Ruling, RunFacts, SelfTestFailure,
};
use premath_tusk::tools::{ToolFailure, ToolSpec};
use serde_json::json;

#[derive(Debug)]
struct Says(Effect, Digest);

impl Rules for Says {
    fn decide(&self, _: &CallFacts<'_>) -> Ruling {
        Ruling {
            effect: self.0,
            rule: Some("rule.one".to_owned()),
            reason: "rule.one says so".to_owned(),
            hint: String::new(),
            matched: vec!["rule.one".to_owned()],
            errors: Vec::new(),
        }
    }

    fn explain(&self, _: &CallFacts<'_>) -> Vec<Evaluated> {
        Vec::new()
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    fn digest(&self) -> &Digest {
        &self.1
    }
}

/// A guard that finds `bad`, or does what it is told to.
#[derive(Debug)]
struct Watcher {
    action: GuardAction,
    fails: Option<GuardError>,
    is_red: bool,
}

impl Guard for Watcher {
    fn id(&self) -> &str {
        "watcher"
    }

    fn stages(&self) -> &[GuardrailStage] {
        &GuardrailStage::ALL
    }

    fn action(&self, _: GuardrailStage) -> GuardAction {
        self.action
    }

    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        if let Some(error) = &self.fails {
            return Err(error.clone());
        }
        let found = subject
            .text
            .match_indices("bad")
            .map(|(at, bad)| Finding { label: "badness".to_owned(), span: Some(at..at + bad.len()) });
        Ok(GuardReport { findings: found.collect(), ..GuardReport::clean() })
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        if self.is_red {
            return Err(SelfTestFailure { guard: "watcher".to_owned(), what: "it finds nothing".to_owned() });
        }
        Ok(())
    }
}

fn watching(action: GuardAction) -> Watcher {
    Watcher { action, fails: None, is_red: false }
}

fn governor(effect: Effect, watcher: Watcher) -> Governor {
    let rules = Says(effect, Digest::of_bytes(b"rules"));
    Governor::new(Arc::new(rules), Guards::boot(vec![Arc::new(watcher)]))
}

fn judged(governor: &Governor, text: &str) -> (Effect, Option<PolicyError>) {
    let schema = r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#;
    let spec = ToolSpec::new("note", "files:write", "Notes.", schema, &[r#"{"text": "a"}"#]).unwrap();
    let arguments = json!({ "text": text });
    let call = GovernedCall {
        tool_call_id: "c",
        spec: &spec,
        arguments: &arguments,
        arguments_digest: Digest::of_bytes(text.as_bytes()),
        targets: Ok(Vec::new()),
        protected: Vec::new(),
        secrets: Vec::new(),
    };
    let run = RunFacts {
        run_id: "r".to_owned(),
        issue_id: None,
        principal: Principal { id: "ada".to_owned(), role: "owner".to_owned() },
        risk_tier: "low".to_owned(),
    };
    let judged = governor.judge(&run, &ControlProfile::standard(RiskTier::Low), "fine words", &[call]);
    let one = judged.calls.into_iter().next().unwrap();
    assert_eq!(one.guards.len(), 2, "both stages before a call leave their row");
    (one.effect, one.error)
}

#[test]
fn a_guard_that_dies_hangs_or_talks_nonsense_denies_with_its_code() {
    for (error, code) in [
        (GuardError::TimedOut { millis: 2_000 }, "guard_timed_out"),
        (GuardError::Unavailable("killed".to_owned()), "guard_unavailable"),
        (GuardError::Unreadable("not JSON".to_owned()), "guard_unreadable"),
    ] {
        let broken = Watcher { fails: Some(error), ..watching(GuardAction::Flag) };
        let (effect, error) = judged(&governor(Effect::Allow, broken), "fine");
        let error = error.unwrap();
        assert_eq!(
            (effect, error.code, error.policy_name.as_str()),
            (Effect::Deny, PolicyCode::Denied, "watcher")
        );
        assert_eq!(error.evidence, [code]);
    }
}

#[test]
fn a_guard_that_failed_its_self_test_is_not_asked_and_blocks() {
    let red = Watcher { is_red: true, ..watching(GuardAction::Flag) };
    let governor = governor(Effect::Allow, red);
    assert_eq!(judged(&governor, "fine").0, Effect::Deny);
    let health: Vec<_> =
        governor.guards().health().map(|(guard, red)| (guard.id().to_owned(), red.is_some())).collect();
    assert_eq!(health, [("watcher".to_owned(), true)]);
}

#[test]
fn what_a_guard_finds_in_arguments_is_as_severe_as_it_says_and_never_milder_than_the_rules() {
    for (action, rules, text, effect) in [
        (GuardAction::Block, Effect::Allow, "fine", Effect::Allow),
        (GuardAction::Block, Effect::Allow, "bad", Effect::Deny),
        (GuardAction::Redact, Effect::Allow, "bad", Effect::Deny),
        (GuardAction::Ask, Effect::Allow, "bad", Effect::Ask),
        (GuardAction::Flag, Effect::Allow, "bad", Effect::Allow),
        (GuardAction::Ask, Effect::Deny, "bad", Effect::Deny),
        (GuardAction::Flag, Effect::Ask, "bad", Effect::Ask),
    ] {
        let (found, error) = judged(&governor(rules, watching(action)), text);
        assert_eq!(
            (found, error.is_some()),
            (effect, effect != Effect::Allow),
            "{action:?} {rules:?} {text}"
        );
    }
}

#[test]
fn a_target_that_cannot_be_found_out_denies() {
    let governor = governor(Effect::Allow, watching(GuardAction::Flag));
    let spec = ToolSpec::new("note", "files:write", "Notes.", r#"{"type": "object"}"#, &["{}"]).unwrap();
    let arguments = json!({});
    let call = GovernedCall {
        tool_call_id: "c",
        spec: &spec,
        arguments: &arguments,
        arguments_digest: Digest::of_bytes(b""),
        targets: Err(ToolFailure::new("desk_not_found", "there is no such file")),
        protected: Vec::new(),
        secrets: Vec::new(),
    };
    let run = RunFacts {
        run_id: "r".to_owned(),
        issue_id: None,
        principal: Principal { id: "ada".to_owned(), role: "owner".to_owned() },
        risk_tier: "low".to_owned(),
    };
    let judged = governor.judge(&run, &ControlProfile::standard(RiskTier::Low), "", &[call]);
    assert_eq!(judged.calls.first().unwrap().effect, Effect::Deny);
}

fn outcome(text: &str) -> CallOutcome {
    let mut outcome = CallOutcome::empty("c", CallStatus::Ok);
    outcome.payload = Payload::Inline(text.to_owned());
    outcome
}

/// Seed: 001 §3/18
#[test]
fn a_result_is_redacted_flagged_or_withheld_before_anybody_sees_it() {
    let review = |action, text| governor(Effect::Allow, watching(action)).review("note", outcome(text));
    let (redacted, errors) = review(GuardAction::Redact, "so bad a thing");
    assert_eq!(
        (redacted.payload, errors.len()),
        (Payload::Inline("so [redacted:badness] a thing".to_owned()), 0)
    );
    let (flagged, _) = review(GuardAction::Flag, "bad");
    assert!(flagged.note.contains("data, not an instruction"), "{}", flagged.note);
    let (withheld, errors) = review(GuardAction::Block, "bad");
    assert_eq!((withheld.failure().unwrap().error_code.as_str(), errors.len()), ("policy_denied", 1));
    assert!(withheld.payload.is_empty());
    let broken = Watcher { fails: Some(GuardError::TimedOut { millis: 1 }), ..watching(GuardAction::Redact) };
    let (withheld, errors) = governor(Effect::Allow, broken).review("note", outcome("who knows"));
    assert!(withheld.payload.is_empty() && errors.len() == 1, "what nobody could look at nobody sees");
}

#[test]
fn a_model_learns_neither_the_rule_nor_its_evidence() {
    let mut error = PolicyError::new(PolicyCode::Denied, "rule.one", "rule.one matched `secret.txt`");
    error.evidence = vec!["rule.one".to_owned()];
    let text = |value: premath_kernel::Value<'_>| String::from_utf8(premath_kernel::encode(&value)).unwrap();
    let model = text(error.for_model());
    assert!(!model.contains("rule.one") && !model.contains("secret.txt"), "{model}");
    let client = text(error.for_client());
    assert!(client.contains("rule.one") && !client.contains("evidence"), "{client}");
    let audit = text(error.for_audit("2026-11-16T00:00:00Z", "sha256:aa"));
    for member in ["argsDigest", "decidedAt", "evidence", "reason", "policyName", "humanMessage", "hint"] {
        assert!(audit.contains(member), "{member}: {audit}");
    }
}
