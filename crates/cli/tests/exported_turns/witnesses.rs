//! Steps of the trajectory cite the witnesses of their turns, and the witnesses lead back to the turns.

use std::collections::BTreeSet;

use serde_json::Value;

use super::live_run::Project;

/// The witnesses that a step cites, by their kind.
fn cited(project: &Project) -> Vec<(String, String)> {
    let steps = project.json(&["harness-trajectory", "query", "--mode", "latest", "--json"]);
    let refs = steps["items"][0]["witnessRefs"].as_array().cloned().unwrap_or_default();
    let record = |reference: &Value| {
        let id = reference.as_str()?.strip_prefix("witness://")?.to_owned();
        let path = project.root.join(format!(".premath/witnesses/{id}.json"));
        let record: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(record["witnessId"].as_str(), Some(id.as_str()));
        Some((record["witnessKind"].as_str().unwrap().to_owned(), id))
    };
    refs.iter().filter_map(record).collect()
}

/// Seed: 001 §8/1, 001 §6/5, 004 §6/4, 002 §6/2, 002 §3.3/3
#[test]
fn a_step_cites_the_call_spec_the_dispositions_and_the_join_check_of_its_turns() {
    for project in [Project::demo(), Project::pattern("parallel")] {
        let cited = cited(&project);
        let kinds: BTreeSet<&str> = cited.iter().map(|(kind, _)| kind.as_str()).collect();
        let expected =
            ["premath.harness.call_spec.v1", "premath.harness.join_check.v1", "premath.harness.tool_use.v1"];
        assert_eq!(kinds, BTreeSet::from(expected), "{cited:?}");
        project.accepted(&["verify"]);
        for (kind, id) in cited {
            let why = project.json(&["audit", "why", &id, "--json"]);
            let kinds: Vec<&str> =
                why["steps"].as_array().unwrap().iter().map(|step| step["kind"].as_str().unwrap()).collect();
            assert!(kinds.contains(&"turn") && kinds.contains(&"witness"), "{kind}: {why}");
        }
    }
}

#[test]
fn turn_show_names_the_witnesses_that_are_stored() {
    let project = Project::demo();
    let stored: BTreeSet<String> = cited(&project).into_iter().map(|(_, id)| id).collect();
    let mut named = BTreeSet::new();
    for call_id in project.judged_turns() {
        let card = project.json(&["turn", "show", &call_id, "--json"]);
        let ids = card["witnessIds"].as_array().unwrap().iter();
        named.extend(ids.map(|id| id.as_str().unwrap().to_owned()));
    }
    assert!(stored.is_subset(&named), "{stored:?} {named:?}");
}

#[test]
fn a_witness_that_nobody_has_is_unknown() {
    let project = Project::demo();
    let id = format!("w1_{}", "0".repeat(52));
    let why = project.json(&["audit", "why", &id, "--json"]);
    assert_eq!(why["complete"], Value::Bool(false), "{why}");
}
