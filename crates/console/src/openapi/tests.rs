//! The document has every row, every row can be served, and every reference leads somewhere.

use std::collections::BTreeSet;

use serde_json::Value;

use super::document;
use crate::plan::Plan;
use crate::route::Body;
use crate::routes;

fn rows() -> BTreeSet<(String, String)> {
    routes::all().map(|route| (format!("{:?}", route.verb).to_lowercase(), route.path.to_owned())).collect()
}

#[test]
fn every_row_of_the_router_is_in_the_document_and_the_reverse() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let described: BTreeSet<(String, String)> = paths
        .iter()
        .flat_map(|(path, verbs)| verbs.as_object().unwrap().keys().map(|verb| (verb.clone(), path.clone())))
        .collect();
    assert_eq!(described, rows());
    assert_eq!(routes::all().count(), described.len(), "two rows share an address and a method");
}

#[test]
fn no_two_operations_share_a_name() {
    let document = document();
    let mut names = BTreeSet::new();
    for verbs in document["paths"].as_object().unwrap().values() {
        for operation in verbs.as_object().unwrap().values() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            assert!(names.insert(name.clone()), "{name}");
        }
    }
}

#[test]
fn every_reference_leads_to_a_schema() {
    fn look(value: &Value, schemas: &serde_json::Map<String, Value>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    let name = target.strip_prefix("#/components/schemas/");
                    assert!(name.is_some_and(|name| schemas.contains_key(name)), "{target}");
                }
                members.values().for_each(|member| look(member, schemas));
            }
            Value::Array(items) => items.iter().for_each(|item| look(item, schemas)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = document();
    look(&document, document["components"]["schemas"].as_object().unwrap());
}

#[test]
fn a_row_takes_only_what_its_action_takes() {
    for route in routes::all() {
        let plan = Plan::new(route);
        if route.action.is_some() {
            assert!(plan.action.is_some(), "{}: there is no action {:?}", route.path, route.action);
        }
        let arguments = route.query_pairs().map(|(_, argument)| argument);
        for argument in arguments.chain(plan.address.iter().copied()) {
            assert!(plan.takes(argument) || route.action.is_none(), "{}: {argument}", route.path);
        }
        if let Body::Members(_) = route.body {
            for (name, _) in plan.members() {
                assert!(plan.takes(&name), "{}: {name}", route.path);
            }
        }
    }
}

#[test]
fn every_parameter_of_an_address_is_said() {
    for route in routes::all() {
        let named: BTreeSet<&str> =
            route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        for (parameter, _) in route.address_pairs() {
            assert!(named.contains(parameter), "{}: {parameter}", route.path);
        }
    }
}
