//! Five hundred generated programs: each trace runs again to the same bytes, and the same calls made one by one through the
//! host give the same answers and leave the same issues.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]

mod repository;
mod vectors;

use std::sync::Arc;

use premath_bd::{Maintenance, MaintenanceGrant, Permit};
use premath_host::{
    ActionError, DoorRefusal, Host, LinkedCall, MutationDoor, NoAgent, NoModels, NoSandbox, SchemeSession,
    SchemeWishes, Workspace,
};
use premath_kernel::{Object, Value, encode};
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::program;
use premath_wire::strict::{Limits, parse};
use repository::Repository;
use serde_json::json;
use vectors::Vectors;

const PROGRAMS: u64 = 500;
const INSTRUCTION: &str = "20270115T080000Z-parity";

/// Whoever makes the calls one by one, under the same instruction.
#[derive(Debug)]
struct Instructed;

impl MutationDoor for Instructed {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Ok(Permit::Maintenance(MaintenanceGrant::new(Maintenance::Record)))
    }

    fn linked(&self) -> Option<Result<LinkedCall, DoorRefusal>> {
        Some(Ok(LinkedCall {
            instruction: INSTRUCTION.to_owned(),
            client: "terminal".to_owned(),
            model_ref: None,
            call_id: None,
        }))
    }
}

fn call(host: &Host<'_>, action: &str, args: &serde_json::Value) -> serde_json::Value {
    let text = args.to_string();
    let effect = host.call(action, &parse(text.as_bytes(), Limits::default()).unwrap()).unwrap();
    serde_json::from_str(effect.payload.get()).unwrap()
}

/// A repository with three issues and an accepted instruction for everything in it.
fn prepared() -> Workspace {
    let disk = SimDisk::new();
    let empty = Repository::new();
    let workspace = Workspace { disk: Arc::new(disk.clone()), ..empty.host(&Vectors).workspace.clone() };
    let host = over(&workspace);
    call(&host, "workspace.init", &json!({}));
    for title in ["One", "Two", "Three"] {
        call(&host, "issue.add", &json!({"title": title, "labels": ["x"]}));
    }
    let policy = disk.bytes("project/policies/instruction/default.json").unwrap();
    let policy: serde_json::Value = serde_json::from_slice(&policy).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "whatever the programs ask for",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["graph"],
        "capabilityClaims": ["capabilities.change_morphisms.all"],
    });
    let path = format!("instructions/{INSTRUCTION}.json");
    disk.put(format!("project/{path}"), envelope.to_string().as_bytes()).unwrap();
    let ran = call(&host, "instruction.run", &json!({ "path": path }));
    assert_eq!(ran["witness"]["verdictClass"], "accepted", "{ran}");
    workspace
}

fn over(workspace: &Workspace) -> Host<'_> {
    Host { vectors: &Vectors, workspace, models: &NoModels, sandbox: &NoSandbox, agent: &NoAgent }
}

/// A value without what names the turn behind a change: that is another for another caller.
fn plain(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Object(object) => {
            let members = object.iter().filter(|(name, _)| *name != "writeWitness" && *name != "rowDigest");
            let members = members.map(|(name, value)| (name.to_owned().into(), plain(value))).collect();
            Value::Object(Object::from_members(members).unwrap())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => value.clone().into_owned(),
    }
}

fn issues(host: &Host<'_>) -> Value<'static> {
    let listed = host.call("issue.list", &Object::fields().finish()).unwrap();
    plain(&parse(listed.payload.get().as_bytes(), Limits::default()).unwrap())
}

#[test]
fn programs_run_again_to_the_same_bytes_and_equal_the_same_calls_one_by_one() {
    let (mut made, mut changes, mut failed) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let text = program(seed);
        let (first, second) = (prepared(), prepared());
        let host = over(&first);
        let wishes = SchemeWishes { instruction: Some(INSTRUCTION.to_owned()), ..SchemeWishes::default() };
        let done = SchemeSession::new(&host, wishes).unwrap().evaluate(&text).unwrap();
        failed += u64::from(done.result.is_err());

        let again = Object::fields().field("replay", String::from_utf8(done.trace.clone()).unwrap());
        let replayed = host.call("scheme.eval", &again.field("trace", true).finish()).unwrap();
        let replayed: serde_json::Value = serde_json::from_str(replayed.payload.get()).unwrap();
        assert_eq!(replayed["traceDigest"], done.trace_digest, "program {seed}: {replayed}\n{text}");
        let trace = replayed["trace"].to_string();
        assert_eq!(
            encode(&parse(trace.as_bytes(), Limits::default()).unwrap()),
            done.trace,
            "program {seed}"
        );

        let second = Workspace { door: Arc::new(Instructed), ..second };
        let one_by_one = over(&second);
        for one in &done.calls {
            let place = format!("program {seed}, call {} of {}", one.index, one.action);
            let answered: Result<_, ActionError> = one_by_one.call(&one.action, &one.args());
            match (answered, one.envelope()) {
                (Ok(effect), Some(envelope)) => {
                    let member = |name: &str| envelope.as_object().unwrap().get(name).unwrap();
                    let payload = parse(effect.payload.get().as_bytes(), Limits::default()).unwrap();
                    assert_eq!(plain(&payload), plain(member("payload")), "{place}\n{text}");
                    assert_eq!(effect.result_class, one.result_class, "{place}");
                    assert_eq!(effect.failure_classes, one.failure_classes, "{place}");
                    assert_eq!(effect.args_digest, one.args_digest, "{place}");
                    changes += u64::from(effect.policy_digest.is_some());
                }
                (Err(error), None) => assert_eq!(error.class(), one.failure_classes[0], "{place}"),
                (answered, envelope) => panic!("{place}: {answered:?} is not {envelope:?}"),
            }
            made += 1;
        }
        assert_eq!(issues(&host), issues(&one_by_one), "program {seed}\n{text}");
    }
    println!("programs {PROGRAMS}, calls {made}, linked changes {changes}, failed programs {failed}");
    assert!(made > 2_000 && changes > 500 && failed > 20, "{made} calls, {changes} changes, {failed} failed");
}
