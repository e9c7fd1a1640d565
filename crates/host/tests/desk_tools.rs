//! The tools of a model over the desk: they change nothing, fit what a model sees, say who is meant by name, and refuse at
//! once what the desk would refuse.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what cannot be read, or must not happen, fails the test"
)]

mod tool_bench;

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::desk::{Applied, Desk, Item, Operation, Panel};
use premath_bd::{
    Change, Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, OsDisk, Permit, Redactor,
};
use premath_host::{DeskTools, DoorRefusal, MutationDoor, Settings, Workspace, open_desk};
use premath_kernel::Moment;
use premath_testkit::{CountingIds, TestClock};
use premath_tusk::policy::Origin;
use premath_tusk::tools::{Catalogue, Risk, ToolFailure, ToolKind, ToolOutput, built_in};
use serde_json::{Value, json};
use tool_bench::{call_with, with_tool};

/// Nobody stands at this door: no tool may come through it.
#[derive(Debug)]
struct Shut;

impl MutationDoor for Shut {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        panic!("a tool came through the door for {action}")
    }
}

struct World {
    workspace: Workspace,
    folder: tempfile::TempDir,
}

impl World {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        premath_bd::Disk::create_folder(&OsDisk, &folder.path().join(".premath")).unwrap();
        let workspace = Workspace {
            disk: Arc::new(OsDisk),
            clock: Arc::new(TestClock::at(Moment::new(1_800_000_000, 0).unwrap())),
            ids: Arc::new(CountingIds::new("id")),
            root: folder.path().to_owned(),
            door: Arc::new(Shut),
            settings: Settings::default(),
            redactor: Redactor::default(),
            retention: premath_host::Retention::default(),
            receipts: premath_bd::AuditReceipts::default(),
        };
        Self { workspace, folder }
    }

    fn desk(&self) -> Desk {
        open_desk(&self.workspace).unwrap()
    }

    fn catalogue(&self) -> Catalogue {
        let tools = DeskTools::new(&self.workspace, "run-1").tools().unwrap();
        Catalogue::new(tools.into_iter().chain(built_in().unwrap())).unwrap()
    }

    fn call(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ToolFailure> {
        call_with(&self.catalogue(), tool, arguments, 4096)
    }

    fn answer(&self, tool: &str, arguments: &Value) -> Value {
        serde_json::from_str(&self.call(tool, arguments).unwrap().content).unwrap()
    }

    /// Makes a change, as a person.
    fn done(&self, operation: &Operation) -> Item {
        let permit = Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured));
        match self.desk().apply(permit, operation, "jo").unwrap() {
            Applied::Written(written) => written.item,
            other @ (Applied::Repeated(_) | Applied::Refused(_)) => panic!("{other:?}"),
        }
    }

    fn text(&self, name: &str, content: &str) -> String {
        let create =
            Operation::CreateMarkdown { name: name.to_owned(), folder: None, content: content.to_owned() };
        self.done(&create).id().to_owned()
    }

    /// What a tool asks for, made as a person.
    fn asked(&self, tool: &str, arguments: &Value) -> Item {
        let output = self.call(tool, arguments).unwrap();
        match output.intent.unwrap().change {
            Change::Desk(operation) => self.done(&operation),
            other @ (Change::Issues(_) | Change::Propose(_)) => panic!("{other:?}"),
        }
    }
}

