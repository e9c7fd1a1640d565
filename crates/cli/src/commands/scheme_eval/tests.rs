//! What the command ends with, by what the program came to.

use super::{Told, exit_of};
use crate::exit::Exit;

fn ended(error: &str, changes: u64, is_replay: bool) -> Exit {
    let text = format!(
        r#"{{"replayed":{is_replay},"output":"","error":{error},"changeCount":{changes},"value":[[1]],"effects":[{{}}]}}"#
    );
    let told: Told<'_> = serde_json::from_str(&text).unwrap();
    exit_of(&told, false)
}

fn failed(class: &str, is_retryable: bool) -> String {
    format!(r#"{{"kind":"host","class":"{class}","message":"m","retryable":{is_retryable},"trace":[]}}"#)
}

#[test]
fn a_program_that_found_the_store_busy_and_changed_nothing_may_be_run_again() {
    let busy = failed("lease_store_busy", true);
    assert_eq!(ended(&busy, 0, false), Exit::Busy);
    assert_eq!(ended(&busy, 1, false), Exit::Rejected, "what was changed would be changed again");
    assert_eq!(ended(&busy, 0, true), Exit::Rejected, "a trace comes to the same for ever");
    assert_eq!(ended(&failed("issue_not_found", false), 0, false), Exit::Rejected);
    assert_eq!(ended("null", 0, false), Exit::Accepted);
}

#[test]
fn whoever_is_interrupted_ends_as_that() {
    let told: Told<'_> = serde_json::from_str(r#"{"replayed":false,"output":"","changeCount":0}"#).unwrap();
    assert_eq!(exit_of(&told, true), Exit::Interrupted);
}
