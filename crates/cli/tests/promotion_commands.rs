//! `premath eval`, `redteam` and `policy promote|history|rollback`: what is measured, what counts, what comes into force.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::Path;

use folder::Folder;
use serde_json::Value;

/// Guards that find what the data set has in it.
const GUARDRAILS: &str = r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#;
/// The rows without some that the guards in force find: without guards of their own, packages miss the gate on what is left.
fn hard_rows(rows: &str) -> String {
    let mut left_out = 0;
    let is_kept = |row: &&str| {
        let is_easy = left_out < 25 && row.contains("\"labels\": [\"secrets\"");
        left_out += usize::from(is_easy);
        !is_easy
    };
    rows.lines().filter(is_kept).map(|row| format!("{row}\n")).collect()
}

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    folder.write("rows.jsonl", hard_rows(&std::fs::read_to_string(rows).unwrap()));
    folder.write("weak/notes.md", "weak\n");
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

/// Seed: 001 §3/19, 001 §4.6/6, 001 §8/15
#[test]
fn figures_under_the_gate_and_a_part_of_the_red_team_are_refused() {
    let folder = repository();
    let (code, weak) = evaluated(&folder, "weak");
    assert_eq!(code, 1, "{weak}");
    let (refused, answer) = promoted(&folder, "weak", &path(&weak), &path(&attacked(&folder, "weak")));
    assert_eq!(refused, 1, "{answer}");
    for class in ["governance.eval_gate_unmet", "governance.redteam_gate_unmet"] {
        assert!(classes(&answer).contains(&class), "{answer}");
    }
    let (code, strong) = evaluated(&folder, "strong");
    assert_eq!(code, 0, "{strong}");
    let (refused, answer) = promoted(&folder, "strong", &path(&strong), &path(&attacked(&folder, "strong")));
    assert_eq!(refused, 1, "{answer}");
    let found = classes(&answer);
    assert!(found.contains(&"governance.redteam_gate_unmet"), "{answer}");
    assert!(!found.contains(&"governance.eval_gate_unmet"), "{answer}");
    assert!(answer.to_string().contains("some of the probes"), "{answer}");
    assert!(!folder.path().join("policies/guardrails.json").exists());
    assert_eq!(folder.run(&["audit", "verify"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn figures_from_one_row_meet_no_gate() {
    let folder = repository();
    let rows = std::fs::read_to_string(folder.path().join("rows.jsonl")).unwrap();
    folder.write("rows.jsonl", rows.lines().take(1).collect::<Vec<_>>().join("\n"));
    let (code, answer) = evaluated(&folder, "strong");
    assert_eq!(code, 1, "{answer}");
    assert!(answer["unmet"].to_string().contains("100 are wanted"), "{answer}");
    assert!(answer["unmet"].to_string().contains("guard `pii`"), "{answer}");
}

#[test]
fn what_comes_with_premath_can_be_gone_back_to_without_reports() {
    let folder = repository();
    folder.write("policies/guardrails.json", GUARDRAILS);
    folder.write("policies/notes/a.md", "mine\n");
    let (code, answer) = folder.json(&["policy", "rollback", "defaults"]);
    assert_eq!(code, 0, "{answer}");
    let left = std::fs::read_dir(folder.path().join("policies")).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["control", "instruction"], "what is no part of a package stays");
    let (_, shown) = folder.json(&["policy", "show"]);
    assert_eq!(shown["packageDigest"], answer["packageDigest"], "{shown}");
    assert_eq!(shown["asPromoted"], true, "{shown}");
    folder.write("policies/notes.md", "by hand\n");
    assert_eq!(folder.json(&["policy", "show"]).1["asPromoted"], false);
    // What lay there first was never measured: the answer names what measures it.
    let first = answer["previousDigest"].as_str().unwrap();
    let refused = folder.run(&["policy", "rollback", first]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stdout.contains(&format!("redteam run --package .premath/policy/{first}")),
        "{refused:?}"
    );
    let (code, verified) = folder.json(&["verify"]);
    assert_eq!(code, 1, "{verified}");
    let problem = &verified["problems"][0];
    assert_eq!(problem["class"], "governance.policy_package_mismatch", "{verified}");
    assert!(problem["path"].as_str().unwrap().ends_with("policies/notes.md"), "{verified}");
    std::fs::remove_file(folder.path().join("policies/notes.md")).unwrap();
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn a_report_that_is_gone_is_named_by_what_cites_it() {
    let folder = repository();
    assert_eq!(evaluated(&folder, "strong").0, 0);
    assert_eq!(folder.json(&["policy", "rollback", "defaults"]).0, 0);
    assert_eq!(folder.json(&["verify"]).1["state"], "ok");
    let promotions = folder.path().join(".premath/policy/promotions.jsonl");
    let rows = std::fs::read_to_string(&promotions).unwrap();
    let report = format!("sha256:{}", "0".repeat(64));
    std::fs::write(&promotions, rows.replacen('{', &format!("{{\"evalReport\":\"{report}\","), 1)).unwrap();
    std::fs::remove_dir_all(folder.path().join(".premath/reports")).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1, "{answer}");
    let named = |path: &str, missing: &str| {
        let problems = answer["problems"].as_array().unwrap().iter();
        let texts = problems.map(|one| (one["path"].as_str(), one["missing"].as_str().unwrap_or_default()));
        let mut missing_of = texts.filter(|(at, _)| at.is_some_and(|at| at.ends_with(path)));
        missing_of.any(|(_, what)| what.starts_with(missing))
    };
    assert!(named("promotions.jsonl", &report), "{answer}");
    assert!(named("audit.jsonl", ".premath/reports/eval-"), "{answer}");
}

#[test]
fn what_is_typed_wrongly_is_named_by_its_flag() {
    let folder = repository();
    for (command, flag) in [
        (["eval", "guardrails", "--dataset", "none.jsonl"], "dataset"),
        (["policy", "promote", "--from", "none"], "from"),
    ] {
        let ran = folder.run(&command);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(flag) && ran.stderr.contains("none"), "{ran:?}");
    }
}

/// Seed: 001 §8/15
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

const READS: &str = "name = \"reads\"\n[[turn]]\ntext = \"I read.\"\n[[turn.call]]\nid = \"read\"\ntool = \"fs_read\"\n\
    arguments = { path = \"rows.jsonl\", limit = 1 }\n[[turn]]\ntext = \"Read.\"\n";

fn git(folder: &Folder, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let done = command.args(identity).args(arguments).current_dir(folder.path()).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn a_clone_runs_under_the_package_that_was_promoted_elsewhere_and_committed() {
    let folder = repository();
    folder.write("scene.toml", READS);
    git(&folder, &["init", "--quiet"]);
    folder.write("policies/guardrails.json", GUARDRAILS);
    let (code, answer) = folder.json(&["policy", "rollback", "defaults"]);
    assert_eq!(code, 0, "{answer}");
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "go back to the defaults"]);
    let clone = Folder::new();
    git(&clone, &["clone", "--quiet", folder.path().to_str().unwrap(), "."]);
    let run = ["run", "read it", "--model", "scripted:scene.toml", "--json"];
    let ran = clone.run(&run);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (code, verified) = clone.json(&["verify"]);
    assert_eq!(code, 0, "{verified}");
    // What no commit has and this clone did not write is not taken for a promotion.
    let log = clone.path().join(".premath/policy/promotions.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, format!("{text}{text}")).unwrap();
    let ran = clone.run(&run);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("governance.policy_package_unpinned"), "{ran:?}");
}