/// Seed: 003 §1/2
#[test]
fn the_tools_are_those_of_the_table_in_its_order() {
    let world = World::empty();
    let tools = DeskTools::new(&world.workspace, "run-1").tools().unwrap();
    let found: Vec<_> = tools
        .iter()
        .map(|tool| {
            let spec = tool.spec();
            (spec.name.as_str(), spec.scope.as_str(), spec.risk, spec.kind)
        })
        .collect();
    use {Risk as R, ToolKind as K};
    let expected = [
        ("desk_list_files", "desk:read", R::Read, K::Read),
        ("desk_read_file", "desk:read", R::Read, K::Read),
        ("desk_file_tree", "desk:read", R::Read, K::Read),
        ("desk_search_files", "desk:read", R::Read, K::Read),
        ("desk_get_open_panels", "desk:read", R::Read, K::Read),
        ("desk_update_cells", "desk:write", R::Write, K::Intent),
        ("desk_rename_file", "desk:write", R::Write, K::Intent),
        ("desk_update_markdown", "desk:write", R::Write, K::Intent),
        ("desk_create_spreadsheet", "desk:create", R::Create, K::Intent),
        ("desk_create_markdown", "desk:create", R::Create, K::Intent),
        ("desk_delete_file", "desk:delete", R::Destructive, K::Intent),
        ("desk_delete_folder", "desk:delete", R::Destructive, K::Intent),
        ("desk_propose_plan", "desk:plan", R::Read, K::Intent),
    ];
    assert_eq!(found, expected);
    for tool in &tools {
        let spec = tool.spec();
        let schema: Value = serde_json::from_str(spec.input_schema.as_str()).unwrap();
        assert_eq!(schema["additionalProperties"], json!(false), "{}", spec.name);
        for name in ["user", "user_id", "userId", "confirmed", "approval"] {
            assert!(schema["properties"].get(name).is_none(), "{} takes {name}", spec.name);
        }
    }
    // The examples of every tool are ones that it takes.
    Catalogue::new(tools).unwrap();
}

