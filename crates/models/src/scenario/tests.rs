//! What a file may say, and where it is told that it may not.

use std::time::Duration;

use premath_tusk::model::ToolOutcome;

use super::{FaultKind, Scenario, Stop, Times};

fn read(text: &str) -> Scenario {
    Scenario::parse("test.toml", text).unwrap()
}

fn complaint(text: &str) -> String {
    Scenario::parse("test.toml", text).unwrap_err().to_string()
}

#[test]
fn a_turn_of_one_text_has_defaults() {
    let scenario = read("name = \"a\"\n[[turn]]\ntext = \"hello\"\n");
    let turn = &scenario.conversations[0].turns[0];
    assert_eq!(scenario.name, "a");
    assert_eq!(turn.speech.text.as_deref(), Some("hello"));
    assert_eq!(turn.speech.stop, Stop::EndTurn);
    assert_eq!(turn.speech.chunk, 16);
    assert!(turn.faults.is_empty());
}

#[test]
fn everything_that_can_be_said_is_read() {
    let scenario = read(
        r#"
name = "all"

[[conversation]]
when = { system_contains = "careful", model = "big" }
[[conversation.turn]]
refusal = "no"

[[turn]]
reasoning = "let me see"
text = "I look."
chunk = 3
usage = { input = 10, output = 5, cache_read = 7, cache_write = 1 }
expect = { user_contains = "look", system_contains = "you", tools_include = ["fs_read"], tools_exclude = ["shell"], messages = 1 }
[[turn.call]]
tool = "fs_read"
arguments = { path = "a.txt", lines = [1, 2], deep = { on = true, share = 0.5 } }
[[turn.call]]
id = "mine"
tool = "fs_list"
arguments_raw = '{"broken": '
[[turn.fault]]
kind = "rate_limit"
retry_after = 2
times = 3
[[turn.fault]]
kind = "slow"
delay_ms = 5
always = true

[[turn]]
text = "done"
stop = "guardrail"
expect = { tool_result = [{ id = "mine", contains = "b", outcome = "error" }] }
fault = [{ kind = "cut", at_byte = 10 }, { kind = "server_error", status = 529 }]
"#,
    );
    assert_eq!(scenario.models(), ["big"]);
    let refusal = &scenario.conversations[0].turns[0].speech;
    assert_eq!((refusal.refusal.as_deref(), &refusal.stop), (Some("no"), &Stop::Refusal));
    let [first, second] = scenario.conversations[1].turns.as_slice() else { panic!("two turns") };
    assert_eq!(first.speech.stop, Stop::ToolUse);
    assert_eq!(first.speech.calls[0].id, "call_1_1");
    let arguments: serde_json::Value = serde_json::from_str(&first.speech.calls[0].arguments).unwrap();
    assert_eq!(
        arguments,
        serde_json::json!({"path": "a.txt", "lines": [1, 2], "deep": {"on": true, "share": 0.5}})
    );
    assert_eq!(first.speech.calls[1].arguments, "{\"broken\": ");
    assert_eq!(first.faults[0].kind, FaultKind::RateLimit { retry_after: Some(2) });
    assert_eq!(first.faults[0].times, Times::Count(3));
    assert_eq!(first.faults[1].kind, FaultKind::Slow { delay: Duration::from_millis(5) });
    assert_eq!(first.faults[1].times, Times::Always);
    assert_eq!(second.speech.stop, Stop::Other("guardrail".to_owned()));
    assert_eq!(second.expect.tool_results[0].outcome, Some(ToolOutcome::Error));
    assert_eq!(second.faults[1].kind, FaultKind::ServerError { status: 529 });
}

#[test]
fn a_pattern_that_is_none_is_named_with_its_place() {
    let text = "name = \"a\"\n[[conversation]]\nwhen = { asked_matches = \"(\" }\n[[conversation.turn]]\ntext = \"x\"\n";
    let message = complaint(text);
    assert!(message.contains("test.toml:3:26: `asked_matches` is no regular expression"), "{message}");
}

