//! Events that are read, and events that are none.

use super::*;

#[test]
fn a_call_is_read_with_what_nobody_knows_passed_over() {
    let text = r#"{"session_id":"s","cwd":"/r","hook_event_name":"PreToolUse","permission_mode":"default",
        "tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1","effort":{"level":"high"}}"#;
    let event = HookEvent::read(text).unwrap();
    assert_eq!(
        (event.moment, event.tool.as_str(), event.call_id.as_deref()),
        (Moment::Before, "Bash", Some("t1"))
    );
    assert_eq!(event.input["command"], "ls");
}

#[test]
fn what_cannot_be_decided_about_is_no_event() {
    for text in [
        "",
        "{",
        "[]",
        "null",
        r#"{"hook_event_name":"Stop"}"#,
        r#"{"tool_name":"Bash","tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"","tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{}}"#,
        r#"{"hook_event_name":"UserPromptSubmit"}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_name":"Bash","tool_input":{}}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}"#,
    ] {
        assert!(HookEvent::read(text).is_err(), "{text}");
    }
}
