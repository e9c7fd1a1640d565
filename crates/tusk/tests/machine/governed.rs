//! A run under policy: nothing runs before policy has spoken, people are asked where it says so, and what was shown is what
//! runs.

use premath_tusk::JsonText;
use premath_tusk::evidence::CallOutcome;
use premath_tusk::model::ToolCall;
use premath_tusk::policy::{
    ApprovedPlan, CallJudgement, ControlProfile, Effect, GuardRow, GuardrailStage, Judged, Observability,
    Origin, PlannedStep, PolicyCode, PolicyError, Principal, RiskTier, RunPolicy, Target,
};
use premath_tusk::tools::{Risk, ToolKind, ToolSpec};
use premath_tusk::turn_loop::{
    AppliedIntent, Confirmation, ConfirmationAnswer, Event, IntentOutcome, PlanDecision, PlanStepResult,
    PlannedCall, RunConfig, RunOutcome, Step, StopCause,
};
use serde_json::{Value, json};

use super::{Play, calls, config, done, lookup, ok};

fn policy() -> RunPolicy {
    RunPolicy {
        principal: Principal { id: "ada".to_owned(), role: "owner".to_owned() },
        granted: Vec::new(),
        refused: Vec::new(),
        controls: ControlProfile::standard(RiskTier::High),
        rules: "pol1_rules".to_owned(),
        governance: None,
        guards: "pol1_guards".to_owned(),
        observability: Observability::Dashboard,
        plan: None,
    }
}

