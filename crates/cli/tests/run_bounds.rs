//! What a run may cost and where it works: cost limits that cannot be held refuse the run, and no run works in a home
//! directory or above its git repository by accident.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test prepares folders; what is not there fails it"
)]

mod folder;

use std::path::Path;

use folder::{Folder, Ran};
use serde_json::Value;

/// A provider on this machine that never answers.
const LOCAL: &str =
    "[models.providers.local]\nprotocol = \"openai-chat\"\nbase_url = \"http://127.0.0.1:9\"\n";
const PRICE: &str = "[models.prices.\"in-house\"]\ninput = \"1\"\noutput = \"2\"\nas_of = \"2026-11-01\"\n";

fn project(person: &str, repository: &str) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("mine.toml", format!("{person}\n{LOCAL}"));
    folder.write("premath.toml", repository);
    folder.write("scene.toml", "name = \"scene\"\n[[turn]]\ntext = \"Done.\"\n");
    folder
}

fn ran(output: std::process::Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = [&["run", "work", "--json"], more].concat();
    ran(folder.command(&arguments).env("PREMATH_CONFIG", "mine.toml").output().unwrap())
}

fn last(ran: &Ran) -> Value {
    serde_json::from_str(ran.stdout.lines().last().unwrap_or_else(|| panic!("{ran:?}"))).unwrap()
}

fn first(ran: &Ran) -> Value {
    serde_json::from_str(ran.stdout.lines().next().unwrap_or_else(|| panic!("{ran:?}"))).unwrap()
}

#[track_caller]
fn assert_refused(ran: &Ran, class: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(last(ran)["refused"]["class"], class, "{ran:?}");
}

/// It began, and ended because nothing answers at the address.
#[track_caller]
fn assert_begun(ran: &Ran) {
    assert_eq!(first(ran)["event"], "run.started", "{ran:?}");
    assert_eq!(last(ran)["outcome"], "model_failed", "{ran:?}");
}

const UNPRICED: [&str; 2] = ["--model", "local:in-house"];

#[test]
fn a_cost_limit_refuses_a_model_without_a_price_before_anything_is_written() {
    let folder = project("", "");
    let limited = run(&folder, &[UNPRICED.as_slice(), &["--max-cost", "1"]].concat());
    assert_refused(&limited, "model_unpriced");
    let refused = last(&limited)["refused"].to_string();
    assert!(refused.contains("local:in-house") && refused.contains("--unpriced allow"), "{refused}");
    assert!(!folder.path().join(".premath/runs").exists());
    assert_begun(&run(&folder, &UNPRICED));
    assert_begun(&run(&folder, &[UNPRICED.as_slice(), &["--max-cost", "1", "--unpriced", "allow"]].concat()));
    assert_eq!(run(&folder, &["--model", "scripted:scene.toml", "--max-cost", "1"]).code, Some(0));
}

#[test]
fn a_fallback_without_a_price_is_refused_too() {
    let folder = project("", "");
    let models = ["--model", "scripted:scene.toml", "--model", "local:in-house", "--max-cost", "1"];
    assert_refused(&run(&folder, &models), "model_unpriced");
}

#[test]
fn limits_of_the_configuration_and_of_the_day_refuse_as_well() {
    for limit in ["[loop]\nmax_cost_usd = 1\n", "[policy]\nmax_daily_cost_usd = 1\n"] {
        let folder = project("", limit);
        assert_refused(&run(&folder, &UNPRICED), "model_unpriced");
        let allowing = project("[loop]\nunpriced = \"allow\"\n", limit);
        assert_begun(&run(&allowing, &UNPRICED));
    }
    let folder = project("", "[loop]\nunpriced = \"allow\"\n");
    assert_eq!(run(&folder, &UNPRICED).code, Some(2), "a repository cannot lift the limit of a person");
}

#[test]
fn a_price_of_the_person_holds_a_limit_and_one_of_the_repository_does_not() {
    let limited = [UNPRICED.as_slice(), &["--max-cost", "1"]].concat();
    assert_begun(&run(&project(PRICE, ""), &limited));
    assert_refused(&run(&project("", PRICE), &limited), "model_unpriced");
}

#[test]
fn a_run_that_was_limited_is_not_resumed_without_a_price() {
    let folder = project(PRICE, "");
    assert_begun(&run(&folder, &[UNPRICED.as_slice(), &["--max-cost", "1", "--run-id", "r"]].concat()));
    folder.write("mine.toml", LOCAL);
    let resume = |more: &[&str]| {
        let arguments = [&["resume", "r", "--json"], more].concat();
        ran(folder.command(&arguments).env("PREMATH_CONFIG", "mine.toml").output().unwrap())
    };
    assert_refused(&resume(&[]), "model_unpriced");
    assert_begun(&resume(&["--unpriced", "allow"]));
}

