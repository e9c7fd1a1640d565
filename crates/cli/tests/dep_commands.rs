//! The `dep` family from outside.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]

mod error_document;
mod folder;

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

/// Four issues; bd-2 and bd-3 wait for bd-1, bd-4 for both.
fn diamond() -> Folder {
    let folder = Folder::new();
    for arguments in [
        ["init"].as_slice(),
        &["issue", "add", "One"],
        &["issue", "add", "Two", "--depends-on", "bd-1"],
        &["issue", "add", "Three", "--depends-on", "waits-for:bd-1"],
        &[
            "issue",
            "add",
            "Four",
            "--depends-on",
            "bd-2",
            "--depends-on",
            "bd-3",
            "--depends-on",
            "related:bd-1",
        ],
    ] {
        assert_eq!(folder.run(arguments).code, Some(0), "{arguments:?}");
    }
    folder
}

fn edges(answer: &Value) -> Vec<(&str, &str, &str)> {
    let edge = |edge: &'_ Value, key: &str| edge[key].as_str().unwrap().to_owned();
    let all = answer["edges"].as_array().unwrap().iter();
    let all = all.map(|one| (edge(one, "issueId"), edge(one, "dependsOnId"), edge(one, "type")));
    all.map(|(from, to, kind)| (&*from.leak(), &*to.leak(), &*kind.leak())).collect()
}

#[test]
fn a_dependency_is_added_given_another_type_and_removed() {
    let folder = diamond();
    let (code, added) = folder.json(&["dep", "add", "bd-3", "bd-2"]);
    assert_eq!((code, &added["action"], &added["changed"]), (0, &json!("dep.add"), &json!(true)));
    let last = added["issue"]["dependencies"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["issueId"], &last["dependsOnId"], &last["type"]),
        (&json!("bd-3"), &json!("bd-2"), &json!("blocks"))
    );
    let (code, replaced) = folder.json(&["dep", "replace", "bd-3", "bd-2", "--type", "related"]);
    assert_eq!((code, &replaced["action"]), (0, &json!("dep.replace")));
    let (code, removed) = folder.json(&["dep", "remove", "bd-3", "bd-2", "--type", "related"]);
    assert_eq!((code, removed["issue"]["dependencies"].as_array().unwrap().len()), (0, 1));
}

