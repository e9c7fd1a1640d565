//! R11 on the command line: whatever is piped in, the answer is typed, prompt and small, and never a panic.

#![expect(clippy::disallowed_methods, reason = "other people's cases are read from files")]
#![expect(clippy::unwrap_used, reason = "a case that cannot be read fails the test")]

mod premath;

use std::fs;

use premath::{PROGRAM, Ran, patience, premath};
use premath_testkit::{files_in, test_data};
use premath_wire::strict::Limits;
use serde_json::{Value, json};

const CHECK: [&str; 4] = ["harness-join-check", "--input", "-", "--json"];

/// Address space in kB: 256 MB of data, and what a program has besides.
const ADDRESS_SPACE: u32 = 400_000;

fn check(input: &[u8]) -> Ran {
    premath(&CHECK, input)
}

/// The same with a bounded address space: who asks for more memory is ended.
fn check_small(input: &[u8]) -> Ran {
    let script = format!("ulimit -v {ADDRESS_SPACE} && exec \"$0\" \"$@\"");
    let mut command = assert_cmd::Command::new("sh");
    command.args(["-c", &script, PROGRAM]).args(CHECK).timeout(patience());
    Ran::from(command.write_stdin(input).output().unwrap())
}

/// One document of the error on standard output, and a typed error of one line with a hint.
fn is_typed(ran: &Ran) -> bool {
    let lines: Vec<&str> = ran.stderr.lines().collect();
    ran.code == Some(2)
        && serde_json::from_str::<Value>(&ran.stdout)
            .is_ok_and(|document| document.pointer("/error/path").is_some_and(Value::is_string))
        && lines.len() == 2
        && lines.first().is_some_and(|line| line.starts_with("error: input.") && line.contains(" at $"))
        && lines.last().is_some_and(|line| line.starts_with("hint: "))
        && !ran.stderr.contains(|letter: char| letter.is_control() && letter != '\n')
}

/// A refusal: one document that says so.
fn is_refused(ran: &Ran) -> bool {
    let document = serde_json::from_str::<Value>(&ran.stdout);
    ran.code == Some(1)
        && ran.stderr.is_empty()
        && document.is_ok_and(|report| report.get("result").is_some_and(|result| result == "rejected"))
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_file_of_the_json_test_suite_is_a_typed_error() {
    let Some(folder) = test_data("json-test-suite") else { return };
    let mut cases = files_in(&folder.join("test_parsing"));
    assert!(cases.len() >= 318, "only {} files", cases.len());
    cases.extend(files_in(&folder.join("test_transform")));
    let mut wrong = Vec::new();
    for (name, bytes) in cases {
        let ran = check(&bytes);
        if !is_typed(&ran) {
            wrong.push(format!("{name}: {ran:?}"));
        }
    }
    assert_none(&wrong);
}

/// A turn that is refused whatever its names are: what it requested never came.
fn open_turn(name: &str) -> Value {
    json!({ "evidence": {
        "callSpec": {
            "callId": name, "modelRef": "m", "actionMode": "json", "executionPattern": "single", "normalizerId": "n",
            "mutationPolicyDigest": "a", "governancePolicyDigest": "b", "toolRenderProtocolDigest": "c",
            "reminderQueuePolicyDigest": "d", "stateViewPolicyDigest": "e", "decompositionPolicyDigest": "f",
        },
        "toolRequests": [{ "toolCallId": name, "toolName": name }],
        "protocolState": { "stopReason": "tool_use" },
    }})
}

#[test]
fn a_name_is_read_exactly_when_it_is_utf8() {
    let Some(folder) = test_data("utf8tests") else { return };
    let cases = fs::read(folder.join("utf8tests.bin")).unwrap();
    let turn = open_turn("@@").to_string();
    let mut wrong = Vec::new();
    for line in cases.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, |byte| *byte == b':').skip(1);
        let (verdict, bytes) = (parts.next().unwrap(), parts.next().unwrap());
        let document: Vec<u8> = turn.split("@@").map(str::as_bytes).collect::<Vec<_>>().join(bytes);
        let ran = check(&document);
        let is_text = verdict == b"valid" && !bytes.iter().any(|byte| *byte < 0x20);
        let is_blank = std::str::from_utf8(bytes).is_ok_and(|text| text.trim().is_empty());
        let is_right = if is_text && !is_blank { is_refused(&ran) } else { is_typed(&ran) };
        if !is_right {
            wrong.push(format!("{}: {ran:?}", String::from_utf8_lossy(line)));
        }
        let alone = check(bytes);
        if !is_typed(&alone) {
            wrong.push(format!("{} alone: {alone:?}", String::from_utf8_lossy(line)));
        }
    }
    assert_none(&wrong);
}

