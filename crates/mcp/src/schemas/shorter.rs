//! The same schema in fewer bytes: every client reads all of them before any model has said a word.
//!
//! What is admitted is admitted as before, and nothing else is. It must not drop a word that decides anything.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const DEFINITIONS: &str = "$defs";
const REFERENCE: &str = "$ref";

/// A root with its definitions, shortened.
pub(super) fn shorter(root: Value) -> Value {
    let mut root = root;
    compact(&mut root);
    let mut root = inlined(root);
    compact(&mut root);
    root
}

/// Shortens every schema within, the innermost first.
fn compact(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(compact);
            without_defaults(members);
            without_open_members(members);
            one_list(members);
            without_plain_type(members);
            one_nullable(members);
        }
        Value::Array(items) => items.iter_mut().for_each(compact),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What an answer leaves out is told by `required`; a member that is called `default` has a schema for its value.
fn without_defaults(members: &mut Map<String, Value>) {
    if members.contains_key("type") && members.get("default").is_some_and(|default| !default.is_object()) {
        members.remove("default");
    }
}

/// A member that may be anything, or not be there, in an object that may have any other, says nothing.
fn without_open_members(members: &mut Map<String, Value>) {
    if members.contains_key("additionalProperties") {
        return;
    }
    let required = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|name, schema| {
            *schema != json!({}) || required.iter().any(|known| known.as_str() == Some(name))
        });
    }
}

/// A choice among constants is a list of them.
fn one_list(members: &mut Map<String, Value>) {
    for word in ["oneOf", "anyOf"] {
        let Some(Value::Array(choices)) = members.get(word) else { continue };
        let values: Option<Vec<Value>> = choices.iter().map(constant).collect();
        if let Some(values) = values
            && members.len() == 1
        {
            members.remove(word);
            members.insert("enum".to_owned(), Value::Array(values));
        }
    }
}

/// The value that is all a schema admits.
fn constant(schema: &Value) -> Option<Value> {
    let members = schema.as_object().filter(|members| members.len() == 1)?;
    members.get("const").cloned()
}

/// Texts that are listed are texts.
fn without_plain_type(members: &mut Map<String, Value>) {
    if members.get("type").and_then(Value::as_str) != Some("string") {
        return;
    }
    let is_listed = match (members.get("const"), members.get("enum")) {
        (Some(only), _) => only.is_string(),
        (None, Some(Value::Array(values))) => values.iter().all(Value::is_string),
        (None, _) => false,
    };
    if is_listed {
        members.remove("type");
    }
}

/// Something or nothing, of one type: the type says both. Only words that mean nothing to `null` may stand beside it.
fn one_nullable(members: &mut Map<String, Value>) {
    const OF_ONE_TYPE: [&str; 11] = [
        "additionalProperties",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minLength",
        "minimum",
        "pattern",
        "properties",
        "required",
        "type",
    ];
    if members.len() != 1 {
        return;
    }
    let Some(Value::Array(choices)) = members.get_mut("anyOf") else { return };
    let [Value::Object(something), nothing] = choices.as_mut_slice() else { return };
    let is_of_one_type = something.keys().all(|word| OF_ONE_TYPE.contains(&word.as_str()));
    let Some(Value::String(kind)) = something.get("type") else { return };
    if *nothing == json!({ "type": "null" }) && is_of_one_type {
        let both = json!([kind, "null"]);
        let mut something = std::mem::take(something);
        something.insert("type".to_owned(), both);
        *members = something;
    }
}

/// Definitions that are longer than what they save, where they are used.
fn inlined(mut root: Value) -> Value {
    while let Some((name, definition)) = wasteful(&root) {
        if let Some(Value::Object(definitions)) = root.get_mut(DEFINITIONS) {
            definitions.remove(&name);
            if definitions.is_empty()
                && let Some(members) = root.as_object_mut()
            {
                members.remove(DEFINITIONS);
            }
        }
        put(&mut root, &reference(&name), &definition);
    }
    root
}

fn reference(name: &str) -> Value {
    json!({ REFERENCE: format!("#/{DEFINITIONS}/{name}") })
}

fn weight(value: &Value) -> usize {
    value.to_string().len()
}

/// A definition that does not refer to itself and is better said where it is used.
fn wasteful(root: &Value) -> Option<(String, Value)> {
    let definitions = root.get(DEFINITIONS)?.as_object()?;
    let mut uses = BTreeMap::new();
    count(root, &mut uses);
    definitions.iter().find_map(|(name, definition)| {
        let (pointer, mut own) = (reference(name), BTreeMap::new());
        count(definition, &mut own);
        let text = pointer.get(REFERENCE)?.as_str()?;
        if own.contains_key(text) {
            return None;
        }
        let (used, long, short) =
            (uses.get(text).copied().unwrap_or(0), weight(definition), weight(&pointer));
        let with = used * short + long + name.len() + 4;
        (used * long <= with).then(|| (name.clone(), definition.clone()))
    })
}

/// How often each definition is referred to.
fn count(schema: &Value, uses: &mut BTreeMap<String, usize>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get(REFERENCE) {
                *uses.entry(target.clone()).or_default() += 1;
            }
            members.values().for_each(|member| count(member, uses));
        }
        Value::Array(items) => items.iter().for_each(|item| count(item, uses)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts a definition in the place of every reference to it.
fn put(schema: &mut Value, pointer: &Value, definition: &Value) {
    if schema == pointer {
        *schema = definition.clone();
        return;
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(|member| put(member, pointer, definition)),
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, pointer, definition)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What all choices have alike, said once; the choices say the rest.
pub(super) fn in_common(whole: &mut Value) {
    let text = json!({ "type": "string" });
    let Some(members) = whole.as_object_mut().filter(|members| members.len() == 1) else { return };
    let Some(Value::Array(choices)) = members.get_mut("anyOf") else { return };
    let is_open_object = |choice: &Value| {
        choice.get("type").and_then(Value::as_str) == Some("object")
            && choice.get("additionalProperties").is_none()
    };
    if !choices.iter().all(is_open_object) {
        return;
    }
    let is_in = |choice: &Value, name: &str| {
        let required = choice.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|known| known.as_str() == Some(name)))
            && choice.get("properties").and_then(|properties| properties.get(name)) == Some(&text)
    };
    let names = ["action", "issuesPath"].into_iter();
    let names: Vec<&str> = names.filter(|name| choices.iter().all(|choice| is_in(choice, name))).collect();
    choices.iter_mut().for_each(|choice| without(choice, &names));
    members.insert("type".to_owned(), json!("object"));
    if !names.is_empty() {
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), text.clone())).collect();
        members.insert("properties".to_owned(), Value::Object(properties));
        members.insert("required".to_owned(), json!(names));
    }
}

/// A choice without what is said of all.
fn without(choice: &mut Value, names: &[&str]) {
    let Some(members) = choice.as_object_mut() else { return };
    members.remove("type");
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|name, _| !names.contains(&name.as_str()));
    }
    if let Some(Value::Array(required)) = members.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !names.contains(&name)));
    }
    members.retain(|_, member| *member != json!({}) && *member != json!([]));
}

#[cfg(test)]
mod tests;