/// Seed: 003 §1/1, 003 §1/2, 003 §3/2, 003 §5/1
#[test]
fn scopes_give_what_the_table_says() {
    let world = World::empty();
    let given = |scopes: &[&str]| {
        let scopes: BTreeSet<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let tools = DeskTools::new(&world.workspace, "run-1").granted(&scopes).unwrap();
        tools.iter().map(|tool| tool.spec().name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(given(&[]), Vec::<String>::new());
    assert_eq!(given(&["desk:plan"]), Vec::<String>::new(), "nobody grants a plan by itself");
    assert_eq!(given(&["issues:write"]), Vec::<String>::new());
    assert_eq!(given(&["desk:read"]).len(), 5);
    assert!(!given(&["desk:read"]).contains(&"desk_propose_plan".to_owned()));
    for (scope, more) in [("desk:write", 3), ("desk:create", 2), ("desk:delete", 2)] {
        let tools = given(&[scope]);
        assert_eq!(tools.len(), 5 + more + 1, "{scope}");
        assert_eq!(tools.last().unwrap(), "desk_propose_plan");
    }
    assert_eq!(given(&["desk:write", "desk:create", "desk:delete", "desk:read"]).len(), 13);
}

#[test]
fn without_a_desk_there_is_nothing_to_see_and_looking_makes_none() {
    let world = World::empty();
    assert_eq!(
        world.answer("desk_list_files", &json!({})),
        json!({"files": [], "nextCursor": null, "total": 0})
    );
    assert_eq!(world.answer("desk_file_tree", &json!({})), json!({"ids": {}, "tree": ""}));
    assert_eq!(world.answer("desk_search_files", &json!({"query": "x"})), json!({"matches": []}));
    assert_eq!(world.answer("desk_get_open_panels", &json!({})), json!({"panels": []}));
    let missing = world.call("desk_read_file", &json!({"file_id": "fil_1"})).unwrap_err();
    assert_eq!(missing.error_code, "desk_not_found");
    let create = json!({"name": "a.md", "content": "x"});
    assert!(world.call("desk_create_markdown", &create).unwrap().intent.is_some());
    assert!(!world.folder.path().join(".premath/desk.db").exists());
}

#[test]
fn a_long_document_is_read_to_its_last_line() {
    let world = World::empty();
    let mut text: String =
        (0..1500).map(|line| format!("{line}: a \"line\" of text, with ümlauts\n")).collect();
    text.push_str("the very last line");
    assert!(text.len() > 50_000);
    let id = world.text("long.md", &text);
    let mut whole = String::new();
    let mut next = json!(0);
    let mut pages = 0;
    while !next.is_null() {
        let output = world.call("desk_read_file", &json!({"file_id": id, "offset": next})).unwrap();
        assert!(output.content.len() <= 4096, "{}", output.content.len());
        let answer: Value = serde_json::from_str(&output.content).unwrap();
        assert_eq!(answer["file"]["version"], json!(1));
        whole.push_str(answer["content"].as_str().unwrap());
        next = answer["nextOffset"].clone();
        assert_eq!(output.note.contains("read on"), !next.is_null());
        assert_eq!(output.extent.is_cut, !next.is_null());
        pages += 1;
    }
    assert_eq!(whole, text);
    assert!(pages > 12);
    let end = world.answer("desk_read_file", &json!({"file_id": id, "offset": -18}));
    assert_eq!((&end["content"], &end["nextOffset"]), (&json!("the very last line"), &Value::Null));
    let beyond = world.call("desk_read_file", &json!({"file_id": id, "offset": 10_000_000})).unwrap_err();
    assert_eq!(beyond.pointers, ["/offset"]);
}

#[test]
fn a_range_of_a_sheet_is_read_by_its_corners() {
    let world = World::empty();
    let cells: serde_json::Map<_, _> = ["A1", "B2", "C3", "Z9", "AA2"]
        .into_iter()
        .map(|cell| (cell.to_owned(), json!({"value": cell})))
        .collect();
    let sheet = world.asked("desk_create_spreadsheet", &json!({"name": "sheet", "cells": cells}));
    let read = |range: &str| {
        let answer = world.answer("desk_read_file", &json!({"file_id": sheet.id(), "range": range}));
        let cells: Value = serde_json::from_str(answer["content"].as_str().unwrap()).unwrap();
        cells.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(read("A1:B2"), ["A1", "B2"]);
    assert_eq!(read("C3:B2"), ["B2", "C3"]);
    assert_eq!(read("Z1:AB9"), ["AA2", "Z9"]);
    assert_eq!(read("D4"), Vec::<String>::new());
    let text = world.text("a.md", "x");
    assert!(world.call("desk_read_file", &json!({"file_id": text, "range": "A1"})).is_err());
}

#[test]
fn lists_and_searches_fit_and_reach_everything() {
    let world = World::empty();
    let ids: Vec<String> =
        (0..120).map(|n| world.text(&format!("report {n}.md"), "about the budget")).collect();
    let mut seen = Vec::new();
    let mut arguments = json!({"file_type": "markdown"});
    loop {
        let output = call_with(&world.catalogue(), "desk_list_files", &arguments, 1000).unwrap();
        assert!(output.content.len() <= 1000);
        let answer: Value = serde_json::from_str(&output.content).unwrap();
        assert_eq!(answer["total"], json!(120));
        seen.extend(
            answer["files"].as_array().unwrap().iter().map(|file| file["id"].as_str().unwrap().to_owned()),
        );
        if answer["nextCursor"].is_null() {
            break;
        }
        arguments["cursor"] = answer["nextCursor"].clone();
    }
    assert_eq!(seen, ids);
    let found = call_with(&world.catalogue(), "desk_search_files", &json!({"query": "budget"}), 600).unwrap();
    assert!(found.content.len() <= 600 && found.note.contains("the best"), "{}", found.note);
    assert!(world.call("desk_list_files", &json!({"cursor": "fil_nobody"})).is_err());
}

#[test]
fn asking_changes_nothing_and_says_what_would_come() {
    let world = World::empty();
    let id = world.text("plan.md", "meet on Monday\n");
    let patch = json!({"file_id": id, "version": 1, "patch": [{"old": "Monday", "new": "Friday"}]});
    let output = world.call("desk_update_markdown", &patch).unwrap();
    assert!(output.note.starts_with("nothing has changed yet"), "{}", output.note);
    let answer: Value = serde_json::from_str(&output.content).unwrap();
    let effects: Vec<_> = answer["effects"].as_array().unwrap().iter().map(|one| &one["effect"]).collect();
    assert_eq!(effects, ["refresh_file", "tab_indicator"]);
    assert_eq!(world.desk().read_file(&id, None).unwrap().unwrap().content, "meet on Monday\n");
    world.asked("desk_update_markdown", &patch);
    assert_eq!(world.desk().read_file(&id, None).unwrap().unwrap().content, "meet on Friday\n");

    // What the desk would refuse is refused at once.
    let code = |tool: &str, arguments: Value| world.call(tool, &arguments).unwrap_err().error_code;
    assert_eq!(code("desk_update_markdown", patch), "desk_version_stale");
    let fresh = |member: &str, value: Value| json!({"file_id": id, "version": 2, member: value});
    assert_eq!(
        code("desk_update_markdown", fresh("patch", json!([{"old": "Sunday", "new": ""}]))),
        "desk_patch_mismatch"
    );
    assert_eq!(code("desk_update_markdown", json!({"file_id": id, "version": 2})), "tool.schema_invalid");
    let both = json!({"file_id": id, "version": 2, "content": "x", "patch": [{"old": "a", "new": "b"}]});
    assert_eq!(code("desk_update_markdown", both), "tool.schema_invalid");
    assert_eq!(
        code("desk_update_markdown", fresh("content", json!("x".repeat(50_001)))),
        "tool.schema_invalid"
    );
    assert_eq!(
        code("desk_update_cells", fresh("updates", json!([{"cell": "A1", "value": 1}]))),
        "desk_invalid"
    );
    assert_eq!(code("desk_create_markdown", json!({"name": "a\nb", "content": ""})), "desk_invalid");
    world.asked("desk_delete_file", &json!({"id": id}));
    assert_eq!(code("desk_rename_file", json!({"file_id": id, "name": "x"})), "desk_deleted");
}

#[test]
fn a_name_in_the_place_of_an_id_is_understood_and_not_taken() {
    let world = World::empty();
    let id = world.text("budget.md", "x");
    let failure = world.call("desk_delete_file", &json!({"id": "budget.md"})).unwrap_err();
    assert_eq!(failure.error_code, "desk_not_found");
    assert_eq!(failure.pointers, ["/id"]);
    assert_eq!(failure.closest_matches, [format!("{id} `budget.md`")]);
}

#[test]
fn policy_is_told_who_is_meant_by_name_and_whose_it_is() {
    let world = World::empty();
    let folder = world.done(&Operation::CreateFolder { name: "Reports".to_owned(), parent: None });
    let inside = Operation::CreateMarkdown {
        name: "q1.md".to_owned(),
        folder: Some(folder.id().to_owned()),
        content: String::new(),
    };
    let file = world.done(&inside);
    let targets = |tool: &str, arguments: Value| {
        with_tool(&world.catalogue(), tool, &arguments, |tool, arguments, context| {
            tool.targets(arguments, context)
        })
    };
    let delete = targets("desk_delete_file", json!({"id": file.id()})).unwrap();
    assert_eq!(delete.len(), 1);
    assert_eq!((delete[0].kind.as_str(), delete[0].name.as_str()), ("desk_file", "q1.md"));
    assert_eq!((delete[0].id.as_str(), delete[0].origin), (file.id(), Origin::Person));
    let whole = targets("desk_delete_folder", json!({"id": folder.id()})).unwrap();
    assert_eq!(whole[0].name, "Reports (1 file)");
    assert_eq!(targets("desk_create_markdown", json!({"name": "x", "content": ""})).unwrap(), []);
    assert!(targets("desk_delete_file", json!({"id": "fil_none"})).is_err());
}

/// Seed: 003 §5/3
#[test]
fn the_person_who_is_asked_sees_a_diff() {
    let world = World::empty();
    let id = world.text("plan.md", "one\ntwo\nthree\n");
    let preview = |tool: &str, arguments: Value| {
        let seen = with_tool(&world.catalogue(), tool, &arguments, |tool, arguments, context| {
            tool.preview(arguments, context)
        });
        seen.unwrap().unwrap_or_default()
    };
    let update = json!({"file_id": id, "version": 1, "patch": [{"old": "two", "new": "2"}]});
    let diff = preview("desk_update_markdown", update);
    assert_eq!(diff, "--- a/plan.md\n+++ b/plan.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    let diff = preview("desk_delete_file", json!({"id": id}));
    assert!(diff.starts_with("--- a/plan.md\n+++ /dev/null\n") && diff.contains("-three"), "{diff}");
    let renamed = preview("desk_rename_file", json!({"file_id": id, "name": "list.md"}));
    assert_eq!(renamed, "rename plan.md\nto     list.md\n");
    let sheet = world.asked(
        "desk_create_spreadsheet",
        &json!({"name": "sheet", "cells": {"A1": {"value": 1, "format": "0.0"}, "B1": {"value": 2}}}),
    );
    let cells = json!({"file_id": sheet.id(), "version": 1, "updates": [{"cell": "A1", "value": 9}]});
    let diff = preview("desk_update_cells", cells);
    assert!(
        diff.contains("-A1 {\"format\":\"0.0\",\"value\":1}\n+A1 {\"format\":\"0.0\",\"value\":9}\n"),
        "{diff}"
    );
    assert_eq!(world.desk().read_file(&id, None).unwrap().unwrap().file.version, 1);
}

#[test]
fn the_preview_of_a_folder_is_another_one_when_any_of_its_files_is() {
    let world = World::empty();
    let folder = world.done(&Operation::CreateFolder { name: "Drafts".to_owned(), parent: None });
    let file = |number: usize| Operation::CreateMarkdown {
        name: format!("{number}.md"),
        folder: Some(folder.id().to_owned()),
        content: String::new(),
    };
    let files: Vec<_> = (0..21).map(|number| world.done(&file(number))).collect();
    let preview = || {
        let arguments = json!({"id": folder.id()});
        let seen =
            with_tool(&world.catalogue(), "desk_delete_folder", &arguments, |tool, arguments, context| {
                tool.preview(arguments, context)
            });
        seen.unwrap().unwrap()
    };
    let before = preview();
    assert!(before.starts_with("delete folder Drafts with 21 files\n"), "{before}");
    assert_eq!(before.matches(".md (version 1)\n").count(), 20, "{before}");
    assert!(before.contains("  and 1 more\n"), "{before}");
    for item in files {
        let before = preview();
        let name = format!("other {}", item.name());
        world.done(&Operation::RenameFile { file: item.id().to_owned(), name, version: None });
        assert_ne!(preview(), before, "{}", item.name());
    }
}

#[expect(clippy::needless_pass_by_value, reason = "arguments are written where they are given")]
fn step(tool: &str, args: Value) -> Value {
    json!({"tool": tool, "args": args, "rationale": "because"})
}

fn plan(steps: &[Value]) -> Value {
    json!({"goal": "tidy up", "steps": steps, "rollback": "restore them"})
}

#[test]
fn a_plan_shows_names_and_what_would_take_it_back() {
    let world = World::empty();
    let ids: Vec<_> = ["a.md", "b.md", "c.md"].into_iter().map(|name| world.text(name, "x")).collect();
    let steps: Vec<_> = ids.iter().map(|id| step("desk_delete_file", json!({"id": id}))).collect();
    let output = world.call("desk_propose_plan", &plan(&steps)).unwrap();
    let answer: Value = serde_json::from_str(&output.content).unwrap();
    assert_eq!(answer["steps"][2], json!({"n": 3, "targets": ["c.md"], "tool": "desk_delete_file"}));
    let Change::Propose(draft) = output.intent.unwrap().change else { panic!("no proposal") };
    assert_eq!(draft.run_id, "run-1");
    let names: Vec<_> = draft.steps.iter().map(|step| step.targets[0].name.as_str()).collect();
    assert_eq!(names, ["a.md", "b.md", "c.md"]);
    let compensation =
        String::from_utf8(premath_kernel::encode(draft.steps[0].compensation.as_ref().unwrap())).unwrap();
    assert_eq!(compensation, format!(r#"{{"action":"desk.restore_file","args":{{"file":"{}"}}}}"#, ids[0]));
    assert_eq!(world.desk().list(None, None, 9).unwrap().unwrap().total, 3, "a plan is not carried out");
}

#[test]
fn a_plan_changes_each_thing_once() {
    let world = World::empty();
    let folder = world.done(&Operation::CreateFolder { name: "Drafts".to_owned(), parent: None });
    let inside = world.done(&Operation::CreateMarkdown {
        name: "in.md".to_owned(),
        folder: Some(folder.id().to_owned()),
        content: String::new(),
    });
    let id = world.text("a.md", "x");
    let rename = |id: &str| step("desk_rename_file", json!({"file_id": id, "name": "b.md"}));
    let delete = |id: &str| step("desk_delete_file", json!({"id": id}));
    let whole = step("desk_delete_folder", json!({"id": folder.id()}));
    for twice in
        [[rename(&id), delete(&id)], [delete(inside.id()), whole.clone()], [whole, rename(inside.id())]]
    {
        let failure = world.call("desk_propose_plan", &plan(&twice)).unwrap_err();
        assert!(failure.message.starts_with("steps 1 and 2 both change"), "{}", failure.message);
        assert_eq!(failure.pointers, ["/steps/1/args"]);
    }
    world.call("desk_propose_plan", &plan(&[rename(&id), delete(inside.id())])).unwrap();
}

#[test]
fn what_a_step_would_do_is_known_again_and_its_preview_is_kept() {
    let world = World::empty();
    let id = world.text("a.md", "one\n");
    let proposed = || {
        let steps = [step("desk_delete_file", json!({"id": id}))];
        let output = world.call("desk_propose_plan", &plan(&steps)).unwrap();
        let Change::Propose(mut draft) = output.intent.unwrap().change else { panic!("no proposal") };
        draft.steps.remove(0)
    };
    let first = proposed();
    assert_eq!(first.preview.as_deref(), Some("--- a/a.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n"));
    assert_eq!(proposed(), first);
    world.done(&Operation::RenameFile { file: id.clone(), name: "z.md".to_owned(), version: None });
    let renamed = proposed();
    assert_ne!(renamed.shown, first.shown);
    world.done(&Operation::RenameFile { file: id.clone(), name: "a.md".to_owned(), version: None });
    assert_ne!(proposed().shown, first.shown, "another version of the same name and content");
}

#[test]
fn a_plan_that_would_not_run_is_no_plan_and_the_step_is_named() {
    let world = World::empty();
    let id = world.text("a.md", "x");
    let good = step("desk_delete_file", json!({"id": id}));
    let cases = [
        (step("desk_delete_file", json!({"id": "fil_none"})), "desk_not_found", "/steps/1/args/id"),
        (step("desk_delete_file", json!({})), "tool.schema_invalid", "/steps/1/args/id"),
        (
            step("desk_delete_file", json!({"id": id, "confirmed": true})),
            "tool.schema_invalid",
            "/steps/1/args/confirmed",
        ),
        (step("desk_shred_file", json!({"file_id": id})), "tool.unknown_or_disallowed", "/steps/1/tool"),
        (step("issue_update", json!({"id": "bd-1"})), "tool.unknown_or_disallowed", "/steps/1/tool"),
        (step("desk_read_file", json!({"file_id": id})), "tool.schema_invalid", "/steps/1/args"),
        (step("shell", json!({"command": "true", "workdir": "."})), "tool.schema_invalid", "/steps/1/args"),
        (
            step("desk_propose_plan", plan(std::slice::from_ref(&good))),
            "tool.schema_invalid",
            "/steps/1/args",
        ),
        (
            step("desk_update_markdown", json!({"file_id": id, "version": 7, "content": ""})),
            "desk_version_stale",
            "/steps/1/args",
        ),
    ];
    for (wrong, code, pointer) in cases {
        let failure = world.call("desk_propose_plan", &plan(&[good.clone(), wrong.clone()])).unwrap_err();
        assert_eq!(failure.error_code, code, "{wrong}");
        assert!(failure.message.starts_with("step 2 ("), "{}", failure.message);
        assert_eq!(failure.pointers, [pointer], "{wrong}");
    }
    assert_eq!(world.call("desk_propose_plan", &plan(&[])).unwrap_err().error_code, "tool.schema_invalid");
    // A tool that was not granted is not there for a plan either.
    let few = Catalogue::new(
        DeskTools::new(&world.workspace, "run-1")
            .granted(&BTreeSet::from(["desk:write".to_owned()]))
            .unwrap(),
    )
    .unwrap();
    let failure = call_with(&few, "desk_propose_plan", &plan(&[good]), 4096).unwrap_err();
    assert_eq!(failure.error_code, "tool.unknown_or_disallowed");
}

#[test]
fn open_panels_and_the_tree_are_shown() {
    let world = World::empty();
    let folder = world.done(&Operation::CreateFolder { name: "Notes".to_owned(), parent: None });
    let id = world.text("top.md", "x");
    let inside = Operation::CreateMarkdown {
        name: "in.md".to_owned(),
        folder: Some(folder.id().to_owned()),
        content: String::new(),
    };
    let inside = world.done(&inside);
    let panel = Panel {
        panel_id: "p1".to_owned(),
        file_id: id.clone(),
        label: "top".to_owned(),
        is_focused: true,
        is_pinned: false,
    };
    world.desk().set_panels(MaintenanceGrant::new(Maintenance::Record), &[panel]).unwrap().unwrap();
    let panels = world.answer("desk_get_open_panels", &json!({}));
    assert_eq!(
        panels["panels"][0],
        json!({"panelId": "p1", "fileId": id, "fileType": "markdown", "label": "top", "focused": true, "pinned": false})
    );
    let tree = world.answer("desk_file_tree", &json!({}));
    assert_eq!(tree["tree"], json!("Notes/ [1]\n  in.md [2]\ntop.md [3]\n"));
    assert_eq!(tree["ids"], json!({"1": folder.id(), "2": inside.id(), "3": id}));
}

#[test]
fn a_search_over_texts_gives_citations_and_stands_before_the_plan() {
    let world = World::empty();
    world.text("lease.md", "# Terms\nThe rent is due on the first day of each month.\n");
    let retrieval = Arc::new(premath_host::Retrieval::default());
    let tools = DeskTools::new(&world.workspace, "run-1").with_retrieval(retrieval).tools().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.clone()).collect();
    assert_eq!(names[names.len() - 2..], ["retrieval_search", "desk_propose_plan"]);
    let catalogue = Catalogue::new(tools).unwrap();
    let output = call_with(&catalogue, "retrieval_search", &json!({"query": "rent due"}), 4096).unwrap();
    let answer: Value = serde_json::from_str(&output.content).unwrap();
    let chunk = &answer["chunks"][0];
    assert!(chunk["cite"].as_str().unwrap().starts_with("[c:"), "{chunk}");
    assert_eq!((&chunk["name"], &chunk["version"]), (&json!("lease.md"), &json!(1)));
    let text = chunk["text"].as_str().unwrap();
    assert_eq!(chunk["digest"], json!(premath_kernel::Digest::of_bytes(text.as_bytes()).as_str()));
    assert_eq!(
        answer["pipeline"][2],
        json!({"stage": "embed", "state": "skipped", "detail": "no endpoint is configured"})
    );
    let none = call_with(&catalogue, "retrieval_search", &json!({"query": "zebra"}), 4096).unwrap();
    assert_eq!(none.note, "nothing was found");
}