fn naughty_strings() -> Option<Vec<String>> {
    let folder = test_data("blns")?;
    let strings: Vec<String> = serde_json::from_slice(&fs::read(folder.join("blns.json")).unwrap()).unwrap();
    assert!(strings.len() >= 500, "only {} strings", strings.len());
    Some(strings)
}

#[test]
fn every_naughty_string_is_no_document() {
    let Some(strings) = naughty_strings() else { return };
    let mut wrong = Vec::new();
    for string in strings {
        for document in [string.clone(), json!(string).to_string()] {
            let ran = check(document.as_bytes());
            if !is_typed(&ran) {
                wrong.push(format!("{document:?}: {ran:?}"));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_naughty_string_is_a_name_unless_it_is_blank() {
    let Some(strings) = naughty_strings() else { return };
    let mut wrong = Vec::new();
    for string in strings {
        let ran = check(open_turn(&string).to_string().as_bytes());
        let is_right = if string.trim().is_empty() { is_typed(&ran) } else { is_refused(&ran) };
        if !is_right {
            wrong.push(format!("{string:?}: {ran:?}"));
        }
    }
    assert_none(&wrong);
}

/// `count` pieces between two brackets.
fn repeated(open: &str, piece: impl Fn(usize) -> String, count: usize, close: &str) -> Vec<u8> {
    let pieces: Vec<String> = (0..count).map(piece).collect();
    format!("{open}{}{close}", pieces.join(",")).into_bytes()
}

#[track_caller]
fn assert_small(input: &[u8], class: &str) {
    let ran = check_small(input);
    assert!(is_typed(&ran), "{ran:?}");
    assert!(ran.stderr.starts_with(&format!("error: {class}: ")), "{}", ran.stderr);
}

#[test]
fn a_hundred_thousand_nested_arrays_take_no_memory() {
    assert_small(&b"[".repeat(100_000), "input.too_deep");
}

#[test]
fn a_hundred_thousand_nested_objects_take_no_memory() {
    assert_small(&br#"{"a":"#.repeat(100_000), "input.too_deep");
}

#[test]
fn a_string_of_sixty_megabytes_takes_little_more_than_itself() {
    assert_small(&[b"\"", b"a".repeat(60_000_000).as_slice(), b"\""].concat(), "input.field_invalid");
}

#[test]
fn a_string_of_sixty_megabytes_that_never_ends_takes_little_more_than_itself() {
    assert_small(&[b"\"", b"a".repeat(60_000_000).as_slice()].concat(), "input.json_invalid");
}

#[test]
fn one_byte_too_many_is_not_read() {
    assert_small(&b" ".repeat(Limits::default().max_bytes + 1), "input.too_large");
}

#[test]
fn sixty_four_megabytes_of_nothing_are_no_document() {
    assert_small(&b" ".repeat(64 * 1024 * 1024 + 1), "input.json_invalid");
}

#[test]
fn five_million_empty_arrays_are_too_many_values() {
    assert_small(&repeated("[", |_| "[]".to_owned(), 5_000_000, "]"), "input.too_large");
}

#[test]
fn two_million_members_fit() {
    assert_small(&repeated("{", |index| format!("\"{index}\":0"), 2_000_000, "}"), "input.field_missing");
}

#[test]
fn as_many_small_objects_as_there_may_be_values_fit() {
    assert_small(&repeated("[", |_| r#"{"":1}"#.to_owned(), 1_490_000, "]"), "input.field_invalid");
}
