//! The commands that the seeds name, as they are written there, over the program that was built.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::live_run::{PROGRAM, Project, repository, shown};

/// A line of the seeds, run by a shell in the repository's own folder or in a project that has our `tools`.
fn line(project: &Project, line: &str) -> Output {
    project.command("sh").args(["-c", line]).output().unwrap()
}

/// A project with the scripts, the tasks and the vectors of the repository.
fn with_tools() -> Project {
    let project = Project::example();
    for name in ["tools", "conformance", ".mise.toml"] {
        let copied = project
            .command("cp")
            .arg("-r")
            .arg(repository().join(name))
            .arg(project.root.join(name))
            .output()
            .unwrap();
        assert!(copied.status.success(), "{}", shown(&copied));
    }
    project
}

/// What `mise run NAME` would run: the task's line.
fn task(name: &str) -> String {
    let text = fs::read_to_string(repository().join(".mise.toml")).unwrap();
    let file: toml::Table = text.parse().unwrap();
    file["tasks"][name]["run"].as_str().unwrap().to_owned()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {}", shown(output))).unwrap()
}

/// Seed: 004 §9/2, 004 §9/3
#[test]
fn the_vector_runner_runs_the_vectors() {
    let project = with_tools();
    let ran = line(&project, "python3 tools/conformance/run_harness_typestate_vectors.py --json");
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let direct = project.json(&["conformance-run", "--suite", "harness-typestate", "--json"]);
    assert_eq!(document(&ran)["result"], json!("accepted"));
    assert_eq!(document(&ran)["passed"], direct["passed"]);
    let text = line(&project, "python3 tools/conformance/run_harness_typestate_vectors.py");
    assert_eq!(text.status.code(), Some(0), "{}", shown(&text));
    let all = line(&project, &task("conformance-run"));
    assert_eq!(all.status.code(), Some(0), "{}", shown(&all));
    assert_eq!(document(&all), project.json(&["conformance-run", "--json"]));
}

/// Seed: 004 §9/4, 002 §3.1/2, 002 §14.2/2
#[test]
fn the_issue_graph_check_gives_both_reports_and_the_larger_exit_code() {
    let project = with_tools();
    let ran = line(&project, "python3 tools/ci/check_issue_graph.py --json");
    let report = document(&ran);
    let (check, graph) = (
        project.premath(&["issue", "check", "--json"]),
        project.premath(&["dep", "diagnostics", "--graph-scope", "active", "--json"]),
    );
    assert_eq!(report["issueCheck"], document(&check));
    assert_eq!(report["dependencyDiagnostics"], document(&graph));
    assert_eq!(ran.status.code(), check.status.code().max(graph.status.code()), "{}", shown(&ran));
    let missing = line(&project, "python3 tools/ci/check_issue_graph.py --json --issues nowhere.jsonl");
    let direct = project.premath(&["issue", "check", "--json", "--issues", "nowhere.jsonl"]);
    assert_eq!(missing.status.code(), Some(4), "{}", shown(&missing));
    assert_eq!((missing.stdout, missing.stderr), (direct.stdout, direct.stderr));
}

/// Seed: 002 §13/6, 002 §13/7
#[test]
fn the_kpi_benchmark_is_the_kpi_report() {
    let project = with_tools();
    let ran = line(&project, "python3 tools/harness/benchmark_kpi.py --json --as-of 2026-01-01T00:00:00Z");
    assert_eq!(ran.status.code(), Some(0), "{}", shown(&ran));
    let direct = project.json(&["harness-kpi", "--json", "--as-of", "2026-01-01T00:00:00Z"]);
    assert_eq!(document(&ran), direct);
    let of_task = line(&project, &task("harness-kpi-report"));
    assert_eq!(of_task.status.code(), Some(0), "{}", shown(&of_task));
    assert_eq!(document(&of_task)["kpiKind"], json!("premath.multithread.throughput.v1"));
}

/// Seed: 002 §14.2/9
#[test]
fn the_instruction_runner_runs_the_checks_of_an_envelope() {
    let project = with_tools();
    let envelope = json!({
        "schema": 1,
        "intent": "look at the issues",
        "scope": "repository",
        "normalizerId": "normalizer.ci.v1",
        "policyDigest": format!("pol1_{}", "0".repeat(64)),
        "requestedChecks": ["graph"],
    });
    fs::create_dir_all(project.root.join("instructions")).unwrap();
    let path = "instructions/20260101T000000Z-look.json";
    fs::write(project.root.join(path), envelope.to_string()).unwrap();
    let direct = project.premath(&["instruction-run", "--instruction", path, "--json"]);
    let ran = line(&project, &format!("sh tools/ci/run_instruction.sh {path} --json"));
    assert_eq!(ran.status.code(), direct.status.code(), "{}{}", shown(&ran), shown(&direct));
    assert_eq!(document(&ran)["action"], json!("instruction.run"), "{}", shown(&ran));
    let of_task = project
        .command("sh")
        .args(["-c", &task("ci-instruction")])
        .env("INSTRUCTION", path)
        .output()
        .unwrap();
    assert_eq!(of_task.status.code(), direct.status.code(), "{}", shown(&of_task));
    let unnamed = line(&project, "sh tools/ci/run_instruction.sh --json");
    assert_eq!(unnamed.status.code(), Some(2), "{}", shown(&unnamed));
    assert_eq!(document(&unnamed)["error"]["class"], json!("usage"));
}

#[test]
fn a_missing_program_is_an_environment_error_with_a_hint() {
    let project = with_tools();
    let run = |program: Option<&str>, path: &str| {
        let mut command = project.command("sh");
        command.args(["tools/premath", "harness-kpi", "--json"]).env("PATH", path);
        match program {
            Some(program) => command.env("PREMATH_BIN", program),
            None => command.env_remove("PREMATH_BIN"),
        };
        command.output().unwrap()
    };
    for output in [run(Some("/nowhere/premath"), "/usr/bin:/bin"), run(None, "/usr/bin:/bin")] {
        assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
        assert_eq!(document(&output)["error"]["class"], json!("environment"), "{}", shown(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains("hint: "), "{}", shown(&output));
    }
    let folder = std::path::Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    let on_path = run(None, &format!("{folder}:/usr/bin:/bin"));
    assert_eq!(on_path.status.code(), Some(0), "{}", shown(&on_path));
}
