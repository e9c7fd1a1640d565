//! What a program ends with, whatever it did, whatever becomes of its trace and whoever ends it.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "files and processes are looked at behind premath's back")]

mod error_document;
mod folder;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

const ID: &str = "20261115T071252Z-all";
const UPDATE: &str = "(issue-update \"bd-1\" (hash-table \"notes\" \"changed\"))";
/// A program that says more than an evaluation keeps, in calls that each of them says a lot.
const LOUD: &str = "(define (double s n) (if (= n 0) s (double (string-append s s) (- n 1)))) \
                    (define s (double \"0123456789abcdef\" 17)) \
                    (define (again n) (if (> n 0) (begin (guard (e (else #f)) (issue-show s)) (again (- n 1)))))";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// A repository with an issue and an instruction about everything.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    assert_eq!(folder.run(&["issue", "add", "First"]).code, Some(0));
    let policy: Value = serde_json::from_str(&read(&folder, "policies/instruction/default.json")).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "work on issues",
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

fn is_changed(folder: &Folder) -> bool {
    read(folder, ".premath/issues.jsonl").contains("\"changed\"")
}

fn kinds(folder: &Folder) -> Vec<String> {
    let journal = fs::read_to_string(folder.path().join(".premath/doors/scheme/journal.jsonl"));
    let kind =
        |line: &str| serde_json::from_str::<Value>(line).ok()?["event"]["kind"].as_str().map(str::to_owned);
    journal.unwrap_or_default().lines().filter_map(kind).collect()
}

#[test]
fn a_trace_that_cannot_be_kept_is_refused_before_anything_is_done() {
    let folder = repository();
    fs::create_dir(folder.path().join("there")).unwrap();
    folder.write("notes.txt", "mine");
    folder.write("other.json", "{\"actor\":\"somebody\"}");
    std::os::unix::fs::symlink(".premath", folder.path().join("alias")).unwrap();
    std::os::unix::fs::symlink("nowhere/at/all", folder.path().join("dangling")).unwrap();
    let places = [
        ("gone/one.json", 4),
        ("there", 2),
        ("notes.txt", 2),
        ("other.json", 2),
        (".premath/one.json", 2),
        (".premath/issues.jsonl", 2),
        ("alias/one.json", 2),
        ("there/../alias/doors/one.json", 4),
        ("dangling", 4),
        ("/dev/null", 2),
    ];
    for (place, code) in places {
        let ran = folder.run(&["scheme-eval", "-e", UPDATE, "--instruction", ID, "--trace", place]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(code), ""), "{place}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{place}: {}", ran.stderr);
        assert!(!is_changed(&folder), "{place}");
    }
    assert_eq!((read(&folder, "notes.txt"), kinds(&folder).len()), ("mine".to_owned(), 0));
    let left = fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp"));
    assert_eq!(left.count(), 0, "a file that was made ready is left behind");
}

#[test]
fn a_trace_replaces_a_trace_and_an_empty_file() {
    let folder = repository();
    folder.write("one.json", "");
    for program in ["(length (issue-list))", "(issue-id (car (issue-list)))"] {
        let (code, answer) = folder.json(&["scheme-eval", "-e", program, "--trace", "one.json"]);
        assert_eq!(code, 0, "{answer}");
        let trace = read(&folder, "one.json");
        assert!(trace.contains(answer["traceDigest"].as_str().unwrap()), "{trace}");
        assert_eq!(folder.run(&["scheme-eval", "--replay", "one.json"]).code, Some(0));
    }
}

