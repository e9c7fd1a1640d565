//! The schema and what is built for a decision say the same.

use std::collections::BTreeSet;

use cedar_policy::{Policy, Request};
use premath_kernel::Digest;
use premath_tusk::policy::{CallFacts, Origin, Principal, RunFacts, Target};
use premath_tusk::tools::{ToolSpec, built_in};
use serde_json::{Value, json};

use super::schema;
use crate::context::context;
use crate::mentions::Mentions;
use crate::words::Words;

fn fits(spec: &ToolSpec, arguments: &Value) -> Result<(), String> {
    let words = Words::new([spec]).unwrap();
    let schema = schema(&words, &BTreeSet::new()).unwrap();
    let everything: Policy =
        "permit (principal, action, resource) when { context == context };".parse().unwrap();
    let run = RunFacts {
        run_id: "run".to_owned(),
        issue_id: None,
        principal: Principal { id: "ada".to_owned(), role: "developer".to_owned() },
        risk_tier: "low".to_owned(),
    };
    let (kind, id) = ("file".to_owned(), "a".to_owned());
    let targets = [Target { kind, name: id.clone(), id, origin: Origin::Bot }];
    let call = CallFacts {
        run: &run,
        tool: &spec.name,
        risk: spec.risk,
        kind: spec.kind,
        scope: &spec.scope,
        arguments,
        arguments_digest: &Digest::of_bytes(b""),
        targets: &targets,
    };
    let context = context(&words.tools[&spec.name], &Mentions::of(&everything), &call)?;
    let (user, action, run) =
        (words.types.user("ada"), words.types.action(&spec.name), words.types.run("run"));
    Request::new(user, action, run, context, Some(&schema)).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn what_is_built_for_a_call_is_what_the_schema_says() {
    let mut tried = 0;
    for tool in built_in().unwrap() {
        for example in &tool.spec().examples {
            let arguments: Value = serde_json::from_str(example.as_str()).unwrap();
            assert_eq!(fits(tool.spec(), &arguments), Ok(()), "{}: {arguments}", tool.spec().name);
            tried += 1;
        }
    }
    assert!(tried > 10, "the tools have examples");
}

#[test]
fn every_kind_of_argument_is_what_the_schema_says() {
    let input = r#"{"type": "object", "properties": {
        "text": {"type": "string"}, "count": {"type": "integer"}, "flag": {"type": ["boolean", "null"]},
        "list": {"type": "array", "items": {"enum": ["a", "b"]}}, "some": {"type": ["array", "null"], "items": {"type": "string"}},
        "either": {"type": ["string", "integer"]}, "holes": {"type": "array", "items": {"type": ["string", "null"]}}
    }, "required": ["text", "flag", "either"]}"#;
    let spec = ToolSpec::new("kinds", "kinds:read", "For tests.", input, &[]).unwrap();
    for arguments in [
        json!({"text": "t", "flag": null, "either": 1}),
        json!({"text": "t", "flag": true, "either": "e", "count": -3.0, "list": ["a", "a"], "some": null, "holes": [null]}),
        json!({"text": "t", "flag": false, "either": "e", "some": [], "more": {"__entity": {"type": "Role", "id": "x"}}}),
    ] {
        assert_eq!(fits(&spec, &arguments), Ok(()), "{arguments}");
    }
    assert!(fits(&spec, &json!({"text": "t", "count": 0.5, "flag": true})).is_err());
}
