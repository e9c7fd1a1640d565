//! A process that is killed anywhere in a change leaves a change with a row, a change without one that is found and
//! recorded once, or no change at all.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod repository;
mod vectors;

use std::sync::Arc;

use premath_host::{Host, NoAgent, NoModels, NoSandbox, Workspace};
use premath_testkit::faulty_disk::SimDisk;
use premath_wire::strict::{Limits, parse};
use repository::Repository;
use serde_json::{Value, json};
use vectors::Vectors;

fn ask(workspace: &Workspace, action: &str, args: &Value) -> Value {
    let vectors = Vectors;
    let host = Host { vectors: &vectors, workspace, models: &NoModels, sandbox: &NoSandbox, agent: &NoAgent };
    let text = args.to_string();
    let effect = host.call(action, &parse(text.as_bytes(), Limits::default()).unwrap()).unwrap();
    serde_json::from_str(effect.payload.get()).unwrap()
}

#[test]
fn wherever_a_writer_is_killed_every_change_ends_up_with_one_row() {
    let vectors = Vectors;
    let open = Repository::new();
    let on =
        |disk: &SimDisk| Workspace { disk: Arc::new(disk.clone()), ..open.host(&vectors).workspace.clone() };
    let disk = SimDisk::new();
    ask(&on(&disk), "workspace.init", &json!({}));
    ask(&on(&disk), "issue.add", &json!({ "title": "the log begins" }));
    disk.record();
    ask(&on(&disk), "issue.add", &json!({ "title": "killed somewhere" }));
    let (mut without, mut with, mut lost) = (0, 0, 0);
    for state in disk.recorded() {
        let workspace = on(&state.kill());
        let issues = ask(&workspace, "issue.list", &json!({}))["count"].as_u64().unwrap();
        let found = ask(&workspace, "audit.verify", &json!({}));
        assert_eq!(found["ok"], true, "{found}");
        let rows = found["rows"].as_u64().unwrap();
        match (issues, rows) {
            (1, 1) => without += 1,
            (2, 2) => with += 1,
            (2, 1) => lost += 1,
            other => assert_eq!(other, (2, 2), "a row without its change"),
        }
        assert_eq!(found["unrecordedCount"], issues - rows, "{found}");
        let mended = ask(&workspace, "audit.verify", &json!({ "reconcile": true }));
        assert_eq!(mended["added"], issues - rows, "{mended}");
        let rows = ask(&workspace, "audit.query", &json!({ "kind": "mutation" }));
        assert_eq!(rows["count"], issues, "{rows}");
        if mended["added"] == 1 {
            assert_eq!(rows["items"][0]["data"]["recovered"], true, "{rows}");
        }
        assert_eq!(ask(&workspace, "audit.verify", &json!({}))["unrecordedCount"], 0);
    }
    assert!(without > 0 && with > 0 && lost > 0, "{without} without, {with} with, {lost} lost");
}
