//! The schemas of tools: what an action takes and what is linked with it, and the envelope around what it answers.
//!
//! They are made of the schemas of the table, so that they cannot say anything else. A schema must not name a member that the
//! tool refuses.

mod shorter;

use premath_host::Action;
use premath_wire::v1::{HOST_EFFECT_SCHEMA, RefusedAnswer, schema};
use serde_json::{Map, Value, json};

use self::shorter::{in_common, shorter};

/// Arguments that name files: a client works on the repository it is served, and writes no file beside it.
const HIDDEN: [(&str, &str); 12] = [
    ("*", "issues"),
    ("harness.feature.check", "path"),
    ("harness.feature.next", "path"),
    ("harness.feature.read", "path"),
    ("harness.feature.write", "path"),
    ("harness.kpi.remediate", "path"),
    ("harness.kpi.report", "path"),
    ("harness.session.bootstrap", "path"),
    ("harness.session.read", "path"),
    ("harness.session.write", "path"),
    ("harness.trajectory.append", "path"),
    ("harness.trajectory.query", "path"),
];
/// The same, for what would write or read a file that the action itself does not own.
const HIDDEN_FILES: [(&str, &str); 3] =
    [("harness.session.bootstrap", "featureLedger"), ("issue.export", "output"), ("run.export", "output")];

/// Arguments that an action shares with another one and refuses itself.
const OF_OTHERS: [(&str, &str); 5] = [
    ("dep.add", "fromType"),
    ("dep.remove", "createdBy"),
    ("dep.remove", "fromType"),
    ("dep.replace", "createdBy"),
    ("issue.add", "parentIssue"),
];
/// What an action needs of what another one refuses.
const NEEDED: [(&str, &str); 1] = [("issue.discover", "parentIssue")];

/// Parts of answers that are documents of their own, longer than all the rest: `premath schema` has them whole.
const ELSEWHERE: [(&str, &str); 4] = [
    ("harness.join_check", "normalized"),
    ("turn.export", "evidence"),
    ("turn.export", "governanceProfile"),
    ("turn.export", "policies"),
];

/// The members of a linked call that belong to its link, and not to the action.
pub(crate) const INSTRUCTION: &str = "instruction";
/// What the turn of a linked call is called.
pub(crate) const CALL_ID: &str = "callId";

/// The arguments of an action that clients do not name.
pub(crate) fn hidden(action: &Action) -> Vec<&'static str> {
    let all = HIDDEN.iter().chain(&HIDDEN_FILES).chain(&OF_OTHERS);
    all.filter(|(named, _)| *named == "*" || *named == action.name).map(|(_, member)| *member).collect()
}

/// What a tool takes.
pub(crate) fn input(action: &Action, is_linked: bool) -> Map<String, Value> {
    let mut schema = object((action.input)().to_value());
    // What a tool is offered with is read by models: the dialect is the protocol's.
    schema.remove("$schema");
    let needed = NEEDED.iter().filter(|(named, _)| *named == action.name);
    let needed: Vec<Value> = needed.map(|(_, member)| Value::from(*member)).collect();
    if !needed.is_empty()
        && let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([]))
    {
        required.extend(needed);
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        single_types(properties);
        for member in hidden(action) {
            properties.remove(member);
        }
        if is_linked {
            properties.insert(
                INSTRUCTION.to_owned(),
                json!({
                    "type": "string",
                    "description": "The name of the accepted instruction that this is done under; needed.",
                }),
            );
            properties.insert(
                CALL_ID.to_owned(),
                json!({
                    "type": "string",
                    "description": "What to call this change; the same call under the same name is refused.",
                }),
            );
        }
    }
    schema
}

/// What a tool answers: the envelope, and in it what the action answers or why it does not.
pub(crate) fn output(action: &Action) -> Map<String, Value> {
    let mut payload = match action.output_schema {
        // A schema is any object; saying more would be a schema of schemas.
        "json-schema" => json!({ "type": "object" }),
        name => schema(name).map_or_else(|| json!({}), schemars::Schema::to_value),
    };
    for (_, part) in ELSEWHERE.iter().filter(|(named, _)| *named == action.name) {
        if let Some(schema) = payload.get_mut("properties").and_then(|members| members.get_mut(*part)) {
            *schema = json!({ "type": "object" });
        }
    }
    let mut refused = schemars::schema_for!(RefusedAnswer).to_value();
    let mut definitions = Map::new();
    for part in [&mut payload, &mut refused] {
        lean(part);
        definitions.extend(hoisted(part));
    }
    let mut choices = match payload.get_mut("anyOf") {
        Some(Value::Array(choices)) => std::mem::take(choices),
        _ => vec![payload],
    };
    if !definitions.contains_key("RefusedAnswer") {
        choices.push(refused);
    }
    let mut root = shorter(json!({
        "type": "object",
        "properties": {
            "schema": { "const": HOST_EFFECT_SCHEMA },
            "action": { "const": action.name },
            "argsDigest": { "type": "string" },
            "resultClass": { "type": "string" },
            "payload": { "anyOf": choices },
            "witnessRefs": { "type": "array", "items": { "type": "string" } },
            "failureClasses": { "type": "array", "items": { "type": "string" } },
            "policyDigest": { "type": "string" },
            "instructionRef": { "type": "string" },
        },
        "required": ["schema", "action", "argsDigest", "resultClass", "payload", "witnessRefs"],
        "additionalProperties": false,
        "$defs": definitions,
    }));
    if let Some(payload) = root.pointer_mut("/properties/payload") {
        in_common(payload);
    }
    object(root)
}

/// The definitions of a part, which belong at the root.
fn hoisted(part: &mut Value) -> Map<String, Value> {
    let Some(members) = part.as_object_mut() else { return Map::new() };
    members.remove("$schema");
    members.remove("title");
    members.remove("$defs").map(object).unwrap_or_default()
}

/// What a client needs to check an answer, and no more: descriptions are in `premath schema`, formats of Rust mean nothing
/// elsewhere, and some readers take no `true` for a schema.
fn lean(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_own = |format: &Value| {
                format.as_str().is_some_and(|name| name.starts_with("uint") || name.starts_with("int"))
            };
            if members.get("format").is_some_and(is_own) {
                members.remove("format");
            }
            if members.get("minimum").is_some_and(|least| *least == 0) {
                members.remove("minimum");
            }
            for word in ["description", "title"] {
                // A member of that name has a schema for its value, and stays.
                if members.get(word).is_some_and(Value::is_string) {
                    members.remove(word);
                }
            }
            for (name, member) in members.iter_mut() {
                if *member == Value::Bool(true) && name != "additionalProperties" && name != "const" {
                    *member = json!({});
                }
                lean(member);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(lean),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A member that may be left out need not also be allowed to be nothing; `null` is still taken for it. Many clients know one
/// type a member, and no more.
fn single_types(properties: &mut Map<String, Value>) {
    for schema in properties.values_mut() {
        let Some(kinds) = schema.get("type").and_then(Value::as_array) else { continue };
        let others: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        if let ([only], Some(members)) = (others.as_slice(), schema.as_object_mut()) {
            members.insert("type".to_owned(), only.clone());
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}
