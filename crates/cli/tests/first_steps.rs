//! What is not there yet, or not where one stands: fresh repositories, lanes of workers, paths that were typed elsewhere,
//! rows of other tools.

#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod error_document;
mod folder;

use error_document::answer_in;
use folder::{Folder, Ran};
use serde_json::{Value, json};

fn ready() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn run_in(folder: &Folder, below: &str, arguments: &[&str]) -> Ran {
    let place = folder.path().join(below);
    std::fs::create_dir_all(&place).unwrap();
    let output = folder.command(arguments).current_dir(place).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The line of the error and the line of the hint of a command that gave no answer.
#[track_caller]
fn error(folder: &Folder, arguments: &[&str], code: i32) -> (String, String) {
    let ran = folder.run(arguments);
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(code), ""), "{arguments:?}: {ran:?}");
    let (first, second) = ran.stderr.trim_end().split_once('\n').unwrap();
    (first.to_owned(), second.to_owned())
}

#[test]
fn issue_memory_that_is_named_for_a_session_must_be_there() {
    let folder = ready();
    let (first, _) = error(&folder, &["harness-session", "write", "--issues", "nope.jsonl"], 4);
    assert!(first.contains("`nope.jsonl` does not exist"), "{first}");
    assert!(!folder.path().join(".premath/harness_session.json").exists());
    let (code, cleared) = folder.json(&["harness-session", "write", "--issues", ""]);
    assert_eq!((code, cleared["session"].get("issuesPath")), (0, None));
}

#[test]
fn issue_memory_that_was_named_in_a_subfolder_is_found_again_from_the_root() {
    let folder = ready();
    assert_eq!(folder.run(&["issue", "add", "One"]).code, Some(0));
    folder.write("docs/own.jsonl", "{\"id\":\"x-1\",\"title\":\"One\"}\n");
    let whole = folder.path().canonicalize().unwrap().join("docs/own.jsonl");
    for (typed, noted) in [
        ("../../.premath/issues.jsonl", ".premath/issues.jsonl"),
        ("./../own.jsonl", "docs/own.jsonl"),
        (whole.to_str().unwrap(), "docs/own.jsonl"),
    ] {
        let written = run_in(&folder, "docs/deep", &["harness-session", "write", "--issues", typed]);
        assert_eq!(written.code, Some(0), "{typed}: {written:?}");
        for place in ["", "docs/deep", "docs"] {
            let ran = run_in(&folder, place, &["harness-session", "bootstrap", "--json"]);
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(answer["issuesPath"], noted, "{typed} from {place:?}");
            assert_eq!(answer["snapshotMatches"], true, "{typed} from {place:?}");
        }
    }
}

