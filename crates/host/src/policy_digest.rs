//! The digest of a policy document: over everything but the digest itself, sets sorted.
//!
//! A list of text is a set, and so is a list of rules that have ids. Other lists keep their order, since there it may mean
//! something. It must not judge a policy.

use premath_kernel::{Digest, Object, Value, encode};

/// The member that holds the digest.
pub(crate) const POLICY_DIGEST: &str = "policyDigest";

/// `pol1_` and the hash of a policy document without its digest.
pub(crate) fn policy_digest(document: &Value<'_>) -> Digest {
    let bare = match document.as_object() {
        Some(object) => Value::Object(object.without(POLICY_DIGEST)),
        None => document.borrowed(),
    };
    Digest::prefixed("pol1_", &sorted(&bare))
}

fn sorted(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value<'static>> = items.iter().map(sorted).collect();
            if items.iter().all(|item| matches!(item, Value::Text(_))) {
                items.sort_by_cached_key(encode);
                items.dedup();
            } else if items.iter().all(|item| rule_id(item).is_some()) {
                items.sort_by_cached_key(|item| rule_id(item).map(str::to_owned));
            }
            Value::Array(items)
        }
        Value::Object(object) => {
            let members =
                object.iter().map(|(name, member)| (name.to_owned().into(), sorted(member))).collect();
            // The names were unique before.
            Object::from_members(members).map_or(Value::Null, Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => value.borrowed().into_owned(),
    }
}

fn rule_id<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    value.as_object()?.get("ruleId")?.as_text()
}

#[cfg(test)]
mod tests;
