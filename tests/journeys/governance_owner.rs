//! Journey 5: a governance owner changes a rule by draft, evaluation, red team and promotion; an auditor judges the turns of a
//! run again; an edit by hand is refused with its line; `verify` names what was deleted; drafts and working files that were not
//! promoted change nothing.

use serde_json::{Value, json};

use crate::person::Person;

/// A run that adds one issue.
const SCENE: &str = "name = \"adds\"\n[[turn]]\ntext = \"I add.\"\n[[turn.call]]\ntool = \"issue_add\"\n\
                     arguments = { title = \"New work\" }\n[[turn]]\ntext = \"Done.\"\n";
/// A rule of the team, and its examples.
const RULE: &str = "@id(\"no.releases\") @reason(\"Releases are cut by people\") @optional(\"true\")\n\
                    forbid (principal, action == Action::\"shell\", resource)\n\
                    when { context.args.command like \"*cargo publish*\" };\n";

fn examples() -> String {
    let command = |text: &str| json!({"tool": "shell", "arguments": {"command": text, "workdir": "."}});
    json!({"no.releases": {"match": [command("cargo publish")], "noMatch": [command("cargo test")]}})
        .to_string()
}

/// A repository with data to measure with and a scene to run.
fn owner() -> Person {
    let owner = Person::new();
    let rows = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/guardrails/dataset.jsonl");
    owner.write("rows.jsonl", &std::fs::read_to_string(rows).unwrap());
    owner.write("scene.toml", SCENE);
    owner
}

fn issues(owner: &Person) -> String {
    owner.read(".premath/issues.jsonl")
}

#[track_caller]
fn starts(owner: &Person, run: &str) -> (i32, Value) {
    owner.json(&["run", "add work", "--model", "scripted:scene.toml", "--run-id", run])
}

/// The configuration that a run recorded.
#[track_caller]
fn configuration(owner: &Person, run: &str) -> Value {
    let journal = owner.read(&format!(".premath/runs/{run}/journal.jsonl"));
    let first: Value = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    first.pointer("/event/config").or_else(|| first.get("config")).cloned().unwrap_or(first)
}

#[test]
fn a_rule_goes_from_draft_to_promotion_and_an_edit_by_hand_is_refused_with_its_line() {
    let owner = owner();
    // Under the package that comes with premath, pinned by its digest, without measurements.
    let (code, ran) = starts(&owner, "shipped");
    assert_eq!((code, &ran["applied"]), (0, &json!(1)), "{ran}");
    let pin = configuration(&owner, "shipped")["policy"]["governance"].clone();
    assert_eq!(pin["profile"]["policyProvenance"]["packageRef"], "policy://shipped", "{pin}");
    assert_eq!((&pin["gates"], &pin["profile"]["evalGate"]), (&Value::Null, &Value::Null), "{pin}");
    owner.done(&["policy", "show"]);

    let drafted = owner.json(&["policy", "draft", "stricter"]).1;
    assert_eq!(drafted["path"], "policies/drafts/stricter", "{drafted}");
    assert_eq!(owner.json(&["policy", "diff", "stricter"]).1["same"], true);
    owner.write("policies/drafts/stricter/governor/releases.cedar", RULE);
    owner.write("policies/drafts/stricter/governor/releases.examples.json", &examples());
    owner.write(
        "policies/drafts/stricter/guardrails.json",
        "{\n  \"pii\": {\"input\": \"flag\", \"output\": \"redact\"},\n  \"hosts\": [\"*.example.org\"]\n}\n",
    );
    let diff = owner.done(&["policy", "diff", "stricter"]);
    assert!(diff.contains("+++ b/governor/releases.cedar") && diff.contains("+forbid ("), "{diff}");
    // A draft decides nothing.
    assert_eq!(starts(&owner, "drafted").0, 0);

    let evaluation = owner.json(&["eval", "guardrails", "--dataset", "rows.jsonl", "--draft", "stricter"]);
    assert_eq!(evaluation.0, 0, "{}", evaluation.1);
    let attacked = owner.json(&["redteam", "run", "--draft", "stricter"]);
    assert_eq!(attacked.0, 0, "{}", attacked.1["unmet"]);
    let path = |answer: &Value| answer["reportPath"].as_str().unwrap().to_owned();
    let (eval, redteam) = (path(&evaluation.1), path(&attacked.1));
    let promote = ["policy", "promote", "--draft", "stricter", "--eval", &eval, "--redteam", &redteam];
    let (code, promoted) = owner.json(&promote);
    assert_eq!(code, 0, "{promoted}");
    let package = promoted["packageDigest"].as_str().unwrap().to_owned();

    promoted_runs_carry_its_measurements(&owner, &package);
    auditor_judges_every_turn_again(&owner, &package);
    edits_by_hand_are_refused(&owner, &package);
    deletions_are_named(&owner, &package);
}

