//! The example is what its script takes it for.

use std::collections::BTreeSet;

use premath_models::scenario::{Scenario, Turn};
use serde_json::Value;

use super::{FILES, ISSUE, ISSUES, SCENARIO};

fn turns() -> Vec<Turn> {
    let mut scenario = Scenario::parse("demo.toml", SCENARIO).unwrap();
    assert_eq!(scenario.conversations.len(), 1);
    scenario.conversations.remove(0).turns
}

fn file(path: &str) -> &'static str {
    FILES.iter().find(|(known, _)| *known == path).unwrap().1
}

#[test]
fn every_result_is_expected_by_the_turn_behind_it() {
    let turns = turns();
    let mut ids = BTreeSet::new();
    for pair in turns.windows(2) {
        let [turn, next] = pair else { panic!("{pair:?}") };
        assert!(!turn.speech.calls.is_empty(), "only the last turn may be without calls");
        let expected = next.expect.tool_results.iter().map(|result| result.id.clone().unwrap());
        let called = turn.speech.calls.iter().map(|call| call.id.clone());
        assert_eq!(called.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
        assert!(next.expect.tool_results.iter().all(|result| result.outcome.is_some()));
        assert!(turn.speech.calls.iter().all(|call| ids.insert(call.id.clone())), "an id is used once");
    }
    assert!(turns.last().unwrap().speech.calls.is_empty());
}

#[test]
fn only_tools_that_the_first_turn_expects_are_called() {
    let turns = turns();
    let offered = &turns.first().unwrap().expect.tools_include;
    for call in turns.iter().flat_map(|turn| &turn.speech.calls) {
        assert!(offered.contains(&call.tool), "{}", call.tool);
    }
}

#[test]
fn the_script_is_about_the_issue_that_is_there() {
    assert!(ISSUES.iter().any(|issue| issue.id == ISSUE));
    let calls: Vec<_> = turns().into_iter().flat_map(|turn| turn.speech.calls).collect();
    let arguments = |id: &str| {
        let call = calls.iter().find(|call| call.id == id).unwrap();
        serde_json::from_str::<Value>(&call.arguments).unwrap()
    };
    assert_eq!(arguments("close_issue")["id"], ISSUE);
    assert_eq!(arguments("file_follow_up")["parentIssue"], ISSUE);
}

#[test]
fn the_first_patch_is_stale_and_the_second_is_not() {
    let totals = file("totals.sh");
    let old = |id: &str| -> Vec<String> {
        let calls: Vec<_> = turns().into_iter().flat_map(|turn| turn.speech.calls).collect();
        let call = calls.iter().find(|call| call.id == id).unwrap();
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        let patch = arguments["patch"].as_str().unwrap().to_owned();
        let lines =
            patch.lines().filter_map(|line| line.strip_prefix(' ').or_else(|| line.strip_prefix('-')));
        lines.map(ToOwned::to_owned).collect()
    };
    let stale = old("patch_from_memory");
    assert!(!stale.is_empty() && stale.iter().all(|line| !totals.lines().any(|there| there == line)));
    let fresh = old("patch_totals").join("\n");
    assert_eq!(totals.matches(&fresh).count(), 1, "{fresh}");
}
