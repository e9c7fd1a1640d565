//! The `issue` family from outside: what each command answers, and what it ends with.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::disallowed_methods, reason = "a second process and a reader that goes away are processes")]

mod error_document;
mod folder;

use std::io::Read as _;
use std::process::{Command, Stdio};

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

/// A folder with issue memory in it.
fn initialised() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

/// The same with issues: bd-2 waits for bd-1, bd-3 is set aside, bd-4 is done.
fn filled() -> Folder {
    let folder = initialised();
    for arguments in [
        ["issue", "add", "First", "--priority", "1", "--label", "ui", "--assignee", "jo"].as_slice(),
        &["issue", "add", "Second", "--type", "bug", "--depends-on", "bd-1", "--priority", "0"],
        &["issue", "add", "Third"],
        &["issue", "add", "Fourth"],
        &["issue", "update", "bd-3", "--status", "blocked"],
        &["issue", "update", "bd-4", "--status", "closed"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    folder
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn an_issue_that_is_added_has_the_next_id_and_everything_that_was_said() {
    let folder = initialised();
    let (code, answer) = folder.json(&[
        "issue",
        "add",
        "  A title ",
        "--description",
        "more",
        "--design",
        "how",
        "--acceptance",
        "when",
        "--notes",
        "learnt",
        "--priority",
        "3",
        "--type",
        "Feature",
        "--assignee",
        "jo",
        "--owner",
        "al",
        "--label",
        "b",
        "--label",
        "a",
        "--label",
        "b",
        "--ephemeral",
    ]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["action"], "issue.add");
    assert_eq!(answer["issuesPath"], ".premath/issues.jsonl");
    assert_eq!(answer["changed"], true);
    let issue = &answer["issue"];
    for (member, value) in [
        ("id", json!("bd-1")),
        ("title", json!("A title")),
        ("description", json!("more")),
        ("design", json!("how")),
        ("acceptanceCriteria", json!("when")),
        ("notes", json!("learnt")),
        ("priority", json!(3)),
        ("issueType", json!("feature")),
        ("status", json!("open")),
        ("assignee", json!("jo")),
        ("owner", json!("al")),
        ("labels", json!(["a", "b"])),
        ("ephemeral", json!(true)),
        ("rev", json!(1)),
    ] {
        assert_eq!(issue[member], value, "{member}");
    }
    assert_eq!(issue["writeWitness"]["authority"], "operator");
    assert!(issue["createdAt"].as_str().unwrap().ends_with('Z'));
    let (_, second) = folder.json(&["issue", "add", "Another"]);
    assert_eq!(second["issue"]["id"], "bd-2");
    assert_eq!(second["issue"]["priority"], 2);
}

#[test]
fn the_person_at_the_terminal_is_on_the_row() {
    let folder = initialised();
    let output = folder.command(&["issue", "add", "T", "--json"]).env("USER", "jo").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["issue"]["writeWitness"]["actor"], "jo");
}

#[test]
fn ids_that_exist_are_refused_and_dependencies_on_nothing_too() {
    let folder = filled();
    for (arguments, class) in [
        (["issue", "add", "T", "--id", "bd-1"].as_slice(), "issue_exists"),
        (&["issue", "add", "T", "--depends-on", "bd-99"], "issue_graph.dependency.unknown"),
        (&["issue", "add", "T", "--parent", "bd-99"], "issue_graph.dependency.unknown"),
        (&["issue", "add", "T", "--id", "x", "--depends-on", "x"], "issue_graph.cycle"),
        (&["issue", "discover", "bd-99", "T"], "issue_not_found"),
        (&["issue", "update", "bd-99", "--title", "T"], "issue_not_found"),
        (&["issue", "show", "bd-99"], "issue_not_found"),
        (&["issue", "history", "bd-99"], "issue_not_found"),
        (&["issue", "claim", "bd-99", "--assignee", "jo"], "lease_not_found"),
        (&["issue", "lease-renew", "bd-99", "--assignee", "jo"], "lease_not_found"),
        (&["issue", "lease-release", "bd-1", "--assignee", "jo"], "lease_missing"),
        (&["issue", "lease-release", "bd-1"], "lease_binding_ambiguous"),
        (&["issue", "claim", "bd-2", "--assignee", "jo"], "lease_issue_blocked"),
        (&["issue", "claim", "bd-4", "--assignee", "jo"], "lease_issue_closed"),
        (&["issue", "claim", "bd-1", "--assignee", " "], "lease_invalid_assignee"),
        (&["issue", "claim", "bd-1", "--assignee", "jo", "--ttl-seconds", "5"], "lease_invalid_ttl"),
        (&["issue", "claim-next", "--assignee", "jo", "--ttl-seconds", "99999"], "lease_invalid_ttl"),
        (
            &["issue", "claim", "bd-1", "--assignee", "jo", "--expires-at", "2020-01-01T00:00:00Z"],
            "lease_invalid_expires_at",
        ),
    ] {
        let before = folder.run(&["issue", "export"]).stdout;
        let (code, answer) = folder.json(arguments);
        assert_eq!((code, &answer["refused"]["class"]), (1, &json!(class)), "{arguments:?}: {answer}");
        assert!(answer["refused"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{arguments:?}");
        assert!(answer["action"].as_str().unwrap().starts_with("issue."), "{arguments:?}");
        assert_eq!(folder.run(&["issue", "export"]).stdout, before, "{arguments:?} changed something");
        let human = folder.run(arguments);
        assert_eq!((human.code, human.stderr.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(human.stdout.starts_with(&format!("refused: {class}: ")), "{arguments:?}: {}", human.stdout);
    }
}

#[test]
fn arguments_that_cannot_be_are_refused_before_anything_is_read() {
    let folder = Folder::new();
    let long = "x".repeat(257);
    for (arguments, path) in [
        (["issue", "add", "  "].as_slice(), "$.title"),
        (&["issue", "add", "two\nlines"], "$.title"),
        (&["issue", "add", "T", "--id", "a\nb"], "$.id"),
        (&["issue", "add", "T", "--id", &long], "$.id"),
        (&["issue", "add", "T", "--type", "epos"], "$.type"),
        (&["issue", "add", "T", "--priority", "5"], "$.priority"),
        (&["issue", "add", "T", "--label", "a\tb"], "$.labels"),
        (&["issue", "add", "T", "--depends-on", "blocks: "], "$.dependsOn"),
        (&["issue", "update", "bd-1", "--status", "opne"], "$.status"),
        (&["issue", "update", "bd-1", "--status", ""], "$.status"),
        (&["issue", "update", "bd-1", "--title", ""], "$.title"),
        (&["issue", "update", " ", "--title", "x"], "$.id"),
        (&["issue", "list", "--status", "opne"], "$.status"),
        (&["issue", "list", "--type", "epos"], "$.type"),
        (&["issue", "list", "--priority", "5"], "$.priority"),
        (&["issue", "check", "--graph-scope", "half"], "$.graphScope"),
        (&["issue", "claim", "bd-1", "--assignee", "jo", "--expires-at", "tomorrow"], "$.expiresAt"),
        (&["issue", "claim", "bd-1", "--assignee", "j\u{1b}o"], "$.assignee"),
        (&["issue", "lease-renew", "bd-1", "--fence", "99007199254740993"], "$.fence"),
    ] {
        for format in [[].as_slice(), &["--json"], &["--envelope"]] {
            let ran = folder.run(&[arguments, format].concat());
            assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{arguments:?}");
            let mut lines = ran.stderr.lines();
            let error = lines.next().unwrap();
            assert!(error.starts_with("error: input.field_invalid: "), "{arguments:?}: {error}");
            assert!(error.ends_with(&format!(" at {path}")), "{arguments:?}: {error}");
            assert!(
                lines.next().unwrap().starts_with("hint: `premath issue "),
                "{arguments:?}: {}",
                ran.stderr
            );
        }
    }
    assert!(!folder.path().join(".premath").exists());
}

#[test]
fn without_issue_memory_every_command_says_so_and_makes_none() {
    let folder = Folder::new();
    for arguments in [
        ["issue", "add", "T"].as_slice(),
        &["issue", "list"],
        &["issue", "ready"],
        &["issue", "show", "bd-1"],
        &["issue", "claim-next", "--assignee", "jo"],
        &["issue", "compact"],
        &["issue", "export"],
        &["issue", "history", "bd-1"],
        &["issue", "check"],
        &["issue", "list", "--issues", "elsewhere.jsonl"],
        &["issue", "add", "T", "--issues", "elsewhere.jsonl"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(4), ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("error: environment: `"), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: run `premath init`"), "{arguments:?}: {}", ran.stderr);
    }
    let (code, status) = folder.json(&["issue", "backend-status"]);
    assert_eq!((code, &status["exists"]), (0, &json!(false)));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn lists_come_in_natural_order_and_are_filtered_and_cut() {
    let folder = filled();
    for _ in 5..12 {
        folder.run(&["issue", "add", "More"]);
    }
    let (_, all) = folder.json(&["issue", "list"]);
    assert_eq!((&all["count"], &all["hasMore"]), (&json!(11), &json!(false)));
    assert!(all.get("total").is_none());
    assert_eq!(ids(&all)[..3], ["bd-1", "bd-2", "bd-3"]);
    assert_eq!(ids(&all)[9..], ["bd-10", "bd-11"]);
    let (_, cut) = folder.json(&["issue", "list", "--limit", "2"]);
    assert_eq!((&cut["count"], &cut["total"], &cut["hasMore"]), (&json!(2), &json!(11), &json!(true)));
    for (filter, found) in [
        (["--status", "closed"].as_slice(), ["bd-4"].as_slice()),
        (&["--status", "closed", "--status", "Blocked"], &["bd-3", "bd-4"]),
        (&["--type", "bug"], &["bd-2"]),
        (&["--assignee", "jo"], &["bd-1"]),
        (&["--label", "ui"], &["bd-1"]),
        (&["--label", "ui", "--label", "none"], &[]),
        (&["--priority", "0", "--priority", "1"], &["bd-1", "bd-2"]),
    ] {
        let (code, answer) = folder.json(&[["issue", "list"].as_slice(), filter].concat());
        assert_eq!((code, ids(&answer)), (0, found.to_vec()), "{filter:?}");
    }
}

#[test]
fn ready_is_what_nothing_holds_back_most_urgent_first() {
    let folder = filled();
    let (_, ready) = folder.json(&["issue", "ready"]);
    assert_eq!(ids(&ready), ["bd-1"]);
    folder.run(&["issue", "update", "bd-1", "--status", "closed"]);
    folder.run(&["issue", "add", "Late", "--priority", "4"]);
    let (_, ready) = folder.json(&["issue", "ready"]);
    assert_eq!(ids(&ready), ["bd-2", "bd-5"]);
    let (_, cut) = folder.json(&["issue", "ready", "--limit", "1"]);
    assert_eq!((ids(&cut), &cut["hasMore"]), (vec!["bd-2"], &json!(true)));
    let (_, none) = folder.json(&["issue", "ready", "--limit", "0"]);
    assert_eq!((&none["count"], &none["hasMore"]), (&json!(0), &json!(true)));
}

#[test]
fn nothing_ready_is_explained() {
    let folder = initialised();
    assert!(folder.run(&["issue", "ready"]).stdout.starts_with("nothing ready: there are no issues yet\n"));
    let folder = filled();
    folder.run(&["issue", "claim", "bd-1", "--assignee", "jo"]);
    let ran = folder.run(&["issue", "ready"]);
    let said = "nothing ready: 1 waiting for others, 1 blocked, 1 in progress, 1 closed\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), said));
    let (_, answer) = folder.json(&["issue", "ready"]);
    assert_eq!(
        answer["standing"],
        json!({
            "ready": 0, "waiting": 1, "inProgress": 1, "blocked": 1, "closed": 1, "other": 0
        })
    );
}

#[test]
fn blocked_says_what_is_waited_for_and_why() {
    let folder = filled();
    let (code, answer) = folder.json(&["issue", "blocked"]);
    assert_eq!((code, ids(&answer)), (0, vec!["bd-2", "bd-3"]));
    assert_eq!(
        answer["items"][0]["blockers"],
        json!([
            { "id": "bd-1", "type": "blocks", "status": "open", "why": "`bd-1` is not done" }
        ])
    );
    assert_eq!(answer["items"][1]["blockers"], json!([]));
    let human = folder.run(&["issue", "blocked"]).stdout;
    assert!(human.contains("bd-1 (open)") && human.contains("a person: it was set aside"), "{human}");
}

#[test]
fn a_card_shows_an_issue_with_everything_around_it() {
    let folder = filled();
    let (code, answer) = folder.json(&["issue", "show", "bd-2"]);
    assert_eq!((code, &answer["ready"], &answer["leaseState"]), (0, &json!(false), &json!("unleased")));
    assert_eq!(
        answer["dependsOn"],
        json!([
            { "id": "bd-1", "type": "blocks", "status": "open", "title": "First" }
        ])
    );
    assert_eq!(answer["blockers"][0]["id"], "bd-1");
    let (_, first) = folder.json(&["issue", "show", "bd-1"]);
    assert_eq!(first["dependents"][0]["id"], "bd-2");
    let human = folder.run(&["issue", "show", "bd-2"]).stdout;
    for part in
        ["bd-2  Second\n", "○ open · P0 · bug", "Depends on\n  ○ bd-1 First (blocks, open)", "held back: "]
    {
        assert!(human.contains(part), "{part:?}: {human}");
    }
}

#[test]
fn an_update_keeps_what_is_absent_and_clears_what_is_blank() {
    let folder = initialised();
    folder.run(&[
        "issue",
        "add",
        "T",
        "--description",
        "d",
        "--notes",
        "n",
        "--assignee",
        "jo",
        "--label",
        "a",
    ]);
    let (_, answer) = folder.json(&["issue", "update", "bd-1", "--priority", "0"]);
    assert_eq!((&answer["issue"]["description"], &answer["issue"]["assignee"]), (&json!("d"), &json!("jo")));
    let (_, answer) = folder.json(&[
        "issue",
        "update",
        "bd-1",
        "--description",
        "",
        "--assignee",
        " ",
        "--append-notes",
        "more",
        "--add-label",
        "b",
        "--remove-label",
        "a",
    ]);
    let issue = &answer["issue"];
    assert!(issue.get("description").is_none() && issue.get("assignee").is_none(), "{issue}");
    assert_eq!((&issue["notes"], &issue["labels"]), (&json!("n\nmore"), &json!(["b"])));
    let (code, same) = folder.json(&["issue", "update", "bd-1", "--title", "T"]);
    assert_eq!((code, &same["changed"], &same["issue"]["rev"]), (0, &json!(false), &issue["rev"]));
    assert!(folder.run(&["issue", "update", "bd-1", "--title", "T"]).stdout.contains("(unchanged)"));
}

#[test]
fn notes_come_from_a_file_and_from_standard_input() {
    let folder = initialised();
    folder.write("notes.md", "from a file\nof two lines\n");
    let (_, answer) = folder.json(&["issue", "add", "T", "--notes-file", "notes.md"]);
    assert_eq!(answer["issue"]["notes"], "from a file\nof two lines");
    let mut command = folder.command(&["issue", "update", "bd-1", "--notes-file", "-", "--json"]);
    let output = command.write_stdin("from a pipe").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["issue"]["notes"], "from a pipe");
    let missing = folder.run(&["issue", "add", "T", "--notes-file", "no.md"]);
    assert_eq!((missing.code, answer_in(missing.code, &missing.stdout)), (Some(4), ""));
    folder.write("latin.md", [b'a', 0xE9]);
    assert_eq!(folder.run(&["issue", "add", "T", "--notes-file", "latin.md"]).code, Some(2));
}

#[test]
fn a_lease_is_claimed_renewed_shown_and_released() {
    let folder = filled();
    let (code, claimed) = folder.json(&["issue", "claim-next", "--assignee", "jo", "--ttl-seconds", "600"]);
    assert_eq!((code, &claimed["claimed"], &claimed["issue"]["id"]), (0, &json!(true), &json!("bd-1")));
    let lease = &claimed["issue"]["lease"];
    assert_eq!(
        (&lease["leaseId"], &lease["owner"], &lease["fence"]),
        (&json!("lease1_bd-1_jo"), &json!("jo"), &json!(1))
    );
    assert_eq!(claimed["issue"]["status"], "in_progress");
    let (code, other) = folder.json(&["issue", "claim", "bd-1", "--assignee", "al"]);
    assert_eq!((code, &other["refused"]["class"]), (1, &json!("lease_contention_active")));
    let (code, stale) = folder.json(&["issue", "lease-renew", "bd-1", "--assignee", "jo", "--fence", "7"]);
    assert_eq!((code, &stale["refused"]["class"]), (1, &json!("lease_stale")));
    let (code, wrong) = folder.json(&["issue", "lease-release", "bd-1", "--owner", "al"]);
    assert_eq!((code, &wrong["refused"]["class"]), (1, &json!("lease_owner_mismatch")));
    let (code, renewed) = folder.json(&["issue", "lease-renew", "bd-1", "--assignee", "jo", "--fence", "1"]);
    assert_eq!((code, renewed["issue"]["lease"]["renewedAt"].is_string()), (0, true));
    let (_, leases) = folder.json(&["issue", "lease-projection"]);
    assert_eq!(
        (&leases["count"], &leases["activeCount"], &leases["expiredCount"], &leases["invalidCount"]),
        (&json!(1), &json!(1), &json!(0), &json!(0))
    );
    let row = &leases["items"][0];
    assert_eq!(
        (&row["issueId"], &row["state"], &row["assignee"]),
        (&json!("bd-1"), &json!("active"), &json!("jo"))
    );
    let (code, closed) =
        folder.json(&["issue", "update", "bd-1", "--notes", "x", "--lease-owner", "jo", "--fence", "2"]);
    assert_eq!((code, &closed["refused"]["class"]), (1, &json!("lease_stale")));
    let (code, released) =
        folder.json(&["issue", "lease-release", "bd-1", "--assignee", "jo", "--fence", "1"]);
    assert_eq!((code, &released["issue"]["status"]), (0, &json!("open")));
    let (_, again) = folder.json(&["issue", "claim-next", "--assignee", "al"]);
    assert_eq!(again["issue"]["lease"]["fence"], 2);
    let (code, nothing) = folder.json(&["issue", "claim-next", "--assignee", "al"]);
    assert_eq!((code, &nothing["claimed"], &nothing["issue"]), (0, &json!(false), &Value::Null));
    assert_eq!(folder.run(&["issue", "claim-next", "--assignee", "al"]).stdout, "nothing to claim\n");
}

#[test]
fn blocked_work_is_taken_only_with_a_reason_that_stays_with_it() {
    let folder = filled();
    let (code, forced) =
        folder.json(&["issue", "claim", "bd-2", "--assignee", "jo", "--force", "the demo is today"]);
    assert_eq!(code, 0, "{forced}");
    assert!(forced["issue"]["notes"].as_str().unwrap().contains("the demo is today"));
    let (code, _) = folder.json(&["issue", "claim", "bd-3", "--assignee", "jo", "--force", " "]);
    assert_eq!(code, 1);
}

#[test]
fn a_discovery_points_at_what_was_worked_on() {
    let folder = filled();
    let (code, found) =
        folder.json(&["issue", "discover", "bd-1", "Found", "--type", "bug", "--parent", "bd-2"]);
    assert_eq!((code, &found["action"]), (0, &json!("issue.discover")));
    let dependencies = found["issue"]["dependencies"].as_array().unwrap();
    let kinds: Vec<(&str, &str)> = dependencies
        .iter()
        .map(|one| (one["type"].as_str().unwrap(), one["dependsOnId"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("parent-child", "bd-2"), ("discovered-from", "bd-1")]);
}

#[test]
fn a_parent_closes_after_its_children() {
    let folder = initialised();
    folder.run(&["issue", "add", "Parent", "--type", "epic"]);
    folder.run(&["issue", "add", "Child", "--parent", "bd-1"]);
    let (code, refused) = folder.json(&["issue", "update", "bd-1", "--status", "closed"]);
    assert_eq!((code, &refused["refused"]["class"]), (1, &json!("issue_children_open")));
    folder.run(&["issue", "update", "bd-2", "--status", "closed"]);
    assert_eq!(folder.json(&["issue", "update", "bd-1", "--status", "closed"]).0, 0);
}

#[test]
fn the_history_says_who_changed_what() {
    let folder = filled();
    folder.run(&["issue", "update", "bd-1", "--notes", "one\ntwo"]);
    folder.run(&["issue", "update", "bd-1", "--notes", "one\n2"]);
    folder.run(&["issue", "compact"]);
    let (code, history) = folder.json(&["issue", "history", "bd-1"]);
    assert_eq!((code, &history["count"], &history["issueId"]), (0, &json!(3), &json!("bd-1")));
    let last = &history["items"][2];
    assert_eq!(
        (&last["rev"], &last["wrote"], &last["authority"]),
        (&json!(3), &json!("issue.update"), &json!("operator"))
    );
    assert_eq!(last["changed"], json!([{ "member": "notes", "before": "two", "after": "2" }]));
    let (_, newest) = folder.json(&["issue", "history", "bd-1", "--limit", "1"]);
    assert_eq!((&newest["count"], &newest["total"], &newest["items"][0]), (&json!(1), &json!(3), last));
    let human = folder.run(&["issue", "history", "bd-1"]).stdout;
    assert!(human.contains("rev 3") && human.contains("notes: two → 2"), "{human}");
}

#[test]
fn compaction_keeps_the_content_and_moves_the_rest() {
    let folder = filled();
    let (_, before) = folder.json(&["issue", "backend-status"]);
    assert_eq!(
        (&before["rows"], &before["issues"], &before["supersededRows"]),
        (&json!(6), &json!(4), &json!(2))
    );
    assert_eq!((&before["standing"], &before["canWrite"]), (&json!("anchored"), &json!(true)));
    let (code, compacted) = folder.json(&["issue", "compact"]);
    assert_eq!((code, &compacted["kept"], &compacted["moved"]), (0, &json!(4), &json!(2)));
    let (_, after) = folder.json(&["issue", "backend-status"]);
    assert_eq!((&after["rows"], &after["snapshotRef"]), (&json!(4), &before["snapshotRef"]));
}

#[test]
fn the_envelope_goes_around_the_payload() {
    let folder = filled();
    for (arguments, action, class) in [
        (["issue", "list"].as_slice(), "issue.list", "ok"),
        (&["issue", "show", "bd-1"], "issue.show", "ok"),
        (&["issue", "show", "bd-99"], "issue.show", "rejected"),
        (&["issue", "check"], "issue.check", "rejected"),
        (&["dep", "diagnostics"], "dep.diagnostics", "accepted"),
    ] {
        let payload = folder.run(&[arguments, &["--json"]].concat());
        let envelope = folder.run(&[arguments, &["--envelope"]].concat());
        assert_eq!(envelope.code, payload.code, "{arguments:?}");
        let effect: Value = serde_json::from_str(&envelope.stdout).unwrap();
        assert_eq!(effect["payload"], serde_json::from_str::<Value>(&payload.stdout).unwrap());
        assert_eq!((&effect["action"], &effect["resultClass"]), (&json!(action), &json!(class)));
        assert_eq!(effect["failureClasses"].is_array(), class == "rejected", "{arguments:?}");
    }
}

#[test]
fn a_command_in_a_folder_below_works_on_the_repository_above() {
    let folder = filled();
    folder.write("deep/er/file", "");
    let mut command = folder.command(&["issue", "list", "--json"]);
    let output = command.current_dir(folder.path().join("deep/er")).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["count"], 4);
}

#[test]
fn processes_that_add_at_once_all_get_their_own_id() {
    let folder = initialised();
    let children: Vec<_> = (0..6)
        .map(|number| {
            Command::new(env!("CARGO_BIN_EXE_premath"))
                .args(["issue", "add", &format!("Number {number}"), "--json"])
                .current_dir(folder.path())
                .env("XDG_STATE_HOME", folder.state())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut ids: Vec<String> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            answer["issue"]["id"].as_str().unwrap().to_owned()
        })
        .collect();
    ids.sort();
    assert_eq!(ids, ["bd-1", "bd-2", "bd-3", "bd-4", "bd-5", "bd-6"]);
    assert_eq!(folder.json(&["issue", "list"]).1["count"], 6);
}

#[test]
fn a_reader_that_goes_away_ends_a_listing_quietly() {
    let folder = initialised();
    // Far more than a pipe holds.
    let rows: String = (0..4000)
        .map(|number| format!("{{\"id\":\"x-{number}\",\"title\":\"{}\"}}\n", "t".repeat(200)))
        .collect();
    folder.write("rows.jsonl", rows);
    assert_eq!(folder.run(&["issue", "import", "rows.jsonl"]).code, Some(0));
    for format in [["issue", "list"].as_slice(), &["issue", "list", "--json"], &["issue", "export"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
            .args(format)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut some = [0; 10];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut some).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{format:?}");
    }
}