#[test]
fn mistakes_are_named_with_their_place() {
    let turn = "name = \"a\"\n[[turn]]\ntext = \"x\"\n";
    let cases = [
        ("name = 1\n".to_owned(), "test.toml:1:8: invalid type: integer `1`, expected a string"),
        ("[[turn]]\ntext = \"x\"\n".to_owned(), "missing field `name`"),
        ("name = \"a\"\n".to_owned(), "test.toml:1:8: a scenario has at least one `[[turn]]`"),
        ("name = \" \"\n[[turn]]\ntext = \"x\"\n".to_owned(), "test.toml:1:8: a scenario has a name"),
        (format!("{turn}txet = \"y\"\n"), "test.toml:4:1: unknown field `txet`"),
        (format!("{turn}refusal = \"y\"\n"), "test.toml:4:11: a turn has a `text` or a `refusal`, not both"),
        (format!("{turn}chunk = 0\n"), "test.toml:4:9: a chunk has at least one character"),
        (format!("{turn}chunk = -1\n"), "test.toml:4:9: invalid value"),
        (format!("{turn}stop = \"\"\n"), "test.toml:4:8: a stop has a name"),
        (format!("{turn}text = \"again\"\n"), "test.toml:4:1: duplicate key"),
        (format!("{turn}fault = [{{ kind = \"boom\" }}]\n"), "test.toml:4:19: no fault is called `boom`"),
        (
            format!("{turn}fault = [{{ kind = \"cut\" }}]\n"),
            "test.toml:4:19: the fault `cut` needs `at_byte`",
        ),
        (
            format!("{turn}fault = [{{ kind = \"cut\", at_byte = 1, status = 500 }}]\n"),
            "test.toml:4:48: the fault `cut` takes no `status`",
        ),
        (
            format!("{turn}fault = [{{ kind = \"server_error\", status = 404 }}]\n"),
            "test.toml:4:44: `404` is no status of a server error",
        ),
        (
            format!("{turn}fault = [{{ kind = \"overloaded\", times = 0 }}]\n"),
            "test.toml:4:41: a fault that never happens",
        ),
        (
            format!("{turn}fault = [{{ kind = \"overloaded\", times = 2, always = true }}]\n"),
            "test.toml:4:41: a fault has either `times` or `always`",
        ),
        (
            format!(
                "{turn}fault = [{{ kind = \"overloaded\", always = true }}, {{ kind = \"cut\", at_byte = 1 }}]\n"
            ),
            "no fault comes after one that happens `always`",
        ),
        (
            format!("{turn}fault = [{{ kind = \"wrong_tool_id\" }}]\n"),
            "test.toml:4:10: the fault `wrong_tool_id` needs a turn that calls a tool",
        ),
        (format!("{turn}[[turn]]\n"), "test.toml:4:1: a turn says something"),
        (
            format!("{turn}[[turn.call]]\ntool = \"t\"\narguments = {{ a = nan }}\n"),
            "test.toml:6:13: JSON has no `nan`",
        ),
        (
            format!("{turn}[[turn.call]]\ntool = \"t\"\narguments = {{}}\narguments_raw = \"\"\n"),
            "test.toml:7:17: a call has `arguments` or `arguments_raw`, not both",
        ),
        (
            format!(
                "{turn}[[turn.call]]\nid = \"b\"\ntool = \"t\"\n[[turn.call]]\nid = \"b\"\ntool = \"t\"\n"
            ),
            "test.toml:8:6: the call id `b` is empty or taken",
        ),
        (
            format!("{turn}[[conversation]]\nwhen = {{}}\n[[conversation.turn]]\ntext = \"x\"\n"),
            "test.toml:5:8: `when` names",
        ),
        (
            format!("{turn}[[conversation]]\nwhen = {{ model = \"m\" }}\n"),
            "a conversation has at least one `[[conversation.turn]]`",
        ),
        (
            format!("{turn}expect = {{ tool_result = [{{ outcome = \"fine\" }}] }}\n"),
            "test.toml:4:39: an outcome is `ok` or `error`, not `fine`",
        ),
        ("name = \"ä\" x\n".to_owned(), "test.toml:1:12: "),
    ];
    for (text, expected) in cases {
        let message = complaint(&text);
        assert!(message.contains(expected), "`{text}` gave `{message}`, not `{expected}`");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn events_are_counted_from_one() {
    let file =
        "name = \"a\"\n[[turn]]\ntext = \"x\"\nfault = [{ kind = \"malformed_json\", at_event = 0 }]\n";
    assert!(complaint(file).starts_with("test.toml:4:19: events are counted from 1"));
}

#[test]
fn a_file_without_end_is_refused() {
    let text = format!("name = \"a\"\n# {}", "x".repeat(super::MAX_BYTES));
    assert!(complaint(&text).contains("more than the"));
}
