//! Whatever is deleted, `verify` and `doctor` name what cites it. What a clone never had is `not_here`.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::worked::{SETTINGS, clone_of, files_below, plain_clone_of, worked};

/// The findings of one state, each as `path missing`.
fn cited(answer: &Value, state: &str) -> Vec<String> {
    let findings = answer.get("problems").or_else(|| answer.get("findings")).unwrap();
    let of_state = findings.as_array().unwrap().iter().filter(|one| one["state"] == state);
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    of_state.map(|one| format!("{} {}", text(one, "path"), text(one, "missing"))).collect()
}

/// Both commands fail, and name a file of `citing` with what begins with `missing`.
#[track_caller]
fn assert_named(folder: &Folder, citing: &str, missing: &str) {
    for command in ["verify", "doctor"] {
        let (code, answer) = folder.json(&[command]);
        assert_eq!(
            (code, &answer["ok"], &answer["state"]),
            (1, &json!(false), &json!("damaged")),
            "{command}"
        );
        let found = cited(&answer, "missing");
        let is_named = |one: &String| {
            let (path, what) = one.split_once(' ').unwrap();
            path.contains(citing) && what.starts_with(missing)
        };
        assert!(found.iter().any(is_named), "{command}: no {citing} that cites {missing} in {found:#?}");
    }
}

#[test]
fn everything_that_is_cited_is_followed() {
    let folder = worked();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!((code, &answer["state"], &answer["problems"]), (0, &json!("ok"), &json!([])), "{answer}");
    assert!(answer["checked"]["references"].as_u64().unwrap() >= 10, "{answer}");
}

#[test]
fn a_deleted_folder_is_named_by_what_cites_it() {
    for (deleted, citing, missing) in [
        (".premath/objects", ".premath/runs/", "sha256:"),
        (".premath/objects", "harness_trajectory.jsonl", "sha256:"),
        (".premath/permits", ".premath/issues.jsonl", "instruction://"),
        ("artifacts/ciwitness", ".premath/permits/", "artifacts/ciwitness/"),
        (".premath/workers", ".premath/permits/", "sha256:"),
        (".premath/witnesses", "harness_trajectory.jsonl", "w1_"),
        (".premath/witnesses", ".premath/runs/", "w1_"),
        (".premath/witnesses", "artifacts/ciwitness/", "w1_"),
        (".premath/runs", ".premath/audit.jsonl", "run://"),
        (".premath/runs", ".premath/permits/", "sha256:"),
        (".premath/runs", "harness_trajectory.jsonl", "run://"),
        (".premath/instructions", "artifacts/ciwitness/", ".premath/instructions/"),
    ] {
        let folder = worked();
        fs::remove_dir_all(folder.path().join(deleted)).unwrap();
        assert_named(&folder, citing, missing);
    }
}

#[test]
fn each_deleted_object_is_named_by_what_cites_it() {
    let folder = worked();
    let objects = folder.path().join(".premath/objects");
    let is_object = |path: &std::path::PathBuf| path.file_name().unwrap().len() == 62;
    let files: Vec<_> = files_below(&objects).into_iter().filter(is_object).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let kept = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        let shelf = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let id = format!("sha256:{shelf}{}", file.file_name().unwrap().to_str().unwrap());
        assert_named(&folder, "l", &id);
        fs::write(&file, kept).unwrap();
    }
    assert_eq!(folder.json(&["verify"]).0, 0);
}

#[test]
fn one_deleted_journal_is_named_by_what_cites_it() {
    let folder = worked();
    let run = fs::read_dir(folder.path().join(".premath/runs")).unwrap().next().unwrap().unwrap();
    fs::remove_dir_all(run.path()).unwrap();
    let name = format!("run://{}", run.file_name().to_str().unwrap());
    assert_named(&folder, ".premath/audit.jsonl", &name);
}

