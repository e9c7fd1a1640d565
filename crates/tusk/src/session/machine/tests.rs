//! The step machine, script by script: what is told, and what it asks for next.

use premath_kernel::{BackoffClass, ClassPattern, EscalationAction, FailureKind, RetryRule};

use super::*;

fn rule(kind: FailureKind, classes: &[&str], attempts: u32, then: EscalationAction) -> RetryRule {
    RetryRule {
        kind,
        classes: classes.iter().map(|text| ClassPattern::new(text).unwrap()).collect(),
        max_attempts: attempts,
        backoff: if attempts > 1 { BackoffClass::ExponentialShort } else { BackoffClass::None },
        escalation: then,
    }
}

fn table() -> RetryTable {
    RetryTable::new(vec![
        rule(FailureKind::Transient, &["timeout", "lease_store_busy"], 3, EscalationAction::IssueDiscover),
        rule(FailureKind::Operational, &["runtime.*"], 2, EscalationAction::IssueDiscover),
        rule(FailureKind::Semantic, &["check_failed"], 1, EscalationAction::MarkBlocked),
        rule(FailureKind::Governance, &["governance.*"], 1, EscalationAction::MarkBlocked),
        rule(FailureKind::Default, &[], 1, EscalationAction::Stop),
    ])
    .unwrap()
}

fn machine(resumes: Option<&str>) -> StepMachine {
    let resumes = resumes.map(ToOwned::to_owned);
    StepMachine::new(StepTerms { worker: "w".to_owned(), resumes, retry: table() })
}

fn held(fence: u64) -> HeldIssue {
    HeldIssue { issue_id: "bd-1".to_owned(), title: "One".to_owned(), fence, rev: 4, is_escalation: false }
}

fn evidence(text: &str) -> Digest {
    Digest::of_bytes(text.as_bytes())
}

fn passed(text: &str) -> StepEvent {
    StepEvent::Checked(Checked { classes: Vec::new(), evidence: evidence(text) })
}

fn failed(class: &str) -> StepEvent {
    StepEvent::Checked(Checked { classes: vec![class.to_owned()], evidence: evidence(class) })
}

fn landed() -> StepEvent {
    StepEvent::Landed { refs: vec!["git://commit/c".to_owned()] }
}

fn refused(class: &str) -> StepEvent {
    StepEvent::Refused { class: class.to_owned() }
}

/// What a machine asks for, by name.
fn asks(machine: &StepMachine) -> String {
    match machine.next() {
        StepNext::Claim { issue_id } => format!("claim {}", issue_id.unwrap_or("next")),
        StepNext::VerifyBefore(_) => "before".to_owned(),
        StepNext::Work(_) => "work".to_owned(),
        StepNext::VerifyAfter(_) => "after".to_owned(),
        StepNext::Land { .. } => "land".to_owned(),
        StepNext::Close { .. } => "close".to_owned(),
        StepNext::Wait { seconds } => format!("wait {seconds}"),
        StepNext::Look(_) => "look".to_owned(),
        StepNext::Renew(_) => "renew".to_owned(),
        StepNext::Escalate(escalation) => format!("escalate {}", escalation.action.token()),
        StepNext::Release(_) => "release".to_owned(),
        StepNext::Publish(row) => format!("publish {} {}", row.step_id, row.result_class),
        StepNext::Done(outcome) => format!("done {}", outcome.token()),
    }
}

/// Feeds what happens, and returns everything that was asked for, the first and the last included.
fn played(machine: &mut StepMachine, events: Vec<StepEvent>) -> Vec<String> {
    let mut asked = vec![asks(machine)];
    for event in events {
        machine.feed(event).unwrap();
        asked.push(asks(machine));
    }
    asked
}

#[test]
fn a_step_claims_verifies_works_verifies_and_closes() {
    let mut machine = machine(None);
    let closed = StepEvent::Closed { refs: vec!["witness://w1_x".to_owned()] };
    let events = vec![
        StepEvent::Claimed(held(3)),
        failed("check_failed"),
        passed("work"),
        passed("after"),
        landed(),
        closed,
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    let wanted = [
        "claim next",
        "before",
        "work",
        "after",
        "land",
        "close",
        "publish w.bd-1.3-1 verified_accept",
        "done completed",
    ];
    assert_eq!(asked, wanted);
}

#[test]
fn the_row_of_a_closed_issue_names_its_evidence() {
    let mut machine = machine(None);
    let refs = vec!["witness://w1_x".to_owned()];
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        passed("work"),
        passed("after"),
        landed(),
        StepEvent::Closed { refs: refs.clone() },
    ];
    played(&mut machine, events);
    let StepNext::Publish(row) = machine.next() else { panic!("{:?}", machine.next()) };
    let found = (row.before.clone(), row.work.clone(), row.after.clone(), row.refs.clone(), row.handoff);
    let wanted = (
        Some(evidence("before")),
        Some(evidence("work")),
        Some(evidence("after")),
        ["git://commit/c".to_owned()].into_iter().chain(refs).collect(),
        HandoffState::Closed,
    );
    assert_eq!(found, wanted);
}

