//! Every action that works on a repository: it answers in the schema it names, and changes nothing through a shut door.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod repository;
mod vectors;

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::Permit;
use premath_host::{ACTIONS, Door, DoorRefusal, Host, MutationDoor, NoAgent, NoModels, NoSandbox, Workspace};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::schema;
use repository::Repository;
use serde_json::{Value, json};
use vectors::Vectors;

/// What is asked in turn, and the class of the answer. Later questions build on earlier ones.
fn script() -> Vec<(&'static str, Value, &'static str)> {
    let beads = "{\"id\":\"web-1\",\"title\":\"Theirs\",\"status\":\"open\",\"external_ref\":7}\nnot a row\n";
    vec![
        ("workspace.init", json!({}), "accepted"),
        ("workspace.init", json!({}), "accepted"),
        ("workspace.init", json!({ "example": "example" }), "accepted"),
        ("workspace.init", json!({ "example": "example" }), "rejected"),
        ("config.show", json!({}), "ok"),
        ("config.show", json!({ "issues": "x.jsonl" }), "ok"),
        ("issue.ready", json!({}), "ok"),
        ("issue.add", json!({ "title": "One", "labels": ["a"], "notes": "n" }), "accepted"),
        (
            "issue.add",
            json!({ "title": "Two", "dependsOn": [{ "id": "bd-1", "type": "blocks" }] }),
            "accepted",
        ),
        ("issue.add", json!({ "title": "Two", "id": "bd-1" }), "rejected"),
        ("issue.discover", json!({ "title": "Three", "parentIssue": "bd-1" }), "accepted"),
        ("issue.update", json!({ "id": "bd-3", "status": "blocked", "addLabels": ["x"] }), "accepted"),
        ("issue.update", json!({ "id": "bd-3", "status": "blocked" }), "accepted"),
        ("dep.add", json!({ "id": "bd-3", "dependsOn": "bd-1" }), "accepted"),
        ("dep.add", json!({ "id": "bd-1", "dependsOn": "bd-3" }), "rejected"),
        (
            "dep.replace",
            json!({ "id": "bd-3", "dependsOn": "bd-1", "type": "waits-for", "fromType": "blocks" }),
            "accepted",
        ),
        ("issue.list", json!({ "limit": 2 }), "ok"),
        ("issue.ready", json!({ "limit": 1 }), "ok"),
        ("issue.blocked", json!({}), "ok"),
        ("issue.graph", json!({ "graphScope": "full" }), "ok"),
        ("issue.graph", json!({ "limit": 1 }), "ok"),
        ("issue.show", json!({ "id": "bd-2" }), "ok"),
        ("issue.show", json!({ "id": "bd-99" }), "rejected"),
        ("issue.check", json!({}), "rejected"),
        ("issue.claim", json!({ "id": "bd-1", "assignee": "jo" }), "accepted"),
        ("issue.claim", json!({ "id": "bd-1", "assignee": "al" }), "rejected"),
        ("issue.claim_next", json!({ "assignee": "al" }), "accepted"),
        ("issue.claim_next", json!({ "assignee": " " }), "rejected"),
        ("issue.lease_renew", json!({ "id": "bd-1", "owner": "jo", "fence": 1 }), "accepted"),
        ("issue.lease_projection", json!({}), "ok"),
        ("issue.lease_release", json!({ "id": "bd-1", "owner": "jo" }), "accepted"),
        ("issue.claim_next", json!({ "assignee": "al" }), "accepted"),
        ("issue.import", json!({ "rows": beads }), "accepted"),
        ("issue.export", json!({}), "ok"),
        ("issue.export", json!({ "output": "project/out.jsonl" }), "ok"),
        ("issue.import", json!({ "source": "project/out.jsonl" }), "accepted"),
        ("issue.history", json!({ "id": "bd-1" }), "ok"),
        ("issue.history", json!({ "id": "bd-99" }), "rejected"),
        ("issue.backend_status", json!({}), "ok"),
        ("issue.backend_status", json!({ "issues": "nowhere.jsonl" }), "ok"),
        ("issue.compact", json!({}), "accepted"),
        ("dep.project", json!({ "graphScope": "full" }), "ok"),
        ("dep.project", json!({ "root": "bd-1" }), "ok"),
        ("dep.project", json!({ "root": "bd-99" }), "rejected"),
        ("dep.diagnostics", json!({}), "accepted"),
        ("dep.remove", json!({ "id": "bd-3", "dependsOn": "bd-1" }), "accepted"),
        ("audit.query", json!({ "kind": "mutation", "limit": 3 }), "ok"),
        ("audit.verify", json!({ "reconcile": true }), "accepted"),
        ("audit.why", json!({ "subject": "bd-1" }), "ok"),
        ("audit.why", json!({ "subject": "a/file.md", "kind": "path" }), "ok"),
        ("scheme.eval", json!({ "program": "(map issue-id (issue-list))", "trace": true }), "accepted"),
        ("scheme.eval", json!({ "program": "(issue-add \"x\")" }), "rejected"),
        ("scheme.eval", json!({ "replay": "{}" }), "rejected"),
    ]
}