pub(crate) fn governed() -> RunConfig {
    let schema = r#"{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": false}"#;
    let mut delete =
        ToolSpec::new("desk_delete_file", "desk:delete", "Deletes.", schema, &[r#"{"id": "a"}"#]).unwrap();
    (delete.kind, delete.risk) = (ToolKind::Intent, Risk::Destructive);
    let goal = r#"{"type": "object", "properties": {"goal": {"type": "string"}}, "required": ["goal"]}"#;
    let mut plan =
        ToolSpec::new("desk_propose_plan", "desk:read", "Plans.", goal, &[r#"{"goal": "a"}"#]).unwrap();
    plan.kind = ToolKind::Intent;
    let mut config = RunConfig { policy: Some(policy()), ..config() };
    config.tools.extend([delete, plan]);
    config.capabilities.extend(
        ["desk_delete_file", "desk_propose_plan"].map(|name| format!("capabilities.change_morphisms.{name}")),
    );
    config
}

fn delete(id: &'static str, file: &str) -> (&'static str, &'static str, Value) {
    (id, "desk_delete_file", json!({ "id": file }))
}

fn looked(stage: GuardrailStage) -> GuardRow {
    GuardRow {
        id: "secrets".to_owned(),
        stage,
        triggered: false,
        score_millis: None,
        threshold_millis: None,
        model_ref: None,
    }
}

fn judgement(call: &PlannedCall, effect: Effect, code: PolicyCode) -> CallJudgement {
    let named = call.arguments.as_ref().and_then(|arguments| arguments.text("id"));
    let target = |id: &str| Target {
        kind: "desk_file".to_owned(),
        id: id.to_owned(),
        name: format!("{id}.md"),
        origin: Origin::Person,
    };
    CallJudgement {
        tool_call_id: call.call.id.clone(),
        effect,
        error: (effect != Effect::Allow).then(|| {
            let mut error = PolicyError::new(code, "rule.secret-name", "because of rule.secret-name");
            error.hint = "ask somebody".to_owned();
            error
        }),
        targets: named.map(target).into_iter().collect(),
        guards: vec![looked(GuardrailStage::PreFlight), looked(GuardrailStage::Input)],
        notes: Vec::new(),
    }
}

impl Play {
    /// Policy says the same about every call.
    #[track_caller]
    pub(crate) fn is_judged(&mut self, effect: Effect) -> &mut Self {
        let Step::Judge { calls, .. } = self.machine.next() else {
            panic!("policy is not asked: {:?}", self.machine.next());
        };
        let running = calls.iter().filter(|call| call.runs());
        let code = if effect == Effect::Ask { PolicyCode::RequiresApproval } else { PolicyCode::Denied };
        let judged = Judged {
            calls: running.map(|call| judgement(call, effect, code)).collect(),
            guards: GuardrailStage::ALL.into_iter().map(looked).collect(),
            error: None,
        };
        self.feed(Event::Judged(Box::new(judged)))
    }

    /// A person says the same about every call that is asked about.
    #[track_caller]
    pub(crate) fn is_told(&mut self, answer: ConfirmationAnswer) -> &mut Self {
        let Step::Confirm(calls) = self.machine.next() else {
            panic!("nobody is asked: {:?}", self.machine.next());
        };
        let said = |call: &PlannedCall| Confirmation {
            tool_call_id: call.call.id.clone(),
            approval_id: format!("apr_{}", call.call.id),
            answer,
            decided_by: None,
            message: None,
            preview: None,
        };
        let confirmations = calls.iter().filter(|call| call.asks()).map(said).collect();
        self.feed(Event::Confirmed { confirmations })
    }

    /// Every call that may run does what it should, and was looked at.
    pub(crate) fn does_it(&mut self) -> &mut Self {
        self.comes_to(1, seen)
    }
}

fn seen(call: &PlannedCall) -> CallOutcome {
    let mut outcome = ok(call);
    if call.call.name.starts_with("desk_") && outcome.failure().is_none() {
        let digest = premath_kernel::Digest::of_bytes(call.call.id.as_bytes());
        outcome.intent = Some(premath_tusk::evidence::IntentRow {
            action: call.call.name.replacen('_', ".", 1),
            args_digest: digest.as_str().to_owned(),
            targets: Vec::new(),
            target_status: None,
        });
    }
    outcome.guards = vec![looked(GuardrailStage::Output)];
    outcome
}

/// Seed: 001 §3/18, 001 §4.2/8, 001 §4.3/10, 001 §8/13, 003 §1/10
#[test]
fn policy_is_asked_before_anything_runs_and_its_guards_are_evidence_of_the_turn() {
    let mut play = Play::of(governed());
    play.says(calls([lookup("a")])).is_judged(Effect::Allow).does_it();
    assert_eq!(play.verdict(), (true, Vec::new()));
    play.says(done("it is there")).is_judged(Effect::Allow);
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

/// Seed: 001 §4.5/9, 001 §8/13
#[test]
fn a_result_that_nobody_looked_at_keeps_its_turn_open() {
    let mut play = Play::of(governed());
    play.says(calls([lookup("a")]));
    let Step::Judge { calls, .. } = play.machine.next() else { panic!("policy is not asked") };
    let judged =
        Judged { calls: vec![judgement(&calls[0], Effect::Allow, PolicyCode::Denied)], ..Judged::default() };
    play.feed(Event::Judged(Box::new(judged))).works();
    assert_eq!(play.verdict(), (false, vec!["governance.guardrail_stage_missing".to_owned()]));
}

#[test]
fn a_call_that_policy_says_nothing_about_does_not_run() {
    let mut play = Play::of(governed());
    play.says(calls([lookup("a")])).feed(Event::Judged(Box::default()));
    let Step::CallTools(calls) = play.machine.next() else { panic!("the turn does not go on") };
    assert_eq!(calls[0].refusal.as_ref().unwrap().failure().unwrap().error_code, "policy_denied");
}

/// Seed: 003 §1/12, 003 §2/1
#[test]
fn a_denial_reaches_the_model_without_the_name_of_a_rule_and_closes_its_turn() {
    let mut play = Play::of(governed());
    play.says(calls([lookup("a")])).is_judged(Effect::Deny).does_it();
    assert_eq!((play.verdict(), play.ran.len()), ((true, Vec::new()), 0));
    let told = play.told();
    assert!(told.contains("policy_denied") && told.contains("ask somebody"), "{told}");
    assert!(!told.contains("rule.secret-name"), "{told}");
    play.replays();
}

#[test]
fn what_nobody_has_answered_waits_and_goes_on_when_somebody_has() {
    let mut play = Play::of(governed());
    play.says(calls([delete("d", "one")])).is_judged(Effect::Ask).is_told(ConfirmationAnswer::Pending);
    let RunOutcome::Stopped(StopCause::NeedsPerson(question)) = play.outcome() else {
        panic!("it does not wait")
    };
    assert_eq!(question, "apr_d waits for a person: `desk_delete_file`");
    play.resumes(None).is_told(ConfirmationAnswer::Approved).does_it();
    assert_eq!(play.ran, ["d"]);
    play.replays();
}

#[test]
fn no_and_too_late_run_nothing_and_the_model_hears_it() {
    for (answer, words) in [
        (ConfirmationAnswer::Denied, "a person said no"),
        (ConfirmationAnswer::Expired, "nobody agreed in time"),
    ] {
        let mut play = Play::of(governed());
        play.says(calls([delete("d", "one")])).is_judged(Effect::Ask).is_told(answer).does_it();
        assert!(play.ran.is_empty() && play.told().contains(words), "{}", play.told());
        play.replays();
    }
}

#[test]
fn an_expired_question_stops_the_run_and_resuming_asks_it_again() {
    let mut play = Play::of(governed());
    play.says(calls([delete("d", "one")])).is_judged(Effect::Ask).is_told(ConfirmationAnswer::Unanswered);
    let outcome = play.outcome();
    let RunOutcome::Stopped(StopCause::QuestionExpired(question)) = &outcome else { panic!("{outcome:?}") };
    assert_eq!(question, "apr_d expired without an answer: `desk_delete_file`");
    assert_eq!((outcome.token(), outcome.is_resumable()), ("question_expired", true));
    play.resumes(None);
    assert!(matches!(play.machine.next(), Step::Confirm(_)), "it asks again");
    play.is_told(ConfirmationAnswer::Approved).does_it();
    assert_eq!(play.ran, ["d"]);
    play.replays();
}

/// Seed: 003 §4/1, 003 §5/5
#[test]
fn two_things_in_one_turn_are_not_destroyed_without_a_plan() {
    let mut play = Play::of(governed());
    play.says(calls([delete("d", "one"), delete("e", "two")])).is_judged(Effect::Ask).does_it();
    assert!(play.ran.is_empty(), "half of a batch would be worse than none");
    assert!(play.told().contains("desk_propose_plan"), "{}", play.told());
    let mut play = Play::of(governed());
    play.says(calls([delete("d", "one"), delete("e", "one")])).is_judged(Effect::Allow).does_it();
    assert_eq!(play.ran, ["d", "e"], "one thing is one thing, however often it is named");
}

#[test]
fn a_plan_stands_alone_in_its_turn_and_the_run_waits_for_what_becomes_of_it() {
    let mut play = Play::of(governed());
    play.says(calls([("p", "desk_propose_plan", json!({"goal": "tidy"})), delete("d", "one")]))
        .is_judged(Effect::Allow)
        .does_it();
    assert_eq!(play.ran, ["p"]);
    let Step::Apply(admitted) = play.machine.next() else { panic!("nothing is to be applied") };
    let outcomes = admitted
        .into_iter()
        .map(|admitted| AppliedIntent {
            outcome: IntentOutcome::Changed { id: "prp_1".to_owned(), status: "pending".to_owned() },
            tool_call_id: admitted.tool_call_id,
            action: admitted.action,
            intent_digest: admitted.intent_digest,
        })
        .collect();
    play.feed(Event::Applied { outcomes });
    let decision =
        |state: &str, steps| PlanDecision { proposal_id: "prp_1".to_owned(), state: state.to_owned(), steps };
    assert!(matches!(play.machine.next(), Step::AwaitPlan("prp_1")));
    play.feed(Event::PlanDecided(decision("pending", Vec::new())));
    assert!(matches!(play.outcome(), RunOutcome::Stopped(StopCause::NeedsPerson(_))));
    let step = PlanStepResult {
        tool: "desk_delete_file".to_owned(),
        about: "one.md".to_owned(),
        state: "ok".to_owned(),
        detail: String::new(),
    };
    play.resumes(None).feed(Event::PlanDecided(decision("executed", vec![step])));
    assert!(play.told().contains("The plan you proposed was executed"), "{}", play.told());
    play.replays();
}

#[test]
fn an_approved_plan_is_carried_out_without_a_model_and_without_asking_again() {
    let steps = [("stp_1", "one"), ("stp_2", "two")].map(|(id, file)| PlannedStep {
        id: id.to_owned(),
        tool: "desk_delete_file".to_owned(),
        arguments: format!("{{\"id\":\"{file}\"}}"),
        about: file.to_owned(),
        shown: "stp1_x".to_owned(),
    });
    let plan =
        ApprovedPlan { proposal_id: "prp_1".to_owned(), digest: "pln1_x".to_owned(), steps: steps.to_vec() };
    let config = RunConfig { policy: Some(RunPolicy { plan: Some(plan), ..policy() }), ..governed() };
    let mut play = Play::of(config);
    play.is_judged(Effect::Ask).does_it();
    assert_eq!(play.ran, ["stp_1", "stp_2"]);
    play.applies();
    assert_eq!(play.outcome(), RunOutcome::Completed);
    play.replays();
}

#[test]
fn a_plan_covers_its_steps_exactly_as_they_were_shown() {
    let step = PlannedStep {
        id: "stp_1".to_owned(),
        tool: "issue_update".to_owned(),
        arguments: r#"{"id":"bd-1","status":"closed"}"#.to_owned(),
        about: String::new(),
        shown: "stp1_x".to_owned(),
    };
    let plan =
        ApprovedPlan { proposal_id: "prp_1".to_owned(), digest: "pln1_x".to_owned(), steps: vec![step] };
    let call = |id: &str, tool: &str, arguments: &str| {
        ToolCall::new(id.to_owned(), tool.to_owned(), JsonText::new(arguments).unwrap())
    };
    let shown = r#"{"id":"bd-1","status":"closed"}"#;
    assert!(plan.covers(&call("stp_1", "issue_update", shown)));
    assert!(!plan.covers(&call("stp_2", "issue_update", shown)), "another call");
    assert!(!plan.covers(&call("stp_1", "issue_discover", shown)), "another tool");
    let other = r#"{"id":"bd-2","status":"closed"}"#;
    assert!(!plan.covers(&call("stp_1", "issue_update", other)), "other arguments");
}

#[test]
fn one_step_that_may_not_be_done_keeps_a_plan_from_being_done() {
    for (denied, tool, code) in
        [(true, "desk_delete_file", "policy_denied"), (false, "apply_patch", "plan_effect")]
    {
        let step = |id: &str, tool: &str, arguments: &str| PlannedStep {
            id: id.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            about: String::new(),
            shown: "stp1_x".to_owned(),
        };
        let arguments = if denied { r#"{"id":"two"}"# } else { r#"{"patch":"*** Begin Patch"}"# };
        let steps = vec![
            step("stp_1", "desk_delete_file", r#"{"id":"one"}"#),
            step("stp_2", tool, arguments),
            step("stp_3", "desk_delete_file", r#"{"id":"three"}"#),
        ];
        let plan = ApprovedPlan { proposal_id: "prp_1".to_owned(), digest: "pln1_x".to_owned(), steps };
        let config = RunConfig { policy: Some(RunPolicy { plan: Some(plan), ..policy() }), ..governed() };
        let mut play = Play::of(config);
        let Step::Judge { calls, .. } = play.machine.next() else { panic!("policy is not asked") };
        let said = |call: &PlannedCall| {
            let effect = if denied && call.call.id == "stp_2" { Effect::Deny } else { Effect::Allow };
            judgement(call, effect, PolicyCode::Denied)
        };
        let judged = Judged {
            calls: calls.iter().map(said).collect(),
            guards: GuardrailStage::ALL.into_iter().map(looked).collect(),
            error: None,
        };
        play.feed(Event::Judged(Box::new(judged)));
        let Step::CallTools(calls) = play.machine.next() else { panic!("{:?}", play.machine.next()) };
        let codes: Vec<_> = calls
            .iter()
            .map(|call| call.refusal.as_ref().and_then(CallOutcome::failure).map(|it| it.error_code.clone()))
            .map(Option::unwrap)
            .collect();
        assert_eq!(codes, ["plan_stopped", code, "plan_stopped"]);
    }
}