#[test]
fn a_verification_that_fails_never_closes() {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        passed("work"),
        failed("check_failed"),
        StepEvent::Escalated { refs: Vec::new() },
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    let wanted = [
        "claim next",
        "before",
        "work",
        "after",
        "escalate mark_blocked",
        "publish w.bd-1.3-1 escalated_mark_blocked",
        "done escalated",
    ];
    assert_eq!(asked, wanted);
}

#[test]
fn a_landing_conflict_goes_back_to_the_worker_once_and_is_then_escalated() {
    let mut machine = machine(None);
    let attempt = || vec![passed("before"), passed("work"), passed("after"), failed("runtime.landing")];
    let mut events = vec![StepEvent::Claimed(held(3))];
    events.extend(attempt());
    events.extend([StepEvent::Published, StepEvent::Waited]);
    events.extend([StepEvent::Stands(LeaseStanding::Active), StepEvent::Renewed]);
    events.extend(attempt());
    let asked = played(&mut machine, events);
    assert_eq!(asked.iter().filter(|one| *one == "work").count(), 2);
    assert_eq!(asked.last().map(String::as_str), Some("escalate issue_discover"));
    assert!(!asked.iter().any(|one| one == "close"));
}

#[test]
fn work_that_was_pushed_waits_for_a_person_and_is_not_closed() {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        passed("work"),
        passed("after"),
        StepEvent::Submitted { refs: vec!["git://commit/c".to_owned()] },
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    assert_eq!(asked[4..], ["land", "publish w.bd-1.3-1 accepted", "done submitted"]);
}

/// One failed attempt, its wait, and the lease that still holds.
fn attempt_again() -> Vec<StepEvent> {
    vec![
        passed("before"),
        failed("timeout"),
        StepEvent::Published,
        StepEvent::Waited,
        StepEvent::Stands(LeaseStanding::Active),
        StepEvent::Renewed,
    ]
}

#[test]
fn three_transient_failures_are_told_of_once() {
    let mut machine = machine(None);
    let mut events = vec![StepEvent::Claimed(held(3))];
    events.extend(attempt_again());
    events.extend(attempt_again());
    events.extend([passed("before"), failed("timeout")]);
    events.extend([StepEvent::Escalated { refs: Vec::new() }, StepEvent::Published]);
    let asked = played(&mut machine, events);
    let told = asked.iter().filter(|one| one.starts_with("escalate")).collect::<Vec<_>>();
    assert_eq!(told, ["escalate issue_discover"]);
    let waits: Vec<_> = asked.iter().filter(|one| one.starts_with("wait")).collect();
    assert_eq!(waits, ["wait 1", "wait 2"]);
    let rows: Vec<_> = asked.iter().filter(|one| one.starts_with("publish")).collect();
    let wanted = [
        "publish w.bd-1.3-1 transient_retry",
        "publish w.bd-1.3-2 transient_retry",
        "publish w.bd-1.3-3 escalated_issue_discover",
    ];
    assert_eq!(rows, wanted);
}

#[test]
fn a_failure_of_an_escalation_sets_it_aside_instead_of_telling_of_it_again() {
    let mut machine = machine(None);
    let escalation = HeldIssue { is_escalation: true, ..held(1) };
    let mut events = vec![StepEvent::Claimed(escalation)];
    events.extend(attempt_again());
    events.extend(attempt_again());
    events.extend([passed("before"), failed("timeout")]);
    let asked = played(&mut machine, events);
    assert_eq!(asked.last().map(String::as_str), Some("escalate mark_blocked"));
}

#[test]
fn a_class_that_no_rule_names_stops_the_worker_and_lets_go() {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        failed("unheard_of"),
        StepEvent::Released,
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    assert_eq!(asked[3..], ["release", "publish w.bd-1.3-1 escalated_stop", "done stopped"]);
}

