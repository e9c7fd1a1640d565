//! `premath required-*` and `ci-required` from outside: what a range asks for, and how every forgery is refused.

#![expect(clippy::disallowed_methods, reason = "the tests make commits and forge what premath wrote")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod error_document;
mod folder;

use std::path::PathBuf;
use std::process::Command;

use error_document::answer_in;
use folder::Folder;
use premath_kernel::Digest;
use premath_wire::strict::{Limits, parse};
use serde_json::{Value, json};

const WITNESS: &str = "artifacts/ciwitness/latest-required.json";
const DECISION: &str = "artifacts/ciwitness/latest-decision.json";
const POLICY: &str = "policies/required/repository.json";

/// A change of a document.
type Edit = fn(&mut Value);

/// A repository with two commits and a policy of two checks.
struct Repository(Folder);

impl Repository {
    fn new() -> Self {
        let repository = Self(Folder::new());
        assert_eq!(repository.0.run(&["init"]).code, Some(0));
        repository.git(&["init", "-q", "-b", "main"]);
        repository.policy("test -f src/a.txt", "grep -q words docs/a.md");
        repository.0.write("src/a.txt", "one\n");
        repository.0.write("src/old.txt", "something long enough to be found again\n");
        repository.0.write("docs/a.md", "words\n");
        repository.commit("first");
        repository.git(&["mv", "src/old.txt", "src/new.txt"]);
        repository.commit("second");
        repository
    }

    fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A", "."]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Writes a policy with its digest. Its lists of text are sorted already.
    fn policy(&self, tests: &str, docs: &str) {
        let mut policy = json!({
            "schema": 1, "policyKind": "ci.required.policy.v1", "policyId": "repository",
            "checks": [{"checkId": "tests", "command": tests}, {"checkId": "docs", "command": docs}],
            "rules": [{"paths": ["src/**"], "checks": ["tests"]}, {"paths": ["docs/**"], "checks": ["docs"]}],
        });
        let text = policy.to_string();
        let digest = Digest::prefixed("pol1_", &parse(text.as_bytes(), Limits::default()).unwrap());
        policy["policyDigest"] = json!(digest.as_str());
        self.0.write(POLICY, policy.to_string());
    }

    /// The file of an object.
    fn object(&self, digest: &str) -> PathBuf {
        let (shelf, name) = digest.rsplit(':').next().unwrap().split_at(2);
        self.0.path().join(".premath/objects").join(shelf).join(name)
    }

    fn read(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.0.path().join(name)).unwrap()).unwrap()
    }

    /// Changes a document that premath wrote.
    fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let mut document = self.read(name);
        change(&mut document);
        self.0.write(name, serde_json::to_vec_pretty(&document).unwrap());
    }

    fn accepted() -> Self {
        let repository = Self::new();
        let (code, answer) = repository.0.json(&["ci-required", "--from", "HEAD~1"]);
        assert_eq!((code, &answer["decision"]["decision"]), (0, &json!("accept")), "{answer}");
        repository
    }

    /// The classes that verifying the witness gives.
    fn classes(&self) -> Vec<String> {
        let (code, answer) = self.0.json(&["required-witness-verify"]);
        let classes = classes(&answer["reasons"]);
        assert_eq!(code == 0, classes.is_empty(), "{answer}");
        let (_, decided) = self.0.json(&["required-witness-decide"]);
        assert_eq!(decided["decision"]["decision"] == "accept", classes.is_empty(), "{decided}");
        classes
    }
}

fn classes(reasons: &Value) -> Vec<String> {
    let mut classes: Vec<String> = reasons
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason["class"].as_str().unwrap().to_owned())
        .collect();
    classes.dedup();
    classes
}

fn has(classes: &[String], class: &str) -> bool {
    classes.iter().any(|one| one == class)
}

#[test]
fn a_range_gives_its_paths_renames_and_deletions() {
    let repository = Repository::new();
    let (code, answer) = repository.0.json(&["required-delta", "--from", "HEAD~1", "--to", "HEAD"]);
    assert_eq!(code, 0, "{answer}");
    let delta = &answer["delta"];
    assert_eq!(delta["changedPaths"], json!(["src/new.txt", "src/old.txt"]));
    assert_eq!(
        delta["entries"],
        json!([{"status": "renamed", "path": "src/new.txt", "previousPath": "src/old.txt"}])
    );
    std::fs::remove_file(repository.0.path().join("src/new.txt")).unwrap();
    repository.commit("third");
    let (_, answer) = repository.0.json(&["required-delta", "--from", "HEAD~1"]);
    assert_eq!(answer["delta"]["entries"], json!([{"status": "deleted", "path": "src/new.txt"}]));
}

