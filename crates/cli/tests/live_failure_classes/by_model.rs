//! Classes that a model, the configuration or a workflow provokes under the package that comes with premath.

use serde_json::{Value, json};

use crate::scenario::{
    Scenario, call, calls_then_end, classes, end, provoke, read, repository, script, turn,
};

fn raw_call(tool: &str, arguments: &str) -> String {
    format!("[[turn.call]]\ntool = \"{tool}\"\narguments_raw = '{arguments}'\n")
}

/// Calls, names and stop reasons of a model that does not keep the protocol.
fn model_scenarios() -> Vec<Scenario> {
    let stop = "[[turn]]\ntext = \"now\"\nstop = \"tool_use\"\n".to_owned();
    let close = call("issue_update", "id = \"bd-1\", status = \"closed\"");
    vec![
        Scenario::new(&["tool.unknown_or_disallowed"], calls_then_end(&[call("no_such_tool", "a = 1")])),
        Scenario::new(
            &["tool.schema_invalid"],
            calls_then_end(&[raw_call("fs_read", r#"{"path":"a.txt","path":"b.txt"}"#)]),
        ),
        Scenario::new(
            &["tool.discovery_unresolved"],
            calls_then_end(&[call("dep_remove", "id = \"bd-1\", dependsOn = \"bd-2\"")]),
        ),
        Scenario::new(&["protocol.stop_reason_unhandled"], vec![stop]),
        Scenario::new(
            &["runtime.shell_boundary_violation"],
            calls_then_end(&[call("shell", "command = \"true\"")]),
        ),
        Scenario {
            arguments: vec!["--issue", "bd-1"],
            ..Scenario::new(&["mutation.use_evidence_missing"], calls_then_end(&[close]))
        },
    ]
}

/// Settings under which a run must not begin, or a turn must not close.
fn setting_scenarios() -> Vec<Scenario> {
    let two_reads = vec![turn(&[read("a.txt"), read("premath.toml")]), end()];
    vec![
        Scenario {
            settings: "[loop]\nanswer_calls = 1\n",
            ..Scenario::new(
                &["tool.parallel_policy_violation", "protocol.parallel_transport_order_invalid"],
                two_reads,
            )
        },
        Scenario {
            settings: "[tools]\nfilter = false\n",
            ..Scenario::new(&["governance.eval_lineage_missing"], vec![end()])
        },
        Scenario {
            own: "[guardrails]\nsecrets = \"off\"\ninjection = \"off\"\n",
            ..Scenario::new(&["governance.guardrail_stage_missing"], calls_then_end(&[read("a.txt")]))
        },
        Scenario {
            settings: "[policy]\nobservability = \"internal_processor\"\n",
            ..Scenario::new(&["governance.trace_mode_violation"], vec![end()])
        },
        Scenario {
            files: vec![("policies/turn/riskTier.json", "{}".to_owned())],
            ..Scenario::new(&["governance.policy_package_unpinned"], vec![end()])
        },
    ]
}

/// A worker that leaves too little, and one that changes an issue that is not its own.
fn worker_scenarios() -> Vec<Scenario> {
    let workflow = "pattern = \"orchestrator_workers\"\n[worker]\nmodel = \"scripted:worker.toml\"\n";
    let scenario = |classes, spawn: &str, worker: &[String]| Scenario {
        files: vec![("worker.toml", script(worker)), ("flow.toml", workflow.to_owned())],
        arguments: vec!["--issue", "bd-1", "--workflow", "flow.toml"],
        workers: 1,
        ..Scenario::new(classes, calls_then_end(&[call("spawn_worker", spawn)]))
    };
    let idle = vec![end(); 6];
    let meddling = calls_then_end(&[call("issue_update", "id = \"bd-2\", notes = \"by the worker\"")]);
    vec![
        scenario(
            &["handoff.required_artifact_missing"],
            "title = \"t\", task = \"k\", artifacts = [\"out.txt\"]",
            &idle,
        ),
        scenario(&["context.scope_violation"], "title = \"t\", task = \"k\"", &meddling),
    ]
}

pub(crate) fn scenarios() -> Vec<Scenario> {
    model_scenarios().into_iter().chain(setting_scenarios()).chain(worker_scenarios()).collect()
}

#[test]
fn models_settings_and_workers_provoke_their_classes() {
    for scenario in scenarios() {
        provoke(&repository(), "one", &scenario);
    }
}

pub(crate) const POLICY_DIGEST: &str = "mutation.policy_digest_mismatch";
const INSTRUCTION_POLICY: &str = "policies/instruction/default.json";
const INSTRUCTION: &str = "20261115T071252Z-note";

#[test]
fn a_run_under_an_instruction_whose_policy_was_edited_changes_nothing() {
    let folder = repository();
    let written = std::fs::read_to_string(folder.path().join(INSTRUCTION_POLICY)).unwrap();
    let policy: Value = serde_json::from_str(&written).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "note something",
        "scope": {"issueId": "bd-1"},
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["issue"],
        "capabilityClaims": ["capabilities.change_morphisms.issue_update"],
    });
    let path = format!("instructions/{INSTRUCTION}.json");
    folder.write(&path, envelope.to_string());
    assert_eq!(folder.json(&["instruction-run", &path]).0, 0);
    folder.write(INSTRUCTION_POLICY, written.replace("3600", "7200"));
    let update = call("issue_update", "id = \"bd-1\", notes = \"seen\"");
    folder.write("scene.toml", script(&calls_then_end(&[update])));
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one", "--json"];
    let ran = folder.run(&[&run[..], &["--instruction", INSTRUCTION]].concat());
    let answer: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    let found = classes(&folder, "one", &answer);
    assert!(found.contains(POLICY_DIGEST), "{found:?} {ran:?}");
    assert_eq!(folder.json(&["issue", "show", "bd-1"]).1["issue"]["notes"], Value::Null);
}
