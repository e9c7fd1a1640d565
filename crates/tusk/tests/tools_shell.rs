//! Running commands and finding tools.

#![expect(clippy::unwrap_used, reason = "a tool that cannot be defined must fail the test")]

mod workbench;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::{Digest, Value};
use premath_tusk::evidence::ShellRow;
use premath_tusk::sandbox::{CapturedOutput, Ending, Profile};
use premath_tusk::tools::files::MemoryFiles;
use premath_tusk::tools::{Arguments, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use serde_json::json;
use workbench::{Bench, WORKDIR};

fn row_of(arguments: &serde_json::Value, context: &ToolContext<'_>) -> ShellRow {
    ShellRow::of(arguments, context.workdir, context.profile.as_str(), context.limits.wall)
}

fn captured(text: &str) -> CapturedOutput {
    CapturedOutput { head: text.as_bytes().to_vec(), tail: Vec::new(), total_bytes: text.len() as u64 }
}

/// Seed: 001 §3/16, 001 §4.3/9, 001 §8/11, 001 §4.3/4
#[test]
fn a_command_runs_with_sh_where_it_was_told_and_its_evidence_comes_along() {
    let tree = MemoryFiles::new();
    tree.put("sub/a", "x");
    let mut bench = Bench::new(&tree);
    bench.sandbox.ending = Ending::Exited(3);
    bench.sandbox.stdout = captured("out\n");
    bench.sandbox.stderr = captured("err\n");
    let arguments = json!({"command": "false | true", "workdir": "sub", "timeout_seconds": 7});
    let output = bench.call("shell", &arguments).unwrap();
    assert_eq!(output.content, "out\n--- stderr ---\nerr\n");
    assert_eq!((output.exit_code, output.note.as_str()), (Some(3), "exit code 3"));
    assert_eq!(output.shell.unwrap().profile, Profile::WorkspaceWrite);
    let seen = bench.sandbox.seen.lock().unwrap().remove(0);
    assert_eq!(
        (seen.program.as_str(), seen.arguments),
        ("/bin/sh", vec!["-c".to_owned(), "false | true".to_owned()])
    );
    assert_eq!(
        (seen.workdir.as_path(), seen.limits.wall),
        (Path::new(WORKDIR).join("sub").as_path(), Duration::from_secs(7))
    );
    assert!(seen.environment.is_empty());
}

#[test]
fn a_time_out_longer_than_the_run_allows_is_cut_to_that() {
    let tree = MemoryFiles::new();
    let bench = Bench::new(&tree);
    bench.call("shell", &json!({"command": "x", "workdir": ".", "timeout_seconds": 3600})).unwrap();
    assert_eq!(bench.sandbox.seen.lock().unwrap()[0].limits.wall, Duration::from_secs(120));
}

#[test]
fn no_command_runs_in_a_protected_folder_behind_a_link_or_outside() {
    let tree = MemoryFiles::new();
    tree.put(".git/hooks/x", "x");
    tree.put("sub/.GIT/x", "x");
    tree.put("policies/p", "x");
    tree.put("file", "x");
    tree.put_link("way");
    let bench = Bench::new(&tree);
    let cases = [
        (".git", "path.protected"),
        (".git/hooks", "path.protected"),
        ("./policies", "path.protected"),
        ("sub/.GIT", "path.protected"),
        ("way", "path.link"),
        ("..", "path.outside"),
        ("/", "path.outside"),
        ("gone", "file.missing"),
        ("file", "file.wrong_kind"),
    ];
    for (workdir, code) in cases {
        let failure = bench.call("shell", &json!({"command": "x", "workdir": workdir})).unwrap_err();
        assert_eq!(failure.error_code, code, "{workdir}");
    }
    let failure = bench.call("shell", &json!({"command": "x"})).unwrap_err();
    assert_eq!(failure.pointers, ["/workdir"], "the workdir is mandatory");
    assert!(bench.sandbox.seen.lock().unwrap().is_empty(), "nothing of it ran");
}

#[test]
fn a_time_out_and_an_interruption_are_typed_and_keep_what_was_said() {
    let tree = MemoryFiles::new();
    let mut bench = Bench::new(&tree);
    bench.sandbox.stdout = captured("so far");
    for (ending, code) in [(Ending::TimedOut, "shell.timed_out"), (Ending::Interrupted, "interrupted")] {
        bench.sandbox.ending = ending;
        let failure = bench.call("shell", &json!({"command": "x", "workdir": "."})).unwrap_err();
        assert_eq!((failure.error_code, failure.retryable), (code, false), "it may have had an effect");
        let aftermath = failure.aftermath.unwrap();
        assert_eq!(aftermath.content, "so far");
        assert!(aftermath.shell.is_some());
    }
    bench.sandbox.ending = Ending::Signalled(9);
    let output = bench.call("shell", &json!({"command": "x", "workdir": "."})).unwrap();
    assert_eq!((output.exit_code, output.note.as_str()), (None, "killed by signal 9"));
}

#[test]
fn the_row_of_a_command_is_the_same_everywhere_and_there_even_when_it_was_refused() {
    let tree = MemoryFiles::new();
    tree.put("sub/a", "x");
    tree.put(".git/x", "x");
    let mut bench = Bench::new(&tree);
    let arguments = json!({"command": "make", "workdir": "sub", "timeout_seconds": 7});
    let row = bench.call("shell", &arguments).unwrap().shell_row.unwrap();
    assert_eq!((row.workdir.as_str(), row.profile.as_str()), ("sub", "workspace-write"));
    assert!(row.command_digest.as_str().starts_with("sha256:"));
    let whole = format!("{WORKDIR}/sub/");
    let elsewhere = ToolContext { workdir: Path::new("/elsewhere"), ..bench.context() };
    for (same, context) in [
        (json!({"command": "make", "workdir": "./sub/", "timeout_seconds": 7.0}), bench.context()),
        (json!({"command": "make", "workdir": whole, "timeout_seconds": 7}), bench.context()),
        (json!({"command": "make", "workdir": "sub", "timeout_seconds": 7}), elsewhere),
    ] {
        assert_eq!(row_of(&same, &context), row, "{same}");
    }
    for other in [
        json!({"command": "make ", "workdir": "sub", "timeout_seconds": 7}),
        json!({"command": "make", "workdir": ".", "timeout_seconds": 7}),
        json!({"command": "make", "workdir": "sub", "timeout_seconds": 8}),
    ] {
        assert_ne!(row_of(&other, &bench.context()).command_digest, row.command_digest, "{other}");
    }
    bench.sandbox.refuses = true;
    let failure = bench.call("shell", &arguments).unwrap_err();
    assert_eq!(failure.error_code, "shell.sandbox_unavailable");
    assert_eq!(failure.aftermath.unwrap().shell_row, Some(row.clone()));
    for (workdir, shown) in [(".git", ".git"), ("gone", "gone"), ("../..", "."), ("/etc", ".")] {
        let failure = bench.call("shell", &json!({"command": "x", "workdir": workdir})).unwrap_err();
        assert_eq!(failure.aftermath.unwrap().shell_row.unwrap().workdir, shown);
    }
    bench.interrupt.request();
    assert_eq!(bench.call("shell", &arguments).unwrap_err().aftermath.unwrap().shell_row, Some(row));
    let of_nothing = row_of(&json!([1]), &bench.context());
    assert_eq!((of_nothing.workdir.as_str(), of_nothing.profile.as_str()), (".", "workspace-write"));
}

/// Seed: 001 §3/15, 001 §4.3/8, 001 §8/10
#[test]
fn of_long_output_the_middle_goes_and_the_budget_holds() {
    let tree = MemoryFiles::new();
    let mut bench = Bench::new(&tree);
    let text: String = (0..5000).map(|line| format!("zeile ß {line}\n")).collect();
    bench.budget = 100;
    for capture in [200, 1000, 10_000] {
        bench.capture = capture;
        for (stdout, stderr) in [(text.as_str(), ""), ("", text.as_str()), (&text, &text), (&text, "short\n")]
        {
            bench.sandbox.stdout = captured(stdout);
            bench.sandbox.stderr = captured(stderr);
            let output = bench.call("shell", &json!({"command": "x", "workdir": "."})).unwrap();
            assert!(output.content.len() <= capture, "{} > {capture}", output.content.len());
            assert!(output.content.len() > capture / 2, "what is shown is the loop's to cut");
            assert!(output.content.contains(" bytes left out …]") && output.extent.is_cut);
            assert_eq!(output.extent.total_bytes, (stdout.len() + stderr.len()) as u64);
            assert!(output.note.contains("use fs_read"), "{}", output.note);
            if !stdout.is_empty() {
                assert!(output.content.starts_with("zeile ß 0\n"));
            }
            assert!(output.content.ends_with(if stderr == "short\n" { "short\n" } else { "ß 4999\n" }));
        }
    }
}

#[test]
fn output_that_the_sandbox_cut_says_how_much() {
    let tree = MemoryFiles::new();
    let mut bench = Bench::new(&tree);
    bench.sandbox.stdout =
        CapturedOutput { head: b"begin".to_vec(), tail: b"end".to_vec(), total_bytes: 1008 };
    let output = bench.call("shell", &json!({"command": "x", "workdir": "."})).unwrap();
    assert_eq!(output.content, "begin\n[… 1000 bytes left out …]\nend");
    assert_eq!((output.extent.shown_bytes, output.extent.total_bytes), (8, 1008));
}

/// A tool that is only there to be found.
#[derive(Debug)]
struct Named(ToolSpec);

impl Tool for Named {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::default())
    }
}

