//! Arguments against schemas, and the catalogue: what is refused, with a pointer, and what a call spec is given.

#![expect(clippy::unwrap_used, reason = "a mutant that cannot be made must fail the test")]
#![expect(clippy::disallowed_methods, reason = "`PREMATH_PROVE` asks for the long form")]

mod workbench;

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_kernel::{Digest, PolicyKind, Refusal, Strictness, assess};
use premath_testkit::{BrokenArguments, broken_arguments};
use premath_tusk::JsonText;
use premath_tusk::tools::files::MemoryFiles;
use premath_tusk::tools::{
    Arguments, Caller, Catalogue, CatalogueError, Risk, SchemaError, Tool, ToolContext, ToolFailure,
    ToolKind, ToolOutput, ToolSpec, built_in,
};
use premath_wire::v1::JoinCheck;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use workbench::Bench;

/// A tool that is nothing but its definition.
#[derive(Debug)]
struct Defined(ToolSpec);

impl Tool for Defined {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::default())
    }
}

fn spec(name: &str, schema: &Value) -> ToolSpec {
    ToolSpec::new(name, "test:try", "A tool.", &schema.to_string(), &[]).unwrap()
}

fn catalogue(specs: impl IntoIterator<Item = ToolSpec>) -> Result<Catalogue, CatalogueError> {
    Catalogue::new(specs.into_iter().map(|spec| Arc::new(Defined(spec)) as Arc<dyn Tool>))
}

fn built_in_catalogue() -> Catalogue {
    Catalogue::new(built_in().unwrap()).unwrap()
}

/// A tool's examples, broken at every place.
fn mutants(spec: &ToolSpec, runner: &mut TestRunner) -> Vec<BrokenArguments> {
    let read = |text: &JsonText| serde_json::from_str(text.as_str()).unwrap();
    let examples: Vec<Value> = spec.examples.iter().map(read).collect();
    broken_arguments(&read(&spec.input_schema), &examples, runner)
}

/// Seed: 001 §3/2, 001 §4.2/4
#[test]
fn every_broken_argument_of_every_built_in_tool_is_refused_with_a_pointer() {
    let wanted = if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { 20_000 } else { 1000 };
    let catalogue = built_in_catalogue();
    let mut runner = TestRunner::deterministic();
    let mut tried = 0;
    while tried < wanted {
        for spec in catalogue.specs() {
            for mutant in mutants(spec, &mut runner) {
                let arguments = JsonText::new(mutant.arguments.to_string()).unwrap();
                let failure = catalogue.resolve(&spec.name, &arguments).unwrap_err();
                assert_eq!(failure.error_code, "tool.schema_invalid");
                assert!(
                    failure.pointers.contains(&mutant.pointer),
                    "{}: {mutant:?} gave {:?}",
                    spec.name,
                    failure.pointers
                );
                assert!(failure.message.contains(&mutant.pointer) && failure.message.len() < 4096);
                tried += 1;
            }
        }
    }
    assert!(tried >= wanted);
}

/// Seed: 001 §3/2, 001 §3/11
#[test]
fn every_example_of_every_built_in_tool_is_accepted_and_closed() {
    let catalogue = built_in_catalogue();
    for spec in catalogue.specs() {
        assert!(!spec.examples.is_empty(), "{} has no example", spec.name);
        for example in &spec.examples {
            catalogue.resolve(&spec.name, example).unwrap();
        }
        let schema: Value = serde_json::from_str(spec.input_schema.as_str()).unwrap();
        assert_eq!(schema["additionalProperties"], json!(false), "{}", spec.name);
    }
    let names: Vec<&str> = catalogue.specs().map(|spec| spec.name.as_str()).collect();
    assert_eq!(
        names,
        ["apply_patch", "fs_list", "fs_read", "fs_search", "resolve_ref", "shell", "tool_search"]
    );
}

