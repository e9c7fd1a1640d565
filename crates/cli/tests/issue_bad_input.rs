//! Issue memory that others wrote or broke: what can be read stays readable, and every problem is named with its line.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "an answer of another shape fails the test, and so does a command that cannot be started"
)]
#![expect(clippy::disallowed_methods, reason = "what is on the disk is compared, and made read-only")]

mod folder;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use folder::Folder;
use serde_json::{Value, json};

/// A folder whose issue memory holds these bytes.
fn holding(bytes: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.write(".premath/issues.jsonl", bytes);
    folder
}

/// The same, as a commit of somebody else brought it: what git has can be changed without a person's word.
fn committed(bytes: impl AsRef<[u8]>) -> Folder {
    let folder = holding(bytes);
    let identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false"];
    for arguments in [
        &["init", "--quiet"][..],
        &["-c", "core.autocrlf=false", "add", ".premath/issues.jsonl"],
        &[&identity[..], &["commit", "--quiet", "--message", "rows"]].concat(),
    ] {
        let git = std::process::Command::new("git").arg("-C").arg(folder.path()).args(arguments).status();
        assert!(git.unwrap().success(), "git {arguments:?}");
    }
    folder
}

fn ids(folder: &Folder) -> Vec<String> {
    let (code, answer) = folder.json(&["issue", "list"]);
    assert_eq!(code, 0, "{answer}");
    answer["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// Class, severity and line of every problem that has a line.
fn lines(folder: &Folder) -> Vec<(String, String, u64)> {
    let (_, answer) = folder.json(&["issue", "check"]);
    let problems = answer["problems"].as_array().unwrap().iter().filter(|one| one["line"].is_u64());
    problems
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            assert!(!text("hint").is_empty() && !text("detail").is_empty(), "{one}");
            (text("class"), text("severity"), one["line"].as_u64().unwrap())
        })
        .collect()
}

fn problem(class: &str, severity: &str, line: u64) -> (String, String, u64) {
    (class.to_owned(), severity.to_owned(), line)
}

#[test]
fn garbage_between_rows_hides_nothing_but_itself() {
    let folder = committed(concat!(
        "{\"id\":\"a\",\"title\":\"A\"}\n",
        "garbage\n",
        "\n",
        "{\"title\":\"no id\"}\n",
        "{\"id\":\"\"}\n",
        "{\"id\":7}\n",
        "[]\n",
        "{\"id\":\"b\",\"title\":\"B\",\"title\":\"twice\"}\n",
        "{\"id\":\"c\"}\n",
    ));
    assert_eq!(ids(&folder), ["a", "c"]);
    assert_eq!(
        lines(&folder),
        [
            problem("issue_line.unreadable", "error", 2),
            problem("issue_line.not_an_issue", "error", 4),
            problem("issue_line.not_an_issue", "error", 5),
            problem("issue_line.not_an_issue", "error", 6),
            problem("issue_line.not_an_issue", "error", 7),
            problem("issue_line.unreadable", "error", 8),
        ]
    );
    let (_, list) = folder.json(&["issue", "list"]);
    assert_eq!(
        (&list["problems"][0]["line"], &list["problems"][0]["class"]),
        (&json!(2), &json!("issue_line.unreadable"))
    );
    assert!(folder.run(&["issue", "list"]).stdout.contains("line 2 issue_line.unreadable"));
    // A change leaves the bad lines where they are, and so does compaction.
    assert_eq!(folder.json(&["issue", "update", "a", "--priority", "0"]).0, 0);
    assert_eq!(folder.json(&["issue", "compact"]).0, 0);
    let text = fs::read_to_string(folder.path().join(".premath/issues.jsonl")).unwrap();
    assert!(text.contains("garbage\n") && text.contains("\"no id\""), "{text}");
    assert_eq!(ids(&folder), ["a", "c"]);
}

#[test]
fn bytes_that_are_no_text_hide_only_their_line() {
    let folder = holding(
        b"{\"id\":\"a\"}\n{\"id\":\"b\",\"title\":\"\xff\xfe\"}\n\x00\x01\n{\"id\":\"c\"}\n".as_slice(),
    );
    assert_eq!(ids(&folder), ["a", "c"]);
    assert_eq!(
        lines(&folder),
        [problem("issue_line.unreadable", "error", 2), problem("issue_line.unreadable", "error", 3)]
    );
}