#[test]
fn what_is_no_name_of_a_commit_is_no_input_and_an_unknown_one_is_refused() {
    let repository = Repository::new();
    for name in ["--output=x", "-O", "a..b", "HEAD:docs", "a b", " "] {
        let ran = repository.0.run(&["required-delta", &format!("--from={name}"), "--json"]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{name}: {ran:?}");
        assert!(ran.stderr.starts_with("error: input.field_invalid: "), "{name}: {ran:?}");
    }
    let (code, answer) = repository.0.json(&["required-delta", "--from", "nowhere"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("required_ref_unknown")));
}

#[test]
fn outside_a_git_repository_there_is_no_range() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let ran = folder.run(&["required-delta", "--from", "HEAD"]);
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(4), ""), "{ran:?}");
}

#[test]
fn paths_ask_for_their_checks_and_unknown_ones_for_all() {
    let repository = Repository::new();
    let asked = || {
        let (code, answer) = repository.0.json(&["required-projection", "--from", "HEAD~1"]);
        assert_eq!(code, 0, "{answer}");
        answer["projection"]["requiredChecks"].clone()
    };
    assert_eq!(asked(), json!(["tests"]));
    repository.0.write("Makefile", "all:\n");
    repository.commit("third");
    assert_eq!(asked(), json!(["tests", "docs"]));
    repository.policy("true", "true");
    repository.commit("fourth");
    assert_eq!(asked(), json!(["tests", "docs"]), "a policy asks for everything");
}

/// Seed: 002 §7/4, 002 §14.2/6
#[test]
fn a_range_passes_when_its_checks_pass_and_the_decision_comes_out_again() {
    let repository = Repository::accepted();
    let witness = repository.read(WITNESS);
    assert_eq!(witness["executedChecks"], json!(["tests"]));
    let gate = witness["results"][0]["gateRef"].as_str().unwrap();
    let outcome: Value = serde_json::from_slice(&std::fs::read(repository.object(gate)).unwrap()).unwrap();
    assert_eq!((&outcome["checkId"], &outcome["exitCode"]), (&json!("tests"), &json!(0)));
    let (_, again) = repository.0.json(&["required-gate-ref", "--check", "tests"]);
    assert_eq!(again["gateRef"], gate);
    repository.0.write("outcome.json", outcome.to_string());
    let (_, again) = repository.0.json(&["required-gate-ref", "--outcome", "outcome.json"]);
    assert_eq!(again["gateRef"], gate);
    assert_eq!(repository.classes(), Vec::<String>::new());
    let (code, answer) = repository.0.json(&["required-decision-verify", "--to", "HEAD"]);
    assert_eq!((code, &answer["decision"]), (0, &json!("accept")), "{answer}");
}

/// Seed: 002 §5/4, 002 §7/4
#[test]
fn a_check_that_fails_rejects_the_range() {
    let repository = Repository::new();
    repository.policy("echo no >&2; exit 3", "true");
    repository.commit("third");
    let (code, answer) = repository.0.json(&["ci-required", "--from", "HEAD~1"]);
    assert_eq!((code, &answer["decision"]["decision"]), (1, &json!("reject")), "{answer}");
    assert_eq!(answer["witness"]["results"][0]["exitCode"], 3);
    assert_eq!(answer["witness"]["failureClasses"], json!(["check_failed"]));
    assert_eq!(classes(&answer["decision"]["reasons"]), ["check_failed"]);
    let (code, again) = repository.0.json(&["required-decision-verify"]);
    assert_eq!((code, &again["decision"]), (0, &json!("reject")), "a rejection comes out again too: {again}");
}

#[test]
fn checks_run_only_on_the_tree_that_the_range_ends_with() {
    let repository = Repository::new();
    for arguments in [["--from", "HEAD~1", "--to", "HEAD~1"], ["--from", "HEAD", "--to", "HEAD"]] {
        repository.0.write("src/a.txt", "changed\n");
        let (code, answer) = repository.0.json(&[&["ci-required"], arguments.as_slice()].concat());
        assert_eq!((code, &answer["refused"]["class"]), (1, &json!("required_worktree_dirty")), "{answer}");
    }
    assert!(!repository.0.path().join(WITNESS).exists());
}

#[test]
fn a_check_that_changes_what_it_looks_at_rejects_the_range() {
    let repository = Repository::new();
    repository.policy("echo more >> src/a.txt", "true");
    repository.commit("third");
    let (code, answer) = repository.0.json(&["ci-required", "--from", "HEAD~1"]);
    assert_eq!(code, 1, "{answer}");
    assert!(has(&classes(&answer["decision"]["reasons"]), "required_worktree_changed"), "{answer}");
}

