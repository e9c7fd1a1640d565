//! How the checker reads plain JSON: trimmed text, absent blanks, documents that hash.
//!
//! Canonical bytes are made here a second time, for what generated turns contain: integers, and names in ASCII.

use premath_kernel::{hex, sha256};
use serde_json::Value;

use super::{Pairs, add};

/// The text of a member, trimmed; blank, null and absent are none.
pub(super) fn text<'v>(row: &'v Value, key: &str) -> Option<&'v str> {
    row.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// The same in ASCII lower case.
pub(super) fn token(row: &Value, key: &str) -> Option<String> {
    text(row, key).map(str::to_ascii_lowercase)
}

/// A member that is not null.
pub(super) fn present<'v>(row: &'v Value, key: &str) -> Option<&'v Value> {
    row.get(key).filter(|value| !value.is_null())
}

/// A boolean member.
pub(super) fn flag(row: Option<&Value>, key: &str) -> Option<bool> {
    row.and_then(|row| row.get(key)).and_then(Value::as_bool)
}

/// A whole number.
pub(super) fn count(row: Option<&Value>, key: &str) -> Option<u64> {
    row.and_then(|row| row.get(key)).and_then(Value::as_u64)
}

/// The rows of a list; none when it is absent.
pub(super) fn rows<'v>(parent: &'v Value, list: &str) -> &'v [Value] {
    parent.get(list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A list of texts: trimmed, blanks dropped.
pub(super) fn texts<'v>(parent: &'v Value, list: &str) -> Vec<&'v str> {
    let items = rows(parent, list).iter().filter_map(Value::as_str).map(str::trim);
    items.filter(|item| !item.is_empty()).collect()
}

/// `sha256:` over the canonical bytes.
#[must_use]
pub fn digest(value: &Value) -> String {
    format!("sha256:{}", hash(value))
}

/// The digest of a policy document under `prefix`, without its own `policyDigest`.
#[must_use]
pub fn policy_digest(prefix: &str, document: &Value) -> String {
    let mut bare = document.clone();
    if let Some(members) = bare.as_object_mut() {
        members.remove("policyDigest");
    }
    format!("{prefix}{}", hash(&bare))
}

/// `sha256:` over the UTF-8 of a trimmed message.
pub(crate) fn message_digest(message: &str) -> String {
    format!("sha256:{}", hex(&sha256(message.trim().as_bytes())))
}

fn hash(value: &Value) -> String {
    hex(&sha256(canonical(value).as_bytes()))
}

/// The canonical bytes.
pub(crate) fn canonical(value: &Value) -> String {
    let mut canonical = String::new();
    write(value, &mut canonical);
    canonical
}

fn write(value: &Value, canonical: &mut String) {
    match value {
        Value::Array(items) => {
            canonical.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    canonical.push(',');
                }
                write(item, canonical);
            }
            canonical.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            canonical.push('{');
            for (at, name) in names.into_iter().enumerate() {
                if at > 0 {
                    canonical.push(',');
                }
                canonical.push_str(&Value::from(name.as_str()).to_string());
                canonical.push(':');
                write(members.get(name).unwrap_or(&Value::Null), canonical);
            }
            canonical.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            canonical.push_str(&value.to_string());
        }
    }
}

/// What a policy of the call spec comes to.
pub(super) enum Bound<'v> {
    /// The call spec does not name it, or it is mandatory and its document was not supplied.
    Silent,
    /// It is named, and there is nothing trustworthy to evaluate.
    Broken,
    /// Its document.
    Terms(&'v Value),
}

/// Binds one policy, noting under `class` a document that is absent or does not hash.
pub(super) fn bind<'v>(
    document: &'v Value,
    field: &str,
    key: &str,
    class: &str,
    pairs: &mut Pairs,
) -> Bound<'v> {
    let mandatory = [
        "mutationPolicyDigest",
        "governancePolicyDigest",
        "toolRenderProtocolDigest",
        "reminderQueuePolicyDigest",
        "stateViewPolicyDigest",
        "decompositionPolicyDigest",
    ];
    let Some(declared) = document.pointer("/evidence/callSpec").and_then(|spec| text(spec, field)) else {
        return Bound::Silent;
    };
    let supplied = document.get("policies").and_then(|policies| present(policies, key));
    match supplied {
        None if mandatory.contains(&field) => Bound::Silent,
        Some(supplied) if hashes_to(supplied, declared) => Bound::Terms(supplied),
        None | Some(_) => {
            add(pairs, class, &format!("policies.{key}"));
            Bound::Broken
        }
    }
}

/// Whether `declared` is one of the two ways to name `document`.
pub(super) fn hashes_to(document: &Value, declared: &str) -> bool {
    ["sha256:", "pol1_"].iter().any(|prefix| policy_digest(prefix, document) == declared)
}
