//! What of a call a rule looks at, read off the rule itself: what no rule looks at need not be copied for a decision.
//!
//! When in doubt it says that everything is looked at.

use std::collections::BTreeSet;

use cedar_policy::Policy;
use serde_json::Value;

/// What is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// The context as a whole.
    everything: bool,
    /// The arguments as a whole.
    all_arguments: bool,
    attributes: BTreeSet<String>,
    arguments: BTreeSet<String>,
    /// Arguments whose presence is asked about.
    pub(crate) asked_for: BTreeSet<String>,
}

impl Mentions {
    /// What a rule looks at.
    pub(crate) fn of(policy: &Policy) -> Self {
        let mut mentions = Self::default();
        match policy.to_json() {
            Ok(json) => mentions.walk(json.get("conditions").unwrap_or(&Value::Null)),
            Err(_) => mentions.everything = true,
        }
        mentions
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.everything |= other.everything;
        self.all_arguments |= other.all_arguments;
        self.attributes.extend(other.attributes.iter().cloned());
        self.arguments.extend(other.arguments.iter().cloned());
    }

    pub(crate) fn attribute(&self, name: &str) -> bool {
        self.everything || self.attributes.contains(name)
    }

    pub(crate) fn any_argument(&self) -> bool {
        self.attribute("args") || self.all_arguments || !self.arguments.is_empty()
    }

    pub(crate) fn argument(&self, name: &str) -> bool {
        self.everything || self.all_arguments || self.arguments.contains(name)
    }

    /// INVARIANT: the language's parser bounds the depth.
    fn walk(&mut self, node: &Value) {
        match node {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Object(members) => {
                for (name, member) in members {
                    self.member(name, member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn member(&mut self, name: &str, member: &Value) {
        let access = || Some((member.get("left")?, member.get("attr")?.as_str()?));
        match name {
            "Value" | "kind" => {}
            "Var" => self.everything |= member == "context",
            "." | "has" => match access() {
                Some((left, attribute)) => self.access(name == "has", left, attribute),
                None => self.walk(member),
            },
            _ => self.walk(member),
        }
    }

    fn access(&mut self, is_question: bool, left: &Value, attribute: &str) {
        if is_context(left) {
            if attribute == "args" && !is_question {
                self.all_arguments = true;
            } else {
                self.attributes.insert(attribute.to_owned());
            }
        } else if is_arguments(left) {
            self.arguments.insert(attribute.to_owned());
            if is_question {
                self.asked_for.insert(attribute.to_owned());
            }
        } else {
            self.walk(left);
        }
    }
}

fn is_context(node: &Value) -> bool {
    node.get("Var").is_some_and(|name| name == "context")
}

fn is_arguments(node: &Value) -> bool {
    let access = node.get(".");
    access.and_then(|access| access.get("left")).is_some_and(is_context)
        && access.and_then(|access| access.get("attr")).is_some_and(|name| name == "args")
}

#[cfg(test)]
mod tests;
