//! `premath run --action-mode code`: a scripted model's programs over a real repository, what is kept of them, who is asked
//! inside them, and what a process that is killed in one leaves behind.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what cannot be done, or is not in an answer, fails the test"
)]

mod folder;

use std::path::Path;
use std::process::{Command, Stdio};

use folder::{Folder, Ran};
use serde_json::Value;

/// A model that says these programs one after the other, and then that it is done.
fn scene(programs: &[&str]) -> String {
    let mut text = String::from("name = \"scene\"\n");
    for (number, program) in programs.iter().enumerate() {
        text.push_str(&format!(
            "[[turn]]\ntext = \"now\"\n[[turn.call]]\nid = \"p{number}\"\ntool = \"code_execution\"\n\
             arguments = {{ program = '''\n{program}\n''' }}\n"
        ));
    }
    text + "[[turn]]\ntext = \"Done.\"\n"
}

fn repository(programs: &[&str]) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("scene.toml", scene(programs));
    folder
}

const RUN: [&str; 8] =
    ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one", "--action-mode", "code"];

/// The command as a person runs it: their state is outside the repository.
fn ask(folder: &Folder, arguments: &[&str]) -> Ran {
    let state = folder.path().with_extension("state");
    let mut command = folder.command(arguments);
    let output = command.env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", state).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn last(ran: &Ran) -> Value {
    serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap()
}

