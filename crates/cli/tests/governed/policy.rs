//! What policy says about itself: for which role, how much of the day is used, from which files, why rules did not load; and
//! the policies in force as files that hold the same.

use serde_json::{Value, json};

use crate::room::{Room, call};

const ROLES: &str = "policy.max_daily_tool_calls = 9\npolicy.roles.clerk.scopes = [\"files:read\"]\n";

fn explained(room: &Room, more: &[&str]) -> Value {
    let arguments =
        ["policy", "explain", "--tool", "issue_add", "--args", "{\"title\": \"Bound the index\"}"];
    room.json(&[&arguments, more].concat())
}

/// Seed: 003 §1/9, 001 §3/21
#[test]
fn a_call_is_explained_for_the_ceiling_of_the_role() {
    let room = Room::new(&[], ROLES);
    assert_eq!(explained(&room, &[])["effect"], "allow");
    let clerk = explained(&room, &["--role", "clerk"]);
    assert_eq!((&clerk["effect"], &clerk["policyName"]), (&json!("deny"), &json!("role clerk")), "{clerk}");
    assert_eq!(clerk["clientView"]["code"], "policy_scope_missing");
    // What the model of such a run is told, word for word.
    let add = call("issue_add", "title = \"Bound the index\"");
    room.write("premath.toml", "policy.role = \"clerk\"\n");
    room.work("clerk", &add, &[]);
    let told = &room.results("clerk")[0];
    assert_eq!(
        (&clerk["modelView"]["code"], &clerk["modelView"]["hint"]),
        (&told["errorCode"], &told["message"]),
        "{clerk}"
    );
    assert_eq!(told["message"], "there is no tool `issue_add`");
}

#[test]
fn a_scope_that_does_not_exist_is_refused_as_a_run_refuses_it() {
    let room = Room::new(&[], "");
    for scope in ["nope:x", "desk:*", "*", "desk"] {
        let shown = room.run(&["policy", "show", "--scope", "files:read", "--scope", scope]);
        let run = room.work("none", "", &["--scope", "files:read", "--scope", scope]);
        assert_eq!((shown.code, shown.stdout.as_str()), (Some(2), ""), "{scope}: {shown:?}");
        assert_eq!(run.code, Some(2), "{scope}: {run:?}");
        for said in [shown.stderr, run.stderr] {
            assert!(said.contains(&format!("there is no scope `{scope}`; there are ")), "{said}");
        }
    }
    room.done(&["policy", "show", "--scope", "files:read", "--scope", "desk:delete"]);
}

#[test]
fn a_role_that_does_not_exist_is_no_role_without_a_ceiling() {
    let room = Room::new(&[], ROLES);
    let explain = ["policy", "explain", "--tool", "fs_list", "--args", "{\"path\": \".\"}", "--role"];
    let ran = room.run(&[&explain[..], &["clark"]].concat());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("there is no role `clark`; there are clerk, owner"), "{ran:?}");
    room.done(&[&explain[..], &["owner"]].concat());
    room.write("premath.toml", "[policy]\nrole = \"clark\"\n");
    for command in [&["policy", "show"][..], &["run", "x", "--model", "scripted:none.toml"]] {
        let ran = room.run(command);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{command:?}: {ran:?}");
        assert!(ran.stderr.contains("premath.toml, line 2"), "{command:?}: {ran:?}");
    }
}

