//! Policy that is there and cannot be taken as it is: nothing runs, by name, and nothing falls back to what is shipped. And
//! policy that lies behind a link, which no tool changes either.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::room::{Room, call};

const LOOK: [&str; 6] = ["policy", "explain", "--tool", "fs_list", "--args", "{}"];

/// Rules that allow everything but adding issues and commands.
const RULES: &str = "@id(\"all\")\n@reason(\"a test\")\npermit (principal, action, resource) unless { context.tool == \"shell\" };\n\
                     @id(\"no.issues\")\n@reason(\"a test\")\n\
                     forbid (principal, action == Action::\"issue_add\", resource);\n";

fn examples() -> String {
    let look = json!([{"tool": "fs_list", "arguments": {}}]);
    let command = json!([{"tool": "shell", "arguments": {"command": "ls", "workdir": "."}}]);
    let add = json!([{"tool": "issue_add", "arguments": {"title": "x"}}]);
    json!({"no.issues": {"match": add, "noMatch": look}, "all": {"match": look, "noMatch": command}})
        .to_string()
}

/// Why nothing runs; something must keep everything from running.
#[track_caller]
fn why(room: &Room) -> String {
    let ran = room.run(&[&LOOK[..], &["--json"]].concat());
    match ran.code {
        Some(0) => {
            let answer: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
            assert_eq!(answer["effect"], "deny", "{answer}");
            answer["reason"].as_str().unwrap().to_owned()
        }
        _failed => ran.stderr + &ran.stdout,
    }
}

#[track_caller]
fn is_shipped(room: &Room) {
    let explained = room.json(&LOOK);
    assert_eq!(explained["effect"], "allow", "{explained}");
}

/// A repository with the shipped policies as files.
fn exported() -> Room {
    let room = Room::new(&[], "");
    room.done(&["policy", "export", "policies"]);
    is_shipped(&room);
    room
}

