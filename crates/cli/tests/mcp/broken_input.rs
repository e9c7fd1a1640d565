//! What is no message is answered, and the server lives on.

use serde_json::{Value, json};

use crate::peer::{Peer, hello, repository};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[track_caller]
fn lives(peer: &mut Peer) {
    let (is_error, answer) = peer.call("issue_ready", &json!({}));
    assert!(!is_error, "{answer}");
}

#[test]
fn what_is_no_json_is_answered_with_a_parse_error() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let mut deep = vec![b'['; 100_000];
    deep.push(b'\n');
    // Whoever can be seen to wait is answered under the id they wait for.
    let broken: [(&[u8], Option<u64>); 7] = [
        (b"nonsense\n", None),
        (b"{\"jsonrpc\":\"2.0\",\n", None),
        (b"\xff\xfe{}\n", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}\n", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}\n", Some(1)),
        (b"\0\0\0\n", None),
        (&deep, None),
    ];
    for (bytes, id) in broken {
        peer.bytes(bytes);
        let answer = peer.heard();
        assert_eq!(code(&answer), -32700, "{bytes:?}");
        assert_eq!(answer.get("id").map(|id| id.as_u64().unwrap()), id, "{bytes:?}");
    }
    lives(&mut peer);
}

#[test]
fn what_is_json_but_no_message_is_an_invalid_request() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    for line in [
        "[]",
        "[1,2]",
        "7",
        "\"text\"",
        "null",
        "{}",
        "{\"id\":9}",
        "{\"jsonrpc\":\"1.0\",\"id\":9,\"method\":\"ping\"}",
    ] {
        peer.bytes(format!("{line}\n").as_bytes());
        assert_eq!(code(&peer.heard()), -32600, "{line}");
    }
    lives(&mut peer);
}

#[test]
fn unknown_methods_and_wrong_parameters_have_the_codes_of_the_protocol() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    assert_eq!(code(&peer.ask("issues/eat", &json!({}))), -32601);
    assert_eq!(code(&peer.ask("tools/call", &json!({"nam": "x"}))), -32602);
    assert_eq!(code(&peer.ask("tools/call", &json!({"name": "issue_eat"}))), -32602);
    assert_eq!(code(&peer.ask("prompts/get", &json!({"name": "dance"}))), -32602);
    assert_eq!(code(&peer.ask("resources/read", &json!({"uri": "file:///etc/passwd"}))), -32002);
    assert_eq!(code(&peer.ask("resources/read", &json!({"uri": "premath://issues/bd-999"}))), -32002);
    lives(&mut peer);
}

#[test]
fn a_hundred_megabytes_without_an_end_are_refused_and_not_kept() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let piece = vec![b'x'; 1024 * 1024];
    peer.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"");
    for _ in 0..100 {
        peer.bytes(&piece);
    }
    let answer = peer.heard();
    assert_eq!(code(&answer), -32600);
    assert!(answer["error"]["message"].as_str().unwrap().contains("input.too_large"), "{answer}");
    peer.bytes(b"\"}\n");
    lives(&mut peer);
    let status = std::fs::read_to_string(format!("/proc/{}/status", peer.process())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 128 * 1024, "{kilobytes} kB");
}

#[test]
fn two_requests_in_one_write_get_two_answers_and_the_end_waits_for_them() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "issue_list", "arguments": {}}});
    peer.bytes(format!("{}\n{}\n", call(70), call(71)).as_bytes());
    let (rest, exit) = peer.end();
    let mut ids: Vec<u64> = rest.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!((ids, exit), (vec![70, 71], Some(0)), "{rest:?}");
}

#[test]
fn half_a_message_and_then_nothing_is_answered_and_the_server_ends() {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    peer.bytes(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"meth");
    let (rest, exit) = peer.end();
    assert_eq!((rest.len(), exit), (1, Some(0)), "{rest:?}");
    assert_eq!(code(&rest[0]), -32700);
}

#[test]
fn a_client_that_begins_with_something_else_is_told_and_may_begin_again() {
    let folder = repository();
    let mut peer = Peer::silent(&folder);
    peer.bytes(b"what\n");
    assert_eq!(code(&peer.heard()), -32700);
    peer.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let early = peer.ask("tools/call", &json!({"name": "issue_ready"}));
    assert!(early["error"].is_object(), "{early}");
    assert_eq!(peer.ask("initialize", &hello("late"))["result"]["serverInfo"]["name"], "premath");
    peer.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    lives(&mut peer);
    let (_, exit) = peer.end();
    assert_eq!(exit, Some(0));
}

#[test]
fn the_newest_protocol_needs_no_beginning() {
    let folder = repository();
    let mut peer = Peer::silent(&folder);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = peer.ask("tools/call", &json!({"name": "issue_ready", "arguments": {}, "_meta": meta}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let answer = peer.ask("server/discover", &json!({"_meta": meta}));
    assert!(answer["result"]["supportedVersions"].is_array(), "{answer}");
}

#[test]
fn a_server_that_is_told_to_end_ends_well() {
    let folder = repository();
    let peer = Peer::new(&folder);
    let process = nix::unistd::Pid::from_raw(i32::try_from(peer.process()).unwrap());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(peer.wait(), Some(0));
}