#[test]
fn what_was_used_today_stands_beside_the_budget() {
    let room = Room::new(&[], ROLES);
    let layer = |shown: &Value| {
        let layers = shown["layers"].as_array().unwrap();
        layers.iter().find(|layer| layer["layer"] == "tool calls a day").unwrap()["says"].clone()
    };
    assert_eq!(layer(&room.json(&["policy", "show"])), "9; 0 used today");
    let ran = room.work("looks", &call("fs_list", "path = \".\""), &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = room.json(&["policy", "show"]);
    assert_eq!((layer(&shown), &shown["today"]["toolCalls"]), (json!("9; 1 used today"), &json!(1)));
}

#[test]
fn rules_that_did_not_load_say_where_and_why() {
    let room = Room::new(&[], "");
    assert_eq!(room.json(&["policy", "show"])["controlsSource"], "default");
    room.write("policies/governor/mine.cedar", "\n@id(\"x\")\npermit (principal, action, resource)\n");
    room.write("policies/governor/mine.examples.json", "{}");
    let shown = room.json(&["policy", "show"]);
    let failed = shown["rulesFailed"][0].as_str().unwrap();
    assert!(failed.starts_with("mine.cedar:"), "{failed}");
    assert!(shown["rules"].as_array().unwrap().is_empty());
    let text = room.done(&["policy", "show"]);
    assert!(text.contains("the rules in policies/governor did not load") && text.contains(failed), "{text}");
    assert_eq!(explained(&room, &[])["effect"], "deny", "nothing runs then");
}

#[test]
fn exported_policies_hold_the_same() {
    let room = Room::new(&[], "");
    let before = room.json(&["policy", "show"]);
    let exported = room.json(&["policy", "export", "policies"]);
    let paths: Vec<_> =
        exported["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(
        paths.contains(&"governor/desk.cedar") && paths.contains(&"governor/desk.examples.json"),
        "{paths:?}"
    );
    assert!(paths.contains(&"risk/high.json"), "{paths:?}");
    for path in &paths {
        assert!(room.path().join("policies").join(path).is_file(), "{path}");
    }
    let after = room.json(&["policy", "show"]);
    for member in ["rulesDigest", "guardsDigest", "controls", "rules", "tier"] {
        assert_eq!(before[member], after[member], "{member}");
    }
    assert_eq!(after["controlsSource"], "policies/risk/high.json");
    assert_eq!(exported["rulesDigest"], after["rulesDigest"]);
    // What is exported again from the files is what they say.
    assert_eq!(room.json(&["policy", "export", "again"])["files"], exported["files"]);
    let ran = room.run(&["policy", "export", "policies"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`policies` is not empty"), "{ran:?}");
}

#[test]
fn an_exported_rule_that_is_edited_counts() {
    let room = Room::new(&[], "");
    room.done(&["policy", "export", "policies"]);
    let path = room.path().join("policies/risk/high.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"desk:delete\"", "\"desk:delete\", \"issues:write\"")).unwrap();
    assert_eq!(explained(&room, &[])["effect"], "ask");
}

#[test]
fn a_call_is_explained_under_the_controls_of_the_run_that_would_make_it() {
    let room = Room::new(&[], ROLES);
    let low = r#"{"confirm": ["files:read"], "guardrailStages": ["pre_flight", "input", "output"], "profileId": "mine", "tier": "low"}"#;
    room.write("policies/risk/low.json", low);
    let explained = |more: &[&str]| room.json(&[&["policy", "explain", "--tool", "fs_list"], more].concat());
    let told = |answer: &Value| {
        ["effect", "role", "tier", "controlsSource"].map(|member| answer[member].as_str().unwrap().to_owned())
    };
    assert_eq!(told(&explained(&[])), ["allow", "owner", "high", "default"]);
    let scoped = ["ask", "owner", "low", "policies/risk/low.json"];
    assert_eq!(told(&explained(&["--scope", "files:read"])), scoped);
    assert_eq!(told(&explained(&["--role", "clerk"])), ["ask", "clerk", "low", "policies/risk/low.json"]);
    let ran = room.work("looks", &call("fs_list", "path = \".\""), &["--scope", "files:read"]);
    assert_eq!(ran.code, Some(1), "nobody promoted these controls: {ran:?}");
    assert!(ran.stdout.contains("governance.policy_package_unpinned"), "{ran:?}");
    let text = room.done(&["policy", "explain", "--tool", "fs_list", "--scope", "files:read"]);
    assert!(text.contains("as owner, tier low, controls from policies/risk/low.json"), "{text}");
}

#[test]
fn a_tool_whose_scope_nobody_asks_for_is_not_there() {
    let room = Room::new(&[], "");
    let other = explained(&room, &["--scope", "files:read"]);
    assert_eq!((&other["effect"], &other["policyName"]), (&json!("deny"), &json!("requested scopes")));
    assert_eq!(other["modelView"]["code"], "tool.unknown_or_disallowed");
    assert_eq!(explained(&room, &["--scope", "files:read", "--scope", "issues:write"])["effect"], "allow");
    let ran = room.run(&["policy", "explain", "--tool", "fs_list", "--scope", "files:rede"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("there is no scope `files:rede`; there are "), "{ran:?}");
}