fn promoted_runs_carry_its_measurements(owner: &Person, package: &str) {
    let (code, ran) = starts(owner, "promoted");
    assert_eq!((code, &ran["applied"]), (0, &json!(1)), "{ran}");
    assert!(owner.done(&["replay", "promoted"]).contains("identical"));
    let pin = configuration(owner, "promoted")["policy"]["governance"].clone();
    let provenance = &pin["profile"]["policyProvenance"];
    assert_eq!(provenance["packageRef"], format!("policy://{package}"), "{pin}");
    assert_eq!(
        (&provenance["expectedDigest"], &provenance["boundDigest"]),
        (&json!(package), &json!(package))
    );
    assert!(pin["profile"]["evalGate"]["metrics"]["f1"].as_f64().unwrap() > 0.9, "{pin}");
    assert!(pin["profile"]["evalEvidence"]["datasetLineageRef"].is_string(), "{pin}");
    assert!(pin["profile"]["redTeam"]["probes"].as_u64().unwrap() >= 200, "{pin}");
    for gate in ["evalGatePolicy", "evalProfile", "redTeamPolicy"] {
        assert!(pin["gates"][gate].is_object(), "{gate}: {pin}");
    }
    let explained = ["policy", "explain", "--tool", "shell", "--args"];
    let call = r#"{"command": "cargo publish", "workdir": "."}"#;
    assert_eq!(owner.json(&[&explained[..], &[call]].concat()).1["policyName"], "no.releases");
    assert_eq!(owner.json(&["verify"]).0, 0);
}

/// An auditor who trusts no verdict exports each turn of the run, and has it judged from the exported file alone.
fn auditor_judges_every_turn_again(owner: &Person, package: &str) {
    let card = owner.json(&["runs", "show", "promoted"]).1;
    let turns = card["turns"].as_array().unwrap();
    assert!(turns.len() > 1, "{card}");
    for turn in turns {
        let call = turn["callId"].as_str().unwrap();
        let shown = owner.json(&["turn", "show", call]).1;
        owner.write("case.json", &owner.done(&["turn", "export", call]));
        let (code, judged) = owner.json(&["harness-join-check", "--input", "case.json"]);
        assert_eq!((code, &judged["result"]), (0, &json!("accepted")), "{judged}");
        assert_eq!(judged["witness"]["witnessId"], shown["witnessId"], "{call}");
        for (name, digest) in shown["digests"].as_object().unwrap() {
            assert_eq!(judged["witness"]["digests"][name], *digest, "{call}: {name}");
        }
        let case: Value = serde_json::from_str(&owner.read("case.json")).unwrap();
        let bound = &case["governanceProfile"]["policyProvenance"]["boundDigest"];
        assert_eq!(bound.as_str(), Some(package), "{call}");
        // The same turn under another package is another turn, and refused.
        let forged = owner.read("case.json").replace(package, &format!("pol1_{}", "0".repeat(64)));
        owner.write("forged.json", &forged);
        let (code, judged) = owner.json(&["harness-join-check", "--input", "forged.json"]);
        assert_eq!((code, &judged["result"]), (1, &json!("rejected")), "{judged}");
    }
}

/// After a deletion, `verify` names what is gone and what cites it.
fn deletions_are_named(owner: &Person, package: &str) {
    let report = owner.json(&["policy", "history"]).1["items"][0]["evalReport"].as_str().unwrap().to_owned();
    let name = format!("eval-{}.json", report.strip_prefix("sha256:").unwrap());
    let cases = [
        (".premath/witnesses".to_owned(), ".premath/runs/promoted/journal.jsonl", "w1_".to_owned()),
        (format!(".premath/policy/{package}"), ".premath/policy/promotions.jsonl", package.to_owned()),
        (format!(".premath/reports/{name}"), ".premath/audit.jsonl", name),
    ];
    for (deleted, citing, missing) in cases {
        let (path, aside) = (owner.path(&deleted), owner.path("aside"));
        std::fs::rename(&path, &aside).unwrap();
        let (code, answer) = owner.json(&["verify"]);
        assert_eq!((code, &answer["state"]), (1, &json!("damaged")), "{deleted}: {answer}");
        let is_named = |problem: &Value| {
            let gone = problem["missing"].as_str().unwrap_or_default();
            problem["path"] == citing && gone.contains(&missing)
        };
        assert!(answer["problems"].as_array().unwrap().iter().any(is_named), "{deleted}: {answer}");
        std::fs::rename(&aside, &path).unwrap();
    }
    assert_eq!(owner.json(&["verify"]).0, 0);
}

