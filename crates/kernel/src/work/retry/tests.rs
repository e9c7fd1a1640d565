//! The table of kinds, attempts and what follows, and what a table may not be.

use std::string::ToString;
use std::vec;

use super::*;

fn pattern(text: &str) -> ClassPattern {
    ClassPattern::new(text).unwrap()
}

fn rule(
    kind: FailureKind,
    classes: &[&str],
    (max_attempts, backoff, escalation): (u32, BackoffClass, EscalationAction),
) -> RetryRule {
    let classes = classes.iter().map(|text| pattern(text)).collect();
    RetryRule { kind, classes, max_attempts, backoff, escalation }
}

fn rules() -> Vec<RetryRule> {
    use EscalationAction as Then;
    vec![
        rule(
            FailureKind::Transient,
            &["timeout", "rate_limit"],
            (3, BackoffClass::ExponentialShort, Then::IssueDiscover),
        ),
        rule(
            FailureKind::Operational,
            &["runtime.*", "environment_*"],
            (2, BackoffClass::FixedShort, Then::IssueDiscover),
        ),
        rule(
            FailureKind::Semantic,
            &["check_failed", "tool.*", "instruction_*"],
            (1, BackoffClass::None, Then::MarkBlocked),
        ),
        rule(FailureKind::Governance, &["governance.*"], (1, BackoffClass::None, Then::MarkBlocked)),
        rule(FailureKind::Default, &[], (1, BackoffClass::None, Then::Stop)),
    ]
}

fn decided(classes: &[&str], attempt: u32) -> (FailureKind, RetryNext) {
    let classes: Vec<String> = classes.iter().map(ToString::to_string).collect();
    let decision = RetryTable::new(rules()).unwrap().decide(&classes, attempt);
    (decision.kind, decision.next)
}

/// Seed: 002 §5/1, 002 §5/2, 002 §5/3, 002 §9/1
#[test]
fn every_kind_has_its_attempts_its_waits_and_its_end() {
    use EscalationAction::{IssueDiscover, MarkBlocked, Stop};
    use FailureKind::{Default, Governance, Operational, Semantic, Transient};
    let again = |backoff_seconds| RetryNext::Retry { backoff_seconds };
    let table = [
        ("timeout", 1, Transient, again(1)),
        ("timeout", 2, Transient, again(2)),
        ("timeout", 3, Transient, RetryNext::Escalate(IssueDiscover)),
        ("runtime.shell_boundary_violation", 1, Operational, again(2)),
        ("runtime.shell_boundary_violation", 2, Operational, RetryNext::Escalate(IssueDiscover)),
        ("check_failed", 1, Semantic, RetryNext::Escalate(MarkBlocked)),
        ("instruction_scope_missing", 1, Semantic, RetryNext::Escalate(MarkBlocked)),
        ("governance.eval_gate_unmet", 1, Governance, RetryNext::Escalate(MarkBlocked)),
        ("never_heard_of", 1, Default, RetryNext::Escalate(Stop)),
    ];
    for (class, attempt, kind, next) in table {
        assert_eq!(decided(&[class], attempt), (kind, next), "{class} at attempt {attempt}");
    }
}

/// Seed: 002 §5/2
#[test]
fn the_waits_double_and_stay_at_four_seconds() {
    let waits = [1, 2, 3, 4, 100].map(|attempt| BackoffClass::ExponentialShort.seconds_after(attempt));
    assert_eq!(waits, [1, 2, 4, 4, 4]);
    assert_eq!(BackoffClass::FixedShort.seconds_after(7), 2);
    assert_eq!(BackoffClass::None.seconds_after(1), 0);
}

#[test]
fn of_several_classes_the_strictest_rule_counts() {
    let blocked = RetryNext::Escalate(EscalationAction::MarkBlocked);
    assert_eq!(decided(&["timeout", "check_failed"], 1).1, blocked);
    let stop = RetryNext::Escalate(EscalationAction::Stop);
    assert_eq!(decided(&["check_failed", "unheard_of"], 1).1, stop);
    assert_eq!(decided(&["timeout", "runtime.x"], 1).0, FailureKind::Operational);
}

#[test]
fn a_failure_without_a_class_stops_the_worker() {
    assert_eq!(decided(&[], 1), (FailureKind::Default, RetryNext::Escalate(EscalationAction::Stop)));
}

#[test]
fn attempts_beyond_the_last_one_escalate_too() {
    assert_eq!(decided(&["timeout"], 9).1, RetryNext::Escalate(EscalationAction::IssueDiscover));
}

#[test]
fn a_star_names_what_begins_alike_and_not_the_stem_itself() {
    assert!(pattern("tool.*").matches("tool.use_missing"));
    assert!(!pattern("tool.*").matches("tool."));
    assert!(!pattern("tool.*").matches("toolbox"));
    assert!(!pattern("timeout").matches("timeout_more"));
}

#[test]
fn patterns_that_are_none_are_told_apart() {
    for text in ["", "*", "tool*", ".x", "_*", "Tool.*", "a b", "tool.*.x", "tool.**", "1x"] {
        assert_eq!(ClassPattern::new(text), None, "{text:?}");
    }
}

#[test]
fn a_class_of_two_kinds_makes_no_table() {
    for (left, right) in
        [("timeout", "timeout"), ("runtime.timeout", "runtime.*"), ("a_*", "a_b_*"), ("a_b_*", "a_*")]
    {
        let mut rules = rules();
        rules[0].classes = vec![pattern(left)];
        rules[1].classes = vec![pattern(right)];
        let overlap = RetryTableFault::Overlap { left: left.to_string(), right: right.to_string() };
        assert_eq!(RetryTable::new(rules), Err(overlap));
    }
}

#[test]
fn a_table_has_one_rule_of_each_kind_and_only_the_default_names_no_class() {
    let mut missing = rules();
    missing.remove(2);
    assert_eq!(RetryTable::new(missing), Err(RetryTableFault::KindMissing(FailureKind::Semantic)));
    let mut twice = rules();
    twice.push(twice[0].clone());
    assert_eq!(RetryTable::new(twice), Err(RetryTableFault::KindTwice(FailureKind::Transient)));
    let mut empty = rules();
    empty[1].classes.clear();
    assert_eq!(RetryTable::new(empty), Err(RetryTableFault::ClassesMisplaced(FailureKind::Operational)));
    let mut named = rules();
    named[4].classes.push(pattern("other"));
    assert_eq!(RetryTable::new(named), Err(RetryTableFault::ClassesMisplaced(FailureKind::Default)));
    let mut never = rules();
    never[3].max_attempts = 0;
    assert_eq!(RetryTable::new(never), Err(RetryTableFault::AttemptsOutOfRange(FailureKind::Governance)));
}
