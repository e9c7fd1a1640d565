//! Every action is a tool or is left out with a reason; every schema is one that clients take.

use std::collections::BTreeSet;

use premath_host::{ACTIONS, Door};
use serde_json::Value;

use super::{Catalogue, REPEATABLE, REPLACING, ToolChoice, tool_name};
use crate::left_out::LEFT_OUT;
use crate::schemas::{CALL_ID, INSTRUCTION};

#[test]
fn every_action_is_a_tool_or_is_left_out_with_a_reason() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    assert!(LEFT_OUT.is_sorted_by(|left, right| left.0 < right.0), "sorted, each once");
    for action in ACTIONS {
        let left_out = LEFT_OUT.iter().find(|(name, _)| *name == action.name);
        let is_offered = catalogue.find(&tool_name(action.name)).is_some();
        assert_ne!(is_offered, left_out.is_some(), "{}", action.name);
    }
    for (name, reason) in LEFT_OUT {
        assert!(ACTIONS.iter().any(|action| action.name == *name), "{name} is no action");
        assert!(reason.len() > 20, "{name}");
    }
}

#[test]
fn what_lists_name_exists_and_is_offered() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    for name in REPLACING.iter().chain(&REPEATABLE) {
        assert!(catalogue.find(&tool_name(name)).is_some(), "{name}");
    }
}

#[test]
fn names_are_unique_and_fit_what_clients_allow() {
    let names: BTreeSet<String> = ACTIONS.iter().map(|action| tool_name(action.name)).collect();
    assert_eq!(names.len(), ACTIONS.len());
    for name in names {
        assert!(name.len() <= 48 && name.chars().all(|one| one.is_ascii_lowercase() || one == '_'), "{name}");
    }
}

#[test]
fn what_changes_something_takes_an_instruction_and_nothing_else_does() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    for action in ACTIONS {
        let Some(entry) = catalogue.find(&tool_name(action.name)) else { continue };
        if entry.is_linked {
            assert!(entry.takes(INSTRUCTION) && entry.takes(CALL_ID), "{}", action.name);
            let own = (action.input)();
            let own = own.get("properties").and_then(Value::as_object).unwrap();
            assert!(!own.contains_key(CALL_ID) && !own.contains_key(INSTRUCTION), "{} has it", action.name);
        }
        assert!(!(entry.is_linked && action.door == Door::Read), "{}", action.name);
        let is_own = action.name == "instruction.run";
        let must_name = action.door == Door::Mutation && !is_own;
        assert!(!must_name || entry.takes(INSTRUCTION), "{}", action.name);
    }
}

#[test]
fn no_tool_takes_a_file_to_write() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    for tool in catalogue.tools() {
        let entry = catalogue.find(&tool.name).unwrap();
        assert!(!entry.takes("issues") && !entry.takes("output"), "{}", tool.name);
        assert!(!(entry.takes("path") && entry.is_linked), "{}", tool.name);
    }
}

#[test]
fn schemas_are_objects_and_every_reference_leads_somewhere() {
    for tool in Catalogue::new(&ToolChoice::default()).tools() {
        assert_eq!(tool.input_schema.get("type").unwrap(), "object", "{}", tool.name);
        let output = tool.output_schema.unwrap();
        assert_eq!(output.get("type").unwrap(), "object", "{}", tool.name);
        let text = serde_json::to_string(&output).unwrap();
        let definitions = output.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        for reference in text.split("\"$ref\":\"#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(definitions.contains_key(name), "{}: {name}", tool.name);
        }
        assert!(!text.contains("\"format\":\"uint"), "{}", tool.name);
    }
}

#[test]
fn chosen_tools_are_those_named_and_those_of_the_families_named() {
    let names = |chosen: &[&str]| {
        let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        ToolChoice::of(&chosen).map(|choice| {
            let tools = Catalogue::new(&choice).tools();
            tools.into_iter().map(|tool| tool.name.into_owned()).collect::<Vec<_>>()
        })
    };
    assert_eq!(names(&["issue_ready"]), Ok(vec!["issue_ready".to_owned()]));
    let family = names(&["dep", "issue_ready"]).unwrap();
    assert!(family.len() > 3 && family.iter().all(|name| name.starts_with("dep_") || name == "issue_ready"));
    assert_eq!(names(&["issue", "iss"]), Err("iss".to_owned()));
    assert_eq!(
        names(&["approval_approve"]),
        Err("approval_approve".to_owned()),
        "what is left out stays out"
    );
    assert_eq!(names(&[]).unwrap().len(), ACTIONS.len() - LEFT_OUT.len());
    for family in ToolChoice::families() {
        assert!(!names(&[family]).unwrap().is_empty(), "{family}");
    }
}

#[test]
fn what_a_tool_cannot_do_without_is_required() {
    let catalogue = Catalogue::new(&ToolChoice::default());
    for (tool, member) in [
        ("dep_add", "id"),
        ("instruction_check", "path"),
        ("instruction_run", "path"),
        ("instruction_witness", "instruction"),
        ("issue_add", "title"),
        ("issue_discover", "parentIssue"),
        ("issue_discover", "title"),
        ("issue_update", "id"),
    ] {
        let schema = &catalogue.find(tool).unwrap().tool().input_schema;
        let required = schema.get("required").and_then(Value::as_array).unwrap();
        assert!(required.contains(&Value::from(member)), "{tool}: {required:?}");
    }
    for (tool, member) in [("issue_add", "parentIssue"), ("dep_add", "fromType")] {
        assert!(!catalogue.find(tool).unwrap().takes(member), "{tool}");
    }
}
