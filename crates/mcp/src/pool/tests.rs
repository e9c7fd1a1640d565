//! Calls that panic.

use super::{Answered, Failure, contain_panic};

#[test]
fn a_call_that_panics_is_answered_as_a_fault_of_ours_and_the_next_one_is_made() {
    let broken = format!("{:?}", contain_panic("issue.ready", || panic!("the call panics")));
    assert!(broken.contains("server_fault") && !broken.contains("the call panics"), "{broken}");
    let failure = Failure { class: "other".to_owned(), detail: "made".to_owned(), hint: String::new() };
    let next = format!("{:?}", contain_panic("issue.ready", || Answered::failed("issue.ready", "", failure)));
    assert!(next.contains("made") && !next.contains("server_fault"), "{next}");
}
