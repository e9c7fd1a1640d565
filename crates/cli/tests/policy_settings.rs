//! `[policy]` and `[guardrails]` of the configuration, in runs: a ceiling holds, a guard outside that is broken lets nothing
//! pass, the audit log keeps no secret, and a step is nobody's person.

#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what is not there fails the test")]

mod error_document;
mod folder;

use error_document::answer_in;
use folder::{Folder, Ran};
use serde_json::{Value, json};

const READS: &str = "name = \"reads\"\n[[turn]]\n[[turn.call]]\nid = \"read\"\ntool = \"fs_read\"\n\
    arguments = { path = \"a.txt\" }\n[[turn]]\ntext = \"Read.\"\n";

fn project(person: &str, repository: &str) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("a.txt", "one\n");
    folder.write("scene.toml", READS);
    folder.write("mine.toml", person);
    folder.write("premath.toml", repository);
    folder
}

fn premath(folder: &Folder, arguments: &[&str]) -> Ran {
    let output = folder.command(arguments).env("PREMATH_CONFIG", "mine.toml").output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = ["run", "read", "--model", "scripted:scene.toml", "--run-id", "it", "--json"];
    premath(folder, &[arguments.as_slice(), more].concat())
}

fn audit(folder: &Folder, more: &[&str]) -> Vec<Value> {
    let ran = premath(folder, &[&["audit", "query", "--json"], more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str::<Value>(&ran.stdout).unwrap()["items"].as_array().unwrap().clone()
}

#[test]
fn every_value_says_where_it_comes_from() {
    let folder = project(
        "policy.max_daily_tool_calls = 9\n[[guardrails.command]]\nname = \"scan\"\nrun = [\"true\"]\n",
        "[policy.roles.owner]\nscopes = [\"files:*\"]\n[guardrails]\nsecrets = \"block\"\n",
    );
    let ran = premath(&folder, &["config", "show", "--json"]);
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    let row = |key: &str| {
        let rows = shown["items"].as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).cloned().unwrap_or_else(|| panic!("no {key}: {shown}"))
    };
    for (key, value, place) in [
        ("guardrails.command.scan", "true (input:block output:block, 2000 ms)", Some("mine.toml:2")),
        ("guardrails.secrets", "block", Some("premath.toml:4")),
        ("guardrails.injection", "flag", None),
        ("policy.max_daily_tool_calls", "9", Some("mine.toml:1")),
        ("policy.roles.owner.scopes", "files:*", Some("premath.toml:2")),
        ("policy.role", "owner", None),
    ] {
        let row = row(key);
        assert_eq!((&row["value"], row["place"].as_str()), (&json!(value), place), "{row}");
    }
}

#[test]
fn what_a_repository_may_not_say_stops_every_run_and_names_its_line() {
    let folder =
        project("", "[[guardrails.command]]\nname = \"scan\"\nrun = [\"sh\", \"-c\", \"touch started\"]\n");
    let ran = run(&folder, &[]);
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("premath.toml, line 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("guardrails.repository_guards = true"), "{}", ran.stderr);
    assert!(!folder.path().join("started").exists());
}

/// Seed: 003 §1/9, 003 §1/12
#[test]
fn a_scope_above_the_ceiling_is_denied_for_the_model_the_person_and_the_audit() {
    let folder =
        project("policy.role = \"clerk\"\npolicy.roles.clerk.scopes = [\"desk:read\", \"files:*\"]\n", "");
    let ran = run(&folder, &["--scope", "files:read", "--scope", "desk:delete"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let export = premath(&folder, &["runs", "export", "it", "--json"]);
    let export: Value = serde_json::from_str(&export.stdout).unwrap();
    let config = &export["items"][0]["event"]["config"];
    let prompt = format!("{}{}", config["system"], config["opening"]);
    assert!(prompt.contains("desk:delete: disabled"), "the model reads it: {prompt}");
    assert!(!prompt.contains("clerk"), "and not whose ceiling it was: {prompt}");
    let tools = config["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["scope"] != "desk:delete"), "{tools:?}");
    let denied = audit(&folder, &["--code", "policy_scope_missing"]);
    let [row] = denied.as_slice() else { panic!("{denied:?}") };
    assert_eq!(
        (&row["runId"], &row["effect"], &row["policyName"]),
        (&json!("it"), &json!("deny"), &json!("role clerk"))
    );
    let told = &row["data"];
    assert!(told["reason"].as_str().unwrap().contains("`desk:delete` is above the ceiling"), "{row}");
    let shown = premath(&folder, &["policy", "show", "--scope", "desk:delete", "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(
        (&shown["role"], &shown["refused"]),
        (&json!("clerk"), &json!(["desk:delete"])),
        "the person sees it"
    );
}

#[test]
fn a_guard_outside_that_works_lets_a_call_pass_and_one_that_does_not_denies_it() {
    let guard =
        |run: &str| format!("[[guardrails.command]]\nname = \"scan\"\nrun = {run}\ndeadline_ms = 10000\n");
    let folder = project(&guard(r#"["sh", "-c", "cat > /dev/null; echo '{\"triggered\": false}'"]"#), "");
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(audit(&folder, &["--effect", "deny"]).is_empty());
    for broken in [r#"["false"]"#, r#"["no-such-program-here"]"#, r#"["echo", "fine"]"#] {
        let folder = project(&guard(broken), "");
        let ran = run(&folder, &[]);
        assert_ne!(ran.code, Some(0), "{broken}: {ran:?}");
        let denied = audit(&folder, &["--effect", "deny"]);
        assert!(denied.iter().any(|row| row["policyName"] == "scan"), "{broken}: {denied:?}");
        let shown = premath(&folder, &["policy", "show", "--json"]);
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        let scan = shown["guards"].as_array().unwrap().iter().find(|guard| guard["id"] == "scan").unwrap();
        assert!(scan["red"].is_string(), "{broken}: {scan}");
    }
}

#[test]
fn the_audit_log_keeps_no_secret() {
    let folder = project("", "");
    // Put together here, so that no scanner of source code takes it for one.
    let secret = format!("ghp{}16C7e42F292c6912E7710c838347Ae178B4a", "_");
    let name = format!("rows-{secret}.jsonl");
    folder.write(&name, "{\"id\":\"x-1\",\"title\":\"From elsewhere\"}\n");
    assert_eq!(premath(&folder, &["issue", "import", &name]).code, Some(0));
    let log = std::fs::read_to_string(folder.path().join(".premath/audit.jsonl")).unwrap();
    assert!(log.contains("[redacted:"), "{log}");
    assert!(!log.contains(&secret), "{log}");
    let (code, verified) = folder.json(&["audit", "verify"]);
    assert_eq!((code, &verified["ok"]), (0, &json!(true)), "what was taken out was never hashed: {verified}");
}

#[test]
fn a_step_has_no_credential_to_decide_with() {
    let folder = project("", "");
    for arguments in [
        ["approvals", "approve", "apr_0123456789ab"],
        ["approvals", "deny", "apr_0123456789ab"],
        ["proposals", "approve", "prp_0123456789ab"],
        ["proposals", "resume", "prp_0123456789ab"],
    ] {
        let mut command = folder.command(&[arguments.as_slice(), &["--json"]].concat());
        let output = command.env("HOME", folder.path()).env("PREMATH_STEP_TOKEN", "").output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), &answer["refused"]["class"]),
            (Some(1), &json!("person_missing")),
            "{arguments:?}: {answer}"
        );
    }
    assert!(!folder.path().join(".local").exists(), "a step makes no credential either");
}

#[test]
fn what_a_day_may_cost_ends_the_calls_of_a_run_and_the_runs_of_a_day() {
    let prices = "[models.prices.\"scene*\"]\ninput = \"1000\"\noutput = \"1000\"\n";
    let folder = project(&format!("[policy]\nmax_daily_cost_usd = \"0.10\"\n{prices}"), "");
    let ran = run(&folder, &[]);
    assert!(ran.stdout.contains("policy_quota_exceeded"), "{}{}", ran.stdout, ran.stderr);
    let denied = audit(&folder, &["--kind", "decision"]);
    assert_eq!((&denied[0]["effect"], &denied[0]["code"]), (&json!("deny"), &json!("policy_quota_exceeded")));
    let again = ["run", "read", "--model", "scripted:scene.toml", "--run-id", "again", "--json"];
    let refused = premath(&folder, &again);
    assert_eq!(refused.code, Some(1), "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stdout.contains("policy_quota_exceeded"), "{}", refused.stdout);
    assert!(!folder.path().join(".premath/runs/again").exists());
}
