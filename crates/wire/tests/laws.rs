//! The laws of the kernel, on generated turns that enter and leave through the wire.
//!
//! `PREMATH_PROVE=1` runs 20,000 new cases per law (2,500 where one case is many turns); without it a fixed seed gives the same 256 every time.

#![expect(clippy::disallowed_methods, reason = "the environment says how many cases, and vectors are files")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a generated turn has is known here")]

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

use premath_kernel::{
    ActivePolicy, Claims, Digest, Digests, Intent, NormalizedTurn, Outcome, Strictness, Turn,
    TurnEvidence as KernelEvidence, Witness, admit, assess, close,
};
use premath_testkit::generate::{GeneratedTurn, accepted_turn, admitted_turn, faults, messy_turn, scramble};
use premath_testkit::reference::{self, COVERED, Elsewhere, Pairs};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{JoinCheck, JoinCheckReport, TurnEvidence};
use premath_wire::{InputClass, InputError};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Value, json};

fn config() -> ProptestConfig {
    let proving = env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    ProptestConfig {
        cases: if proving { 20_000 } else { 256 },
        rng_seed: if proving { RngSeed::Random } else { RngSeed::Fixed(2_026) },
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

/// Everything a check says about one turn.
#[derive(Debug)]
struct Checked {
    outcome: Outcome,
    pairs: Pairs,
    join_closed: bool,
    mutation_ready: Option<bool>,
    digests: Digests,
    witness_id: String,
    report: Value,
}

impl Checked {
    fn is_accepted(&self) -> bool {
        self.outcome == Outcome::Accepted
    }

    fn says(&self, class: &str, subject: &str) -> bool {
        self.pairs.contains(&(class.to_owned(), subject.to_owned()))
    }
}

fn strictness(strict: bool) -> Strictness {
    if strict { Strictness::Strict } else { Strictness::Lenient }
}

fn check_bytes(bytes: &[u8], strict: bool) -> Result<Checked, InputError> {
    let JoinCheck { turn, intent, claims } = JoinCheck::read(bytes, strictness(strict))?;
    check_turn(turn, intent.as_ref(), &claims)
}

fn check_turn(turn: Turn, intent: Option<&Intent>, claims: &Claims) -> Result<Checked, InputError> {
    let turn = JoinCheck::normalize(turn)?;
    let assessment = assess(&turn, intent, claims);
    let witness = Witness::of(&turn, &assessment, intent, claims);
    let witness_id = witness.id().to_owned();
    let report = serde_json::to_value(JoinCheckReport::new(&turn, &assessment, witness)).unwrap();
    let reasons = assessment.refusal().map(premath_kernel::Refusal::reasons).unwrap_or_default();
    Ok(Checked {
        outcome: assessment.outcome(),
        pairs: reasons
            .iter()
            .map(|reason| (reason.class.code().to_owned(), reason.subject.clone()))
            .collect(),
        join_closed: assessment.join_closed(),
        mutation_ready: assessment.mutation_ready(),
        digests: turn.digests().clone(),
        witness_id,
        report,
    })
}

fn check(turn: &GeneratedTurn) -> Result<Checked, InputError> {
    check_bytes(&turn.bytes(), turn.strict)
}

fn check_document(document: &Value, strict: bool) -> Result<Checked, InputError> {
    check_bytes(document.to_string().as_bytes(), strict)
}

/// A turn of the messy family: unreadable only where two rows contradict each other.
fn check_messy(turn: &GeneratedTurn) -> Option<Checked> {
    match check(turn) {
        Ok(checked) => Some(checked),
        Err(error) => {
            assert_eq!(error.class, InputClass::DuplicateRow, "{error:?}");
            None
        }
    }
}

fn normalized(bytes: &[u8], strict: bool) -> (NormalizedTurn, Option<Intent>, Claims) {
    let JoinCheck { turn, intent, claims } = JoinCheck::read(bytes, strictness(strict)).unwrap();
    (JoinCheck::normalize(turn).unwrap(), intent, claims)
}

/// A list of rows: its name, how many it has, and how one is taken out.
type Rows = (&'static str, fn(&KernelEvidence) -> usize, fn(&mut KernelEvidence, usize));

const CALL_ROWS: [Rows; 3] = [
    ("toolRequests", |rows| rows.requests.len(), |rows, at| drop(rows.requests.remove(at))),
    ("toolResults", |rows| rows.results.len(), |rows, at| drop(rows.results.remove(at))),
    ("toolUse", |rows| rows.uses.len(), |rows, at| drop(rows.uses.remove(at))),
];

const CONTEXT_ROWS: [Rows; 2] = [
    ("reminderQueue", |rows| rows.queues.len(), |rows, at| drop(rows.queues.remove(at))),
    ("stateViews", |rows| rows.views.len(), |rows, at| drop(rows.views.remove(at))),
];

fn needs_context(document: &Value) -> bool {
    let consumes = |row: &Value| row["disposition"] == "consumed";
    document["evidence"]["protocolState"]["continuationAllowed"] == true
        || document["evidence"]["toolUse"].as_array().is_some_and(|rows| rows.iter().any(consumes))
}

fn call_ids(document: &Value) -> Vec<String> {
    let requests = document["evidence"]["toolRequests"].as_array();
    requests.into_iter().flatten().map(|row| row["toolCallId"].as_str().unwrap().to_owned()).collect()
}

/// Whether an `ok` row shows only by its inline payload that it fits the truncation policy. The normal form has no
/// payload, so that such a row cannot be judged a second time.
fn leans_on_an_inline_payload(document: &Value) -> bool {
    let declared = document["evidence"]["callSpec"].get("toolResponseTruncationPolicy").is_some();
    let results = document["evidence"]["toolResults"].as_array();
    declared
        && results
            .into_iter()
            .flatten()
            .any(|row| row.get("payload").is_some() && row.get("truncation").is_none())
}

proptest! {
    // One case is some thirty turns here.
    #![proptest_config(ProptestConfig { cases: config().cases.min(2_500), ..config() })]

    /// Seed: 004 §5/1, 001 §4.5/1
    #[test]
    fn dropping_a_row_that_is_asked_for_refuses_an_accepted_turn(turn in accepted_turn()) {
        let read = JoinCheck::read(&turn.bytes(), strictness(turn.strict)).unwrap();
        let mut asked = CALL_ROWS.to_vec();
        if needs_context(&turn.document) {
            asked.push(("toolRender", |rows| rows.renders.len(), |rows, at| drop(rows.renders.remove(at))));
            asked.extend(CONTEXT_ROWS.iter().filter(|(_, count, _)| count(&read.turn.evidence) == 1));
        }
        for (list, count, remove) in asked {
            for at in 0..count(&read.turn.evidence) {
                let mut poorer = read.turn.clone();
                remove(&mut poorer.evidence, at);
                let poorer = JoinCheck::normalize(poorer).unwrap();
                let assessment = assess(&poorer, read.intent.as_ref(), &read.claims);
                prop_assert_eq!(assessment.outcome(), Outcome::Rejected, "without row {} of {}", at, list);
                prop_assert!(!assessment.join_closed(), "without row {} of {}", at, list);
                prop_assert!(close(&poorer).is_err(), "without row {} of {}", at, list);
            }
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_generated_turn_is_accepted_by_construction(turn in accepted_turn()) {
        let checked = check(&turn).unwrap();
        prop_assert!(checked.is_accepted(), "{:?}", checked.pairs);
        prop_assert!(checked.join_closed);
        prop_assert_eq!(checked.mutation_ready, turn.document.get("intent").map(|_| true));
    }

    /// Seed: 004 §4/1, 004 §4/8, 001 §4.2/5, 001 §4.4/5, 001 §4.5/4
    #[test]
    fn the_way_a_turn_is_written_changes_no_digest_and_no_verdict(turn in accepted_turn(), seed in any::<u64>()) {
        let (plain, scrambled) = (check(&turn).unwrap(), check_bytes(&scramble(&turn.document, seed), turn.strict));
        let scrambled = scrambled.unwrap();
        prop_assert_eq!(&plain.pairs, &scrambled.pairs);
        prop_assert_eq!(&plain.digests, &scrambled.digests);
        prop_assert_eq!(&plain.report, &scrambled.report);
    }

    #[test]
    fn the_way_a_messy_turn_is_written_changes_no_digest_and_no_verdict(turn in messy_turn(), seed in any::<u64>()) {
        if let Some(plain) = check_messy(&turn) {
            let scrambled = check_bytes(&scramble(&turn.document, seed), turn.strict).unwrap();
            prop_assert_eq!(&plain.pairs, &scrambled.pairs);
            prop_assert_eq!(&plain.report, &scrambled.report);
        }
    }

    #[test]
    fn normalising_twice_equals_normalising_once(turn in accepted_turn()) {
        let once = check(&turn).unwrap();
        let twice = check_document(&fed_back(&turn, &once), turn.strict).unwrap();
        prop_assert_eq!(&once.digests, &twice.digests);
        if !leans_on_an_inline_payload(&turn.document) {
            prop_assert_eq!(&once.pairs, &twice.pairs);
            prop_assert_eq!(&once.report, &twice.report);
        }
    }

    #[test]
    fn normalising_a_messy_turn_twice_keeps_its_digests(turn in messy_turn()) {
        if let Some(once) = check_messy(&turn) {
            let twice = check_document(&fed_back(&turn, &once), turn.strict).unwrap();
            prop_assert_eq!(&once.digests, &twice.digests);
        }
    }

    #[test]
    fn evidence_survives_the_wire(turn in prop_oneof![accepted_turn(), messy_turn()]) {
        let JoinCheck { turn: read, .. } = JoinCheck::read(&turn.bytes(), strictness(turn.strict)).unwrap();
        let wire = TurnEvidence::from_kernel(read.spec.clone(), read.evidence.clone());
        let mut document = turn.document.clone();
        document["evidence"] = serde_json::to_value(wire).unwrap();
        let again = JoinCheck::read(document.to_string().as_bytes(), strictness(turn.strict)).unwrap().turn;
        prop_assert_eq!(&read.spec, &again.spec);
        prop_assert_eq!(&read.evidence, &again.evidence);
        if let Some(before) = check_messy(&turn) {
            let after = check_document(&document, turn.strict).unwrap();
            prop_assert_eq!(before.report, after.report);
        }
    }

    /// Seed: 004 §5/2, 001 §4.5/2
    #[test]
    fn an_orphan_result_anywhere_prevents_closure(
        turn in accepted_turn(),
        at in any::<Index>(),
        status in prop::option::of(prop::sample::select(vec!["ok", "error", "pending"])),
        used in any::<bool>(),
    ) {
        let mut document = turn.document.clone();
        let mut results = document["evidence"]["toolResults"].as_array().cloned().unwrap_or_default();
        results.insert(at.index(results.len() + 1), json!({"toolCallId": "orphan", "status": status}));
        document["evidence"]["toolResults"] = json!(results);
        if used {
            let mut uses = document["evidence"]["toolUse"].as_array().cloned().unwrap_or_default();
            uses.push(json!({"toolCallId": "orphan", "disposition": "observed_only"}));
            document["evidence"]["toolUse"] = json!(uses);
        }
        let checked = check_document(&document, turn.strict).unwrap();
        prop_assert!(!checked.join_closed);
        prop_assert!(checked.says("tool.result_orphan", "orphan"), "{:?}", checked.pairs);
        prop_assert!(checked.says("tool.join_incomplete", "orphan"), "{:?}", checked.pairs);
        let (normalized, _, _) = normalized(document.to_string().as_bytes(), turn.strict);
        prop_assert!(close(&normalized).is_err());
    }

    #[test]
    fn faults_in_different_rows_are_all_reported(
        turn in accepted_turn(),
        faults in faults(),
        around in any::<(bool, bool, bool)>(),
    ) {
        let mut document = turn.document.clone();
        let mut expected = Pairs::new();
        for (id, fault) in call_ids(&turn.document).iter().zip(faults) {
            let reported = fault.map(|fault| fault.inject(&mut document, id)).unwrap_or_default();
            expected.extend(reported.into_iter().map(|(class, subject)| (class.to_owned(), subject)));
        }
        expected.extend(faults_around(&mut document, around));
        let checked = check_document(&document, turn.strict).unwrap();
        let missed: Vec<_> = expected.difference(&checked.pairs).collect();
        prop_assert!(missed.is_empty(), "not reported: {:?}\nreported: {:?}", missed, checked.pairs);
        prop_assert_eq!(checked.is_accepted(), expected.is_empty());
    }

    #[test]
    fn more_claims_never_turn_a_grant_into_a_refusal(turn in admitted_turn(), more in claims()) {
        let granted = check(&turn).unwrap();
        prop_assert_eq!(granted.mutation_ready, Some(true), "{:?}", granted.pairs);
        let with_more = check_document(&with_claims(&turn.document, &more), turn.strict).unwrap();
        prop_assert!(with_more.is_accepted(), "{:?}", with_more.pairs);
        prop_assert_eq!(with_more.mutation_ready, Some(true));
    }

    #[test]
    fn more_claims_never_add_a_reason(turn in messy_turn(), more in claims()) {
        if let Some(before) = check_messy(&turn) {
            let after = check_document(&with_claims(&turn.document, &more), turn.strict).unwrap();
            prop_assert!(after.pairs.is_subset(&before.pairs), "{:?} {:?}", before.pairs, after.pairs);
            prop_assert_eq!(before.digests, after.digests);
        }
    }

    #[test]
    fn the_reference_checker_finds_nothing_in_an_accepted_turn(turn in accepted_turn()) {
        prop_assert_eq!(reference::check(&turn.document, turn.strict, Elsewhere::Nothing), Pairs::new());
    }

    #[test]
    fn the_reference_checker_agrees_on_messy_turns(turn in messy_turn()) {
        if let Some(checked) = check_messy(&turn) {
            prop_assert_eq!(covered(&checked.pairs), judged_slowly(&turn.document, turn.strict, &checked.pairs));
        }
    }

    #[test]
    fn a_turn_rejected_for_more_than_its_mutation_is_open_everywhere(turn in messy_turn()) {
        if let Some(checked) = check_messy(&turn) {
            let classes: BTreeSet<&str> = checked.pairs.iter().map(|(class, _)| class.as_str()).collect();
            let closed = classes.iter().all(|class| class.starts_with("mutation."));
            prop_assert_eq!(checked.join_closed, closed);
            for place in [
                "/joinClosed", "/witness/verdict/joinClosed", "/witness/joinInput/joinClosed",
                "/witness/mutationInput/joinClosed", "/normalized/joinState/joinClosed",
            ] {
                prop_assert_eq!(checked.report.pointer(place), Some(&json!(closed)), "{}", place);
            }
            let ready = turn.document.get("intent").filter(|intent| !intent.is_null()).map(|_| classes.is_empty());
            prop_assert_eq!(checked.mutation_ready, ready);
            prop_assert_eq!(checked.report.pointer("/witness/witnessId"), Some(&json!(checked.witness_id)));
        }
    }

    /// Seed: 004 §4/2, 004 §4/3, 004 §4/4, 004 §4/5, 004 §4/6, 004 §4/7
    #[test]
    fn printed_digests_can_be_recomputed_from_printed_rows(turn in prop_oneof![accepted_turn(), messy_turn()]) {
        if let Some(checked) = check_messy(&turn) {
            recompute(&checked.report);
        }
    }

    #[test]
    fn an_assessment_says_what_the_proofs_say(turn in prop_oneof![accepted_turn(), admitted_turn()]) {
        let (normalized, intent, claims) = normalized(&turn.bytes(), turn.strict);
        let join = close(&normalized).unwrap();
        prop_assert_eq!(join.turn_digest(), &normalized.digests().turn);
        if let Some(intent) = intent {
            let ready = admit(join, &intent, &ActivePolicy::NotSupplied, &claims).unwrap();
            prop_assert_eq!(ready.intent_digest(), &intent.digest());
            prop_assert_eq!(ready.turn_digest(), &normalized.digests().turn);
        }
    }
}

/// The same input with the normal form in place of the evidence.
fn fed_back(turn: &GeneratedTurn, checked: &Checked) -> Value {
    let mut document = turn.document.clone();
    let mut evidence = checked.report["normalized"].clone();
    if turn.strict {
        for told in ["schema", "kind", "digests", "joinState", "contextState"] {
            evidence.as_object_mut().unwrap().remove(told);
        }
    }
    document["evidence"] = evidence;
    document
}

/// Faults in rows that belong to no call; what they must be reported as.
fn faults_around(document: &mut Value, (queue, view, worker): (bool, bool, bool)) -> Pairs {
    let mut expected = Pairs::new();
    let mut set = |list: &str, key: &str, field: &str, value: Value, class: &str| {
        if let Some(row) = document["evidence"].get_mut(list).and_then(|rows| rows.get_mut(0)) {
            row[field] = value;
            expected.insert((class.to_owned(), row[key].as_str().unwrap().to_owned()));
        }
    };
    if queue {
        set("reminderQueue", "queueId", "policyDigest", json!("pol1_no"), "context.queue_policy_violation");
    }
    if view {
        set("stateViews", "viewId", "policyDigest", json!("pol1_no"), "context.queue_policy_violation");
    }
    if worker {
        set("workers", "id", "depth", json!(9), "coordination.decomposition_policy_violation");
    }
    expected
}

fn claims() -> impl Strategy<Value = Vec<String>> {
    let known = prop::sample::select(vec!["all", "issue_update", "issue.update", "policy_update", ""]);
    let claim = prop_oneof![
        known.prop_map(|action| format!("capabilities.change_morphisms.{action}")),
        "[ a-z._]{0,12}".prop_map(String::from),
    ];
    prop::collection::vec(claim, 0..5)
}

fn with_claims(document: &Value, more: &[String]) -> Value {
    let mut document = document.clone();
    let mut claims = document["capabilityClaims"].as_array().cloned().unwrap_or_default();
    claims.extend(more.iter().map(|claim| json!(claim)));
    document["capabilityClaims"] = json!(claims);
    document
}

fn covered(pairs: &Pairs) -> Pairs {
    pairs.iter().filter(|(class, _)| COVERED.contains(&class.as_str())).cloned().collect()
}

/// What the reference checker says, told only whether some class it does not know keeps the turn open.
fn judged_slowly(document: &Value, strict: bool, found: &Pairs) -> Pairs {
    let elsewhere = if covered(found) == *found { Elsewhere::Nothing } else { Elsewhere::Open };
    reference::check(document, strict, elsewhere)
}

fn recompute(report: &Value) {
    let printed = serde_json::to_vec(&report["normalized"]).unwrap();
    let printed = parse(&printed, Limits::default()).unwrap();
    let normalized = printed.as_object().unwrap();
    let digests = normalized.get("digests").unwrap().as_object().unwrap();
    let said = |key: &str| digests.get(key).and_then(premath_kernel::Value::as_text).map(str::to_owned);
    for (list, digest) in [
        ("toolRequests", "requestSetDigest"),
        ("toolResults", "resultSetDigest"),
        ("toolUse", "useSetDigest"),
        ("toolRender", "toolRenderSetDigest"),
        ("reminderQueue", "reminderQueueSetDigest"),
        ("stateViews", "stateViewSetDigest"),
    ] {
        let rows = normalized.get(list).and_then(premath_kernel::Value::as_array).unwrap_or_default();
        let computed = Digest::of_array(rows.iter().cloned());
        assert_eq!(said(digest).as_deref(), Some(computed.as_str()), "{digest}");
    }
    for (part, digest) in [
        ("callSpec", "callSpecDigest"),
        ("protocolState", "protocolStateDigest"),
        ("handoff", "handoffDigest"),
    ] {
        let computed = normalized.get(part).map(|part| Digest::of(part).as_str().to_owned());
        assert_eq!(said(digest), computed, "{digest}");
    }
}

/// A small turn in which call `c` was made and looked at; `with` may change its rows.
fn one_call(with: impl FnOnce(&mut Value)) -> Value {
    let mut document = json!({"evidence": {
        "callSpec": {
            "callId": "turn", "modelRef": "m", "actionMode": "json", "executionPattern": "chain", "normalizerId": "n",
            "mutationPolicyDigest": "pol1_m", "governancePolicyDigest": "pol1_g", "toolRenderProtocolDigest": "pol1_r",
            "reminderQueuePolicyDigest": "pol1_q", "stateViewPolicyDigest": "pol1_v", "decompositionPolicyDigest": "pol1_d"
        },
        "toolRequests": [{"toolCallId": "c", "toolName": "t"}],
        "toolResults": [{"toolCallId": "c"}],
        "toolUse": [{"toolCallId": "c", "disposition": "observed"}],
        "protocolState": {"stopReason": "tool_use"}
    }});
    with(&mut document);
    document
}

fn result_set(document: &Value) -> Digest {
    check_document(document, false).unwrap().digests.result_set
}

#[test]
fn a_blank_error_field_is_absent() {
    let plain = result_set(&one_call(|_| {}));
    for (field, blank) in [("errorCode", " "), ("errorMessage", ""), ("errorMessageDigest", " ")] {
        let document = one_call(|document| document["evidence"]["toolResults"][0][field] = json!(blank));
        assert_eq!(check_document(&document, false).unwrap().pairs, Pairs::new(), "{field}");
        assert_eq!(result_set(&document), plain, "{field}");
    }
}

/// Seed: 004 §3.2/7, 004 §3.2/8, 001 §4.3/2, 001 §3/5
#[test]
fn a_blank_error_field_does_not_hide_the_typed_error() {
    let error = json!({"errorCode": "e", "retryable": false, "errorMessageDigest": "sha256:m"});
    let typed = one_call(|document| document["evidence"]["toolResults"][0]["error"] = error);
    for field in ["errorCode", "errorMessage", "errorMessageDigest", "retryable"] {
        let mut blank = typed.clone();
        blank["evidence"]["toolResults"][0][field] = json!(" ");
        assert_eq!(check_document(&blank, false).unwrap().pairs, Pairs::new(), "{field}");
        assert_eq!(result_set(&blank), result_set(&typed), "{field}");
    }
}

#[test]
fn artifacts_that_differ_in_access_only_have_one_order() {
    let with = |first: &str, second: &str| {
        let artifacts = json!([{"path": "a", "access": first}, {"path": "a", "access": second}]);
        one_call(|document| document["evidence"]["toolResults"][0]["artifacts"] = artifacts)
    };
    assert_eq!(result_set(&with("read", "write")), result_set(&with("write", "read")));
}

#[test]
fn guardrail_decisions_inside_a_row_have_one_order() {
    let with = |first: u64, second: u64| {
        let decision = |order: u64| json!({"id": "g", "stage": "output", "triggered": false, "order": order});
        let decisions = json!([decision(first), decision(second)]);
        one_call(|document| document["evidence"]["toolResults"][0]["guardrails"] = decisions)
    };
    // Two that contradict each other may be refused; they must not be two turns.
    let digests =
        |document: &Value| check_document(document, false).ok().map(|checked| checked.digests.result_set);
    assert_eq!(digests(&with(1, 2)), digests(&with(2, 1)));
}

#[test]
fn no_branch_is_more_than_none() {
    let policy = json!({"allowed": true, "maxBranches": 0});
    let document = one_call(|document| {
        document["evidence"]["callSpec"]["parallelPolicy"] =
            json!(reference::policy_digest("pol1_", &policy));
        document["policies"] = json!({ "parallelPolicy": policy });
    });
    let checked = check_document(&document, false).unwrap();
    assert!(checked.says("tool.parallel_policy_violation", "callGroup:-"), "{:?}", checked.pairs);
}

/// Seed: 001 §5.2/1, 004 §7/2
#[test]
fn a_forbidden_group_in_json_mode_is_refused_for_both_reasons() {
    let policy = json!({"allowed": false});
    let document = one_call(|document| {
        document["evidence"]["callSpec"]["parallelPolicy"] =
            json!(reference::policy_digest("pol1_", &policy));
        document["policies"] = json!({ "parallelPolicy": policy });
        for (list, row) in [
            ("toolRequests", json!({"toolCallId": "d", "toolName": "t"})),
            ("toolResults", json!({"toolCallId": "d"})),
            ("toolUse", json!({"toolCallId": "d", "disposition": "observed"})),
        ] {
            document["evidence"][list].as_array_mut().unwrap().push(row);
        }
    });
    let checked = check_document(&document, false).unwrap();
    assert!(checked.says("tool.parallel_policy_violation", "callGroup:-"), "{:?}", checked.pairs);
    assert!(checked.says("tool.parallel_policy_violation", "callSpec.actionMode"), "{:?}", checked.pairs);
}

#[test]
fn a_null_of_the_kernel_survives_the_wire() {
    let read = JoinCheck::read(one_call(|_| {}).to_string().as_bytes(), Strictness::Lenient).unwrap();
    let mut turn = read.turn;
    turn.evidence.results[0].payload = Some(premath_kernel::Value::Null);
    turn.evidence.requests[0].arguments = Some(premath_kernel::Value::Null);
    let wire =
        serde_json::to_value(TurnEvidence::from_kernel(turn.spec.clone(), turn.evidence.clone())).unwrap();
    let before = check_turn(turn, None, &read.claims).unwrap();
    let after = check_document(&json!({ "evidence": wire }), false).unwrap();
    assert_eq!(before.digests, after.digests);
}

#[test]
fn messy_turns_reach_every_class_of_the_reference_checker() {
    let mut runner = TestRunner::deterministic();
    let mut reached = BTreeSet::new();
    let mut accepted = 0;
    for _ in 0..1_500 {
        let turn = messy_turn().new_tree(&mut runner).unwrap().current();
        let pairs = reference::check(&turn.document, turn.strict, Elsewhere::Nothing);
        accepted += usize::from(pairs.is_empty());
        reached.extend(pairs.into_iter().map(|(class, _)| class));
    }
    assert_eq!(reached, COVERED.iter().map(|class| (*class).to_owned()).collect());
    assert!(accepted > 100, "only {accepted} of 1,500 have nothing wrong with them");
}

#[test]
fn the_reference_checker_agrees_with_the_vectors() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/harness-typestate");
    let mut judged = 0;
    for family in fs::read_dir(&suite).unwrap() {
        for vector in fs::read_dir(family.unwrap().path()).unwrap() {
            judged += usize::from(agrees_with_vector(&vector.unwrap().path()));
        }
    }
    assert!(judged >= 400, "{judged} vectors under {}", suite.display());
}

/// Whether the vector says anything that the reference checker can be held against.
fn agrees_with_vector(folder: &Path) -> bool {
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let expected: Value = serde_json::from_slice(&read("expect.json")).unwrap();
    let Ok(document) = serde_json::from_slice::<Value>(&read("case.json")) else {
        return false;
    };
    let strict = expected["strict"] == true;
    let Some(classes) = expected["failureClasses"].as_array().filter(|_| expected["exitCode"] != 2) else {
        return false;
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let classes: BTreeSet<String> = classes.iter().map(text).collect();
    let known = |class: &String| COVERED.contains(&class.as_str());
    let elsewhere = if classes.iter().all(known) { Elsewhere::Nothing } else { Elsewhere::Open };
    let found = reference::check(&document, strict, elsewhere);
    let found_classes: BTreeSet<String> = found.iter().map(|(class, _)| class.clone()).collect();
    let expected_classes: BTreeSet<String> = classes.into_iter().filter(known).collect();
    assert_eq!(found_classes, expected_classes, "{}", folder.display());
    if let Some(reasons) = expected["reasons"].as_array() {
        let pairs = reasons.iter().map(|reason| (text(&reason["class"]), text(&reason["subject"])));
        assert_eq!(found, covered(&pairs.collect()), "{}", folder.display());
    }
    true
}
