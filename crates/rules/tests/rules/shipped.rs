//! What the shipped rules say.

use premath_rules::RulePack;
use premath_tusk::policy::{Effect, Origin, Rules};
use premath_tusk::tools::{Risk, ToolKind, ToolSpec};
use serde_json::json;

use crate::workbench::{Call, call, tools, tools_and_desk};

fn shipped(tools: &[ToolSpec]) -> RulePack {
    RulePack::load(&RulePack::default_sources(), tools).unwrap()
}

fn effect(call: &Call) -> (Effect, Option<String>) {
    let ruling = call.decided(&shipped(&tools_and_desk()));
    assert!(ruling.errors.is_empty(), "{ruling:?}");
    (ruling.effect, ruling.rule)
}

/// The tools of the examples, as another server would have them.
fn with_another_server() -> Vec<ToolSpec> {
    let mut tools = tools_and_desk();
    for (name, risk) in [("example__forecast", Risk::Read), ("example__cancel", Risk::Destructive)] {
        let spec = ToolSpec::new(name, "mcp:example", "Weather.", r#"{"type": "object"}"#, &[]).unwrap();
        tools.push(ToolSpec { kind: ToolKind::Effect, risk, ..spec });
    }
    tools
}

#[test]
fn another_server_may_look_and_asks_before_it_changes_something() {
    let pack = shipped(&with_another_server());
    let decided = |tool: &str| {
        let spec = with_another_server().into_iter().find(|spec| spec.name == tool).unwrap();
        let ruling = Call { spec, ..call(tool, json!({})) }.decided(&pack);
        (ruling.effect, ruling.rule)
    };
    assert_eq!(decided("example__forecast").0, Effect::Allow);
    assert_eq!(decided("example__cancel"), by(Effect::Ask, "mcp.asked"));
}

fn by(effect: Effect, rule: &str) -> (Effect, Option<String>) {
    (effect, Some(rule.to_owned()))
}

#[test]
fn the_shipped_rules_load_with_and_without_the_desk() {
    let with = shipped(&with_another_server());
    assert_eq!(with.absent().count(), 0, "a name that nothing has is a mistake");
    assert!(with.rules().iter().all(|rule| rule.examples >= 2), "{:?}", with.rules());
    let without = shipped(&tools());
    let absent: Vec<&str> = without.absent().collect();
    assert_eq!(
        absent,
        ["desk_delete_file", "desk_delete_folder", "resource:mcp", "scope:desk:delete", "scope:desk:write"]
    );
    assert_eq!(shipped(&[]).rules().len(), with.rules().len());
}

#[test]
fn hints_name_no_rule() {
    let pack = shipped(&tools_and_desk());
    let calls = [
        call("fs_read", json!({"path": ".env"})),
        call("shell", json!({"command": "premath policy promote", "workdir": "."})),
        call("desk_delete_file", json!({"id": "fil_1"})),
        call("desk_rename_file", json!({"file_id": "fil_1", "name": "b"})),
    ];
    for call in calls {
        let hint = call.decided(&pack).hint;
        assert!(!hint.is_empty());
        assert!(pack.rules().iter().all(|rule| !hint.contains(&rule.id)), "{hint}");
    }
}

#[test]
fn looking_making_and_changing_the_workspace_are_allowed() {
    let patch = "*** Begin Patch\n*** Delete File: a.md\n*** End Patch";
    for (tool, arguments, rule) in [
        ("fs_read", json!({"path": "src/main.rs"}), "allow.read"),
        ("fs_list", json!({}), "allow.read"),
        ("issue_add", json!({"title": "t"}), "allow.create"),
        ("issue_update", json!({"id": "bd-1"}), "allow.workspace"),
        ("dep_add", json!({"id": "bd-1"}), "allow.workspace"),
        ("apply_patch", json!({"patch": patch}), "allow.workspace"),
        ("shell", json!({"command": "cargo test", "workdir": "."}), "allow.shell"),
    ] {
        assert_eq!(effect(&call(tool, arguments)), by(Effect::Allow, rule), "{tool}");
    }
}

#[test]
fn what_nobody_wrote_a_rule_about_is_denied() {
    assert_eq!(effect(&call("mixed", json!({"text": "a", "maybe": null}))), (Effect::Deny, None));
}

#[test]
fn a_command_does_not_get_through_the_doors_of_people() {
    for command in [
        "premath approvals approve apr_1",
        "premath  approvals  approve apr_1",
        "/usr/bin/premath --json proposals approve prp_1",
        "cd x && premath policy promote --now",
        "premath \"tools\" \"appro\"ve w --digest srv1_1",
        "premath tools app\"\"rove w",
        "premath\ttools\tapprove w",
        "premath tools appr\\ove w",
        "pre'math' guard uninstall --format claude-code --yes",
        "cat ~/.local/state/premath/person.key",
        "cp ~/.local/state/pre''math/person'.'key x",
        "ls $XDG_STATE_HOME/premath",
    ] {
        let call = call("shell", json!({"command": command, "workdir": "."}));
        assert_eq!(effect(&call), by(Effect::Deny, "doors.decisions"), "{command}");
    }
    for command in [
        "premath approvals list",
        "premath policy show",
        "git commit -m 'approve the proposals'",
        "premath guard status",
        "printf '%s\\n' \"one\"",
    ] {
        let call = call("shell", json!({"command": command, "workdir": "."}));
        assert_eq!(effect(&call), by(Effect::Allow, "allow.shell"), "{command}");
    }
}

#[test]
fn what_a_person_made_on_the_desk_is_asked_about() {
    let rename = || call("desk_rename_file", json!({"file_id": "fil_1", "name": "b"}));
    let asked = by(Effect::Ask, "desk.write.person");
    assert_eq!(effect(&rename().on("fil_1", Origin::Person)), asked);
    assert_eq!(effect(&rename().on("fil_1", Origin::Bot).on("fil_2", Origin::Person)), asked);
    assert_eq!(effect(&rename()), asked, "what nobody looked up may be anybody's");
    assert_eq!(effect(&rename().on("fil_1", Origin::Bot)), by(Effect::Allow, "desk.write"));
}

#[test]
fn deleting_from_the_desk_is_always_asked_about() {
    for tool in ["desk_delete_file", "desk_delete_folder"] {
        for origin in [Origin::Bot, Origin::Person] {
            let call = call(tool, json!({"id": "fil_1"})).on("fil_1", origin);
            assert_eq!(effect(&call), by(Effect::Ask, "desk.delete.asked"));
        }
    }
}

#[test]
fn files_named_like_secrets_are_asked_about() {
    let secret = by(Effect::Ask, "secrets.named");
    for path in [
        ".env",
        "a/.env",
        "./.ENV",
        "a/.env/../.env",
        "k.pem",
        "id_rsa",
        "a/id_rsa.pub",
        ".netrc",
        "site.key",
        ".npmrc",
        "credentials",
        "a/credentials.json",
    ] {
        assert_eq!(effect(&call("fs_read", json!({"path": path}))), secret, "{path}");
        let search = json!({"pattern": "x", "glob": path});
        assert_eq!(effect(&call("fs_search", search)), secret, "{path}");
        let patch = call("apply_patch", json!({"patch": "p"}))
            .on("README.md", Origin::Person)
            .on(path, Origin::Person);
        assert_eq!(effect(&patch), secret, "{path}");
    }
    for path in
        ["environment.rs", ".envrc.md", "pem.rs", "keys/readme.md", "src/key.rs", "my_id_rsa", "npmrc"]
    {
        assert_eq!(effect(&call("fs_read", json!({"path": path}))).0, Effect::Allow, "{path}");
    }
}

/// Searching, commands and this rule go by one list; the rule has it in its own words.
#[test]
fn the_rule_about_secrets_names_what_searching_skips() {
    use premath_tusk::tools::{
        CREDENTIAL_FILES, SECRET_BEGINNINGS, SECRET_ENDINGS, SURROUNDINGS, names_a_secret,
    };
    let sources = RulePack::default_sources();
    let source = sources.iter().find(|source| source.text.contains("secrets.named")).unwrap();
    let mut written: Vec<&str> = source
        .text
        .split("context.names like \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let is_covered = |name: &&&str| !SECRET_BEGINNINGS.contains(name);
    let whole = CREDENTIAL_FILES.iter().chain(&SURROUNDINGS).filter(is_covered);
    let mut listed: Vec<String> = whole.map(|name| format!("*/{name}\\n*")).collect();
    listed.extend(SECRET_ENDINGS.iter().map(|end| format!("*{end}\\n*")));
    listed.extend(SECRET_BEGINNINGS.iter().map(|begin| format!("*/{begin}*")));
    written.sort_unstable();
    listed.sort_unstable();
    assert_eq!(written, listed);
    for path in
        CREDENTIAL_FILES.iter().chain(&SURROUNDINGS).chain(&["a.pem", "b.key", "id_rsa.pub", "credentials/x"])
    {
        assert!(names_a_secret(path), "{path}");
        assert_eq!(
            effect(&call("fs_read", json!({"path": path}))),
            by(Effect::Ask, "secrets.named"),
            "{path}"
        );
    }
}
