//! The tools of a model over issue memory: they change nothing, read arguments as the actions do, and fit what a model sees.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what cannot be read, or must not happen, fails the test"
)]

mod repository;
mod tool_bench;
mod vectors;

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::issues::{Applied, FileIssues, Holder, Operation, apply};
use premath_bd::{OperatorBasis, OperatorGrant, Permit};
use premath_host::{ACTIONS, Door, DoorRefusal, Host, IssueTools, MutationDoor, Workspace, issue_tools};
use premath_tusk::tools::{Catalogue, Risk, ToolFailure, ToolKind, ToolOutput};
use premath_wire::strict::{Limits, parse};
use repository::Repository;
use serde_json::{Value, json};
use tool_bench::call_with;
use vectors::Vectors;

/// A repository with a few issues: `bd-1`, on which `bd-2` waits, and `bd-3`, found on the way.
struct World {
    repository: Repository,
}

impl World {
    fn new() -> Self {
        let world = Self { repository: Repository::new() };
        world.act("workspace.init", &json!({}));
        world.act("issue.add", &json!({"title": "One", "labels": ["a", "b"], "priority": 0}));
        world.act("issue.add", &json!({"title": "Two", "dependsOn": [{"id": "bd-1"}]}));
        world.act("issue.discover", &json!({"title": "Three", "parentIssue": "bd-1", "assignee": "jo"}));
        world
    }

    fn workspace(&self) -> Workspace {
        self.repository.host(&Vectors).workspace.clone()
    }

    fn act(&self, action: &str, arguments: &Value) -> Value {
        act(&self.repository.host(&Vectors), action, arguments)
    }

    fn rows(&self) -> String {
        self.repository
            .host(&Vectors)
            .call("issue.export", &premath_kernel::Object::fields().finish())
            .unwrap()
            .payload
            .get()
            .to_owned()
    }

    fn call(&self, tool: &str, arguments: &Value) -> Result<ToolOutput, ToolFailure> {
        call_with(&catalogue(&self.workspace()), tool, arguments, 64 * 1024)
    }
}

fn act(host: &Host<'_>, action: &str, arguments: &Value) -> Value {
    let text = arguments.to_string();
    let effect = host.call(action, &parse(text.as_bytes(), Limits::default()).unwrap()).unwrap();
    serde_json::from_str(effect.payload.get()).unwrap()
}

fn catalogue(workspace: &Workspace) -> Catalogue {
    Catalogue::new(issue_tools(workspace).unwrap()).unwrap()
}

#[test]
fn each_tool_is_an_action_and_asks_exactly_where_the_action_changes() {
    let catalogue = catalogue(&World::new().workspace());
    let mut seen = BTreeSet::new();
    for spec in catalogue.specs() {
        let action = ACTIONS.iter().find(|action| action.name.replace('.', "_") == spec.name).unwrap();
        let kind = if action.door == Door::Mutation { ToolKind::Intent } else { ToolKind::Read };
        assert_eq!(spec.kind, kind, "{}", spec.name);
        assert!(action.door == Door::Read || action.door == Door::Mutation, "{}", spec.name);
        assert_eq!(spec.risk == Risk::Read, kind == ToolKind::Read, "{}", spec.name);
        let schema: Value = serde_json::from_str(spec.input_schema.as_str()).unwrap();
        assert_eq!(schema["additionalProperties"], json!(false), "{}", spec.name);
        assert!(schema["properties"].get("issues").is_none(), "{}", spec.name);
        assert!((1..=3).contains(&spec.examples.len()), "{}", spec.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{} {name}", spec.name);
        }
        seen.insert(action.name);
    }
    let expected = [
        "dep.add",
        "dep.diagnostics",
        "dep.project",
        "dep.remove",
        "dep.replace",
        "issue.add",
        "issue.blocked",
        "issue.check",
        "issue.discover",
        "issue.list",
        "issue.ready",
        "issue.show",
        "issue.update",
    ];
    assert_eq!(seen, BTreeSet::from(expected));
    let offered: Vec<String> = catalogue.offer(&[]).into_iter().map(|offer| offer.name).collect();
    let usual =
        ["dep_add", "issue_add", "issue_discover", "issue_list", "issue_ready", "issue_show", "issue_update"];
    assert_eq!(offered, usual);
}