#[test]
fn a_clean_clone_is_neither_ok_nor_damaged() {
    let clone = clone_of(&worked());
    for command in ["verify", "doctor"] {
        let (code, answer) = clone.json(&[command]);
        assert_eq!(
            (code, &answer["ok"], &answer["state"]),
            (0, &json!(false), &json!("not_here")),
            "{answer}"
        );
        assert_eq!(cited(&answer, "missing"), [""; 0]);
        assert_eq!(cited(&answer, "damaged"), [""; 0]);
        let elsewhere = cited(&answer, "not_here");
        for what in ["run://", "sha256:", "instruction://"] {
            assert!(elsewhere.iter().any(|one| one.contains(what)), "{command}: no {what} in {elsewhere:?}");
        }
    }
    assert!(clone.run(&["verify"]).stdout.contains("not_here"));
}

#[test]
fn a_clone_has_issue_memory_and_nothing_else_of_the_machine() {
    let clone = plain_clone_of(&worked());
    let mut names: Vec<String> = fs::read_dir(clone.path().join(".premath"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".gitignore", "issues.history.jsonl", "issues.jsonl"]);
    let (code, answer) = clone.json(&["verify"]);
    assert_eq!((code, &answer["state"]), (0, &json!("not_here")), "{answer}");
    assert!(
        cited(&answer, "not_here").iter().all(|one| one.starts_with(".premath/issues.jsonl ")),
        "{answer}"
    );
}

#[test]
fn a_clone_that_works_answers_for_its_own_work_only() {
    let clone = clone_of(&worked());
    clone.write("scene.toml", "name = \"w\"\n[[turn]]\ntext = \"Done.\"\n");
    assert_eq!(clone.run(&["issue", "add", "Third"]).code, Some(0));
    let (code, answer) = clone.json(&["verify"]);
    assert_eq!((code, &answer["state"]), (0, &json!("not_here")), "{answer}");
    let ran = clone.run(&["run", "do it", "--issue", "bd-3", "--model", "scripted:scene.toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(clone.json(&["verify"]).1["state"], "not_here");
    fs::remove_dir_all(clone.path().join(".premath/runs")).unwrap();
    let (code, answer) = clone.json(&["verify"]);
    assert_eq!((code, &answer["state"]), (1, &json!("damaged")), "{answer}");
    assert!(!cited(&answer, "not_here").is_empty(), "what it inherited is still not_here: {answer}");
}

#[test]
fn a_repaired_clone_does_not_take_what_it_inherited_for_its_own() {
    let clone = clone_of(&worked());
    assert_eq!(clone.run(&["doctor", "--fix"]).code, Some(0));
    let (code, answer) = clone.json(&["verify"]);
    assert_eq!((code, &answer["state"]), (0, &json!("not_here")), "{answer}");
}

#[test]
fn a_run_that_keeps_nothing_misses_nothing() {
    let folder = worked();
    folder.write("premath.toml", format!("{SETTINGS}[policy]\nobservability = \"disabled\"\n"));
    assert_eq!(folder.run(&["issue", "add", "Third"]).code, Some(0));
    let scene = fs::read_to_string(folder.path().join("scene.toml")).unwrap().replace("bd-1", "bd-3");
    folder.write("scene.toml", scene);
    let ran = folder.run(&["run", "do it", "--issue", "bd-3", "--model", "scripted:scene.toml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!((code, &answer["state"]), (0, &json!("ok")), "{answer}");
}

#[test]
fn the_page_about_verification_declares_every_lane() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/verify.md");
    let page = fs::read_to_string(page).unwrap();
    for place in premath_bd::LANE_PLACES {
        let row = format!("| `{}` | {} | {} |", place.path, place.locality.token(), place.why);
        assert!(page.contains(&row), "{row}");
    }
    for class in premath_bd::ProblemClass::ALL {
        assert!(page.contains(&format!("`{}`", class.code())), "{class}");
    }
}