fn runs(folder: &Folder) -> Value {
    let ran = ask(folder, &[&RUN[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    last(&ran)
}

/// What the model was shown of the program of a turn.
fn shown(folder: &Folder, turn: u64) -> String {
    let (code, card) = folder.json(&["turn", "show", &format!("one.t{turn:04}")]);
    assert_eq!((code, &card["verdict"]), (0, &Value::from("closed")), "{card}");
    card["calls"][0]["rendered"].as_str().unwrap().to_owned()
}

#[test]
fn a_program_reads_many_files_and_the_model_is_shown_ten_words() {
    let program = r#"(define (name n) (string-append "f" (number->string n) ".txt"))
(define texts (parallel-map (lambda (n) (fs_read (name n))) (iota 40)))
(display "read")
(length (filter (lambda (text) (string-contains text "needle")) texts))"#;
    let folder = repository(&[program]);
    for number in 0..40 {
        let word = if number % 4 == 0 { "needle" } else { "hay" };
        folder.write(&format!("f{number}.txt"), format!("{word}\n").repeat(100));
    }
    let answer = runs(&folder);
    assert_eq!((&answer["turns"], &answer["toolCalls"]), (&Value::from(2), &Value::from(41)));
    let (shown_tokens, all) =
        (answer["filtered"]["shown"].as_u64().unwrap(), answer["filtered"]["unfiltered"].as_u64().unwrap());
    assert!(shown_tokens < 100 && all > 4_000, "{answer}");
    let rendered = shown(&folder, 1);
    assert!(rendered.contains("read\n--- value ---\n10\n"), "{rendered}");
    let (_, card) = folder.json(&["turn", "show", "one.t0001"]);
    assert_eq!(card["calls"].as_array().unwrap().len(), 41);
    assert_eq!((&card["calls"][7]["program"], &card["calls"][7]["status"]), (&"p0".into(), &"ok".into()));
    assert_eq!(card["calls"][0]["filtered"]["unfiltered"], all);
    let (_, run) = folder.json(&["runs", "show", "one"]);
    assert_eq!(run["filtered"], answer["filtered"]);
    for command in [&["replay", "one"][..], &["verify"], &["audit", "verify"]] {
        assert_eq!(folder.json(command).0, 0, "{command:?}");
    }
    let screen = ask(&folder, &["turn", "show", "one.t0001"]).stdout;
    assert!(screen.contains("(define (name n)"), "{screen}");
}

#[test]
fn calls_of_parallel_map_run_at_the_same_time() {
    // Each waits for the other: one after the other they would never end.
    let program = r#"(define (meet mine other)
  (shell (format "touch ~a; while [ ! -e ~a ]; do sleep 0.02; done" mine other) "." (hash-table "timeout_seconds" 15)))
(parallel-map (lambda (pair) (json-ref (meet (car pair) (cadr pair)) "exitCode")) '(("left" "right") ("right" "left")))"#;
    let folder = repository(&[program]);
    runs(&folder);
    let rendered = shown(&folder, 1);
    assert!(rendered.contains("[0,0]"), "{rendered}");
}

#[test]
fn issues_that_a_program_asks_for_are_made_after_its_turn() {
    let program = r#"(define (count-all) (length (json-ref (issue_list) "items")))
(define before (count-all))
(define asked (map issue-add '("one" "two")))
(list before (json-ref (car asked) "applied") (count-all))"#;
    let folder = repository(&[program]);
    let answer = runs(&folder);
    assert_eq!(answer["applied"], 2, "{answer}");
    let rendered = shown(&folder, 1);
    assert!(rendered.contains("[0,false,0]"), "nothing is made inside the program: {rendered}");
    let (_, listed) = folder.json(&["issue", "list"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    assert_eq!(folder.json(&["replay", "one"]).0, 0);
}

#[test]
fn a_file_that_a_program_changes_is_changed_with_a_patch_that_can_be_taken_back() {
    let program = r#"(define before (fs_read "a.txt"))
(apply_patch "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n")
(list before (fs_read "a.txt"))"#;
    let folder = repository(&[program]);
    folder.write("a.txt", "one\n");
    runs(&folder);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).unwrap(), "two\n");
    assert!(shown(&folder, 1).contains(r#"["one\n","two\n"]"#), "{}", shown(&folder, 1));
    let journal = std::fs::read_to_string(folder.path().join(".premath/runs/one/journal.jsonl")).unwrap();
    let rows = |kind: &str, id: &str| {
        journal.lines().position(|line| line.contains(kind) && line.contains(id)).unwrap()
    };
    assert!(rows("\"program.called\"", "p0.2") < rows("\"turn.intended\"", "p0.2"));
    assert!(rows("\"turn.intended\"", "p0.2") < rows("\"turn.results\"", "p0.2"));
}

/// A desk with one file of a person, and its id.
fn desk(program: &dyn Fn(&str) -> String) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("notes.txt", "hello\n");
    assert_eq!(ask(&folder, &["desk", "add", "notes.md", "--file", "notes.txt"]).code, Some(0));
    let listed = last(&ask(&folder, &["desk", "list", "--json"]));
    let id = listed["items"][0]["id"].as_str().unwrap().to_owned();
    folder.write("scene.toml", scene(&[&program(&id)]));
    folder
}

fn deleted(folder: &Folder) -> usize {
    last(&ask(folder, &["desk", "list", "--deleted", "--json"]))["items"].as_array().unwrap().len()
}

fn decide(folder: &Folder, verb: &str) {
    let page = last(&ask(folder, &["approvals", "list", "--state", "pending", "--json"]));
    let id = page["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(ask(folder, &["approvals", verb, &id]).code, Some(0));
}

const DELETE: &str = r#"(define listed (json-ref (desk_list_files) "files"))
(define (delete id) (guard (e (else (error-class e))) (json-ref (desk_delete_file id) "applied")))
(list (length listed) (delete "ID"))"#;

#[test]
fn a_person_agrees_to_a_call_inside_a_program() {
    let folder = desk(&|id| DELETE.replace("ID", id));
    let run = [&RUN[..], &["--desk"]].concat();
    assert_eq!(ask(&folder, &run).code, Some(3));
    assert_eq!(deleted(&folder), 0, "nobody has agreed");
    decide(&folder, "approve");
    assert_eq!(ask(&folder, &["resume", "one"]).code, Some(0));
    assert_eq!(deleted(&folder), 1);
    assert!(shown(&folder, 1).contains("[1,false]"), "{}", shown(&folder, 1));
    for command in [&["replay", "one"][..], &["verify"], &["audit", "verify"]] {
        assert_eq!(folder.json(command).0, 0, "{command:?}");
    }
}

#[test]
fn a_no_inside_a_program_is_a_condition() {
    let folder = desk(&|id| DELETE.replace("ID", id));
    assert_eq!(ask(&folder, &[&RUN[..], &["--desk"]].concat()).code, Some(3));
    decide(&folder, "deny");
    assert_eq!(ask(&folder, &["resume", "one"]).code, Some(0));
    assert_eq!(deleted(&folder), 0);
    assert!(shown(&folder, 1).contains(r#"[1,"policy_denied"]"#), "{}", shown(&folder, 1));
}

#[test]
fn a_process_that_is_killed_in_a_program_has_done_nothing_twice() {
    let program = r#"(define first (fs_read "a.txt"))
(shell "echo ran >> ran.log; touch begun; while [ ! -e go ]; do sleep 0.02; done" ".")
(display "not reached in the first life")"#;
    let guarded = format!(
        "(define (work)\n{program})\n(guard (e (else (list (error-class e) (fs_read \"a.txt\")))) (work))"
    );
    let folder = repository(&[&guarded]);
    folder.write("a.txt", "one\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder.path())
        .args(RUN)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("begun").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it waited");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    folder.write("go", "");
    let ran = ask(&folder, &["resume", "one", "--json"]);
    assert_eq!((ran.code, &last(&ran)["outcome"]), (Some(0), &Value::from("completed")), "{ran:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("ran.log")).unwrap(), "ran\n");
    assert!(shown(&folder, 1).contains(r#"["interrupted","one\n"]"#), "{}", shown(&folder, 1));
    assert_eq!(folder.json(&["replay", "one"]).0, 0);
}

#[test]
fn what_a_program_comes_to_is_stored_where_it_is_too_long() {
    let folder = repository(&["(make-string 100000 #\\a)", "(fs_list)"]);
    runs(&folder);
    let rendered = shown(&folder, 1);
    assert!(rendered.contains("payload: ") && rendered.len() < 20_000, "{} bytes", rendered.len());
    assert_eq!(folder.json(&["verify"]).0, 0);
    assert_eq!(folder.json(&["replay", "one"]).0, 0);
}

/// Whether a word stands in any file below a folder.
fn says(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return says(&path, word);
        }
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(word)
    })
}

#[test]
fn a_run_that_keeps_nothing_keeps_nothing_of_its_programs() {
    let program =
        "(define giraffe (fs_read \"a.txt\"))\n(display \"okapi\")\n(string-append giraffe (car 5))";
    for (kept, is_kept) in [("dashboard", true), ("disabled", false)] {
        let folder = repository(&[program]);
        folder.write("premath.toml", format!("[policy]\nobservability = \"{kept}\"\n"));
        folder.write("a.txt", "zebra\n");
        runs(&folder);
        for word in ["giraffe", "okapi", "zebra"] {
            assert_eq!(says(&folder.path().join(".premath"), word), is_kept, "{kept}: {word}");
        }
    }
}

#[test]
fn programs_do_not_ask_for_workers_and_no_run_begins() {
    let folder = repository(&["1"]);
    let ran = ask(&folder, &[&RUN[..], &["--pattern", "orchestrator_workers"]].concat());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("programs do not ask for workers"), "{ran:?}");
    assert!(!folder.path().join(".premath/runs/one").exists());
}

#[test]
fn the_configuration_says_the_mode_and_the_budgets() {
    let folder = repository(&["(let loop () (loop))"]);
    folder.write("mine.toml", "[loop]\naction_mode = \"code\"\n");
    folder.write("premath.toml", "[loop.code]\nfuel = 5000\n");
    let run = ["run", "x", "--model", "scripted:scene.toml", "--run-id", "one", "--json"];
    let ran = folder.command(&run).env("PREMATH_CONFIG", "mine.toml").output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert!(shown(&folder, 1).contains("errorCode: program.budget.fuel"), "{}", shown(&folder, 1));
    let config = ask(&folder, &["config", "show"]).stdout;
    assert!(config.contains("code.fuel") && config.contains("5000"), "{config}");
    folder.write("premath.toml", "[loop.code]\nfuel = 50000000\n");
    let refused = ask(&folder, &["config", "show"]);
    assert_eq!(refused.code, Some(2), "a repository gives programs no more than usual: {refused:?}");
    folder.write("premath.toml", "[loop]\naction_mode = \"code\"\n");
    let refused = ask(&folder, &run);
    assert_eq!(refused.code, Some(2), "only a person lets models write programs: {refused:?}");
    assert!(refused.stderr.contains("say this in your own file"), "{refused:?}");
}

/// Seed: 001 §3/12, 001 §4.3/7, 001 §5.1/4
#[test]
fn the_example_shows_what_programs_keep_out_of_the_context() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/code-mode/run.sh");
    let folder = Folder::new();
    let output = Command::new("sh")
        .arg(script)
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .env("PATH", "/usr/bin:/bin")
        .env("TMPDIR", folder.path())
        .env("PREMATH", env!("CARGO_BIN_EXE_premath"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    let number = |line: &str| -> u64 {
        let line = stdout.lines().find(|shown| shown.starts_with(line)).unwrap_or_default();
        line.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
    };
    let (code, json) = (number("code mode, tokens of the run:"), number("json mode, tokens of the run:"));
    assert!(code > 0 && json > 10 * code, "{stdout}");
    let (shown, unfiltered) = (number("shown of programs:"), number("without them:"));
    assert!(shown > 0 && unfiltered > 20 * shown, "{stdout}");
}

/// The specification of `code_execution` as the journal of a run has it.
fn offered(folder: &Folder) -> Value {
    let rows = folder.json(&["runs", "export", "one"]).1;
    let tools = rows["items"][0]["event"]["config"]["tools"].as_array().unwrap().clone();
    tools.into_iter().find(|tool| tool["name"] == "code_execution").unwrap()
}

/// The calls that a model is shown, a line each, of the text that tells it the functions.
fn calls_shown(tool: &Value) -> Vec<String> {
    let text = tool["inputSchema"]["properties"]["program"]["description"].as_str().unwrap();
    text.lines().filter_map(|line| line.strip_prefix("  e.g. ")).map(str::to_owned).collect()
}

fn examples_shown(tool: &Value) -> Vec<String> {
    let examples = tool["examples"].as_array().unwrap();
    examples.iter().map(|example| example["program"].as_str().unwrap().to_owned()).collect()
}

/// What the calls and the issues of examples are about.
fn furnish(folder: &Folder) {
    folder.write("src/main.rs", "fn main() {} // TODO\n".repeat(200));
    folder.write("src/lib.rs", "fn total(items: &[u32]) -> u32 {\n    let mut sum = 0;\n    for item in items.iter().skip(1) {\n        sum += item;\n");
    folder.write("binary", [0_u8, 159, 146, 150]);
    for id in ["bd-3", "bd-7", "bd-12"] {
        assert_eq!(folder.run(&["issue", "add", id, "--id", id]).code, Some(0));
    }
}

/// Runs each text as a program of one turn of a second run, and says how each came out.
fn tried(folder: &Folder, programs: &[String], more: &[&str]) -> Vec<(String, String)> {
    let texts: Vec<&str> = programs.iter().map(String::as_str).collect();
    folder.write("scene.toml", scene(&texts));
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "two", "--action-mode", "code"];
    let ran = ask(folder, &[&run[..], &["--max-turns", "60", "--json"], more].concat());
    let result = |number: usize| {
        let (_, card) = folder.json(&["turn", "show", &format!("two.t{:04}", number + 1)]);
        card["calls"][0]["rendered"].as_str().unwrap_or_default().to_owned()
    };
    assert!(ran.code.is_some(), "{ran:?}");
    programs.iter().enumerate().map(|(at, program)| (program.clone(), result(at))).collect()
}

#[test]
fn every_example_that_a_model_is_shown_runs_against_the_tools_it_names() {
    let folder = repository(&["1"]);
    furnish(&folder);
    runs(&folder);
    let tool = offered(&folder);
    let (calls, examples) = (calls_shown(&tool), examples_shown(&tool));
    assert!(calls.len() >= 10 && examples.len() >= 3, "{calls:?} {examples:?}");
    assert!(calls.iter().any(|call| call.contains("*** Begin Patch")), "{calls:?}");
    for (program, rendered) in tried(&folder, &[calls, examples].concat(), &[]) {
        // Nothing was cut in this run, so that there is nothing behind a reference.
        let expected = if program.starts_with("(resolve_ref") { "[ref." } else { "status: ok" };
        assert!(rendered.contains(expected), "{program}\n{rendered}");
    }
}

#[test]
fn a_run_on_the_desk_is_shown_examples_of_the_desk() {
    let folder = desk(&|_| "1".to_owned());
    assert_eq!(ask(&folder, &[&RUN[..], &["--desk"]].concat()).code, Some(0));
    let tool = offered(&folder);
    let (calls, examples) = (calls_shown(&tool), examples_shown(&tool));
    let all = examples.join("\n");
    assert!(all.contains("(desk_list_files)"), "{all}");
    for (program, rendered) in tried(&folder, &examples, &["--desk"]) {
        assert!(rendered.contains("status: ok"), "{program}\n{rendered}");
    }
    // The files that examples of calls name are nobody's: the tool has looked for them.
    let guarded = |call: &String| format!("(guard (e (else (error-class e))) {call} \"ok\")");
    let programs: Vec<String> = calls.iter().filter(|call| call.contains("desk_")).map(guarded).collect();
    assert!(programs.len() >= 10, "{calls:?}");
    std::fs::remove_dir_all(folder.path().join(".premath/runs/two")).unwrap();
    for (program, rendered) in tried(&folder, &programs, &["--desk"]) {
        let class = rendered.trim_end().lines().rev().find(|line| !line.starts_with('<')).unwrap_or_default();
        // A delete that nobody agreed to is denied before it looks.
        assert!(["ok", "desk_not_found", "policy_denied"].contains(&class), "{program}\n{rendered}");
    }
}

#[test]
fn calls_of_several_programs_stand_below_the_program_that_made_them() {
    let call = |id: &str, program: &str| {
        format!(
            "[[turn.call]]\nid = \"{id}\"\ntool = \"code_execution\"\narguments = {{ program = '{program}' }}\n"
        )
    };
    let folder = repository(&[]);
    let (left, right) = (call("left", r#"(fs_read "a.txt")"#), call("right", r#"(fs_read "b.txt")"#));
    let turns = format!("name = \"s\"\n[[turn]]\ntext = \"now\"\n{left}{right}[[turn]]\ntext = \"Done.\"\n");
    folder.write("scene.toml", turns);
    folder.write("a.txt", "a".repeat(50_000));
    folder.write("b.txt", "b\n");
    runs(&folder);
    let (_, card) = folder.json(&["turn", "show", "one.t0001"]);
    let ids: Vec<&str> =
        card["calls"].as_array().unwrap().iter().map(|call| call["toolCallId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["left", "left.1", "right", "right.1"]);
    let rendered = |at: usize| card["calls"][at]["rendered"].as_str().unwrap().to_owned();
    assert!(rendered(2).contains("b\n") && rendered(1).is_empty(), "{card}");
    let screen = ask(&folder, &["turn", "show", "one.t0001"]).stdout;
    let nested = screen.split("left.1").nth(1).unwrap().split("right").next().unwrap();
    assert!(!nested.contains("the model was shown 5"), "{screen}");
    let screen = ask(&folder, &["runs", "show", "one"]).stdout;
    assert!(screen.contains("the model was shown about"), "{screen}");
}

#[test]
fn a_search_in_a_program_tells_how_what_it_found_is_called() {
    let folder = repository(&[r#"(tool_search "give a dependency another type")"#]);
    runs(&folder);
    let rendered = shown(&folder, 1);
    assert!(rendered.contains("(dep_replace id:string dependsOn:string type:"), "{rendered}");
    assert!(
        rendered.contains(r#"e.g. (dep_replace "bd-12" "bd-7" "related" (hash-table "fromType" "blocks"))"#)
    );
}