fn edits_by_hand_are_refused(owner: &Person, package: &str) {
    let before = issues(owner);
    let rule = owner.read("policies/governor/releases.cedar");
    owner.write("policies/governor/releases.cedar", &rule.replace("cargo publish", "cargo yank"));
    let refused = owner.run(&["run", "add work", "--model", "scripted:scene.toml", "--run-id", "edited"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = format!("{}{}", refused.stdout, refused.stderr);
    for part in
        ["governance.policy_package_mismatch", "policies/governor/releases.cedar", "line 3", "cargo yank"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains(&format!("premath policy rollback {package}")), "{said}");
    for command in [&["verify"][..], &["doctor"], &["coherence-check"]] {
        let (code, answer) = owner.json(command);
        assert_eq!(code, 1, "{command:?}: {answer}");
        assert!(answer.to_string().contains("releases.cedar"), "{command:?}: {answer}");
    }
    assert!(owner.done(&["policy", "diff"]).contains("cargo yank"));
    // A worker takes nothing, and a change that is linked to an instruction is not made.
    let worked = owner.run(&[
        "worker",
        "--worker-id",
        "w1",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
        "--steps",
        "1",
    ]);
    assert_ne!(worked.code, Some(0), "{worked:?}");
    assert!(format!("{worked:?}").contains("governance.policy_package_mismatch"), "{worked:?}");
    assert_eq!(issues(owner), before);
    // The copy that was promoted comes back by its own reports.
    owner.done(&["policy", "rollback", package]);
    assert_eq!(owner.read("policies/governor/releases.cedar"), rule);
    assert_eq!(starts(owner, "again").0, 0);
    assert_eq!(owner.json(&["verify"]).0, 0);
}

#[test]
fn a_log_of_promotions_that_was_deleted_or_forged_keeps_runs_from_beginning() {
    let owner = owner();
    owner.done(&["policy", "rollback", "defaults"]);
    assert_eq!(starts(&owner, "before").0, 0);
    let log = owner.read(".premath/policy/promotions.jsonl");
    // Deleted: the audit log knows better.
    for name in ["promotions.jsonl", "promotions.jsonl.head"] {
        std::fs::remove_file(owner.path(&format!(".premath/policy/{name}"))).unwrap();
    }
    let (code, refused) = starts(&owner, "deleted");
    assert_eq!(
        (code, &refused["refused"]["class"]),
        (1, &json!("governance.policy_package_unpinned")),
        "{refused}"
    );
    assert_eq!(owner.json(&["verify"]).0, 1);
    // Forged: a row that nobody recorded puts nothing into force.
    let mut forged: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    forged["number"] = json!(2);
    owner.write(".premath/policy/promotions.jsonl", &format!("{log}{forged}\n"));
    let (code, refused) = starts(&owner, "forged");
    assert_eq!(
        (code, &refused["refused"]["class"]),
        (1, &json!("governance.policy_package_unpinned")),
        "{refused}"
    );
    assert!(owner.json(&["verify"]).1.to_string().contains("policy.promotion_unrecorded"));
}

#[test]
fn files_that_nobody_promoted_refuse_runs_workers_and_linked_changes_and_not_a_person() {
    let owner = owner();
    owner.done(&["issue", "add", "Say hello", "--id", "bd-1"]);
    owner.write("policies/risk/high.json", "{}\n");
    let before = issues(&owner);
    let (code, refused) = starts(&owner, "unpromoted");
    assert_eq!(
        (code, &refused["refused"]["class"]),
        (1, &json!("governance.policy_package_unpinned")),
        "{refused}"
    );
    let hint = refused["refused"]["hint"].as_str().unwrap();
    assert!(hint.contains("premath policy promote --from policies"), "{hint}");
    let worked = owner.run(&[
        "worker",
        "--worker-id",
        "w1",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
        "--steps",
        "1",
    ]);
    assert!(format!("{worked:?}").contains("governance.policy_package_unpinned"), "{worked:?}");
    assert_eq!(issues(&owner), before);
    // The person at the terminal acts on authority of their own, which no package of policy grants.
    owner.done(&["issue", "update", "bd-1", "--notes", "by hand"]);
    // What is exported unchanged is the package that comes with premath.
    std::fs::remove_dir_all(owner.path("policies/risk")).unwrap();
    owner.done(&["policy", "export", "policies"]);
    assert_eq!(starts(&owner, "exported").0, 0);
}

#[test]
fn a_draft_is_made_once_under_a_plain_name() {
    let owner = owner();
    owner.done(&["policy", "draft", "one"]);
    let again = owner.run(&["policy", "draft", "one"]);
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("there is a draft `one` already"), "{again:?}");
    for name in ["../two", ".hidden", "a/b", ""] {
        let refused = owner.run(&["policy", "draft", name]);
        assert_eq!(refused.code, Some(2), "{name}: {refused:?}");
    }
    let missing = owner.run(&["policy", "diff", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let missing = owner.run(&["eval", "guardrails", "--dataset", "rows.jsonl", "--draft", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}