#[test]
fn the_enumerations_of_the_schemas_are_those_of_the_store() {
    let catalogue = catalogue(&World::new().workspace());
    let tokens = |tool: &str, pointer: &str| -> Vec<String> {
        let schema = catalogue.get(tool).unwrap().spec().input_schema.clone();
        let schema: Value = serde_json::from_str(schema.as_str()).unwrap();
        schema
            .pointer(pointer)
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one.as_str().unwrap().to_owned())
            .collect()
    };
    let kinds: Vec<&str> = premath_kernel::DependencyKind::ALL.into_iter().map(|kind| kind.token()).collect();
    for (tool, pointer) in [
        ("dep_add", "/properties/type/enum"),
        ("dep_replace", "/properties/type/enum"),
        ("dep_replace", "/properties/fromType/enum"),
        ("issue_add", "/properties/dependsOn/items/properties/type/enum"),
    ] {
        assert_eq!(tokens(tool, pointer), kinds, "{tool}");
    }
    let types: Vec<&str> = premath_kernel::IssueType::ALL.into_iter().map(|kind| kind.token()).collect();
    let statuses: Vec<&str> = premath_kernel::Status::ALL.into_iter().map(|status| status.token()).collect();
    for tool in ["issue_add", "issue_update"] {
        assert_eq!(tokens(tool, "/properties/type/enum"), types, "{tool}");
        assert_eq!(tokens(tool, "/properties/status/enum"), statuses, "{tool}");
    }
}

/// Arguments of each tool that asks, for issues that are there. Later ones build on earlier ones.
fn asked() -> Vec<(&'static str, Value)> {
    vec![
        (
            "issue.add",
            json!({"title": " Four ", "dependsOn": [{"id": "bd-1", "type": "related"}], "parent": "bd-2", "labels": ["z", "y", "z"], "ephemeral": true, "notes": "n"}),
        ),
        ("issue.discover", json!({"title": "Five", "parentIssue": "bd-3", "type": "bug", "priority": 0})),
        (
            "issue.update",
            json!({"id": "bd-3", "status": "blocked", "addLabels": ["x"], "assignee": "", "appendNotes": "more"}),
        ),
        ("dep.add", json!({"id": "bd-3", "dependsOn": "bd-1"})),
        (
            "dep.replace",
            json!({"id": "bd-3", "dependsOn": "bd-1", "type": "waits-for", "fromType": "blocks"}),
        ),
        ("dep.remove", json!({"id": "bd-3", "dependsOn": "bd-1", "type": "waits-for"})),
    ]
}

fn applied(workspace: &Workspace, operation: &Operation) {
    let store = FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None));
    let permit = Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured));
    let applied = apply(&store, permit, operation, workspace.clock.as_ref()).unwrap();
    assert!(matches!(applied, Applied::Written(_)), "{operation:?}: {applied:?}");
}

#[test]
fn what_a_tool_asks_for_is_what_the_action_would_have_done_and_nothing_before_that() {
    let (through_tools, through_actions) = (World::new(), World::new());
    let mut asked_for = BTreeSet::new();
    for (action, arguments) in asked() {
        let before = through_tools.rows();
        let output = through_tools.call(&action.replace('.', "_"), &arguments).unwrap();
        assert_eq!(through_tools.rows(), before, "{action}: asking changes nothing");
        assert_eq!(output.content, "");
        assert!(
            output.note.starts_with("nothing has changed yet: once this turn is closed"),
            "{}",
            output.note
        );
        let intent = output.intent.unwrap();
        assert_eq!((intent.action, intent.change.action()), (action, action));
        let premath_bd::Change::Issues(operation) = &intent.change else { panic!("{action}: not an issue") };
        applied(&through_tools.workspace(), operation);
        through_actions.act(action, &arguments);
        assert_eq!(through_tools.rows(), through_actions.rows(), "{action}");
        asked_for.insert(action.replace('.', "_"));
    }
    let tools = catalogue(&through_tools.workspace());
    let asking = tools.specs().filter(|spec| spec.kind == ToolKind::Intent).map(|spec| spec.name.clone());
    assert_eq!(asked_for, asking.collect());
}

/// A door that must not even be knocked at.
#[derive(Debug)]
struct Untouched;

impl MutationDoor for Untouched {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        panic!("a tool asked for a permit for {action}")
    }
}

#[test]
fn no_tool_uses_the_door_of_the_workspace() {
    let world = World::new();
    let workspace = Workspace { door: Arc::new(Untouched), ..world.workspace() };
    let catalogue = catalogue(&workspace);
    let before = world.rows();
    for spec in catalogue.specs() {
        for example in &spec.examples {
            let arguments: Value = serde_json::from_str(example.as_str()).unwrap();
            let text = arguments.to_string().replace("bd-12", "bd-2").replace("bd-7", "bd-1");
            let arguments: Value = serde_json::from_str(&text).unwrap();
            let result = call_with(&catalogue, &spec.name, &arguments, 64 * 1024);
            assert!(
                result
                    .as_ref()
                    .is_ok_and(|output| output.intent.is_some() == (spec.kind == ToolKind::Intent))
                    || result.as_ref().is_err_and(|failure| failure.error_code == "issues.range"),
                "{}: {result:?}",
                spec.name
            );
        }
    }
    assert_eq!(world.rows(), before);
}