#[test]
fn what_is_still_held_is_taken_up_first_and_else_whatever_comes() {
    let mut resumed = machine(Some("bd-9"));
    assert_eq!(asks(&resumed), "claim bd-9");
    resumed.feed(StepEvent::ClaimRefused { class: "lease_contention_active".to_owned() }).unwrap();
    assert_eq!(asks(&resumed), "claim next");
}

#[test]
fn a_busy_store_is_asked_again_and_then_left() {
    let mut machine = machine(None);
    let busy = || StepEvent::ClaimRefused { class: "lease_store_busy".to_owned() };
    let events = vec![busy(), StepEvent::Waited, busy(), StepEvent::Waited, busy()];
    let asked = played(&mut machine, events);
    let wanted = ["claim next", "wait 1", "claim next", "wait 2", "claim next", "done stopped"];
    assert_eq!(asked, wanted);
}

#[test]
fn nothing_to_claim_is_the_end_of_the_step() {
    assert_eq!(played(&mut machine(None), vec![StepEvent::NothingToClaim]), ["claim next", "done idle"]);
}

fn lost_at_close(standing: LeaseStanding) -> (StepMachine, Vec<String>) {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        passed("work"),
        passed("after"),
        landed(),
        refused("lease_stale"),
        StepEvent::Stands(standing),
    ];
    let asked = played(&mut machine, events);
    (machine, asked)
}

#[test]
fn the_failure_table_of_leases_holds() {
    let table = [
        (LeaseStanding::Active, "renew"),
        (LeaseStanding::Stale, "claim bd-1"),
        (LeaseStanding::Contended, "release"),
        (LeaseStanding::Closed, "publish w.bd-1.3-1 lease_closed"),
        (LeaseStanding::Missing, "publish w.bd-1.3-1 lease_missing"),
    ];
    for (standing, wanted) in table {
        let (_, asked) = lost_at_close(standing);
        assert_eq!(asked.last().map(String::as_str), Some(wanted), "{standing:?}");
    }
}

#[test]
fn an_issue_that_is_taken_again_is_verified_again_under_its_new_fence() {
    let (mut machine, _) = lost_at_close(LeaseStanding::Stale);
    let asked = played(&mut machine, vec![StepEvent::Claimed(held(5)), passed("before"), passed("work")]);
    assert_eq!(asked, ["claim bd-1", "before", "work", "after"]);
    assert_eq!(machine.step_id().as_deref(), Some("w.bd-1.5-2"));
}

#[test]
fn a_lease_that_never_holds_stops_the_worker_at_last() {
    let (mut machine, _) = lost_at_close(LeaseStanding::Active);
    for _ in 0..50 {
        let event = match machine.next() {
            StepNext::Renew(_) => StepEvent::Renewed,
            StepNext::Look(_) => StepEvent::Stands(LeaseStanding::Active),
            StepNext::Land { .. } => landed(),
            StepNext::Close { .. } => refused("lease_stale"),
            StepNext::VerifyBefore(_) | StepNext::Work(_) | StepNext::VerifyAfter(_) => passed("again"),
            StepNext::Release(_) => StepEvent::Released,
            StepNext::Publish(_) => StepEvent::Published,
            StepNext::Done(_) => break,
            StepNext::Claim { .. } | StepNext::Wait { .. } | StepNext::Escalate(_) => break,
        };
        machine.feed(event).unwrap();
    }
    assert_eq!(asks(&machine), "done stopped");
}

#[test]
fn a_lease_that_is_lost_while_working_is_looked_at_and_nothing_is_closed() {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        StepEvent::LeaseLost,
        StepEvent::Stands(LeaseStanding::Contended),
        StepEvent::Released,
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    let wanted = ["look", "release", "publish w.bd-1.3-1 lease_contended", "done lost"];
    assert_eq!(asked[3..], wanted);
}

#[test]
fn whoever_asks_for_the_end_gets_the_issue_given_back() {
    let mut machine = machine(None);
    let events = vec![
        StepEvent::Claimed(held(3)),
        passed("before"),
        StepEvent::Interrupted,
        StepEvent::Released,
        StepEvent::Published,
    ];
    let asked = played(&mut machine, events);
    assert_eq!(asked[3..], ["release", "publish w.bd-1.3-1 interrupted", "done interrupted"]);
}

#[test]
fn what_cannot_happen_is_refused_and_changes_nothing() {
    let mut machine = machine(None);
    let error = machine.feed(StepEvent::Closed { refs: Vec::new() }).unwrap_err();
    assert_eq!((error.event, error.waits), ("closed", "takes an issue"));
    assert_eq!(asks(&machine), "claim next");
}
