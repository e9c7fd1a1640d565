//! Settings files with the hook, without it, and as they were.

use super::*;

const CLAUDE: HookFormat = HookFormat::ClaudeCode;
const HERE: HookCommand<'static> = HookCommand { program: "premath", root: "/home/jo/it's" };

/// Files as people have them: formatted in their own way, with hooks of their own.
const FILES: [&str; 6] = [
    "{}\n",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n\t\"permissions\": {\"allow\": [\"Bash(ls)\"]},\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": []}]\n\t}\n}",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"./mine.sh\"}]}]}}",
    "{\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\n                \"hooks\": [ { \"type\": \"command\", \"command\": \"a\" } ]\n            }\n        ]\n    },\n    \"z\": \"\\u00e9 , ] }\"\n}\n",
    "{ \"hooks\": { \"PostToolUse\": [ { \"matcher\": \"x\", \"hooks\": [ { \"command\": \"b\" } ] } ] } }\n",
];

#[test]
fn the_hook_is_in_every_event_once_however_often_it_is_installed() {
    for format in HookFormat::ALL {
        for file in FILES {
            let once = with_hook(Some(file), format, HERE).unwrap();
            let settings: Value = serde_json::from_str(&once).unwrap();
            for event in EVENTS {
                let ours = handlers(&once, event).unwrap().iter().filter(|one| is_ours(format, one)).count();
                assert_eq!(ours, 1, "{event} in {once}");
                assert!(settings["hooks"][event].is_array());
            }
            assert_eq!(with_hook(Some(&once), format, HERE).unwrap(), once, "{file}");
        }
    }
}

#[test]
fn whoever_takes_it_out_again_has_the_file_as_it_was() {
    for format in HookFormat::ALL {
        for file in FILES {
            let installed = with_hook(Some(file), format, HERE).unwrap();
            assert_eq!(without_hook(&installed, format).unwrap(), file);
        }
    }
}

#[test]
fn what_is_not_ours_stays_byte_for_byte() {
    let file = "{\n  \"hooks\": {\n    \"PreToolUse\": [ {\"matcher\":\"Bash\",   \"hooks\":[{\"command\":\"./mine.sh\"}]} ],\n    \"Stop\": []\n  }\n}\n";
    let installed = with_hook(Some(file), CLAUDE, HERE).unwrap();
    for kept in ["{\"matcher\":\"Bash\",   \"hooks\":[{\"command\":\"./mine.sh\"}]}", "\"Stop\": []"] {
        assert!(installed.contains(kept), "{installed}");
    }
    assert_eq!(without_hook(file, CLAUDE).unwrap(), file, "nothing of ours, nothing done");
}

#[test]
fn an_older_hook_of_ours_is_renewed_and_its_neighbours_stay() {
    let old = "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"premath guard --format claude-code\"},{\"command\":\"mine\"}]}]}}";
    let renewed = with_hook(Some(old), CLAUDE, HERE).unwrap();
    let found = handlers(&renewed, "PreToolUse").unwrap();
    assert_eq!(found, [json!({"command": "mine"}), handler(CLAUDE, HERE)]);
    // That of another agent is none of ours.
    let other = "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"premath guard --format codex || exit 2\"}]}]}}";
    assert_eq!(without_hook(other, CLAUDE).unwrap(), other);
}

#[test]
fn a_file_that_is_something_else_is_left_alone() {
    for file in [
        "",
        "{",
        "// mine\n{}",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"PreToolUse\": {}}}",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"x\"}]}}",
        "{\"hooks\": {}, \"hooks\": {}}",
    ] {
        assert!(with_hook(Some(file), CLAUDE, HERE).is_err(), "{file}");
        assert!(without_hook(file, CLAUDE).is_err(), "{file}");
    }
}

#[test]
fn the_command_blocks_when_it_is_no_success() {
    for format in HookFormat::ALL {
        assert!(command(format, HERE).ends_with(" || exit 2"));
        assert!(command(format, HERE).contains(" --root "), "a model would choose the policy");
    }
    assert!(command(HookFormat::Codex, HERE).contains(r"--root '/home/jo/it'\''s'"));
    assert_eq!(quoted("/opt/it's here/premath"), r"'/opt/it'\''s here/premath'");
    assert_eq!(handler(CLAUDE, HERE)["onFailure"], "block");
    assert!(handler(HookFormat::Codex, HERE).get("onFailure").is_none());
}
