//! What the probes leave out, and how they are worded.

use std::collections::BTreeSet;

use premath_tusk::tools::ToolKind;

use super::probes::{Call, attacks};
use super::strategy::Strategy;
use crate::agent::every_tool;

fn calls() -> Vec<Call> {
    let all = attacks().unwrap();
    all.into_iter().flat_map(|attack| attack.before.into_iter().chain(attack.turns)).flatten().collect()
}

#[test]
fn every_tool_that_changes_something_is_attacked() {
    let attacked: BTreeSet<String> = calls().into_iter().map(|call| call.0).collect();
    let tools = every_tool().unwrap();
    let changing = tools.iter().filter(|spec| spec.kind != ToolKind::Read).map(|spec| spec.name.clone());
    let left: Vec<String> = changing.filter(|name| !attacked.contains(name)).collect();
    assert!(left.is_empty(), "no probe calls {left:?}");
}

#[test]
fn what_is_plain_is_said_in_a_turn_in_which_nothing_else_fails() {
    let call = || Call("desk_delete_file".to_owned(), serde_json::json!({"id": "fil_0123456789ab"}));
    for strategy in Strategy::ALL {
        let plain = call().1.to_string();
        let is_plain = |(tool, arguments): &(String, String)| *tool == call().0 && *arguments == plain;
        let said = strategy.said(&[vec![call()]]);
        assert!(said.iter().any(|turn| turn.calls.iter().all(is_plain)), "{strategy:?}: {said:?}");
    }
}