#[test]
fn a_check_that_is_too_slow_has_timed_out() {
    let repository = Repository::new();
    let mut policy = json!({
        "schema": 1, "policyKind": "ci.required.policy.v1", "policyId": "repository",
        "checks": [{"checkId": "tests", "command": "sleep 30", "timeoutSeconds": 1}], "rules": [],
    });
    let text = policy.to_string();
    let digest = Digest::prefixed("pol1_", &parse(text.as_bytes(), Limits::default()).unwrap());
    policy["policyDigest"] = json!(digest.as_str());
    repository.0.write(POLICY, policy.to_string());
    repository.commit("third");
    let (code, answer) = repository.0.json(&["required-witness", "--from", "HEAD~1"]);
    assert_eq!((code, &answer["witness"]["failureClasses"]), (1, &json!(["timeout"])), "{answer}");
}

#[test]
fn an_edited_witness_is_refused_whatever_was_edited() {
    let repository = Repository::new();
    repository.policy("exit 1", "true");
    repository.commit("third");
    assert_eq!(repository.0.run(&["ci-required", "--from", "HEAD~2"]).code, Some(1));
    let honest = std::fs::read(repository.0.path().join(WITNESS)).unwrap();
    let edits: [(&str, Edit); 7] = [
        ("required_verdict_mismatch", |it| it["verdictClass"] = json!("accepted")),
        ("required_result_mismatch", |it| it["results"][0]["status"] = json!("passed")),
        ("required_executed_mismatch", |it| it["executedChecks"] = json!(["docs"])),
        ("required_projection_mismatch", |it| it["requiredChecks"] = json!([])),
        ("required_delta_mismatch", |it| it["deltaDigest"] = json!("sha256:00")),
        ("required_range_mismatch", |it| it["to"]["tree"] = it["from"]["tree"].clone()),
        ("required_witness_invalid", |it| it["trusted"] = json!(true)),
    ];
    for (class, edit) in edits {
        repository.0.write(WITNESS, &honest);
        repository.edit(WITNESS, edit);
        let found = repository.classes();
        assert!(has(&found, class) && has(&found, "required_witness_unrecorded"), "{class}: {found:?}");
    }
    repository.0.write(WITNESS, "{");
    assert!(has(&repository.classes(), "required_witness_invalid"));
    std::fs::remove_file(repository.0.path().join(WITNESS)).unwrap();
    assert_eq!(repository.classes(), ["required_witness_missing"]);
}

#[test]
fn a_forged_witness_that_fits_in_every_digest_is_refused() {
    let repository = Repository::accepted();
    // Only the times differ: everything in it can be computed, but nobody made it here.
    repository.edit(WITNESS, |it| it["finishedAt"] = json!("2030-01-01T00:00:00Z"));
    assert_eq!(repository.classes(), ["required_witness_unrecorded"]);
}

