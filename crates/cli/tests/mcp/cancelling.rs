//! Whoever cancels a call is not kept waiting, and what can be broken off is broken off.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::peer::{Peer, repository};

/// As many as the server makes at the same time.
const ALL: u64 = 8;

/// One program calls, the other does nothing but compute.
const CALLING: &str = "(let loop () (issue-ready) (loop))";
const COMPUTING: &str = "(let loop () (guard (e (#t 'caught)) (+ 1 2)) (loop))";

fn endless(program: &str, token: u64) -> Value {
    let arguments = json!({"program": program, "maxCalls": 100_000, "fuel": 10_000_000_000_u64});
    json!({"name": "scheme_eval", "arguments": arguments, "_meta": {"progressToken": token}})
}

/// Calls that are all at work, by id.
fn begun(peer: &mut Peer, program: &str) -> Vec<u64> {
    let begun = (0..ALL).map(|token| peer.send("tools/call", &endless(program, token))).collect();
    let mut told = BTreeSet::new();
    while told.len() < usize::try_from(ALL).unwrap() {
        let heard = peer.heard();
        assert_eq!(heard["method"], "notifications/progress", "{heard}");
        told.insert(heard["params"]["progressToken"].as_u64());
    }
    begun
}

fn cancelled(program: &str) {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    let begun = begun(&mut peer, program);
    for id in &begun {
        let told = json!({"requestId": id, "reason": "nobody waits"});
        peer.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": told}));
    }
    // Programs that go on would leave nobody to answer this.
    let (is_error, ready) = peer.call("issue_ready", &json!({}));
    assert!(!is_error, "{ready}");
    let (rest, exit) = peer.end();
    assert_eq!(exit, Some(0));
    assert!(rest.iter().all(|answer| !begun.contains(&answer["id"].as_u64().unwrap_or(0))), "{rest:?}");
}

fn left_alone(program: &str) {
    let folder = repository();
    let mut peer = Peer::new(&folder);
    begun(&mut peer, program);
    let process = nix::unistd::Pid::from_raw(i32::try_from(peer.process()).unwrap());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(peer.wait(), Some(0));
}

#[test]
fn cancelled_calls_make_room_for_others() {
    cancelled(CALLING);
}

#[test]
fn cancelled_programs_that_only_compute_make_room_for_others() {
    cancelled(COMPUTING);
}

#[test]
fn a_client_that_is_gone_leaves_nothing_behind_that_runs() {
    left_alone(CALLING);
}

#[test]
fn a_client_that_is_gone_leaves_nothing_behind_that_computes() {
    left_alone(COMPUTING);
}
