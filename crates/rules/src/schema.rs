//! The schema that rules are checked against, made from the tools. What it says of a context is what
//! [`crate::context`] builds; a test holds the two together.

use std::collections::BTreeSet;

use cedar_policy::Schema;
use serde_json::{Map, Value, json};

use crate::words::{ToolWords, Words};

/// The schema over some words, and names that no tool has: those are there, and nothing is ever done under them.
pub(crate) fn schema(words: &Words, absent: &BTreeSet<String>) -> Result<Schema, String> {
    let mut actions: Map<String, Value> =
        words.actions.iter().chain(absent).map(|name| (name.clone(), json!({}))).collect();
    for tool in words.tools.values() {
        actions.insert(tool.name.clone(), action(tool));
    }
    Schema::from_json_value(json!({"": {
        "entityTypes": {
            "Role": {},
            "User": {"memberOfTypes": ["Role"]},
            "Run": {"shape": {"type": "Record", "attributes": {
                "issue": {"type": "String", "required": false},
                "tier": {"type": "String"},
            }}},
        },
        "actions": actions,
    }}))
    .map_err(|error| error.to_string())
}

fn action(tool: &ToolWords) -> Value {
    let groups: Vec<Value> = tool.groups.iter().map(|group| json!({"id": group})).collect();
    let arguments: Map<String, Value> =
        tool.fields.iter().map(|field| (field.name.clone(), field.kind.schema(field.is_required))).collect();
    let texts = || json!({"type": "Set", "element": {"type": "String"}});
    json!({
        "memberOf": groups,
        "appliesTo": {
            "principalTypes": ["User"],
            "resourceTypes": ["Run"],
            "context": {"type": "Record", "attributes": {
                "allByBot": {"type": "Boolean"},
                "anyByPerson": {"type": "Boolean"},
                "args": {"type": "Record", "attributes": arguments},
                "names": {"type": "String"},
                "risk": {"type": "String"},
                "scope": {"type": "String"},
                "targetCount": {"type": "Long"},
                "targetIds": texts(),
                "targetKinds": texts(),
                "targetNames": texts(),
                "tier": {"type": "String"},
                "tool": {"type": "String"},
            }},
        },
    })
}

#[cfg(test)]
mod tests;