#[test]
fn a_built_in_tool_looks_only_or_has_its_effect_at_once() {
    let catalogue = built_in_catalogue();
    for spec in catalogue.specs() {
        let expected = if matches!(spec.name.as_str(), "apply_patch" | "shell") {
            ToolKind::Effect
        } else {
            ToolKind::Read
        };
        assert_eq!(spec.kind, expected, "{}", spec.name);
        assert_eq!(spec.kind == ToolKind::Read, spec.risk == Risk::Read, "{}", spec.name);
    }
}

#[test]
fn hints_name_the_nearest_tool_argument_and_value() {
    let files = MemoryFiles::new();
    let bench = Bench::new(&files);
    let failure = bench.call("fs_raed", &json!({})).unwrap_err();
    assert_eq!(
        (failure.error_code, failure.closest_matches[0].as_str()),
        ("tool.unknown_or_disallowed", "fs_read")
    );
    let failure = bench.call("fs_read", &json!({"pth": "a"})).unwrap_err();
    assert_eq!(failure.pointers, ["/path", "/pth"]);
    assert_eq!(failure.closest_matches, ["path"]);
    assert!(failure.message.contains("was `pth` meant to be it?"), "{}", failure.message);
    let failure = bench.call("fs_read", &json!({"path": "a", "unit": "line"})).unwrap_err();
    assert_eq!(
        (failure.pointers, failure.closest_matches),
        (vec!["/unit".to_owned()], vec!["lines".to_owned()])
    );
    let failure = bench.call("fs_read", &json!({"path": "a", "ofset": 1})).unwrap_err();
    assert_eq!(
        (failure.pointers, failure.closest_matches),
        (vec!["/ofset".to_owned()], vec!["offset".to_owned()])
    );
    let failure = bench.call("fs_read", &json!(["a"])).unwrap_err();
    assert_eq!(failure.message, "at ``: it is array, not object");
    let failure = bench.call("fs_read", &json!({"path": "a", "limit": 0})).unwrap_err();
    assert_eq!(failure.message, "at `/limit`: it breaks `minimum: 1`");
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let files = MemoryFiles::new();
    files.put("a", "1\n2\n3\n");
    let arguments = JsonText::new(r#"{"path": "a", "offset": 2.0, "limit": 1.0}"#).unwrap();
    let bench = Bench::new(&files);
    let (tool, arguments) = bench.catalogue.resolve("fs_read", &arguments).unwrap();
    assert_eq!(tool.call(&arguments, &bench.context()).unwrap().content, "2\n");
}

#[test]
fn a_schema_that_reaches_outside_itself_is_refused_when_the_catalogue_is_built() {
    let inside = json!({"type": "object", "$defs": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/x"}, "$ref": {"type": "string"}}});
    assert!(catalogue([spec("inside", &inside)]).is_ok());
    let outside = [
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/s.json"}}}),
            "$ref",
            "/properties/a",
        ),
        (json!({"type": "object", "properties": {"a": {"$ref": "other.json#/a"}}}), "$ref", "/properties/a"),
        (
            json!({"type": "object", "allOf": [{"$dynamicRef": "file:///etc/passwd"}]}),
            "$dynamicRef",
            "/allOf/0",
        ),
        (json!({"type": "object", "$id": "https://example.org/s.json"}), "$id", ""),
        (json!({"type": "object", "$schema": "https://example.org/meta"}), "$schema", ""),
    ];
    for (schema, keyword, pointer) in outside {
        let error = catalogue([spec("outside", &schema)]).unwrap_err();
        let source = SchemaError::RefersOutside { keyword, pointer: pointer.to_owned() };
        assert_eq!(error, CatalogueError::Schema { name: "outside".to_owned(), source });
    }
}

#[test]
fn definitions_that_cannot_be_used_are_refused() {
    let object = json!({"type": "object"});
    let named = |name: &str| spec(name, &object);
    let twice = catalogue([named("a"), named("b"), named("a")]).unwrap_err();
    assert_eq!(twice, CatalogueError::SameName { name: "a".to_owned() });
    for name in ["", "with space", "dot.ted", &"x".repeat(65)] {
        assert!(matches!(catalogue([named(name)]), Err(CatalogueError::Name { .. })), "{name:?}");
    }
    for scope in ["", "files", "files:", ":read", "a b:c"] {
        let mut spec = named("a");
        spec.scope = scope.to_owned();
        assert!(matches!(catalogue([spec]), Err(CatalogueError::Scope { .. })), "{scope:?}");
    }
    for schema in [
        json!({}),
        json!({"type": "array"}),
        json!({"type": "object", "required": 3}),
        json!({"type": "object", "properties": {"a": {"pattern": "(?=x)"}}}),
    ] {
        assert!(matches!(catalogue([spec("a", &schema)]), Err(CatalogueError::Schema { .. })), "{schema}");
    }
    let mut wrong = spec("a", &json!({"type": "object", "required": ["b"]}));
    wrong.examples = vec![JsonText::empty_object()];
    assert!(matches!(catalogue([wrong]), Err(CatalogueError::Example { position: 1, .. })));
}

/// Seed: 003 §1/1
#[test]
fn a_tool_without_its_scope_does_not_exist() {
    let catalogue = built_in_catalogue();
    let granted = catalogue.granted(&BTreeSet::from(["files:read".to_owned()]));
    let names: Vec<&str> = granted.specs().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["fs_list", "fs_read", "fs_search"]);
    assert!(granted.get("shell").is_none());
    let failure = granted.resolve("shel", &JsonText::empty_object()).unwrap_err();
    assert!(failure.closest_matches.is_empty(), "not even as a hint: {:?}", failure.closest_matches);
    assert_ne!(granted.digests(), catalogue.digests());
}

/// Seed: 001 §3/9
#[test]
fn deferred_tools_are_offered_behind_the_others_once_they_were_found() {
    let late = |name: &str| {
        let mut late = spec(name, &json!({"type": "object"}));
        late.defer_loading = true;
        late
    };
    let early = spec("early", &json!({"type": "object"}));
    let catalogue = catalogue([late("a_late"), late("late"), early]).unwrap();
    let names = |found: &[&str]| -> Vec<String> {
        let found: Vec<String> = found.iter().map(|name| (*name).to_owned()).collect();
        catalogue.offer(&found).into_iter().map(|offer| offer.name).collect()
    };
    assert_eq!(names(&[]), ["early"]);
    assert_eq!(names(&["late", "unknown", "a_late", "late", "early"]), ["early", "late", "a_late"]);
}

#[test]
fn a_definition_that_changes_anywhere_drifts_from_its_pin() {
    let original = spec("a", &json!({"type": "object"}));
    let pins = catalogue([original.clone(), spec("gone", &json!({"type": "object"}))]).unwrap().pins();
    let change = |change: fn(&mut ToolSpec)| {
        let mut changed = original.clone();
        change(&mut changed);
        changed
    };
    let changed = [
        change(|spec| spec.description.push('!')),
        change(|spec| spec.input_schema = JsonText::new(r#"{"type": "object", "title": "x"}"#).unwrap()),
        change(|spec| spec.examples = vec![JsonText::empty_object()]),
        change(|spec| spec.kind = ToolKind::Intent),
        change(|spec| spec.risk = Risk::Destructive),
        change(|spec| spec.scope = "test:other".to_owned()),
        change(|spec| spec.allowed_callers = vec![Caller::Model]),
        change(|spec| spec.idempotent = false),
        change(|spec| spec.defer_loading = true),
    ];
    for changed in changed {
        let drifted =
            catalogue([changed.clone(), spec("new", &json!({"type": "object"}))]).unwrap().drifted(&pins);
        let names: Vec<_> = drifted
            .iter()
            .map(|drift| (drift.name.as_str(), drift.pinned.is_some(), drift.found.is_some()))
            .collect();
        assert_eq!(names, [("a", true, true), ("gone", true, false), ("new", false, true)], "{changed:?}");
    }
    let respaced = change(|spec| spec.input_schema = JsonText::new(r#"{ "type":"object" }"#).unwrap());
    let same = catalogue([respaced, spec("gone", &json!({"type": "object"}))]).unwrap();
    assert!(same.drifted(&pins).is_empty(), "spaces mean nothing");
}

/// Seed: 001 §3/8, 001 §4.1/7, 001 §4.1/9
#[test]
fn the_digests_of_a_catalogue_are_those_a_join_check_accepts() {
    let files = MemoryFiles::new();
    let mut late = spec("late", &json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    (late.defer_loading, late.examples) = (true, vec![JsonText::new(r#"{"a": "b"}"#).unwrap()]);
    let schema_digest = late.schema_digest();
    let bench = Bench::with(&files, vec![Arc::new(Defined(late))]);
    let found = bench.call("tool_search", &json!({"query": "late"})).unwrap().found.unwrap();
    let digests = bench.catalogue.digests();
    let mut call_spec = json!({
        "callId": "c1", "modelRef": "m", "actionMode": "json", "executionPattern": "single",
        "normalizerId": "n", "mutationPolicyDigest": "pol1_a", "governancePolicyDigest": "pol1_b",
        "toolRenderProtocolDigest": "pol1_c", "reminderQueuePolicyDigest": "pol1_d",
        "stateViewPolicyDigest": "pol1_e", "decompositionPolicyDigest": "pol1_f"
    });
    for (kind, digest) in digests.declared() {
        call_spec[kind.field()] = json!(digest.as_str());
    }
    let policies: Value = serde_json::from_slice(&digests.policies()).unwrap();
    let turn = |caller: &str, search: &Value, policies: &Value| {
        let mut request = json!({
            "toolCallId": "t1", "toolName": "late", "arguments": {"a": "b"},
            "schemaDigest": schema_digest.as_str(), "callerId": caller
        });
        if !search.is_null() {
            request["searchRef"] = search.clone();
        }
        json!({"evidence": {
            "callSpec": call_spec, "toolRequests": [request],
            "toolResults": [{"toolCallId": "t1", "status": "ok", "payload": "x"}],
            "toolUse": [{"toolCallId": "t1", "disposition": "observed_only"}],
            "protocolState": {"stopReason": "tool_use"}
        }, "policies": policies})
    };
    let search = json!({
        "query": found.query, "resultSet": found.names, "resultSetDigest": found.digest.as_str(),
        "resolvedTool": "late"
    });
    let accepted = classes(&turn("model", &search, &policies));
    assert_eq!(accepted, Vec::<String>::new());
    assert_eq!(classes(&turn("nobody", &search, &policies)), ["tool.caller_not_allowed"]);
    assert_eq!(classes(&turn("model", &Value::Null, &policies)), ["tool.discovery_unresolved"]);
    let mut other = policies;
    other["toolExample"]["tools"][0]["examples"] = json!([]);
    assert_eq!(classes(&turn("model", &search, &other)), ["tool.example_digest_mismatch"]);
    assert!(digests.digest(PolicyKind::Stop).is_none());
    assert!(
        digests
            .digest(PolicyKind::ToolCatalog)
            .is_some_and(|digest: Digest| digest.as_str().starts_with("pol1_"))
    );
}

/// The failure classes of a strict join check.
fn classes(input: &Value) -> Vec<String> {
    let check = JoinCheck::read(input.to_string().as_bytes(), Strictness::Strict).unwrap();
    let turn = JoinCheck::normalize(check.turn).unwrap();
    let assessment = assess(&turn, check.intent.as_ref(), &check.claims);
    let classes = assessment.refusal().map(Refusal::classes).unwrap_or_default();
    classes.into_iter().map(|class| class.code().to_owned()).collect()
}
