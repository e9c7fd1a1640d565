//! `premath coherence-check` from outside: this repository keeps its contract, and whoever breaks it is told where.

#![expect(clippy::disallowed_methods, reason = "the tests copy this repository and break the copy")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::{Path, PathBuf};

use folder::Folder;
use serde_json::{Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else if from.exists() {
        std::fs::copy(from, to).unwrap();
    }
}

/// What the check reads of this repository.
fn copied() -> Folder {
    let folder = Folder::new();
    for part in [
        "docs",
        "conformance",
        "schemas",
        "policies",
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "crates/kernel/src",
        "crates/host/src/table",
    ] {
        std::fs::create_dir_all(folder.path().join(part).parent().unwrap()).unwrap();
        copy(&root().join(part), &folder.path().join(part));
    }
    folder
}

/// The problems: class, file, line.
fn problems(folder: &Folder) -> Vec<(String, String, Option<u64>)> {
    let (code, answer) = folder.json(&["coherence-check"]);
    let text = |problem: &Value, key: &str| problem[key].as_str().unwrap().to_owned();
    let found: Vec<_> = answer["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| (text(problem, "class"), text(problem, "file"), problem["line"].as_u64()))
        .collect();
    assert_eq!((code == 0, &answer["ok"]), (found.is_empty(), &json!(found.is_empty())), "{answer}");
    found
}

fn is(class: &str, file: &str, line: Option<u64>) -> (String, String, Option<u64>) {
    (class.to_owned(), file.to_owned(), line)
}

/// Seed: 002 §14.2/5, 002 §9/3
#[test]
fn this_repository_keeps_its_contract() {
    let folder = copied();
    let (code, answer) = folder.json(&["coherence-check"]);
    assert_eq!((code, &answer["scope"], &answer["problems"]), (0, &json!("premath"), &json!([])), "{answer}");
    let counts = answer["checked"].as_array().unwrap();
    assert!(counts.iter().all(|count| count["count"].as_u64().unwrap() > 0), "{answer}");
}

#[test]
fn what_is_taken_away_or_changed_is_named_with_file_and_line() {
    let folder = copied();
    let classes = "crates/kernel/src/failure.rs";
    let line = |file: &str, words: &str| {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        text.lines().position(|line| line.contains(words)).map(|at| u64::try_from(at + 1).unwrap())
    };
    std::fs::remove_file(folder.path().join("docs/failures/tool.result_orphan.md")).unwrap();
    folder.write("docs/failures/tool.levitates.md", "# tool.levitates\n");
    std::fs::remove_dir_all(folder.path().join("conformance/harness-typestate")).unwrap();
    std::fs::remove_file(folder.path().join("schemas/verify.json")).unwrap();
    folder.write("schemas/config.json", "{}");
    folder
        .write("docs/page.md", "Type `premath issue levitate bd-1`.\n\n```\npremath verify --slowly\n```\n");
    let policy = "policies/required/repository.json";
    let text = std::fs::read_to_string(folder.path().join(policy)).unwrap();
    folder.write(policy, text.replace("cargo fmt", "true #"));
    let found = problems(&folder);
    let orphan = line(classes, "\"tool.result_orphan\"");
    assert!(orphan.is_some());
    for wanted in [
        is("coherence_failure_page_missing", classes, orphan),
        is("coherence_failure_page_unknown", "docs/failures/tool.levitates.md", None),
        is(
            "coherence_action_schema_missing",
            "crates/host/src/table/entries.rs",
            line("crates/host/src/table/entries.rs", "name: \"workspace.verify\""),
        ),
        is("coherence_schema_stale", "schemas/config.json", None),
        is("coherence_command_unknown", "docs/page.md", Some(1)),
        is("coherence_flag_unknown", "docs/page.md", Some(4)),
        is("coherence_policy_digest_mismatch", policy, line(policy, "policyDigest")),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} is not among {found:#?}");
    }
    assert!(found.iter().any(|(class, ..)| class == "coherence_failure_vector_missing"), "{found:#?}");
    let ran = folder.run(&["coherence-check", "--exit-zero"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert!(ran.stdout.contains("docs/page.md:1 there is no command `premath issue levitate`"), "{ran:?}");
}

#[test]
fn a_class_that_nothing_gives_is_named() {
    let folder = copied();
    std::fs::remove_dir_all(folder.path().join("crates/kernel/src/checks")).unwrap();
    let found = problems(&folder);
    assert!(found.iter().any(|(class, ..)| class == "coherence_failure_emitter_missing"), "{found:#?}");
}

#[test]
fn elsewhere_policies_lanes_and_configuration_are_looked_at() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let (code, answer) = folder.json(&["coherence-check"]);
    assert_eq!((code, &answer["scope"]), (0, &json!("repository")), "{answer}");
    assert_eq!(folder.run(&["issue", "add", "work"]).code, Some(0));
    let issues = folder.path().join(".premath/issues.jsonl");
    let text = std::fs::read_to_string(&issues).unwrap();
    folder.write(".premath/issues.jsonl", text.replace("work", "play"));
    folder.write(
        "policies/control/p.json",
        r#"{"schema":1,"policyKind":"ci.other.policy.v1","policyDigest":"pol1_0"}"#,
    );
    folder.write("policies/risk/levels.json", r#"{"low":{}}"#);
    let found = problems(&folder);
    assert!(
        found.contains(&is("coherence_policy_digest_mismatch", "policies/control/p.json", Some(1))),
        "{found:?}"
    );
    assert!(found.iter().any(|(class, ..)| class == "coherence_lane_damaged"), "{found:?}");
    // The policy of instructions names a digest it does not have; the file of the package was never promoted.
    let of_policies: Vec<_> = found.iter().filter(|(_, file, _)| file.starts_with("policies/")).collect();
    let classes: Vec<_> = of_policies.iter().map(|(class, ..)| class.as_str()).collect();
    assert_eq!(classes, ["coherence_policy_digest_mismatch", "coherence_policy_package_drift"], "{found:?}");
    std::fs::remove_file(folder.path().join("premath.toml")).unwrap();
    assert!(problems(&folder).contains(&is("coherence_configuration_missing", "premath.toml", None)));
}