fn deferred(name: &str, scope: &str, description: &str, argument: &str) -> Arc<dyn Tool> {
    let schema = json!({"type": "object", "properties": {argument: {"type": "string"}}}).to_string();
    let mut spec = ToolSpec::new(name, scope, description, &schema, &[]).unwrap();
    spec.defer_loading = true;
    Arc::new(Named(spec))
}

fn shelf() -> Vec<Arc<dyn Tool>> {
    vec![
        deferred("dep_add", "issues:write", "Adds a dependency between two issues.", "depends_on"),
        deferred("issue_claim", "issues:write", "Claims an issue under a lease.", "assignee"),
        deferred("issue_list", "issues:read", "Lists issues.", "status"),
        deferred("twin_x", "x:y", "The very same words.", "z"),
        deferred("twin_y", "x:y", "The very same words.", "z"),
    ]
}

#[test]
fn deferred_tools_are_found_by_name_words_and_arguments_in_a_fixed_order() {
    let tree = MemoryFiles::new();
    let bench = Bench::with(&tree, shelf());
    let search = |query: &str| bench.call("tool_search", &json!({"query": query})).unwrap().found.unwrap();
    assert_eq!(search("add dependencies between issues").names[0], "dep_add");
    assert_eq!(search("assignee").names, ["issue_claim"]);
    assert_eq!(search("issue_list").names[0], "issue_list");
    assert_eq!(search("same words").names, ["twin_x", "twin_y"], "ties go by name");
    assert!(search("read a file").names.is_empty(), "what is offered already is not found");
    let found = search("issues");
    let expected = Digest::of(&Value::text_list(found.names.iter().map(String::as_str)));
    assert_eq!(found.digest, expected);
    let reference = found.search_ref(&found.names[0]).unwrap();
    assert_eq!(reference.result_set_digest, Some(expected));
    assert!(found.search_ref("shell").is_none(), "what was not found is not cited");
}

#[test]
fn a_search_does_not_show_what_was_not_granted() {
    let tree = MemoryFiles::new();
    let mut bench = Bench::with(&tree, shelf());
    let scopes = ["tools:search", "issues:read"].map(str::to_owned).into();
    bench.catalogue = bench.catalogue.granted(&scopes);
    let output = bench.call("tool_search", &json!({"query": "issue claim dependency list"})).unwrap();
    assert_eq!(output.found.unwrap().names, ["issue_list"]);
    assert_eq!(output.content, "issue_list(status): Lists issues.\n");
    assert_eq!(bench.call("shell", &json!({})).unwrap_err().error_code, "tool.unknown_or_disallowed");
}