/// The families whose actions work on issue memory or on the folder around it.
fn is_of_the_repository(name: &str) -> bool {
    ["audit.", "config.", "dep.", "issue.", "scheme."].iter().any(|family| name.starts_with(family))
        || name == "workspace.init"
}

#[test]
fn every_action_answers_in_the_schema_it_names() {
    let repository = Repository::new();
    let host = repository.host(&Vectors);
    let mut called = BTreeSet::new();
    for (name, arguments, class) in script() {
        let bytes = arguments.to_string();
        let effect = host.call(name, &parse(bytes.as_bytes(), Limits::default()).unwrap()).unwrap();
        let payload: Value = serde_json::from_str(effect.payload.get()).unwrap();
        assert_eq!(effect.result_class, class, "{name} {arguments}: {payload}");
        assert_eq!(effect.failure_classes.is_empty(), class != "rejected", "{name} {arguments}");
        assert_eq!(payload["action"], name);
        let action = ACTIONS.iter().find(|action| action.name == name).unwrap();
        let schema = schema(action.output_schema).unwrap();
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        let misfits: Vec<String> = validator
            .iter_errors(&payload)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(misfits.is_empty(), "{name} {arguments}: {misfits:?}\n{payload}");
        called.insert(name);
    }
    let known: BTreeSet<&str> =
        ACTIONS.iter().map(|action| action.name).filter(|name| is_of_the_repository(name)).collect();
    assert_eq!(called, known, "an action is not called here");
}

/// A door that nobody comes through.
#[derive(Debug)]
struct Shut;

impl MutationDoor for Shut {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Err(DoorRefusal {
            class: "mutation.use_evidence_missing",
            detail: "nobody is here".to_owned(),
            hint: "come in".to_owned(),
        })
    }
}

#[test]
fn nothing_changes_through_a_door_that_is_shut() {
    let repository = Repository::new();
    let open = repository.host(&Vectors);
    let none = premath_kernel::Object::fields().finish();
    open.call("workspace.init", &none).unwrap();
    for title in ["One", "Two"] {
        open.call("issue.add", &premath_kernel::Object::fields().field("title", title).finish()).unwrap();
    }
    let export = || open.call("issue.export", &none).unwrap().payload.get().to_owned();
    let before = export();
    let workspace = Workspace { door: Arc::new(Shut), ..open.workspace.clone() };
    let shut = Host {
        vectors: &Vectors,
        workspace: &workspace,
        models: &NoModels,
        sandbox: &NoSandbox,
        agent: &NoAgent,
    };
    let mut refused = BTreeSet::new();
    for (name, arguments, _) in script() {
        let action = ACTIONS.iter().find(|action| action.name == name).unwrap();
        if action.door != Door::Mutation {
            continue;
        }
        let bytes = arguments.to_string();
        let arguments = parse(bytes.as_bytes(), Limits::default()).unwrap();
        // An import of a file reads the file before it asks; there is none here.
        let Ok(effect) = shut.call(name, &arguments) else { continue };
        if effect.result_class == "rejected" {
            let is_replay = effect.failure_classes == ["scheme_trace_invalid"];
            assert!(is_replay || effect.failure_classes == ["mutation.use_evidence_missing"], "{name}");
            refused.insert(name);
        } else {
            // A program that only reads is not refused.
            assert!(matches!(name, "workspace.init" | "scheme.eval"), "{name} {bytes}");
        }
    }
    assert_eq!(export(), before);
    let mutations =
        ACTIONS.iter().filter(|action| action.door == Door::Mutation && is_of_the_repository(action.name));
    assert_eq!(refused, mutations.map(|action| action.name).collect());
}

#[test]
fn arguments_nobody_knows_are_refused_by_every_action() {
    let repository = Repository::new();
    let host = repository.host(&Vectors);
    for action in ACTIONS.iter().filter(|action| is_of_the_repository(action.name)) {
        let arguments = premath_kernel::Object::fields()
            .field("assignee", "jo")
            .field("dependsOn", "bd-1")
            .field("id", "bd-1")
            .field("levitate", true)
            .finish();
        let error = host.call(action.name, &arguments).unwrap_err().to_string();
        assert!(error.starts_with("input.field_invalid: "), "{}: {error}", action.name);
    }
}