#[test]
fn an_issue_that_is_not_there_is_named_with_those_that_are_like_it() {
    let world = World::new();
    for (tool, arguments, pointer) in [
        ("issue_show", json!({"id": "bd-11"}), "/id"),
        ("dep_project", json!({"root": "bd-11"}), "/root"),
        ("issue_update", json!({"id": "bd-11", "priority": 1}), "/id"),
        ("issue_discover", json!({"parentIssue": "bd-11", "title": "t"}), "/parentIssue"),
        ("issue_add", json!({"title": "t", "parent": "bd-11"}), "/parent"),
        ("issue_add", json!({"title": "t", "dependsOn": [{"id": "bd-1"}, {"id": "bd-11"}]}), "/dependsOn"),
        ("dep_add", json!({"id": "bd-11", "dependsOn": "bd-1"}), "/id"),
        ("dep_add", json!({"id": "bd-1", "dependsOn": "bd-11"}), "/dependsOn"),
        ("dep_remove", json!({"id": "bd-11", "dependsOn": "bd-1"}), "/id"),
        ("dep_replace", json!({"id": "bd-11", "dependsOn": "bd-1", "type": "related"}), "/id"),
    ] {
        let failure = world.call(tool, &arguments).unwrap_err();
        assert_eq!(
            (failure.error_code, failure.pointers.as_slice()),
            ("issue_not_found", &[pointer.to_owned()][..])
        );
        assert_eq!(failure.closest_matches[0], "bd-1", "{tool}");
    }
    world.call("dep_remove", &json!({"id": "bd-1", "dependsOn": "gone"})).unwrap();
}

#[test]
fn what_the_schema_cannot_say_is_refused_with_a_pointer_all_the_same() {
    let world = World::new();
    for (tool, arguments, pointer) in [
        ("issue_add", json!({"title": "two\nlines"}), "/title"),
        ("issue_add", json!({"title": "t", "labels": ["a\u{7}b"]}), "/labels"),
        ("issue_update", json!({"id": "bd\u{1}1", "priority": 1}), "/id"),
        ("issue_add", json!({"title": "t", "issues": "/etc/passwd"}), "/issues"),
        ("issue_show", json!({"id": "bd-1", "issues": "other.jsonl"}), "/issues"),
        ("issue_update", json!({"id": "bd-1"}), ""),
    ] {
        let failure = world.call(tool, &arguments).unwrap_err();
        assert_eq!(
            (failure.error_code, failure.pointers.as_slice()),
            ("tool.schema_invalid", &[pointer.to_owned()][..]),
            "{tool}"
        );
    }
}

#[test]
fn a_run_shows_the_lease_of_its_own_issue_and_a_model_shows_none() {
    let world = World::new();
    let lease = Holder { owner: Some("jo".to_owned()), lease_id: Some("mine".to_owned()), fence: Some(4) };
    let tools = IssueTools::new(&world.workspace()).holding("bd-1", lease.clone()).tools().unwrap();
    let catalogue = Catalogue::new(tools).unwrap();
    let holder = |tool: &str, arguments: Value| {
        let intent = call_with(&catalogue, tool, &arguments, 1024).unwrap().intent.unwrap();
        let premath_bd::Change::Issues(operation) = intent.change else { panic!("{tool}: not an issue") };
        match operation {
            Operation::Update { holder, .. }
            | Operation::LeaseRenew { holder, .. }
            | Operation::LeaseRelease { holder, .. }
            | Operation::DependencyAdd { holder, .. }
            | Operation::DependencyRemove { holder, .. }
            | Operation::DependencyReplace { holder, .. } => holder,
            Operation::Add { .. }
            | Operation::Discover { .. }
            | Operation::Claim { .. }
            | Operation::ClaimNext { .. } => panic!("{tool} has no holder"),
        }
    };
    for (tool, mut arguments) in [
        ("issue_update", json!({"status": "closed"})),
        ("dep_add", json!({"dependsOn": "bd-2"})),
        ("dep_remove", json!({"dependsOn": "bd-2"})),
        ("dep_replace", json!({"dependsOn": "bd-2", "type": "related"})),
    ] {
        arguments["id"] = json!("bd-1");
        assert_eq!(holder(tool, arguments.clone()), lease, "{tool}");
        for (name, value) in [("leaseOwner", json!("bob")), ("leaseId", json!("x")), ("fence", json!(9))] {
            let mut arguments = arguments.clone();
            arguments[name] = value;
            let failure = call_with(&catalogue, tool, &arguments, 1024).unwrap_err();
            assert_eq!(failure.error_code, "tool.schema_invalid", "{tool}: {name}");
        }
        arguments["id"] = json!("bd-3");
        assert_eq!(holder(tool, arguments), Holder::default(), "{tool}: another issue");
    }
}

