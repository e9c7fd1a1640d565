//! Facts about readiness, one edge or one issue at a time.

use std::vec::Vec;

use super::{ReadyKey, TargetState, holds_back, is_ready};
use crate::work::{DependencyKind, Moment, Status};

const STATUSES: [Status; 6] =
    [Status::Open, Status::InProgress, Status::Blocked, Status::Closed, Status::Deleted, Status::Other];

#[test]
fn a_target_is_resolved_only_when_it_is_closed_or_deleted() {
    assert_eq!(TargetState::of(None), TargetState::Missing);
    assert_eq!(TargetState::of(Some(Status::Closed)), TargetState::Resolved);
    assert_eq!(TargetState::of(Some(Status::Deleted)), TargetState::Resolved);
    for status in STATUSES.into_iter().filter(|status| !status.is_resolved()) {
        assert_eq!(TargetState::of(Some(status)), TargetState::Unresolved(status));
    }
}

#[test]
fn an_unresolved_or_missing_target_holds_back_and_a_resolved_one_does_not() {
    for kind in [DependencyKind::Blocks, DependencyKind::ConditionalBlocks, DependencyKind::WaitsFor] {
        assert!(holds_back(kind, TargetState::Missing));
        assert!(holds_back(kind, TargetState::Unresolved(Status::Other)));
        assert!(!holds_back(kind, TargetState::Resolved));
    }
}

#[test]
fn neither_a_parent_nor_a_related_issue_holds_back() {
    for kind in [DependencyKind::ParentChild, DependencyKind::Related, DependencyKind::Other] {
        assert!(!holds_back(kind, TargetState::Missing));
        assert!(!holds_back(kind, TargetState::Unresolved(Status::Open)));
    }
}

#[test]
fn only_an_open_issue_that_nothing_holds_back_is_ready() {
    for status in STATUSES {
        assert_eq!(is_ready(status, false), status == Status::Open);
        assert!(!is_ready(status, true));
    }
}

#[test]
fn ready_issues_are_ordered_by_priority_then_age_then_natural_id() {
    let key = |priority, created_at: Option<i64>, id| ReadyKey {
        priority,
        created_at: created_at.and_then(|seconds| Moment::new(seconds, 0)),
        id,
    };
    let ascending = [
        key(0, None, "z"),
        key(1, Some(-5), "z"),
        key(1, Some(7), "bd-2"),
        key(1, Some(7), "bd-10"),
        key(1, Some(8), "a"),
        key(1, None, "bd-2"),
        key(1, None, "bd-10"),
        key(4, Some(-9), "a"),
    ];
    let mut sorted: Vec<_> = ascending.iter().rev().copied().collect();
    sorted.sort();
    assert_eq!(sorted, ascending);
}
