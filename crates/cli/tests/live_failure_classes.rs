//! Every failure class in live runs: those that a scripted run provokes are provoked here, one by one; the others are listed
//! on docs/reference/live-failure-classes.md with the construct that keeps a live run from them.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "the journal and the page are read as files")]

mod folder;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use folder::Folder;
use premath_kernel::FailureClass;
use serde_json::{Value, json};

/// A run that is refused.
#[derive(Default)]
struct Scenario {
    class: &'static str,
    /// The turns of the scripted model.
    turns: Vec<String>,
    /// `premath.toml`.
    settings: &'static str,
    /// The person's own configuration.
    own: &'static str,
    /// Turn policies by key.
    policies: Vec<(&'static str, Value)>,
    files: Vec<(&'static str, String)>,
    arguments: Vec<&'static str>,
}

fn scenario(class: &'static str, turns: Vec<String>) -> Scenario {
    Scenario { class, turns, ..Scenario::default() }
}

fn under(class: &'static str, turns: Vec<String>, policy: &'static str, members: Value) -> Scenario {
    Scenario { policies: vec![(policy, members)], ..scenario(class, turns) }
}

fn turn(calls: &[String]) -> String {
    format!("[[turn]]\ntext = \"now\"\n{}", calls.concat())
}

fn stopping(stop: &str) -> String {
    format!("[[turn]]\ntext = \"now\"\nstop = \"{stop}\"\n")
}

fn call(tool: &str, arguments: &str) -> String {
    format!("[[turn.call]]\ntool = \"{tool}\"\narguments = {{ {arguments} }}\n")
}

fn raw(tool: &str, arguments: &str) -> String {
    format!("[[turn.call]]\ntool = \"{tool}\"\narguments_raw = '{arguments}'\n")
}

fn read(path: &str) -> String {
    call("fs_read", &format!("path = \"{path}\""))
}

fn close() -> String {
    call("issue_update", "id = \"bd-1\", status = \"closed\"")
}

fn end() -> String {
    "[[turn]]\ntext = \"done\"\n".to_owned()
}

fn script(turns: &[String]) -> String {
    format!("name = \"scene\"\n{}", turns.concat())
}

/// One call, then the end.
fn asking(calls: &[String]) -> Vec<String> {
    vec![turn(calls), end()]
}

/// Turns that fill a small context.
fn filling() -> Vec<String> {
    let long = "long ".repeat(400);
    let fill = |number: u32| {
        let calls = call("shell", &format!("command = \"echo {number}; seq 1 400\", workdir = \".\""));
        format!("[[turn]]\ntext = \"{number} {long}\"\n{calls}")
    };
    (0..8).map(fill).chain([end()]).collect()
}

const NARROW: [&str; 3] = ["--context-tokens", "3500", "--on-full"];

fn full(class: &'static str, on_full: &'static str, policy: &'static str, members: Value) -> Scenario {
    let arguments = NARROW.into_iter().chain([on_full]).collect();
    Scenario { arguments, ..under(class, filling(), policy, members) }
}

/// What the model, the configuration and the workflow alone bring about.
fn by_the_model() -> Vec<Scenario> {
    let two = || vec![turn(&[read("a.txt"), read("premath.toml")]), end()];
    let worker = script(&vec![end(); 6]);
    let workflow = "pattern = \"orchestrator_workers\"\n[worker]\nmodel = \"scripted:worker.toml\"\n";
    let spawn = call("spawn_worker", "title = \"t\", task = \"k\", artifacts = [\"out.txt\"]");
    vec![
        scenario("tool.unknown_or_disallowed", asking(&[call("no_such_tool", "a = 1")])),
        scenario("tool.schema_invalid", asking(&[raw("fs_read", r#"{"path":"a.txt","path":"b.txt"}"#)])),
        scenario("tool.discovery_unresolved", asking(&[call("dep_remove", "id = \"bd-1\", dependsOn = \"bd-1\"")])),
        scenario("protocol.stop_reason_unhandled", vec![stopping("tool_use")]),
        scenario("runtime.shell_boundary_violation", asking(&[call("shell", "command = \"true\"")])),
        Scenario {
            arguments: vec!["--issue", "bd-1"],
            ..scenario("mutation.use_evidence_missing", asking(&[close()]))
        },
        Scenario { settings: "[loop]\nanswer_calls = 1\n", ..scenario("tool.parallel_policy_violation", two()) },
        Scenario {
            settings: "[loop]\nanswer_calls = 1\n",
            ..scenario("protocol.parallel_transport_order_invalid", two())
        },
        Scenario { settings: "[tools]\nfilter = false\n", ..scenario("governance.eval_lineage_missing", vec![end()]) },
        Scenario {
            own: "[guardrails]\nsecrets = \"off\"\ninjection = \"off\"\n",
            ..scenario("governance.guardrail_stage_missing", asking(&[read("a.txt")]))
        },
        Scenario {
            settings: "[policy]\nobservability = \"internal_processor\"\n",
            ..scenario("governance.trace_mode_violation", vec![end()])
        },
        Scenario {
            files: vec![("worker.toml", worker), ("flow.toml", workflow.to_owned())],
            arguments: vec!["--issue", "bd-1", "--workflow", "flow.toml"],
            ..scenario("handoff.required_artifact_missing", asking(&[spawn]))
        },
    ]
}

/// What a turn policy of the repository forbids.
fn by_turn_policy() -> Vec<Scenario> {
    let reading = || asking(&[read("a.txt")]);
    let nobody = json!([{"role": "orchestrator", "read": ["docs"], "write": ["docs"]}]);
    let other = format!("sha256:{}", "0".repeat(64));
    let found = vec![
        turn(&[call("tool_search", "query = \"remove dependency\"")]),
        turn(&[call("dep_remove", "id = \"bd-1\", dependsOn = \"bd-2\"")]),
        end(),
    ];
    vec![
        under("context.scope_violation", reading(), "contextScope", json!({"roles": nobody})),
        under("context.injection_point_missing", reading(), "stateViewPolicy", json!({"requiredViews": ["risks"]})),
        under(
            "context.queue_policy_violation",
            reading(),
            "reminderQueuePolicy",
            json!({"requiredQueues": ["alerts"]}),
        ),
        under(
            "coordination.decomposition_policy_violation",
            reading(),
            "decompositionPolicy",
            json!({"patterns": ["single"]}),
        ),
        under(
            "tool.response_truncation_policy_violation",
            reading(),
            "toolResponseTruncationPolicy",
            json!({"maxBytes": 2}),
        ),
        under(
            "tool.caller_not_allowed",
            reading(),
            "allowedCallers",
            json!({"tools": [{"name": "fs_read", "callers": ["code"]}]}),
        ),
        under(
            "tool.example_digest_mismatch",
            reading(),
            "toolCatalog",
            json!({"tools": [{"name": "fs_read", "exampleDigest": other}]}),
        ),
        under("tool.discovery_mismatch", found, "toolCatalog", json!({"tools": [{"name": "fs_read"}]})),
        under(
            "governance.risk_tier_profile_missing",
            reading(),
            "riskTier",
            json!({"tiers": [{"tier": "low", "profile": "p"}]}),
        ),
        under(
            "mutation.capability_claim_missing",
            asking(&[call("issue_add", "title = \"t\"")]),
            "mutationPolicy",
            json!({"capabilities": ["capabilities.change_morphisms.dep_add"]}),
        ),
        full("runtime.compaction_state_invalid", "compact", "compactionPolicy", json!({"enabled": false})),
        full("handoff.return_path_missing", "descend", "handoffContract", json!({"requireReturnPath": true})),
        full("handoff.target_not_allowed", "descend", "handoffContract", json!({"targets": ["auditor"]})),
    ]
}

/// A repository with one issue.
fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let added = ["issue", "add", "work", "--id", "bd-1", "--description", "Verification: test -e a.txt"];
    assert_eq!(folder.run(&added).code, Some(0));
    folder.write("a.txt", "one\n");
    folder
}

/// Every class that an answer or the journal of a run names.
fn classes(folder: &Folder, stdout: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut journals = Vec::new();
    find_journals(&folder.path().join(".premath/runs"), &mut journals);
    let texts = journals.iter().map(|path| fs::read_to_string(path).unwrap());
    for line in texts.chain([stdout.to_owned()]).collect::<String>().lines() {
        collect(&serde_json::from_str(line).unwrap_or(Value::Null), &mut found);
    }
    found
}

fn find_journals(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        if entry.path().is_dir() {
            find_journals(&entry.path(), found);
        } else if entry.file_name() == "journal.jsonl" {
            found.push(entry.path());
        }
    }
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("class", Value::String(class)) => {
                        found.extend(class.split(", ").map(ToOwned::to_owned));
                    }
                    ("classes" | "failureClasses", Value::Array(classes)) => {
                        found.extend(classes.iter().filter_map(Value::as_str).map(ToOwned::to_owned));
                    }
                    (_, member) => collect(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn provoke(scenario: &Scenario) {
    let folder = repository();
    folder.write("scene.toml", script(&scenario.turns));
    if !scenario.settings.is_empty() {
        folder.write("premath.toml", scenario.settings);
    }
    folder.write("own.toml", scenario.own);
    for (name, text) in &scenario.files {
        folder.write(name, text);
    }
    for (key, members) in &scenario.policies {
        folder.write(&format!("policies/turn/{key}.json"), members.to_string());
    }
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one", "--json"];
    let mut command = folder.command(&[&run[..], &scenario.arguments].concat());
    let output = command.env("PATH", "/usr/bin:/bin").env("PREMATH_CONFIG", "own.toml").output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = classes(&folder, &stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(found.contains(scenario.class), "{}: {found:?}\n{stdout}{stderr}", scenario.class);
    let (_, shown) = folder.json(&["issue", "show", "bd-1"]);
    assert_ne!(shown["issue"]["status"], "closed", "{}: nothing was applied", scenario.class);
}

#[test]
fn models_configurations_and_workflows_provoke_their_classes() {
    by_the_model().iter().for_each(provoke);
}

#[test]
fn turn_policies_of_a_repository_provoke_their_classes() {
    by_turn_policy().iter().for_each(provoke);
}

const INSTRUCTION: &str = "20261115T071252Z-note";

#[test]
fn a_policy_that_changed_after_its_instruction_ran_binds_nothing() {
    let folder = repository();
    let policy: Value =
        serde_json::from_slice(&fs::read(folder.path().join("policies/instruction/default.json")).unwrap()).unwrap();
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
    fs::remove_file(folder.path().join("policies/instruction/default.json")).unwrap();
    folder.write("scene.toml", script(&asking(&[call("issue_update", "id = \"bd-1\", appendNotes = \"seen\"")])));
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--issue", "bd-1", "--json"];
    let ran = folder.run(&[&run[..], &["--instruction", INSTRUCTION]].concat());
    let found = classes(&folder, &ran.stdout);
    assert!(found.contains(POLICY_DIGEST), "{found:?} {ran:?}");
}

const POLICY_DIGEST: &str = "mutation.policy_digest_mismatch";
/// Provoked by the harness's own turn: `policy promote`.
const BY_PROMOTION: [&str; 3] =
    ["governance.eval_gate_unmet", "governance.policy_package_mismatch", "governance.redteam_gate_unmet"];
/// Guards that find what the data set has in it.
const GUARDRAILS: &str = r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#;

#[test]
fn a_promotion_without_what_its_gates_ask_for_is_refused() {
    let folder = repository();
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    folder.write("rows.jsonl", fs::read(rows).unwrap());
    folder.write("weak/notes.md", "weak\n");
    folder.write("strong/guardrails.json", GUARDRAILS);
    let report = |package: &str| {
        let ran = folder.json(&["eval", "guardrails", "--dataset", "rows.jsonl", "--package", package]).1;
        ran["reportPath"].as_str().unwrap().to_owned()
    };
    let attack = ["redteam", "run", "--plugin", "path-traversal", "--strategy", "plain", "--package", "weak", "--json"];
    let attacked = folder.command(&attack).timeout(std::time::Duration::from_secs(120)).output().unwrap();
    let attacked: Value = serde_json::from_slice(&attacked.stdout).unwrap();
    let redteam = attacked["reportPath"].as_str().unwrap();
    let mut found = BTreeSet::new();
    for measured in ["weak", "strong"] {
        let promote = ["policy", "promote", "--from", "weak", "--eval", &report(measured), "--redteam", redteam];
        let (code, answer) = folder.json(&promote);
        assert_eq!(code, 1, "{answer}");
        collect(&answer, &mut found);
    }
    for class in BY_PROMOTION {
        assert!(found.contains(class), "{class}: {found:?}");
    }
}

/// The rows of the page: class, `live` or `unreachable`, and why.
fn page() -> BTreeMap<String, (String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/live-failure-classes.md");
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [class, reach, why] = cells[..] else { return None };
        let class = class.strip_prefix('`')?.strip_suffix('`')?;
        Some((class.to_owned(), (reach.to_owned(), why.to_owned())))
    };
    text.lines().filter(|line| line.starts_with("| `")).filter_map(row).collect()
}

#[test]
fn every_class_is_provoked_here_or_listed_with_what_makes_it_unreachable() {
    let page = page();
    let provoked: BTreeSet<&str> = by_the_model()
        .iter()
        .chain(&by_turn_policy())
        .map(|scenario| scenario.class)
        .chain(BY_PROMOTION)
        .chain([POLICY_DIGEST])
        .collect();
    assert!(provoked.len() >= 29, "{provoked:?}");
    assert_eq!(FailureClass::ALL.len(), 42);
    assert_eq!(page.len(), FailureClass::ALL.len(), "one row for each class");
    for class in FailureClass::ALL {
        let (reach, why) = page.get(class.code()).unwrap_or_else(|| panic!("{class} is not on the page"));
        let wanted = if provoked.contains(class.code()) { "live" } else { "unreachable" };
        assert_eq!(reach, wanted, "{class}");
        assert!(why.split_whitespace().count() > 3, "{class}: says nothing");
    }
}
