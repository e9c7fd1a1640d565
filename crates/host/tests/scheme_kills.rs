//! A program that is killed anywhere: what was acknowledged is there, whatever was done was announced before, and the
//! repository is whole.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]

mod repository;
mod vectors;

use std::sync::Arc;

use premath_host::{Host, NoAgent, NoModels, NoSandbox, SchemeSession, SchemeWishes, Workspace};
use premath_testkit::CountingIds;
use premath_testkit::faulty_disk::SimDisk;
use premath_wire::strict::{Limits, parse};
use repository::Repository;
use serde_json::{Value, json};
use vectors::Vectors;

const INSTRUCTION: &str = "20270115T080000Z-kill";
const JOURNAL: &str = "project/.premath/doors/scheme/journal.jsonl";
const PROGRAM: &str = r#"
    (issue-list)
    (issue-update "bd-1" (hash-table "notes" "one"))
    (issue-ready)
    (issue-update "bd-2" (hash-table "notes" "two"))
    (harness-session-write (hash-table "summary" "three"))
    (issue-show "bd-1")"#;

fn over(workspace: &Workspace) -> Host<'_> {
    Host { vectors: &Vectors, workspace, models: &NoModels, sandbox: &NoSandbox, agent: &NoAgent }
}

fn ask(workspace: &Workspace, action: &str, args: &Value) -> Value {
    let text = args.to_string();
    let effect = over(workspace).call(action, &parse(text.as_bytes(), Limits::default()).unwrap()).unwrap();
    serde_json::from_str(effect.payload.get()).unwrap()
}

fn on(disk: &SimDisk) -> Workspace {
    let empty = Repository::new();
    Workspace { disk: Arc::new(disk.clone()), ..empty.host(&Vectors).workspace.clone() }
}

fn prepared() -> SimDisk {
    let disk = SimDisk::new();
    let workspace = on(&disk);
    ask(&workspace, "workspace.init", &json!({}));
    for title in ["One", "Two"] {
        ask(&workspace, "issue.add", &json!({ "title": title }));
    }
    let policy = disk.bytes("project/policies/instruction/default.json").unwrap();
    let policy: Value = serde_json::from_slice(&policy).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "what the program asks for",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["graph"],
        "capabilityClaims": ["capabilities.change_morphisms.all"],
    });
    let path = format!("instructions/{INSTRUCTION}.json");
    disk.put(format!("project/{path}"), envelope.to_string().as_bytes()).unwrap();
    ask(&workspace, "instruction.run", &json!({ "path": path }));
    disk
}

/// Runs the program; `names` is what nobody was called before.
fn run(disk: &SimDisk, names: &str) {
    let workspace = Workspace { ids: Arc::new(CountingIds::new(names)), ..on(disk) };
    let host = over(&workspace);
    let wishes = SchemeWishes { instruction: Some(INSTRUCTION.to_owned()), ..SchemeWishes::default() };
    let done = SchemeSession::new(&host, wishes).unwrap().evaluate(PROGRAM).unwrap();
    assert!(done.result.is_ok(), "{:?}", done.result);
}

/// The whole rows of the journal; what a killed writer left of one more is none.
fn rows(disk: &SimDisk) -> Vec<Value> {
    let bytes = disk.bytes(JOURNAL).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|row| row["event"].clone())
        .collect()
}

/// What was announced and is followed neither by what came of it nor by the note that nobody knows.
fn open(rows: &[Value]) -> Vec<(String, u64)> {
    let of = |row: &Value| (row["evaluation"].as_str().unwrap().to_owned(), row["index"].as_u64().unwrap());
    let are = |kinds: &[&str]| -> Vec<(String, u64)> {
        rows.iter().filter(|row| kinds.contains(&row["kind"].as_str().unwrap())).map(of).collect()
    };
    let closed = are(&["scheme.call", "scheme.interrupted"]);
    are(&["scheme.intent"]).into_iter().filter(|one| !closed.contains(one)).collect()
}

#[test]
fn wherever_a_program_is_killed_what_it_did_was_announced_and_what_was_acknowledged_is_there() {
    let disk = prepared();
    disk.record();
    run(&disk, "first");
    let (mut none, mut one, mut both, mut points, mut unnoted) = (0, 0, 0, 0, 0);
    for state in disk.recorded() {
        let left = state.kill();
        let workspace = on(&left);
        let notes = |id: &str| ask(&workspace, "issue.show", &json!({ "id": id }))["issue"]["notes"].clone();
        let changed = [notes("bd-1") == "one", notes("bd-2") == "two"];
        let has_session = left.bytes("project/.premath/harness_session.json").is_ok();
        let rows = rows(&left);
        let of = |kind: &str, index: u64| {
            rows.iter().any(|row| row["kind"] == kind && row["index"] == json!(index))
        };
        for (is_done, index) in changed.into_iter().zip([1, 3]).chain([(has_session, 4)]) {
            assert!(!is_done || of("scheme.intent", index), "call {index} was made before it was announced");
            assert!(is_done || !of("scheme.call", index), "call {index} is on record and is not there");
        }
        match changed {
            [false, false] => none += 1,
            [true, false] => one += 1,
            [true, true] => both += 1,
            [false, true] => panic!("the second change without the first"),
        }
        let left_open = open(&rows);
        let verified = ask(&workspace, "workspace.verify", &json!({}));
        let warned = verified["problems"].as_array().unwrap().iter();
        let warned = warned.filter(|problem| problem["class"] == "scheme.intent_open").count();
        assert_eq!(warned, left_open.len(), "{verified}");
        unnoted += left_open.len();
        // The next writer finishes what was begun, and everything verifies.
        ask(&workspace, "audit.verify", &json!({ "reconcile": true }));
        run(&left, "second");
        assert_eq!([notes("bd-1"), notes("bd-2")], [json!("one"), json!("two")]);
        let verified = ask(&workspace, "workspace.verify", &json!({}));
        assert_eq!((&verified["ok"], &verified["warningCount"]), (&json!(true), &json!(0)), "{verified}");
        let rows = self::rows(&left);
        assert_eq!(open(&rows), []);
        let interrupted = rows.iter().filter(|row| row["kind"] == "scheme.interrupted").count();
        assert_eq!(interrupted, left_open.len(), "somebody who goes on was spoken for");
        points += 1;
    }
    println!("points {points}: no change {none}, one {one}, both {both}");
    assert!(none > 0 && one > 0 && both > 0 && unnoted > 0, "{none}, {one}, {both}, {unnoted}");
}