#[test]
fn listings_are_one_line_an_issue_and_page_to_the_last_within_any_budget() {
    let world = World::new();
    let output = world.call("issue_list", &json!({})).unwrap();
    let lines: Vec<&str> = output.content.lines().collect();
    assert_eq!(
        lines,
        [
            "bd-1\topen\tP0\ttask\tOne\tlabels a, b",
            "bd-2\topen\tP2\ttask\tTwo",
            "bd-3\topen\tP2\ttask\tThree\tassignee jo",
        ]
    );
    assert_eq!(world.call("issue_ready", &json!({})).unwrap().content.lines().count(), 2);
    let blocked = world.call("issue_blocked", &json!({})).unwrap();
    assert_eq!(blocked.content, "bd-2\topen\tP2\ttask\tTwo\tbecause `bd-1` is not done\n");
    for number in 0..60 {
        world.act(
            "issue.add",
            &json!({"title": format!("Issue {number} \u{e4}"), "description": "x".repeat(500)}),
        );
    }
    let catalogue = catalogue(&world.workspace());
    for (budget, limit) in [(300, 50), (1000, 7), (64 * 1024, 10), (200, 1)] {
        let (mut ids, mut offset) = (Vec::new(), 0);
        loop {
            let arguments = json!({"limit": limit, "offset": offset});
            let output = call_with(&catalogue, "issue_list", &arguments, budget).unwrap();
            assert!(output.content.len() <= budget);
            let page: Vec<String> =
                output.content.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect();
            ids.extend(page);
            let Some((_, next)) = output.note.split_once("go on with `offset`: ") else { break };
            let next = next.split(',').next().unwrap().parse().unwrap();
            assert!(next > offset, "{}", output.note);
            offset = next;
        }
        let all: Vec<String> = (1..=63).map(|number| format!("bd-{number}")).collect();
        assert_eq!(ids, all, "budget {budget}, limit {limit}");
    }
}

#[test]
fn an_issue_is_shown_whole_page_by_page() {
    let world = World::new();
    let notes = "\u{e4}\u{20ac} and so on\n".repeat(3000);
    world.act("issue.update", &json!({"id": "bd-1", "notes": notes}));
    let catalogue = catalogue(&world.workspace());
    let (mut text, mut arguments) = (String::new(), json!({"id": "bd-1"}));
    loop {
        let output = call_with(&catalogue, "issue_show", &arguments, 1000).unwrap();
        assert!(output.content.len() <= 1000);
        text.push_str(&output.content);
        let Some((_, next)) = output.note.split_once("read on with issue_show ") else { break };
        arguments = serde_json::from_str(next).unwrap();
    }
    let card: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(card["issue"]["notes"], json!(notes.trim()));
    assert_eq!(card["dependents"][0]["id"], "bd-2");
    assert!(card.get("issuesPath").is_none(), "nothing about the machine");
}

#[test]
fn reports_say_what_is_wrong_with_the_graph() {
    let world = World::new();
    let output = world.call("dep_diagnostics", &json!({})).unwrap();
    assert_eq!(output.content, "");
    assert!(
        output.note.starts_with("3 issues, 1 blocking dependencies, 1 held back, 0 cycles"),
        "{}",
        output.note
    );
    let output = world.call("dep_project", &json!({"root": "bd-1"})).unwrap();
    assert_eq!(
        output.content,
        "bd-1\topen\tP0\ttask\tOne\tready\nbd-2\topen\tP2\ttask\tTwo\nbd-2 -> bd-1 (blocks)\n"
    );
    let output = world.call("issue_check", &json!({})).unwrap();
    assert!(output.content.lines().any(|line| line.contains("\tbd-1\t")), "{}", output.content);
}

#[test]
fn without_issue_memory_every_tool_says_so() {
    let repository = Repository::new();
    let workspace = repository.host(&Vectors).workspace.clone();
    let catalogue = catalogue(&workspace);
    for (tool, arguments) in [
        ("issue_list", json!({})),
        ("issue_show", json!({"id": "bd-1"})),
        ("issue_update", json!({"id": "bd-1", "priority": 1})),
    ] {
        let failure = call_with(&catalogue, tool, &arguments, 1024).unwrap_err();
        assert_eq!((failure.error_code, failure.retryable), ("issues.missing", false), "{tool}");
        assert!(!failure.message.contains("project"), "no path of the machine: {}", failure.message);
    }
}