#[test]
fn dependencies_that_cannot_be_are_refused() {
    let folder = diamond();
    for (arguments, class) in [
        (["dep", "add", "bd-1", "bd-4"].as_slice(), "issue_graph.cycle"),
        (&["dep", "add", "bd-1", "bd-1"], "issue_graph.cycle"),
        (&["dep", "add", "bd-2", "bd-1"], "dependency_exists"),
        (&["dep", "add", "bd-2", "bd-9"], "issue_graph.dependency.unknown"),
        (&["dep", "add", "bd-9", "bd-1"], "issue_not_found"),
        (&["dep", "remove", "bd-1", "bd-2"], "dependency_not_found"),
        (&["dep", "replace", "bd-1", "bd-2"], "dependency_not_found"),
        (&["dep", "project", "--root", "bd-9"], "issue_not_found"),
    ] {
        let (code, answer) = folder.json(arguments);
        assert_eq!((code, &answer["refused"]["class"]), (1, &json!(class)), "{arguments:?}: {answer}");
    }
    let (_, cycle) = folder.json(&["dep", "add", "bd-1", "bd-4"]);
    assert!(cycle["refused"]["detail"].as_str().unwrap().contains("bd-1 → bd-4 → "), "{cycle}");
    assert_eq!(folder.json(&["dep", "add", "bd-1", "bd-4", "--type", "related"]).0, 0);
    for arguments in [
        ["dep", "add", "bd-1", "bd-2", "--type", "bloks"].as_slice(),
        &["dep", "project", "--graph-scope", "half"],
        &["dep", "project", "--direction", "sideways"],
        &["dep", "add", "bd-1"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn the_projection_has_nodes_edges_and_roots() {
    let folder = diamond();
    let (code, answer) = folder.json(&["dep", "project"]);
    assert_eq!((code, &answer["count"], &answer["roots"]), (0, &json!(4), &json!(["bd-1"])));
    assert_eq!((&answer["graphScope"], &answer["direction"]), (&json!("active"), &json!("dependents")));
    assert_eq!(
        edges(&answer),
        [
            ("bd-2", "bd-1", "blocks"),
            ("bd-3", "bd-1", "waits-for"),
            ("bd-4", "bd-2", "blocks"),
            ("bd-4", "bd-3", "blocks"),
            ("bd-4", "bd-1", "related"),
        ]
    );
    assert_eq!(
        answer["nodes"][0],
        json!({
            "id": "bd-1", "title": "One", "status": "open", "priority": 2, "issueType": "task", "ready": true
        })
    );
    let (_, part) = folder.json(&["dep", "project", "--root", "bd-2"]);
    assert_eq!((&part["count"], &part["roots"]), (&json!(2), &json!(["bd-2"])));
    let (_, up) = folder.json(&["dep", "project", "--root", "bd-4", "--direction", "dependencies"]);
    assert_eq!((&up["count"], &up["roots"]), (&json!(4), &json!(["bd-4"])));
    let (_, cut) = folder.json(&["dep", "project", "--limit", "2"]);
    assert_eq!((&cut["count"], &cut["total"]), (&json!(2), &json!(4)));
}

#[test]
fn the_active_scope_leaves_out_what_is_closed() {
    let folder = diamond();
    folder.run(&["issue", "update", "bd-1", "--status", "closed"]);
    let (_, active) = folder.json(&["dep", "project"]);
    assert_eq!((&active["count"], &active["roots"]), (&json!(3), &json!(["bd-2", "bd-3"])));
    let (_, full) = folder.json(&["dep", "project", "--graph-scope", "full"]);
    assert_eq!(full["count"], 4);
}

#[test]
fn the_tree_has_branches_and_says_what_it_shows_twice() {
    let folder = diamond();
    insta::assert_snapshot!(folder.run(&["dep", "project"]).stdout, @r"
    ○ bd-1 One ready
    ├─ ○ bd-2 Two
    │  └─ ○ bd-4 Four
    └─ ○ bd-3 Three (waits-for)
       └─ ○ bd-4 Four
    ");
    folder.run(&["issue", "add", "Five", "--depends-on", "bd-4"]);
    insta::assert_snapshot!(folder.run(&["dep", "project", "--root", "bd-1"]).stdout, @r"
    ○ bd-1 One ready
    ├─ ○ bd-2 Two
    │  └─ ○ bd-4 Four
    │     └─ ○ bd-5 Five
    └─ ○ bd-3 Three (waits-for)
       └─ ○ bd-4 Four (see above)
    ");
}

#[test]
fn cycles_and_unknown_issues_fail_the_diagnostics_with_their_paths() {
    let folder = diamond();
    let (code, fine) = folder.json(&["dep", "diagnostics"]);
    assert_eq!((code, &fine["ok"]), (0, &json!(true)));
    assert_eq!(
        fine["counts"],
        json!({
            "issues": 4, "blockingDependencies": 4, "heldBack": 3, "cycles": 0, "unknown": 0
        })
    );
    folder.write(
        ".premath/issues.jsonl",
        concat!(
            r#"{"id":"a","dependencies":[{"depends_on_id":"b","type":"blocks"}]}"#,
            "\n",
            r#"{"id":"b","dependencies":[{"depends_on_id":"a","type":"blocks"}]}"#,
            "\n",
            r#"{"id":"c","status":"closed","dependencies":[{"depends_on_id":"c","type":"blocks"}]}"#,
            "\n",
            r#"{"id":"d","dependencies":[{"depends_on_id":"gone"}]}"#,
            "\n",
        ),
    );
    let (code, broken) = folder.json(&["dep", "diagnostics"]);
    assert_eq!((code, &broken["ok"]), (1, &json!(false)));
    assert_eq!(broken["cycles"], json!([["a", "b", "a"]]));
    assert_eq!(broken["unknown"], json!([{ "issueId": "d", "dependsOnId": "gone", "type": "blocks" }]));
    let (_, full) = folder.json(&["dep", "diagnostics", "--graph-scope", "full"]);
    assert_eq!(full["cycles"], json!([["a", "b", "a"], ["c", "c"]]));
    assert_eq!(folder.json(&["dep", "diagnostics", "--exit-zero"]).0, 0);
    let human = folder.run(&["dep", "diagnostics"]);
    assert_eq!(human.code, Some(1));
    assert!(human.stdout.contains("cycle    a → b → a\n"), "{}", human.stdout);
    let tree = folder.run(&["dep", "project"]).stdout;
    assert!(
        tree.contains("↻ a circle") && tree.contains("d depends on gone, which does not exist"),
        "{tree}"
    );
}

#[test]
fn a_long_chain_is_drawn_as_far_as_anybody_could_read_it() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let rows: String = (1..2000)
        .map(|number| {
            let before = number - 1;
            format!("{{\"id\":\"x-{number}\",\"dependencies\":[{{\"depends_on_id\":\"x-{before}\",\"type\":\"blocks\"}}]}}\n")
        })
        .collect();
    folder.write("chain.jsonl", format!("{{\"id\":\"x-0\"}}\n{rows}"));
    assert_eq!(folder.run(&["issue", "import", "chain.jsonl"]).code, Some(0));
    let tree = folder.run(&["dep", "project"]).stdout;
    assert!(tree.lines().count() < 50, "{} lines", tree.lines().count());
    assert!(tree.contains("deeper: --root x-"), "{tree}");
    assert_eq!(folder.json(&["dep", "diagnostics"]).1["counts"]["blockingDependencies"], 1999);
}