#[test]
fn a_mark_carriage_returns_and_a_missing_newline_lose_nothing() {
    let folder = committed("\u{feff}{\"id\":\"a\",\"title\":\"A\"}\r\n{\"id\":\"b\"}\r\n{\"id\":\"c\"}");
    assert_eq!(ids(&folder), ["a", "b", "c"]);
    let (code, check) = folder.json(&["issue", "show", "a"]);
    assert_eq!((code, &check["issue"]["title"]), (0, &json!("A")));
    let found = lines(&folder);
    assert!(found.contains(&problem("issue_line.byte_order_mark", "warning", 1)), "{found:?}");
    assert!(found.contains(&problem("issue_line.unterminated", "warning", 3)), "{found:?}");
    assert!(found.iter().all(|(_, severity, _)| severity == "warning"), "{found:?}");
    assert_eq!(folder.json(&["issue", "add", "D", "--id", "d"]).0, 0);
    assert_eq!(ids(&folder), ["a", "b", "c", "d"]);
}

#[test]
fn a_line_that_was_cut_short_is_named_and_cut_off_by_the_next_change() {
    let folder = committed("{\"id\":\"a\"}\n{\"id\":\"b\",\"tit");
    assert_eq!(ids(&folder), ["a"]);
    assert_eq!(lines(&folder), [problem("issue_line.torn", "warning", 2)]);
    assert_eq!(folder.json(&["issue", "add", "C", "--id", "c"]).0, 0);
    assert_eq!(ids(&folder), ["a", "c"]);
    assert_eq!(lines(&folder), []);
}

#[test]
fn an_id_that_comes_twice_is_named_and_the_last_line_wins() {
    let folder =
        committed("{\"id\":\"a\",\"title\":\"old\"}\n{\"id\":\"b\"}\n{\"id\":\"a\",\"title\":\"new\"}\n");
    assert_eq!(ids(&folder), ["a", "b"]);
    assert_eq!(folder.json(&["issue", "show", "a"]).1["issue"]["title"], "new");
    assert_eq!(lines(&folder), [problem("issue_line.duplicate_id", "warning", 3)]);
    // Rows of our own that take each other's place are no duplicates.
    assert_eq!(folder.json(&["issue", "update", "b", "--priority", "1"]).0, 0);
    assert_eq!(lines(&folder).len(), 1);
    // Compaction keeps the last of each.
    assert_eq!(folder.json(&["issue", "compact"]).0, 0);
    assert_eq!(lines(&folder), []);
    assert_eq!(folder.json(&["issue", "show", "a"]).1["issue"]["title"], "new");
}

