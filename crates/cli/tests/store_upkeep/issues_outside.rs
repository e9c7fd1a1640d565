//! Issue memory of a repository is inside it, unless its person allows another place.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;

const CLASS: &str = "issues.outside_repository";

/// A repository with an issue, and another folder with an issue memory of its own, both of one person.
fn places() -> (Folder, Folder, String) {
    let (here, there) = (Folder::new(), Folder::new());
    for folder in [&here, &there] {
        for arguments in [&["init"][..], &["issue", "add", "One"]] {
            let output = folder.command(arguments).env("XDG_STATE_HOME", here.state()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
    }
    let outside = there.path().join(".premath/issues.jsonl").to_str().unwrap().to_owned();
    (here, there, outside)
}

/// The command is refused with the class, a hint and the place, and the memory outside stays as it is.
#[track_caller]
fn assert_refused(here: &Folder, outside: &str, arguments: &[&str], place: &str) {
    let before = fs::read(outside).unwrap();
    let ran = here.run(arguments);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let first = ran.stderr.lines().next().unwrap();
    assert!(first.starts_with(&format!("error: {CLASS}: ")) && first.ends_with(place), "{ran:?}");
    assert!(ran.stderr.contains("hint: ") && ran.stderr.contains("[issues] outside"), "{ran:?}");
    assert_eq!(fs::read(outside).unwrap(), before);
}

#[test]
fn a_repository_cannot_point_its_issue_memory_outside() {
    let (here, there, outside) = places();
    std::os::unix::fs::symlink(there.path(), here.path().join("away")).unwrap();
    let up = format!("../{}/.premath/issues.jsonl", there.path().file_name().unwrap().to_str().unwrap());
    for path in [outside.as_str(), &up, "away/.premath/issues.jsonl", "x/../away/new.jsonl"] {
        here.write("premath.toml", format!("[issues]\npath = '{path}'\n"));
        for arguments in [&["issue", "add", "Two"][..], &["issue", "list"], &["verify", "--exit-zero"]] {
            assert_refused(&here, &outside, arguments, "$.issues.path");
        }
    }
    here.write("premath.toml", format!("[issues]\noutside = ['{outside}']\n"));
    let ran = here.run(&["issue", "list"]);
    assert_eq!(ran.code, Some(2), "a repository allows itself nothing: {ran:?}");
}

#[test]
fn a_link_in_place_of_the_default_is_no_way_out_either() {
    let (here, there, outside) = places();
    fs::remove_dir_all(here.path().join(".premath")).unwrap();
    std::os::unix::fs::symlink(there.path().join(".premath"), here.path().join(".premath")).unwrap();
    assert_refused(&here, &outside, &["issue", "add", "Two"], "$.issues.path");
}

#[test]
fn a_flag_names_issue_memory_outside_only_at_a_terminal() {
    let (here, _there, outside) = places();
    for arguments in [["issue", "add", "Two"], ["issue", "show", "bd-1"], ["dep", "diagnostics", "--limit=1"]]
    {
        let arguments = [&arguments[..], &["--issues", &outside]].concat();
        assert_refused(&here, &outside, &arguments, "$.issues");
    }
    assert_refused(&here, &outside, &["harness-session", "write", "--issues", &outside], "$.issues");
    // Where there is no repository, there is nothing that it could be outside of.
    assert_eq!(Folder::new().run(&["issue", "list", "--issues", &outside]).code, Some(0));
}

#[test]
fn what_the_person_allows_is_used_by_name_and_by_configuration() {
    let (here, there, outside) = places();
    there.write("mine.toml", format!("[issues]\noutside = ['{}']\n", there.path().display()));
    let allowing = |arguments: &[&str]| {
        let mut command = here.command(arguments);
        let output = command.env("PREMATH_CONFIG", there.path().join("mine.toml")).output().unwrap();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap())
    };
    let (code, answer) = allowing(&["issue", "add", "Two", "--issues", &outside, "--json"]);
    assert_eq!((code, &answer["issue"]["id"]), (Some(0), &json!("bd-2")), "{answer}");
    here.write("premath.toml", format!("[issues]\npath = '{outside}'\n"));
    let (code, answer) = allowing(&["issue", "add", "Three", "--json"]);
    assert_eq!((code, &answer["issue"]["id"]), (Some(0), &json!("bd-3")), "{answer}");
    there.write("mine.toml", "[issues]\noutside = ['relative']\n");
    let ran = here.command(&["issue", "list"]).env("PREMATH_CONFIG", there.path().join("mine.toml")).output();
    assert_eq!(ran.unwrap().status.code(), Some(2));
}
