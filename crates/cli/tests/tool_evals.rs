//! `premath eval tools`: how tools are offered is measured in the real loop, and other values than the defaults need the
//! report.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be done fails the test")]

mod folder;

use std::time::Duration;

use folder::Folder;
use serde_json::Value;

const SCENE: &str = "name = \"says\"\n[[turn]]\ntext = \"Done.\"\n";

fn repository() -> Folder {
    let folder = Folder::new();
    let made = folder.run(&["init"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    folder.write("scene.toml", SCENE);
    folder
}

fn measured(folder: &Folder, more: &[&str]) -> Value {
    let arguments = [&["eval", "tools", "--json"], more].concat();
    let output = folder.command(&arguments).timeout(Duration::from_secs(300)).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn started(folder: &Folder, name: &str) -> (i32, String) {
    let ran = folder.run(&["run", "x", "--model", "scripted:scene.toml", "--run-id", name]);
    (ran.code.unwrap(), format!("{}{}", ran.stdout, ran.stderr))
}

fn variant(answer: &Value, defer: bool, filter: bool) -> Value {
    let variants = answer.pointer("/report/result/variants").unwrap().as_array().unwrap();
    let fits = |one: &&Value| one.get("defer").unwrap() == defer && one.get("filter").unwrap() == filter;
    variants.iter().find(fits).unwrap().clone()
}

/// Seed: 001 §8/9, 001 §3/1
#[test]
fn other_values_than_the_defaults_need_a_report_that_was_made_here() {
    let folder = repository();
    assert_eq!(started(&folder, "before").0, 0);
    folder.write("premath.toml", "[tools]\ndefer = false\n");
    let (code, said) = started(&folder, "unmeasured");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("governance.eval_lineage_missing"), "{said}");
    let (_, shown) = folder.json(&["config", "show"]);
    assert!(shown.to_string().contains("\"tools.defer\",\"value\":\"false\""), "{shown}");

    let answer = measured(&folder, &["--profile", "default"]);
    let number = |one: &Value, name: &str| one.get(name).unwrap().as_u64().unwrap();
    let (deferred, offered) = (variant(&answer, true, true), variant(&answer, false, true));
    assert!(number(&deferred, "tasks") >= 12, "{answer:#}");
    assert_eq!(number(&deferred, "solved"), number(&deferred, "tasks"), "{answer:#}");
    assert_eq!(number(&offered, "solved"), number(&offered, "tasks"), "{answer:#}");
    // A search costs a turn, and tools that are not offered cost nothing.
    assert!(number(&deferred, "turns") > number(&offered, "turns"), "{answer:#}");
    let whole = variant(&answer, true, false);
    assert!(number(&whole, "tokens") > number(&deferred, "tokens"), "{answer:#}");
    assert_eq!(started(&folder, "measured").0, 0);

    // A report that somebody edited is nobody's.
    let path = folder.path().join(answer.get("reportPath").unwrap().as_str().unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("true", "false", 1)).unwrap();
    let (code, said) = started(&folder, "edited");
    assert_eq!(code, 1, "{said}");
}

#[test]
fn a_set_of_tasks_of_ones_own_is_tried_and_one_that_is_not_there_is_named() {
    let folder = repository();
    let tasks = r#"{"files": [], "tasks": [
        {"id": "hopeless", "ask": "x", "answer": "nowhere", "steps": [["fs_read", {"path": "report.txt"}]]},
        {"id": "easy", "ask": "x", "answer": "Totals", "steps": [["no_such_tool", {}], ["fs_read", {"path": "report.txt"}]]}
    ]}"#;
    folder.write("evals/mine.json", tasks);
    let answer = measured(&folder, &["--profile", "mine", "--scenarios", "evals"]);
    for (defer, filter) in [(true, true), (true, false), (false, true), (false, false)] {
        let one = variant(&answer, defer, filter);
        assert_eq!(
            (one.get("tasks").unwrap(), one.get("solved").unwrap()),
            (&2.into(), &1.into()),
            "{answer:#}"
        );
    }
    let ran = folder.run(&["eval", "tools", "--profile", "other"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("default"), "{ran:?}");
}