#[test]
fn what_lies_among_rules_and_is_none_keeps_everything_from_running() {
    let room = exported();
    let folder = room.path().join("policies/governor");
    room.write("elsewhere/no.cedar", RULES);
    let link = || symlink("../../elsewhere/no.cedar", folder.join("no.cedar")).unwrap();
    let dangling = || symlink("nowhere", folder.join("no.cedar")).unwrap();
    let pipe = || {
        let made = std::process::Command::new("mkfifo").arg(folder.join("no.cedar")).status().unwrap();
        assert!(made.success());
    };
    let below = || std::fs::create_dir(folder.join("team")).unwrap();
    let capitals = || room.write("policies/governor/no.CEDAR", RULES);
    let kept = || room.write("policies/governor/no.cedar.bak", RULES);
    let alone = || room.write("policies/governor/no.examples.json", &examples());
    let cases: [(&str, &dyn Fn(), &str); 7] = [
        ("no.cedar", &link, "put the file itself there"),
        ("no.cedar", &dangling, "put the file itself there"),
        ("no.cedar", &pipe, "take it away"),
        ("team", &below, "take it away"),
        ("no.CEDAR", &capitals, "rename it or take it away"),
        ("no.cedar.bak", &kept, "rename it or take it away"),
        ("no.examples.json", &alone, "put `no.cedar` beside it"),
    ];
    for (name, put, what_to_do) in cases {
        put();
        let why = why(&room);
        assert!(why.contains(&format!("policies/governor/{name}: ")) && why.contains(what_to_do), "{why}");
        let path = folder.join(name);
        if path.is_dir() {
            std::fs::remove_dir(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
        is_shipped(&room);
    }
    room.write("policies/governor/README.md", "What these are.\n");
    room.write("policies/governor/.allow.cedar.swp", "x");
    is_shipped(&room);
}

#[test]
fn a_folder_without_rules_is_not_the_absence_of_rules() {
    let room = Room::new(&[], "");
    std::fs::create_dir_all(room.path().join("policies/governor")).unwrap();
    assert!(why(&room).contains("policies/governor: there are no rules in it"));
    std::fs::remove_dir(room.path().join("policies/governor")).unwrap();
    is_shipped(&room);
    room.write("policies/governor", "x");
    assert!(why(&room).contains("policies/governor: it is no folder"));
}

#[test]
fn what_is_named_and_leads_nowhere_is_not_what_is_not_there() {
    for name in ["policies", "policies/governor", "policies/guardrails.json", "policies/risk"] {
        let room = Room::new(&[], "");
        is_shipped(&room);
        if name == "policies" {
            std::fs::remove_dir_all(room.path().join("policies")).unwrap();
        }
        symlink("nowhere", room.path().join(name)).unwrap();
        let why = why(&room);
        assert!(why.contains(name) && why.contains("link"), "{name}: {why}");
        let ran = room.work("looks", &call("fs_list", "path = \".\""), &[]);
        assert!(
            room.run(&["runs", "export", "looks"]).code != Some(0) || {
                let results = room.results("looks");
                results.iter().all(|outcome| outcome["errorCode"] == "policy_denied")
            },
            "{name}: {ran:?}"
        );
    }
}

#[test]
fn controls_that_are_a_link_or_in_capitals_are_not_passed_over() {
    let room = exported();
    let folder = room.path().join("policies/risk");
    let high = folder.join("high.json");
    std::fs::rename(&high, room.path().join("high.json")).unwrap();
    is_shipped(&room);
    symlink("nowhere", &high).unwrap();
    assert!(why(&room).contains("high.json` cannot be used: a link on the way to it leads nowhere"));
    std::fs::remove_file(&high).unwrap();
    symlink("../../high.json", &high).unwrap();
    assert!(why(&room).contains("policies/risk/high.json: it is a link"));
    std::fs::remove_file(&high).unwrap();
    std::fs::copy(room.path().join("high.json"), folder.join("High.json")).unwrap();
    assert!(why(&room).contains("policies/risk/High.json: only "));
}

#[test]
fn an_empty_file_in_the_place_of_the_folder_is_nothing() {
    let room = Room::new(&[], "");
    std::fs::remove_dir_all(room.path().join("policies")).unwrap();
    room.write("policies", "");
    is_shipped(&room);
    room.write("policies", "x");
    assert!(why(&room).contains("policies"), "what says something is no stand-in");
}

#[test]
fn what_policies_and_settings_are_links_to_is_changed_by_no_tool() {
    let room = Room::new(&[], "");
    std::fs::create_dir(room.path().join("conf")).unwrap();
    room.done(&["policy", "export", "conf/policies"]);
    std::fs::remove_dir_all(room.path().join("policies")).unwrap();
    symlink("conf/policies", room.path().join("policies")).unwrap();
    let settings = std::fs::read_to_string(room.path().join("premath.toml")).unwrap_or_default();
    if room.path().join("premath.toml").exists() {
        std::fs::remove_file(room.path().join("premath.toml")).unwrap();
    }
    room.write("conf/premath.toml", &settings);
    symlink("conf/premath.toml", room.path().join("premath.toml")).unwrap();
    let source = || room.json(&["policy", "show"])["controlsSource"].clone();
    assert_eq!(source(), "policies/risk/high.json", "the link is followed");
    let patch =
        |text: &str| call("apply_patch", &format!("patch = \"*** Begin Patch\\n{text}\\n*** End Patch\""));
    let turns = [
        patch("*** Delete File: conf/policies/governor/allow.cedar"),
        patch("*** Add File: conf/policies/governor/more.cedar\\n+x"),
        patch("*** Delete File: conf/premath.toml"),
        patch("*** Add File: conf/free.txt\\n+x"),
    ];
    let ran = room.work("tries", &turns.concat(), &[]);
    let codes: Vec<Value> =
        room.results("tries").iter().map(|outcome| outcome["errorCode"].clone()).collect();
    let protected = json!("path.protected");
    assert_eq!(codes, [protected.clone(), protected.clone(), protected, Value::Null], "{ran:?}");
    assert!(room.path().join("conf/premath.toml").exists() && room.path().join("conf/free.txt").exists());
    assert_eq!(source(), "policies/risk/high.json");
    assert_eq!(room.json(&["policy", "diff"])["same"], true);
}