#[test]
fn values_of_other_tools_are_shown_as_they_are_and_count_as_unknown() {
    let folder = committed(concat!(
        "{\"id\":\"a\",\"status\":\"deferred\",\"priority\":\"high\",\"issue_type\":\"molecule\",\"title\":[1,2]}\n",
        "{\"id\":\"b\",\"dependencies\":[{\"depends_on_id\":\"a\",\"type\":\"blocks\"},{\"odd\":1},7]}\n",
        "{\"id\":\"c\",\"status\":\"tombstone\"}\n",
        "{\"id\":\"d\",\"labels\":\"none\",\"dependencies\":{},\"lease\":[],\"created_at\":\"yesterday\"}\n",
    ));
    // A tombstone is shown to whoever names it, and listed for nobody.
    assert_eq!(ids(&folder), ["a", "b", "d"]);
    assert_eq!(folder.json(&["issue", "show", "c"]).1["issue"]["status"], "tombstone");
    let (_, list) = folder.json(&["issue", "list", "--status", "other"]);
    assert_eq!(
        list["items"][0],
        json!({
            "id": "a", "issueType": "molecule", "priority": "high", "status": "deferred", "title": [1, 2]
        })
    );
    let (_, blocked) = folder.json(&["issue", "blocked"]);
    assert_eq!(blocked["items"][0]["blockers"][0]["status"], "other");
    let (_, ready) = folder.json(&["issue", "ready"]);
    assert_eq!(ready["items"][0]["id"], "d");
    for arguments in
        [["issue", "list"].as_slice(), &["issue", "show", "a"], &["issue", "show", "d"], &["dep", "project"]]
    {
        let human = folder.run(arguments);
        assert_eq!((human.code, human.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    // A change of one member leaves the others as they were.
    assert_eq!(folder.json(&["issue", "update", "b", "--title", "B"]).0, 0);
    let (_, export) = folder.json(&["issue", "export"]);
    assert_eq!(
        export["items"][1]["dependencies"],
        json!([{ "depends_on_id": "a", "type": "blocks" }, { "odd": 1 }, 7])
    );
}

#[test]
fn cycles_and_unknown_issues_are_problems_with_a_path() {
    let folder = holding(concat!(
        "{\"id\":\"a\",\"dependencies\":[{\"depends_on_id\":\"b\"}]}\n",
        "{\"id\":\"b\",\"dependencies\":[{\"depends_on_id\":\"a\"}]}\n",
        "{\"id\":\"c\",\"dependencies\":[{\"depends_on_id\":\"gone\",\"type\":\"related\"}]}\n",
    ));
    let (code, answer) = folder.json(&["issue", "check"]);
    assert_eq!((code, &answer["ok"], &answer["checked"]), (1, &json!(false), &json!(3)));
    let of = |class: &str| {
        let problems = answer["problems"].as_array().unwrap();
        problems.iter().find(|one| one["class"] == class).cloned().unwrap_or_default()
    };
    assert_eq!(of("issue_graph.cycle")["path"], json!(["a", "b", "a"]));
    assert_eq!(of("issue_graph.dependency.unknown")["issueId"], "c");
    assert_eq!(folder.json(&["issue", "check", "--exit-zero"]).0, 0);
    assert_eq!(ids(&folder), ["a", "b", "c"]);
}

#[test]
fn every_class_of_the_check_is_found_and_named() {
    let long = "n".repeat(2001);
    let rows = [
        json!({ "id": "a", "title": "[EPIC] big", "acceptance_criteria": "x", "description": "Verification: true" }),
        json!({ "id": "b", "title": "no acceptance", "description": "Verification: true" }),
        json!({ "id": "c", "title": "no command", "acceptance_criteria": "x" }),
        json!({ "id": "d", "title": "long notes", "acceptance_criteria": "x", "description": "`cargo test`", "notes": long }),
        json!({ "id": "e", "title": "bad lease", "status": "in_progress", "acceptance_criteria": "x",
                "description": "$ make", "lease": { "owner": "", "lease_id": "l", "fence": 0 } }),
        json!({ "id": "f", "title": "fleeting", "ephemeral": true }),
        json!({ "id": "g", "title": "done", "status": "closed" }),
    ];
    let folder = holding(rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    let (code, answer) = folder.json(&["issue", "check"]);
    let found: Vec<(&str, &str, &str)> = answer["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap();
            (text("issueId"), text("class"), text("severity"))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("a", "issue_graph.issue_type.epic_mismatch", "error"),
            ("b", "issue_graph.acceptance.missing", "error"),
            ("c", "issue_graph.verification_command.missing", "error"),
            ("d", "issue_graph.notes.large", "warning"),
            ("e", "issue_graph.lease.invalid", "error"),
        ]
    );
    assert_eq!((code, &answer["errorCount"], &answer["warningCount"]), (1, &json!(4), &json!(1)));
    let (_, cut) = folder.json(&["issue", "check", "--limit", "1"]);
    assert_eq!((cut["problems"].as_array().unwrap().len(), &cut["hasMore"]), (1, &json!(true)));
}

#[test]
fn warnings_alone_do_not_fail_a_check() {
    let row = json!({ "id": "a", "title": "t", "acceptance_criteria": "x", "description": "`cargo test`", "notes": "n".repeat(3000) });
    let folder = holding(format!("{row}\n"));
    let (code, answer) = folder.json(&["issue", "check"]);
    assert_eq!((code, &answer["ok"], &answer["warningCount"]), (0, &json!(true), &json!(1)));
}

#[test]
fn ten_megabytes_of_notes_are_only_long() {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.write("notes.txt", "note ".repeat(2_000_000));
    let (code, added) = folder.json(&["issue", "add", "Long", "--notes-file", "notes.txt"]);
    assert_eq!((code, added["issue"]["notes"].as_str().unwrap().len()), (0, 9_999_999));
    assert_eq!(folder.json(&["issue", "add", "Short"]).0, 0);
    assert_eq!(ids(&folder), ["bd-1", "bd-2"]);
    assert_eq!(folder.json(&["issue", "update", "bd-1", "--append-notes", "more"]).0, 0);
    let (_, history) = folder.json(&["issue", "history", "bd-1"]);
    let size = history.to_string().len();
    assert!(size < 10_000, "the history repeats {size} bytes");
    assert_eq!(folder.run(&["issue", "list"]).code, Some(0));
}

#[test]
fn what_is_in_a_row_does_not_act_on_a_terminal() {
    let hostile = "\u{1b}[2J\u{202e}\r\nforged";
    let row = json!({
        "id": format!("a{hostile}"), "title": hostile, "status": hostile, "issue_type": hostile, "assignee": hostile,
        "notes": hostile, "updated_at": hostile, "labels": [hostile], "priority": hostile,
        "lease": { "owner": hostile, "lease_id": hostile, "expires_at": hostile },
        "dependencies": [{ "depends_on_id": hostile, "type": "blocks" }],
    });
    let folder = holding(format!("{row}\nnot a row {hostile}\n"));
    let id = format!("a{}", hostile);
    for arguments in [
        ["issue", "list"].as_slice(),
        &["issue", "blocked"],
        &["issue", "check"],
        &["issue", "lease-projection"],
        &["dep", "project"],
        &["dep", "diagnostics"],
    ] {
        let ran = folder.run(arguments);
        assert!(
            !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}'),
            "{arguments:?}: {:?}",
            ran.stdout
        );
        assert!(ran.stdout.lines().all(|line| !line.starts_with("forged")), "{arguments:?}: {}", ran.stdout);
    }
    // An id that no argument could name is still shown, and still cannot be named.
    assert_eq!(folder.run(&["issue", "show", &id]).code, Some(2));
}

#[test]
fn a_folder_that_cannot_be_written_is_still_read() {
    let folder = holding("{\"id\":\"a\",\"title\":\"A\"}\n{\"id\":\"b\"}\n");
    let premath = folder.path().join(".premath");
    fs::set_permissions(&premath, fs::Permissions::from_mode(0o555)).unwrap();
    let before = fs::read_dir(&premath).unwrap().count();
    for arguments in [
        ["issue", "list"].as_slice(),
        &["issue", "ready"],
        &["issue", "show", "a"],
        &["issue", "history", "a"],
        &["issue", "export"],
        &["issue", "backend-status"],
        &["issue", "check", "--exit-zero"],
        &["dep", "project"],
    ] {
        assert_eq!(folder.json(arguments).0, 0, "{arguments:?}");
    }
    assert_eq!(fs::read_dir(&premath).unwrap().count(), before, "reading made files");
    fs::set_permissions(&premath, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_issue_memory_that_is_a_folder_is_the_environment() {
    let folder = Folder::new();
    folder.write(".premath/issues.jsonl/file", "");
    for arguments in [["issue", "list"].as_slice(), &["issue", "add", "T"]] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_damaged_index_is_thrown_away_and_nobody_notices() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let rows: String =
        (0..9000).map(|number| format!("{{\"id\":\"x-{number}\",\"title\":\"t\"}}\n")).collect();
    folder.write("rows.jsonl", rows);
    assert_eq!(folder.run(&["issue", "import", "rows.jsonl"]).code, Some(0));
    let (_, before) = folder.json(&["issue", "list"]);
    let index = folder.path().join(".premath/issues.jsonl.index");
    let whole = fs::read(&index).unwrap();
    for at in [0, whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        let mut broken = whole.clone();
        broken[at] ^= 0x41;
        fs::write(&index, broken).unwrap();
        assert_eq!(folder.json(&["issue", "list"]), (0, before.clone()), "byte {at}");
        assert_eq!(folder.json(&["issue", "show", "x-8999"]).0, 0, "byte {at}");
        assert_eq!(folder.json(&["issue", "update", "x-17", "--title", "t"]).0, 0, "byte {at}");
    }
    fs::write(&index, b"something else entirely").unwrap();
    let (code, answer): (i32, Value) = folder.json(&["issue", "list"]);
    assert_eq!((code, &answer), (0, &before));
}