#[test]
fn a_value_that_nests_as_deep_as_json_may_changes_nothing_about_the_end() {
    let folder = repository();
    let program = format!("{UPDATE} (let loop ((n 0) (x (list))) (if (= n 127) x (loop (+ n 1) (list x))))");
    let ran =
        folder.run(&["scheme-eval", "-e", &program, "--instruction", ID, "--trace", "deep.json", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(is_changed(&folder) && ran.stdout.contains("\"changeCount\":1"), "{}", ran.stdout);
    let again = folder.run(&["scheme-eval", "--replay", "deep.json"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}

#[test]
fn a_trace_that_does_not_fit_the_disk_is_told_and_the_program_ends_as_it_ended() {
    let folder = repository();
    let limited = |program: &str| {
        let mut command = Command::new("sh");
        let premath = env!("CARGO_BIN_EXE_premath");
        command
            .args(["-c", "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"", premath, "scheme-eval"])
            .args(["-e", program, "--instruction", ID, "--trace", "one.json"])
            .current_dir(folder.path())
            .env("XDG_STATE_HOME", folder.state())
            .env_remove("PREMATH_STEP_TOKEN");
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, stderr) = limited(&format!("{LOUD} (again 3)"));
    assert_eq!(code, Some(4), "{stderr}");
    let (code, stderr) = limited(&format!("{LOUD} {UPDATE} (again 3)"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("the trace cannot be written") && is_changed(&folder), "{stderr}");
    assert!(!folder.path().join("one.json").exists());
}

#[test]
fn what_a_program_says_is_bounded_and_so_is_the_memory_of_the_process() {
    let folder = repository();
    let programs = [
        format!("{LOUD} (again 150)"),
        // Longer than one call may say.
        format!("{LOUD} (set! s (string-append s s s s)) (again 20)"),
        // Small values take more than their text.
        "(define (f n) (if (> n 0) (begin (guard (e (else #f)) (issue-show (make-list 80000 1))) (f (- n 1))))) (f 60)"
            .to_owned(),
        format!("{LOUD} (define (h n) (if (> n 0) (begin (guard (e (else #f)) (host-call s 5)) (h (- n 1))))) (h 150)"),
    ];
    for program in programs {
        let ran =
            folder.run(&["bench", "measured", "--", "scheme-eval", "-e", &program, "--trace", "t.json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let usage = ran.stderr.lines().find_map(|line| line.strip_prefix("usage ")).unwrap();
        let peak: u64 = usage.split_whitespace().nth(1).unwrap().parse().unwrap();
        println!("{peak} KiB");
        assert!(peak < 256 << 10, "{peak} KiB: {program}");
        let again = folder.run(&["bench", "measured", "--", "scheme-eval", "--replay", "t.json"]);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        println!("again: {}", again.stderr);
    }
    let class = format!(
        "{LOUD} (again 20) (guard (e (#t (error-class e))) (issue-show \"bd-1\" (hash-table \"id\" s)))"
    );
    let (_, answer) = folder.json(&["scheme-eval", "-e", &class]);
    assert_eq!(answer["value"], "input.too_large", "{answer}");
}

#[test]
fn nothing_is_changed_by_a_program_that_has_said_too_much() {
    let folder = repository();
    let program = format!("{LOUD} (again 30) (issue-update \"bd-1\" (hash-table \"notes\" s))");
    let before = read(&folder, ".premath/issues.jsonl");
    let (code, answer) = folder.json(&["scheme-eval", "-e", &program, "--instruction", ID]);
    assert_eq!((code, &answer["error"]["class"]), (1, &json!("input.too_large")), "{answer}");
    assert_eq!(answer["changeCount"], 0);
    assert_eq!(read(&folder, ".premath/issues.jsonl"), before);
}

#[test]
fn a_replay_that_comes_out_differently_is_a_document_too() {
    let folder = repository();
    folder.json(&["scheme-eval", "-e", "(length (issue-list))", "--trace", "one.json"]);
    let (code, answer) = folder.json(&["scheme-eval", "--replay", "one.json", "-e", "(issue-list)"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("scheme_replay_diverged")), "{answer}");
    let ran = folder.run(&["scheme-eval", "--replay", "one.json", "-e", "(issue-list)", "--envelope"]);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(envelope["failureClasses"], json!(["scheme_replay_diverged"]), "{envelope}");
}

#[test]
fn a_refusal_without_an_instruction_is_on_record_under_the_door_of_programs() {
    let folder = repository();
    assert_eq!(folder.run(&["scheme-eval", "-e", UPDATE]).code, Some(1));
    let (_, rows) = folder.json(&["audit", "query", "--limit", "1"]);
    let row = &rows["items"][0];
    assert_eq!((&row["effect"], &row["actor"]), (&json!("deny"), &json!("scheme")), "{row}");
}

#[test]
fn a_secret_in_a_program_is_not_in_the_journal() {
    let folder = repository();
    let secret = ["ghp", "_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    let program = format!("(define token \"{secret}\") (length (issue-list))");
    let (code, answer) = folder.json(&["scheme-eval", "-e", &program]);
    assert_eq!(code, 0, "{answer}");
    let journal = read(&folder, ".premath/doors/scheme/journal.jsonl");
    assert!(!journal.contains(&secret) && journal.contains("(define token "), "{journal}");
    assert!(journal.contains(answer["programDigest"].as_str().unwrap()), "{journal}");
    let long = format!("(string-length \"{}\") {program}", "x".repeat(20_000));
    assert_eq!(folder.json(&["scheme-eval", "-e", &long]).0, 0);
    let grep =
        Command::new("grep").args(["-rl", &secret, ".premath"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&grep.stdout), "");
}

#[test]
fn a_program_that_is_interrupted_ends_with_its_rows_and_its_trace() {
    let folder = repository();
    let program =
        "(let loop ((n 0)) (issue-update \"bd-1\" (hash-table \"notes\" (number->string n))) (loop (+ n 1)))";
    let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
        .args(["scheme-eval", "-e", program, "--instruction", ID, "--trace", "one.json", "--json"])
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    // Several changes were made by then, so that somebody listens.
    while kinds(&folder).iter().filter(|kind| *kind == "scheme.intent").count() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(15) && child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["class"], "interrupted", "{answer}");
    let kinds = kinds(&folder);
    assert_eq!(kinds.last().unwrap(), "scheme.end");
    assert_eq!(folder.json(&["verify"]).1["warningCount"], 0);
    assert_eq!(folder.run(&["scheme-eval", "--replay", "one.json"]).code, Some(1));
}
