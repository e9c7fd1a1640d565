//! R11 over MCP: whatever is sent, over standard streams or HTTP, is answered with an error of the protocol, and the server
//! lives on.

use premath_testkit::{files_in, test_data};
use serde_json::{Value, json};

use crate::http::{Listening, TOKEN};
use crate::peer::{Peer, hello, repository};

/// Lines of other people's cases: none is a message of the protocol.
fn cases() -> Vec<(String, Vec<u8>)> {
    let mut cases = Vec::new();
    if let Some(folder) = test_data("json-test-suite") {
        cases.extend(files_in(&folder.join("test_parsing")));
        assert!(cases.len() >= 318, "only {} files", cases.len());
    }
    if let Some(folder) = test_data("utf8tests") {
        let bytes = std::fs::read(folder.join("utf8tests.bin")).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        cases.extend(lines.map(|line| (String::from_utf8_lossy(line).into_owned(), line.to_vec())));
    }
    cases
}

fn is_typed(answer: &Value) -> bool {
    let error = &answer["error"];
    [-32700, -32600].contains(&error["code"].as_i64().unwrap_or_default())
        && error["message"].as_str().is_some_and(|message| !message.is_empty())
}

#[test]
fn malformed_lines_are_answered_one_by_one() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let mut wrong = Vec::new();
    for (name, mut bytes) in cases() {
        bytes.iter_mut().filter(|byte| [b'\n', b'\r'].contains(*byte)).for_each(|byte| *byte = b' ');
        // Nothing at all is passed over, as between two messages.
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        bytes.push(b'\n');
        peer.bytes(&bytes);
        let answer = peer.heard();
        if !is_typed(&answer) {
            wrong.push(format!("{name}: {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
    let (is_error, answer) = peer.call("issue_ready", &json!({}));
    assert!(!is_error, "{answer}");
}

#[test]
fn malformed_bodies_are_errors_of_the_client() {
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = [("Authorization", bearer.as_str())];
    let mut wrong = Vec::new();
    for (name, bytes) in cases() {
        let (status, answer) = server.send(&token, &bytes);
        if status / 100 != 4 {
            wrong.push(format!("{name}: {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello("http")});
    assert_eq!(server.ask(&token, &begin.to_string()).0, 200);
}

#[test]
fn arguments_that_no_reader_takes_are_refused_under_the_id_of_their_call() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for arguments in [
        r#"{"limit":12345678901234567890}"#,
        r#"{"limit":1,"limit":2}"#,
        r#"{"assignee":"\ud800"}"#,
        r#"{"limit":1e400}"#,
        &format!(r#"{{"label":{deep}}}"#),
    ] {
        let call = format!(r#"{{"name":"issue_list","arguments":{arguments}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":501,"method":"tools/call","params":{call}}}"#);
        peer.bytes(format!("{line}\n").as_bytes());
        let answer = peer.heard();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(501), &json!(true)), "{answer}");
        let refused = &answer["result"]["structuredContent"]["payload"]["refused"];
        assert!(refused["class"].as_str().is_some_and(|class| class.starts_with("input.")), "{answer}");
    }
    peer.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":502,\"method\":\"ping\",\"params\":{\"a\":1,\"a\":2}}\n");
    let answer = peer.heard();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(502), &json!(-32700)), "{answer}");
}
