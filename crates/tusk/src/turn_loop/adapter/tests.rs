//! What a text comes to.

use super::{FENCED_JSON, calls};

const TEXT: &str = "I look first.\n```tool_call\n{\"name\": \"fs_read\", \"arguments\": {\"path\": \"a\"}}\n```\nand\n\
                    ```tool_call\n{\"name\": \"fs_read\"}\n```\n```json\n{\"name\": \"no\"}\n```\n";

#[test]
fn fenced_blocks_are_calls_with_ids_that_follow_from_the_turn() {
    let calls = calls(FENCED_JSON, TEXT, "run.t0001");
    let told: Vec<(&str, &str, &str)> =
        calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(
        told,
        [("run.t0001.1", "fs_read", r#"{"path":"a"}"#), ("run.t0001.2", "unreadable_block", "{}")]
    );
}

#[test]
fn without_a_profile_a_text_is_only_looked_at() {
    assert!(calls("premath.structured.v1", TEXT, "run.t0001").is_empty());
}

#[test]
fn a_block_that_does_not_end_is_no_call() {
    assert!(calls(FENCED_JSON, "```tool_call\n{\"name\": \"shell\", \"arguments\": {}}", "t").is_empty());
}