#[test]
fn models_shows_prices_with_their_dates() {
    let folder = project(PRICE, "[models]\ndefault = \"anthropic:claude-sonnet-4-5\"\n");
    let output = folder.command(&["models", "--json"]).env("PREMATH_CONFIG", "mine.toml").output().unwrap();
    let listing: Value = serde_json::from_slice(&output.stdout).unwrap();
    let prices = listing["prices"].as_array().unwrap();
    let names: Vec<&str> = prices.iter().map(|row| row["model"].as_str().unwrap()).collect();
    assert_eq!(names, ["claude-sonnet-4-5", "in-house"]);
    assert_eq!(prices[0]["asOf"], "2026-10-10");
    assert_eq!(prices[0]["inputMicroUsd"], 3_000_000);
    assert_eq!((&prices[1]["asOf"], &prices[1]["limitsRelyOnIt"]), (&"2026-11-01".into(), &true.into()));
    let shown =
        ran(folder.command(&["models", "--prices"]).env("PREMATH_CONFIG", "mine.toml").output().unwrap());
    assert!(shown.stdout.contains("gpt-5-mini") && shown.stdout.contains("2026-06-30"), "{shown:?}");
    assert!(shown.stderr.is_empty(), "{shown:?}");
    let (_, own) = folder.json(&["models"]);
    assert_eq!(own["prices"].as_array().unwrap().len(), 1, "without the file of the person: {own}");
}

fn run_in(folder: &Folder, directory: &Path, home: &Path, more: &[&str]) -> Ran {
    let scene = format!("scripted:{}", folder.path().join("scene.toml").display());
    let arguments = [&["run", "work", "--model", &scene], more].concat();
    let mut command = folder.command(&arguments);
    ran(command.current_dir(directory).env("HOME", home).output().unwrap())
}

#[test]
fn a_run_in_the_home_directory_is_refused_unless_it_is_named() {
    let folder = project("", "");
    let home = folder.path().canonicalize().unwrap();
    assert_refused(&run_in(&folder, &home, &home, &["--json"]), "workdir_too_broad");
    assert_refused(&run_in(&folder, Path::new("/"), &home, &["--json"]), "workdir_too_broad");
    let named = run_in(&folder, &home, &home, &["--json", "--root", "."]);
    assert_eq!(named.code, Some(0), "{named:?}");
    assert_eq!(first(&named)["workdir"], home.to_str().unwrap());
}

#[test]
fn a_directory_below_home_is_its_own_project_even_when_home_has_a_configuration() {
    let folder = project("", "");
    let home = folder.path().canonicalize().unwrap();
    let below = home.join("notes");
    std::fs::create_dir(&below).unwrap();
    let inside = run_in(&folder, &below, &home, &["--json"]);
    assert_eq!(first(&inside)["workdir"], below.to_str().unwrap(), "{inside:?}");
}

#[test]
fn the_project_is_searched_up_to_the_git_repository_and_not_above() {
    let folder = project("", "");
    let root = folder.path().canonicalize().unwrap();
    let nested = root.join("nested/src");
    std::fs::create_dir_all(&nested).unwrap();
    let home = Path::new("/nowhere");
    let found = run_in(&folder, &nested, home, &["--json"]);
    assert_eq!(first(&found)["workdir"], root.to_str().unwrap(), "{found:?}");
    std::fs::create_dir(root.join("nested/.git")).unwrap();
    let stopped = run_in(&folder, &nested, home, &["--json"]);
    assert_eq!(first(&stopped)["workdir"], nested.to_str().unwrap(), "{stopped:?}");
    assert!(!root.join("nested/.premath").exists());
}

#[test]
fn the_first_line_of_a_run_says_where_it_works() {
    let folder = project("", "");
    let root = folder.path().canonicalize().unwrap();
    let shown = run_in(&folder, &root, Path::new("/nowhere"), &[]);
    let line = shown.stdout.lines().next().unwrap();
    assert!(line.starts_with("run ") && line.ends_with(&format!(" in {}", root.display())), "{shown:?}");
}

#[test]
fn a_run_is_resumed_in_the_directory_that_is_named_and_not_in_the_home_directory_by_accident() {
    let folder = project("", "");
    folder.write("scene.toml", "name = \"scene\"\n[[turn]]\ntext = \"I look.\"\n[[turn.call]]\ntool = \"fs_list\"\narguments = { path = \".\" }\n[[turn]]\ntext = \"Done.\"\n");
    let home = folder.path().canonicalize().unwrap();
    let elsewhere = Folder::new();
    let other = elsewhere.path().canonicalize().unwrap();
    let root = home.to_str().unwrap();
    let stopped =
        run_in(&folder, &home, &home, &["--json", "--root", root, "--run-id", "r", "--max-turns", "1"]);
    assert_eq!(last(&stopped)["resumable"], true, "{stopped:?}");
    let resume = |directory: &Path, more: &[&str]| {
        let arguments = [&["resume", "r", "--json", "--max-turns", "5"], more].concat();
        ran(folder.command(&arguments).current_dir(directory).env("HOME", &home).output().unwrap())
    };
    assert_refused(&resume(&home, &[]), "workdir_too_broad");
    let missing = resume(&other, &["--root", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.stderr.contains("`nowhere`") || missing.stdout.contains("`nowhere`"), "{missing:?}");
    let resumed = resume(&other, &["--root", root]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(
        (&first(&resumed)["workdir"], &last(&resumed)["outcome"]),
        (&root.into(), &"completed".into())
    );
    assert!(!other.join(".premath").exists(), "nothing is made where the command was typed");
}
