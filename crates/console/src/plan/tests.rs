//! Arguments of a query are what the schema of the action says.

use serde_json::{Value, json};

use super::{Kind, Plan, kind};
use crate::routes;

fn plan(path: &str) -> Plan {
    Plan::new(routes::all().find(|route| route.path == path).unwrap())
}

fn query(path: &str, pairs: &[(&str, &str)]) -> Result<Value, u16> {
    let pairs: Vec<(String, String)> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    plan(path).of_query(&pairs).map(Value::Object).map_err(|failure| failure.status.as_u16())
}

#[test]
fn kinds_follow_from_schemas() {
    assert_eq!(kind(&json!({ "type": ["integer", "null"] })), Kind::Number);
    assert_eq!(kind(&json!({ "type": "boolean" })), Kind::Flag);
    assert_eq!(kind(&json!({ "type": "array", "items": { "type": "string" } })), Kind::Texts);
    assert_eq!(kind(&json!({ "type": "array", "items": { "type": "integer" } })), Kind::Numbers);
    assert_eq!(kind(&json!({ "type": ["string", "null"] })), Kind::Text);
    assert_eq!(kind(&json!({})), Kind::Text);
}

#[test]
fn a_query_becomes_arguments_of_the_action() {
    let read = query(
        "/api/issues",
        &[("limit", "3"), ("status", "open,closed"), ("status", "blocked"), ("priority", "0,1")],
    );
    assert_eq!(read, Ok(json!({ "limit": 3, "status": ["open", "closed", "blocked"], "priority": [0, 1] })));
    assert_eq!(query("/api/desk/search", &[("q", "a b")]), Ok(json!({ "query": "a b" })));
    assert_eq!(query("/api/desk/files", &[("deleted", "true")]), Ok(json!({ "deleted": true })));
}

#[test]
fn what_the_action_does_not_take_is_refused() {
    assert_eq!(query("/api/issues", &[("issues", "/etc/passwd")]), Err(400));
    assert_eq!(query("/api/issues", &[("limit", "three")]), Err(400));
    assert_eq!(query("/api/issues", &[("limit", "1"), ("limit", "2")]), Err(400));
    assert_eq!(query("/api/desk/files", &[("deleted", "yes")]), Err(400));
    assert_eq!(query("/api/runs/{id}/export", &[("output", "/tmp/x")]), Err(400));
}

#[test]
fn a_body_never_names_files_of_the_person() {
    for route in routes::all() {
        let plan = Plan::new(route);
        for (name, _) in plan.members() {
            assert!(!super::HIDDEN.contains(&name.as_str()), "{}: {name}", route.path);
        }
    }
}
