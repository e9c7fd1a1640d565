//! `premath eval`, `redteam` and `policy promote|history|rollback`: what is measured, what counts, what comes into force.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::Path;

use folder::Folder;
use serde_json::Value;

/// Guards that find what the data set has in it.
const GUARDRAILS: &str = r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#;
/// One probe is enough for a test; how many a repository wants is its own affair.
const ONE_PROBE: &str = r#"{"minProbes": 2, "maxFailures": 0}"#;

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    folder.write("rows.jsonl", std::fs::read(rows).unwrap());
    folder.write("policies/gates/redteam-gate.json", ONE_PROBE);
    for package in ["weak", "strong"] {
        folder.write(&format!("{package}/gates/redteam-gate.json"), ONE_PROBE);
    }
    folder.write("strong/guardrails.json", GUARDRAILS);
    folder
}

fn evaluated(folder: &Folder, package: &str) -> (i32, Value) {
    folder.json(&["eval", "guardrails", "--dataset", "rows.jsonl", "--package", package])
}

fn attacked(folder: &Folder, package: &str) -> Value {
    let run = [
        "redteam",
        "run",
        "--plugin",
        "path-traversal",
        "--strategy",
        "plain",
        "--package",
        package,
        "--json",
    ];
    let output = folder.command(&run).timeout(std::time::Duration::from_secs(120)).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn path(answer: &Value) -> String {
    answer["reportPath"].as_str().unwrap().to_owned()
}

fn promoted(folder: &Folder, package: &str, eval: &str, redteam: &str) -> (i32, Value) {
    folder.json(&["policy", "promote", "--from", package, "--eval", eval, "--redteam", redteam])
}

fn classes(answer: &Value) -> Vec<&str> {
    answer["reasons"].as_array().unwrap().iter().map(|reason| reason["class"].as_str().unwrap()).collect()
}

#[test]
fn a_weak_package_is_refused_and_a_better_one_comes_into_force_and_goes_again() {
    let folder = repository();
    let (code, weak) = evaluated(&folder, "weak");
    assert_eq!(code, 1, "{weak}");
    let (refused, answer) = promoted(&folder, "weak", &path(&weak), &path(&attacked(&folder, "weak")));
    assert_eq!(refused, 1, "{answer}");
    let found = classes(&answer);
    // Besides the figures only what follows from them: a turn that is not closed changes nothing.
    let expected = ["governance.eval_gate_unmet", "mutation.use_evidence_missing"];
    assert!(found.contains(&expected[0]) && found.iter().all(|class| expected.contains(class)), "{answer}");
    assert!(!folder.path().join("policies/guardrails.json").exists());

    let (code, strong) = evaluated(&folder, "strong");
    assert_eq!(code, 0, "{strong}");
    let (eval, redteam) = (path(&strong), path(&attacked(&folder, "strong")));
    let (accepted, answer) = promoted(&folder, "strong", &eval, &redteam);
    assert_eq!(accepted, 0, "{answer}");
    let in_force = std::fs::read_to_string(folder.path().join("policies/guardrails.json")).unwrap();
    assert_eq!(in_force, GUARDRAILS);
    let (_, history) = folder.json(&["policy", "history"]);
    assert_eq!(history["count"], 1);
    assert_eq!(history["asPromoted"], true);

    // What lay there first was never measured, so going back to it needs reports.
    let (code, answer) = folder.json(&["policy", "rollback"]);
    assert_eq!(code, 1, "{answer}");
    assert!(classes(&answer).contains(&"governance.eval_gate_unmet"), "{answer}");
    assert_eq!(folder.run(&["audit", "verify"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn going_back_to_what_was_promoted_needs_nothing_but_its_own_reports() {
    let folder = repository();
    let strong = path(&evaluated(&folder, "strong").1);
    let redteam = path(&attacked(&folder, "strong"));
    assert_eq!(promoted(&folder, "strong", &strong, &redteam).0, 0);
    folder.write("other/guardrails.json", GUARDRAILS.replace("redact", "flag"));
    folder.write("other/gates/redteam-gate.json", ONE_PROBE);
    let other = path(&evaluated(&folder, "other").1);
    let (code, answer) = promoted(&folder, "other", &other, &path(&attacked(&folder, "other")));
    assert_eq!(code, 0, "{answer}");
    // The data are gone by now; what was kept of them counts.
    std::fs::remove_file(folder.path().join("rows.jsonl")).unwrap();
    let (code, answer) = folder.json(&["policy", "rollback"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(std::fs::read_to_string(folder.path().join("policies/guardrails.json")).unwrap(), GUARDRAILS);
    assert_eq!(folder.json(&["policy", "history"]).1["items"][0]["action"], "policy.rollback");
}

#[test]
fn a_report_that_was_edited_or_is_about_something_else_does_not_count() {
    let folder = repository();
    let (_, weak) = evaluated(&folder, "weak");
    let strong = path(&evaluated(&folder, "strong").1);
    let redteam = path(&attacked(&folder, "strong"));
    let whole = std::fs::read_to_string(folder.path().join(path(&weak))).unwrap();
    let recall = weak["report"]["result"]["overall"]["recall"].to_string();
    folder.write("forged.json", whole.replacen(&recall, "1.000000", 1));
    for (package, eval) in
        [("weak", "forged.json"), ("weak", strong.as_str()), ("strong", path(&weak).as_str())]
    {
        let (code, answer) = promoted(&folder, package, eval, &redteam);
        assert_eq!(code, 1, "{answer}");
        assert!(classes(&answer).contains(&"governance.eval_lineage_missing"), "{package} {eval}: {answer}");
    }
    let (code, answer) = promoted(&folder, "weak", &path(&weak), &redteam);
    assert_eq!(code, 1);
    assert!(classes(&answer).contains(&"governance.redteam_gate_unmet"), "{answer}");
    // The data change: what was counted cannot be counted again.
    let rows = std::fs::read_to_string(folder.path().join("rows.jsonl")).unwrap();
    folder.write("rows.jsonl", rows.lines().skip(1).collect::<Vec<_>>().join("\n"));
    let (code, answer) = promoted(&folder, "strong", &strong, &redteam);
    assert_eq!(code, 1);
    assert!(classes(&answer).contains(&"governance.eval_lineage_missing"), "{answer}");
    assert_eq!(folder.json(&["policy", "history"]).1["count"], 0);
}

#[test]
fn a_package_whose_rules_do_not_load_is_not_looked_at_further() {
    let folder = repository();
    folder.write("strong/governor/all.cedar", "permit (principal, action, resource);");
    folder.write("strong/governor/all.examples.json", "{}");
    let ran = folder.run(&["policy", "promote", "--from", "strong"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("do not load"), "{ran:?}");
}

#[test]
fn rules_of_a_promotion_that_was_cut_off_deny_everything() {
    let folder = repository();
    folder.write(".premath/policy/under-way", format!("pol1_{}", "0".repeat(64)));
    folder.write(
        "scene.toml",
        "name = \"reads\"\n[[turn]]\ntext = \"I read.\"\n[[turn.call]]\ntool = \"fs_read\"\n\
         arguments = { path = \"rows.jsonl\" }\n[[turn]]\ntext = \"Read.\"\n",
    );
    folder.run(&["run", "read", "--model", "scripted:scene.toml", "--run-id", "cut"]);
    let (_, page) = folder.json(&["audit", "query", "--effect", "deny", "--run", "cut"]);
    assert!(page["count"].as_u64().unwrap() > 0, "{page}");
}
