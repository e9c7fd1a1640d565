//! Generated programs by the real command: each trace runs again to the same bytes, and the same calls as commands give the
//! same answers and leave the same issues. A slice of them; `PREMATH_PROVE=1` runs five hundred.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::panic, reason = "a call that no command is known for fails the test")]
#![expect(
    clippy::disallowed_methods,
    reason = "`PREMATH_PROVE` asks for the whole; files are read and prepared"
)]

mod folder;

use std::{env, fs, thread};

use folder::Folder;
use premath_testkit::program;
use serde_json::{Value, json};

const SLICE: u64 = 20;
const WHOLE: u64 = 500;
/// So many programs run at once.
const TOGETHER: usize = 4;
const ID: &str = "20261115T071252Z-parity";

/// Members that say when something happened, which turn asked for it, or which clone signed it.
const OF_THE_MOMENT: [&str; 12] = [
    "acquiredAt",
    "closedAt",
    "createdAt",
    "expiresAt",
    "finishedAt",
    "mac",
    "prev",
    "renewedAt",
    "rowDigest",
    "startedAt",
    "updatedAt",
    "writeWitness",
];

fn repository() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    for title in ["One", "Two", "Three"] {
        folder.run(&["issue", "add", title, "--label", "x"]);
    }
    let policy = fs::read_to_string(folder.path().join("policies/instruction/default.json")).unwrap();
    let policy: Value = serde_json::from_str(&policy).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "whatever the programs ask for",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["graph"],
        "capabilityClaims": ["capabilities.change_morphisms.all"],
    });
    folder.write(&format!("instructions/{ID}.json"), envelope.to_string());
    assert_eq!(folder.run(&["instruction-run", &format!("instructions/{ID}.json")]).code, Some(0));
    folder
}

fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| !OF_THE_MOMENT.contains(&name.as_str()));
            kept.map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        Value::Array(items) => items.iter().map(plain).collect(),
        // How long a lease still lasts is of the moment too.
        Value::String(text) if text.ends_with(" seconds") => {
            json!(text.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>())
        }
        // A session is called after the moment it began, and names the issues as they are down to their times.
        Value::String(text) if text.starts_with("hs1_") || text.starts_with("iss1_") => json!("…"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The options that say what a member says.
const OPTIONS: [(&str, &str); 17] = [
    ("addLabels", "--add-label"),
    ("appendNotes", "--append-notes"),
    ("assignee", "--assignee"),
    ("issueId", "--issue-id"),
    ("label", "--label"),
    ("labels", "--label"),
    ("limit", "--limit"),
    ("notes", "--notes"),
    ("owner", "--assignee"),
    ("priority", "--priority"),
    ("state", "--state"),
    ("status", "--status"),
    ("summary", "--summary"),
    ("title", "--title"),
    ("ttlSeconds", "--ttl-seconds"),
    ("type", "--type"),
    ("expiresAt", "--expires-at"),
];

/// The command line that makes the same call.
fn command(action: &str, args: &Value) -> Vec<String> {
    let (words, placed): (&str, &[&str]) = match action {
        "issue.add" => ("issue add", &["title"]),
        "issue.discover" => ("issue discover", &["parentIssue", "title"]),
        "issue.claim_next" => ("issue claim-next", &[]),
        "issue.lease_release" => ("issue lease-release", &["id"]),
        "issue.lease_renew" => ("issue lease-renew", &["id"]),
        "issue.claim" | "issue.show" | "issue.update" => (action, &["id"]),
        "issue.list" | "issue.ready" => (action, &[]),
        "dep.add" | "dep.remove" | "dep.replace" => (action, &["id", "dependsOn"]),
        "harness.session.write" => ("harness-session write", &[]),
        "harness.feature.write" => ("harness-feature write --feature-id", &["featureId"]),
        "harness.trajectory.append" => ("harness-trajectory append", &[]),
        other => panic!("no command for {other}"),
    };
    let mut line: Vec<String> = words.split([' ', '.']).map(str::to_owned).collect();
    if action == "harness.trajectory.append" {
        for (name, option) in
            [("stepId", "--step-id"), ("action", "--action"), ("resultClass", "--result-class")]
        {
            line.extend([option.to_owned(), args[name].as_str().unwrap().to_owned()]);
        }
    } else {
        line.extend(placed.iter().map(|name| args[name].as_str().unwrap().to_owned()));
        for (name, value) in
            args.as_object().unwrap().iter().filter(|(name, _)| !placed.contains(&name.as_str()))
        {
            let option = OPTIONS.iter().find(|(member, _)| member == name).unwrap().1;
            let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            for value in values {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                line.extend([option.to_owned(), text]);
            }
        }
    }
    let is_read = matches!(action, "issue.list" | "issue.ready" | "issue.show");
    if !is_read && !action.starts_with("harness.") {
        line.extend(["--instruction".to_owned(), ID.to_owned()]);
    }
    line.push("--envelope".to_owned());
    line
}

fn issues(folder: &Folder) -> Value {
    plain(&folder.json(&["issue", "list"]).1)
}

/// How many calls were made, and how many of them changed something.
#[derive(Debug, Default)]
struct Made {
    calls: u64,
    changes: u64,
}

/// One program, run, run again, and made one by one.
fn compared(seed: u64) -> Made {
    let mut made = Made::default();
    let (first, second) = (repository(), repository());
    first.write("program.scm", program(seed));
    let base = ["scheme-eval", "--program", "program.scm", "--instruction", ID, "--trace", "trace.json"];
    let (_, answer) = first.json(&base);
    let before = first.json(&["issue", "list"]).1;
    let (_, again) = first.json(&["scheme-eval", "--replay", "trace.json", "--trace", "again.json"]);
    assert_eq!(answer["traceDigest"], again["traceDigest"], "program {seed}");
    assert_eq!(answer["resultDigest"], again["resultDigest"], "program {seed}");
    let read = |name: &str| fs::read(first.path().join(name)).unwrap();
    assert_eq!(read("trace.json"), read("again.json"), "program {seed}");
    assert_eq!(first.json(&["issue", "list"]).1, before, "program {seed}: a replay changed something");
    let trace: Value = serde_json::from_slice(&read("trace.json")).unwrap();
    for call in trace["calls"].as_array().unwrap() {
        let line = command(call["action"].as_str().unwrap(), &call["args"]);
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        let ran = second.run(&line);
        let place = format!("program {seed}, {line:?}: {}", ran.stderr);
        if call["effect"].is_null() {
            assert!(matches!(ran.code, Some(2..=4)), "{place}");
        } else {
            let effect: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{place}"));
            assert_eq!(plain(&effect["payload"]), plain(&call["effect"]["payload"]), "{place}");
            assert_eq!(effect["resultClass"], call["effect"]["resultClass"], "{place}");
            assert_eq!(effect["failureClasses"], call["effect"]["failureClasses"], "{place}");
            made.changes += u64::from(!call["effect"]["policyDigest"].is_null());
        }
        made.calls += 1;
    }
    assert_eq!(issues(&first), issues(&second), "program {seed}");
    assert_eq!(first.json(&["verify"]).0, 0, "program {seed}");
    made
}

/// Seed: 002 §14.4/2, 002 §14/2
#[test]
fn programs_and_the_same_commands_come_to_the_same() {
    let is_whole = env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    let programs = if is_whole { WHOLE } else { SLICE };
    // Most of the time is waiting for syncs, and the programs have nothing to do with each other.
    let parts: Vec<Made> = thread::scope(|scope| {
        let part = |first: u64| (first..programs).step_by(TOGETHER).map(compared).collect::<Vec<Made>>();
        let running: Vec<_> = (0..).take(TOGETHER).map(|first| scope.spawn(move || part(first))).collect();
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let calls: u64 = parts.iter().map(|made| made.calls).sum();
    let changes: u64 = parts.iter().map(|made| made.changes).sum();
    println!("R26  programs {}, calls {calls}, linked changes {changes}, differences 0", parts.len());
    assert!(calls > 4 * programs && changes > programs, "{calls} calls, {changes} changes");
}
