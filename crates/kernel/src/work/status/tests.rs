//! Facts about statuses and types.

use super::{IssueType, Status};

#[test]
fn a_status_is_read_back_from_its_token_in_any_case_and_with_blanks() {
    for status in Status::ALL {
        assert_eq!(Status::from_token(status.token()), status);
    }
    assert_eq!(Status::from_token("  In_Progress\n"), Status::InProgress);
}

#[test]
fn a_status_of_another_tool_is_other_and_resolves_nothing() {
    for token in ["", "deferred", "in progress", "in-progress", "other", "closed!"] {
        assert_eq!(Status::from_token(token), Status::Other, "{token:?}");
    }
    assert!(!Status::Other.is_resolved());
    assert_eq!(Status::Other.token(), "other");
}

#[test]
fn a_tombstone_is_a_deleted_issue_and_no_status_that_is_written() {
    assert_eq!(Status::from_token(" Tombstone"), Status::Deleted);
    assert_eq!(Status::Deleted.token(), "tombstone");
    assert!(!Status::ALL.contains(&Status::Deleted));
}

#[test]
fn only_closed_and_deleted_are_resolved() {
    let resolved =
        [Status::Open, Status::InProgress, Status::Blocked, Status::Closed, Status::Deleted, Status::Other]
            .map(Status::is_resolved);
    assert_eq!(resolved, [false, false, false, true, true, false]);
}

#[test]
fn a_type_is_read_back_from_its_token_and_an_unknown_one_is_other() {
    for kind in IssueType::ALL {
        assert_eq!(IssueType::from_token(kind.token()), kind);
    }
    assert_eq!(IssueType::from_token(" EPIC "), IssueType::Epic);
    assert_eq!(IssueType::from_token("molecule"), IssueType::Other);
    assert_eq!(IssueType::from_token("other"), IssueType::Other);
    assert_eq!(IssueType::Other.token(), "other");
}