#[test]
fn a_gate_that_is_gone_or_tampered_with_is_refused() {
    let repository = Repository::accepted();
    let gate = repository.read(WITNESS)["results"][0]["gateRef"].as_str().unwrap().to_owned();
    let path = repository.object(&gate);
    let honest = std::fs::read(&path).unwrap();
    let text = String::from_utf8(honest.clone()).unwrap();
    std::fs::write(&path, text.replace("passed", "failed")).unwrap();
    assert_eq!(repository.classes(), ["required_gate_mismatch"]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(repository.classes(), ["required_gate_missing"]);
    std::fs::write(&path, honest).unwrap();
    let outcome: Value = serde_json::from_str(&text).unwrap();
    std::fs::remove_file(repository.object(outcome["stdout"]["digest"].as_str().unwrap())).unwrap();
    assert_eq!(repository.classes(), ["required_output_missing"]);
    repository.edit(WITNESS, |it| it["results"][0]["gateRef"] = json!("gate://sha256:../../etc/passwd"));
    assert!(has(&repository.classes(), "required_gate_mismatch"));
}

#[test]
fn a_policy_that_changed_since_is_refused_and_so_is_another_range() {
    let repository = Repository::accepted();
    let (code, answer) = repository.0.json(&["required-witness-verify", "--from", "HEAD", "--to", "HEAD"]);
    assert_eq!((code, classes(&answer["reasons"])), (1, vec!["required_range_mismatch".to_owned()]));
    repository.policy("true", "true");
    assert_eq!(repository.classes(), ["required_policy_changed"]);
    repository.edit(POLICY, |policy| policy["policyId"] = json!("other"));
    assert_eq!(repository.classes(), ["required_policy_invalid_digest"]);
    let (code, answer) = repository.0.json(&["required-projection", "--from", "HEAD~1"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("required_policy_invalid_digest")));
    std::fs::remove_file(repository.0.path().join(POLICY)).unwrap();
    assert_eq!(repository.classes(), ["required_policy_missing"]);
}

#[test]
fn an_edited_decision_does_not_come_out_again() {
    let repository = Repository::new();
    repository.policy("exit 1", "true");
    repository.commit("third");
    assert_eq!(repository.0.run(&["ci-required", "--from", "HEAD~1"]).code, Some(1));
    repository.edit(DECISION, |it| {
        it["decision"] = json!("accept");
        it["reasons"] = json!([]);
    });
    let (code, answer) = repository.0.json(&["required-decision-verify"]);
    assert_eq!(code, 1, "{answer}");
    assert!(has(&classes(&answer["reasons"]), "required_decision_mismatch"), "{answer}");
    repository.edit(DECISION, |it| it["witnessDigest"] = json!("sha256:00"));
    let (_, answer) = repository.0.json(&["required-decision-verify"]);
    assert!(has(&classes(&answer["reasons"]), "required_decision_witness_mismatch"), "{answer}");
    repository.0.write(DECISION, "[]");
    let (_, answer) = repository.0.json(&["required-decision-verify"]);
    assert_eq!(classes(&answer["reasons"]), ["required_decision_invalid"]);
    std::fs::remove_file(repository.0.path().join(DECISION)).unwrap();
    let (_, answer) = repository.0.json(&["required-decision-verify"]);
    assert_eq!(classes(&answer["reasons"]), ["required_decision_missing"]);
}

#[test]
fn two_policies_need_a_name_and_a_name_is_no_path() {
    let repository = Repository::new();
    let policy = std::fs::read(repository.0.path().join(POLICY)).unwrap();
    repository.0.write("policies/required/other.json", policy);
    let (code, answer) = repository.0.json(&["required-projection", "--from", "HEAD~1"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("required_policy_ambiguous")), "{answer}");
    assert_eq!(repository.0.json(&["required-projection", "--from", "HEAD~1", "--policy", "other"]).0, 0);
    let ran = repository.0.run(&["required-projection", "--from", "HEAD~1", "--policy", "../../x"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn people_are_told_what_ran_and_why_not() {
    let repository = Repository::new();
    repository.policy("exit 1", "true");
    repository.commit("third");
    let ran = repository.0.run(&["ci-required", "--from", "HEAD~1"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in ["✗ tests check_failed", "✓ docs", "✗ reject", "policies/required/repository.json"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

/// A clone can be told to look away from a file; whoever checks a commit must not.
#[test]
fn a_working_tree_that_git_was_told_to_look_away_from_is_not_checked_in_the_place_of_the_commit() {
    let dirty = |repository: &Repository, way: &str| {
        let (code, answer) = repository.0.json(&["ci-required", "--from", "HEAD~1"]);
        assert_eq!(
            (code, &answer["refused"]["class"]),
            (1, &json!("required_worktree_dirty")),
            "{way}: {answer}"
        );
    };
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let repository = Repository::new();
        repository.git(&["update-index", flag, "src/new.txt"]);
        repository.0.write("src/new.txt", "something else\n");
        dirty(&repository, flag);
    }
    let sparse = Repository::new();
    sparse.git(&["sparse-checkout", "set", "--no-cone", "/*", "!/src/new.txt"]);
    dirty(&sparse, "a sparse checkout");
    let excluded = Repository::new();
    excluded.0.write(".git/info/exclude", "src/left.txt\n");
    excluded.0.write("src/left.txt", "only here\n");
    dirty(&excluded, "what only this clone ignores");
    let ignored = Repository::new();
    ignored.0.write(".gitignore", "build/\n");
    ignored.commit("third");
    ignored.0.write("build/out.txt", "made\n");
    assert_eq!(ignored.0.json(&["ci-required", "--from", "HEAD~1"]).0, 0);
}

/// A sandbox that was killed leaves empty files in the place of protected names; they are no reason to refuse for ever.
#[test]
fn what_a_killed_sandbox_leaves_behind_is_not_taken_for_a_change() {
    let repository = Repository::new();
    repository.0.write(".envrc", "");
    repository.0.write(".mise.toml", "");
    assert_eq!(repository.0.json(&["ci-required", "--from", "HEAD~1"]).0, 0);
    repository.0.write(".envrc", "export A=1\n");
    assert_eq!(repository.0.json(&["ci-required", "--from", "HEAD~1"]).0, 1);
}