#[test]
fn lanes_of_workers_get_their_folders_below_premath_and_nowhere_else() {
    let folder = ready();
    let write = |path: &str, name: &str| -> Vec<Ran> {
        let path = |file: &str| format!("{path}/{name}{file}");
        let commands: [&[&str]; 4] = [
            &["harness-session", "write", "--path", &path("1/harness_session.json")],
            &[
                "harness-feature",
                "write",
                "--feature-id",
                "f",
                "--status",
                "pending",
                "--path",
                &path("2/l.json"),
            ],
            &[
                "harness-trajectory",
                "append",
                "--step-id",
                "s",
                "--action",
                "a",
                "--result-class",
                "ok",
                "--path",
                &path("3/t.jsonl"),
            ],
            &["harness-kpi", "remediate", "--note", "x", "--path", &path("4/t.jsonl")],
        ];
        commands.map(|arguments| folder.run(arguments)).into()
    };
    for ran in write(".premath/workers", "w") {
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert!(folder.path().join(".premath/workers/w1/harness_session.json").exists());
    for (place, number) in [("nowhere", 0), (".premath/../nowhere", 0), ("other/.premath", 0)] {
        for (ran, number) in write(place, "w").into_iter().zip(number + 1..) {
            assert_eq!(ran.code, Some(4), "{place}: {ran:?}");
            let missing = format!("`{place}/w{number}` does not exist");
            assert!(ran.stderr.contains(&missing), "{missing}: {}", ran.stderr);
        }
    }
    assert!(!folder.path().join("nowhere").exists() && !folder.path().join("other").exists());
}

#[test]
fn a_fresh_repository_has_no_steps_and_no_figure_and_says_so() {
    let folder = ready();
    let (code, figure) = folder.json(&["harness-kpi"]);
    assert_eq!((code, &figure["decision"]["state"]), (0, &json!("insufficient_data")));
    let (code, steps) = folder.json(&["harness-trajectory", "query", "--group-by", "failure-class"]);
    assert_eq!((code, &steps["totalCount"], &steps["items"]), (0, &json!(0), &json!([])));
    assert_eq!((&steps["groups"], &steps["groupCount"]), (&json!([]), &json!(0)));
    for arguments in [["harness-kpi"].as_slice(), &["harness-trajectory", "query"]] {
        let (first, _) = error(&folder, &[arguments, &["--path", "mine.jsonl"]].concat(), 4);
        assert!(first.contains("`mine.jsonl` does not exist"), "{first}");
    }
    assert_eq!(Folder::new().run(&["harness-kpi"]).code, Some(4), "no repository is not an empty one");
}

#[test]
fn a_trajectory_that_is_gone_is_not_taken_for_one_that_never_was() {
    let folder = ready();
    let append = ["harness-trajectory", "append", "--step-id", "s", "--action", "a", "--result-class", "ok"];
    assert_eq!(folder.run(&append).code, Some(0));
    std::fs::remove_file(folder.path().join(".premath/harness_trajectory.jsonl")).unwrap();
    assert_eq!(folder.run(&["harness-trajectory", "query"]).code, Some(4));
    assert_eq!(folder.run(&["harness-kpi"]).code, Some(4));
}

#[test]
fn what_a_fresh_repository_lacks_is_hinted_at_with_the_command_that_writes_it() {
    let folder = ready();
    for (arguments, command) in [
        (["harness-session", "read"].as_slice(), "`premath harness-session write`"),
        (&["harness-session", "bootstrap"], "`premath harness-session write`"),
        (&["harness-feature", "read"], "`premath harness-feature write`"),
        (&["harness-feature", "next"], "`premath harness-feature write`"),
        (&["harness-feature", "check"], "`premath harness-feature write`"),
    ] {
        let (_, hint) = error(&folder, arguments, 4);
        assert!(hint.contains(command) && !hint.contains("premath init"), "{hint}");
    }
    let (first, hint) = error(&folder, &["issue", "import", "nofile"], 4);
    assert!(first.contains("`nofile` does not exist") && hint.contains("name the file"), "{first} {hint}");
}

#[test]
fn a_file_without_a_single_row_is_not_imported() {
    let folder = ready();
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    folder.write("notes.txt", "\n# Notes\nnothing here\n");
    folder.write("empty.jsonl", "\u{feff}\n\n");
    folder.write("mixed.jsonl", "what?\n{\"id\":\"x-1\",\"title\":\"One\"}\n");
    let (first, _) = error(&folder, &["issue", "import", "notes.txt"], 2);
    assert!(
        first.starts_with("error: input.json_invalid: no line of `notes.txt` is an issue; line 2: "),
        "{first}"
    );
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
    let (code, empty) = folder.json(&["issue", "import", "empty.jsonl"]);
    assert_eq!((code, &empty["read"]), (0, &json!(0)));
    let (code, mixed) = folder.json(&["issue", "import", "mixed.jsonl"]);
    assert_eq!((code, &mixed["written"], mixed["problems"].as_array().unwrap().len()), (0, &json!(1), 1));
    let other = Folder::new();
    other.write("notes.txt", "# Notes\n");
    error(&other, &["init", "--import", "notes.txt"], 2);
    assert!(!other.path().join(".premath").exists());
}

#[test]
fn what_other_tools_wrote_is_shown_in_their_words_and_ours_in_ours() {
    let folder = ready();
    folder.write(
        ".premath/issues.jsonl",
        concat!(
            r#"{"id":"bd-1","status":"Open","title":"One","dependencies":["#,
            r#"{"issue_id":"bd-1","depends_on_id":"bd-9","type":"until"},"#,
            r#"{"issue_id":"bd-1","depends_on_id":"bd-2","type":"until"},"#,
            r#"{"issue_id":"bd-1","depends_on_id":"bd-8","type":"related"}]}"#,
            "\n",
            r#"{"id":"bd-2","status":"Deferred","title":"Two"}"#,
            "\n"
        ),
    );
    let listed = folder.run(&["issue", "list"]).stdout;
    assert!(listed.contains(" open ") && !listed.contains("Open") && listed.contains("Deferred"), "{listed}");
    let (_, card) = folder.json(&["issue", "show", "bd-1"]);
    let found = |member: &str| -> Vec<&Value> {
        card["dependsOn"].as_array().unwrap().iter().map(|one| &one[member]).collect()
    };
    assert_eq!(found("type"), ["until", "until", "related"]);
    assert_eq!(found("status"), ["missing", "Deferred", "missing"]);
    let (_, graph) = folder.json(&["dep", "project"]);
    assert_eq!(graph["edges"][0]["type"], "until");
    let status = graph["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "bd-1").unwrap();
    assert_eq!(status["status"], "open");
    let (code, unknown) = folder.json(&["dep", "diagnostics"]);
    let unknown: Vec<_> = unknown["unknown"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!((code, unknown), (1, vec![&json!("until"), &json!("related")]));
    let (_, checked) = folder.json(&["issue", "check"]);
    let classes = checked["problems"].as_array().unwrap().iter().map(|one| one["class"].as_str().unwrap());
    assert_eq!(classes.filter(|class| class.ends_with("dependency.unknown")).count(), 2, "{checked}");
}

#[test]
fn a_configuration_that_cannot_be_read_hints_at_its_line_only() {
    let folder = ready();
    folder.write("premath.toml", "[issues]\nprefix = 3\n");
    let (_, hint) = error(&folder, &["issue", "list"], 2);
    assert_eq!(hint, "hint: mend line 2 of premath.toml");
}

#[test]
fn a_limit_is_a_number_from_0() {
    let folder = ready();
    for arguments in [
        ["issue", "list"].as_slice(),
        &["issue", "ready"],
        &["issue", "blocked"],
        &["issue", "check"],
        &["issue", "history", "bd-1"],
        &["dep", "project"],
        &["dep", "diagnostics"],
        &["harness-trajectory", "query"],
    ] {
        let ran = folder.run(&[arguments, &["--limit", "-1"]].concat());
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("it must be a whole number from 0"), "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(folder.run(&["issue", "list", "--limit", "0"]).code, Some(0));
}
