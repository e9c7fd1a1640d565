//! Rules that are asked as one: when none of them has anything to say, which is what they mostly have, one answer does for all.
//!
//! A batch that says anything but no, or fails, is asked rule by rule. It must never be the reason why a rule is not heard.

use cedar_policy::{Authorizer, Entities, Policy, PolicyId, PolicySet, Request};
use serde_json::{Value, json};

use crate::rule::Rule;
use crate::tool_pack::Spoken;

/// The most rules asked as one: the rest does not have to be asked apart when one of these speaks.
const MOST: usize = 32;
/// Fewer than that cost as much together as apart.
const LEAST: usize = 4;

/// Some rules with one effect.
#[derive(Debug)]
pub(crate) struct Batch {
    /// One rule that says yes when one of them does; none when they are asked apart at once.
    together: Option<PolicySet>,
    apart: PolicySet,
}

impl Batch {
    /// Rules that forbid, in as few batches as they fit.
    ///
    /// # Errors
    /// What the language says against them.
    pub(crate) fn of(rules: &[&Rule]) -> Result<Vec<Self>, String> {
        let (joined, apart): (Vec<&Rule>, Vec<&Rule>) =
            rules.iter().partition(|rule| condition(&rule.policy).is_some());
        let mut batches: Vec<Self> = Vec::new();
        for rules in joined.chunks(MOST) {
            let together = if rules.len() < LEAST { None } else { Some(one(rules)?) };
            batches.push(Self { together, apart: set(rules)? });
        }
        if !apart.is_empty() {
            batches.push(Self { together: None, apart: set(&apart)? });
        }
        Ok(batches)
    }

    /// Asks them.
    pub(crate) fn ask(
        &self,
        authorizer: &Authorizer,
        request: &Request,
        entities: &Entities,
        spoken: &mut Spoken,
    ) {
        if let Some(together) = &self.together {
            let said = authorizer.is_authorized(request, together, entities);
            let said = said.diagnostics();
            if said.reason().next().is_none() && said.errors().next().is_none() {
                return;
            }
        }
        spoken.add(&authorizer.is_authorized(request, &self.apart, entities));
    }
}

fn set(rules: &[&Rule]) -> Result<PolicySet, String> {
    PolicySet::from_policies(rules.iter().map(|rule| rule.policy.clone())).map_err(|error| error.to_string())
}

/// One rule that forbids what any of these does. They are about one tool, so it need not say which.
fn one(rules: &[&Rule]) -> Result<PolicySet, String> {
    let conditions: Vec<Value> = rules.iter().filter_map(|rule| condition(&rule.policy)).collect();
    let policy = json!({
        "effect": "forbid",
        "principal": { "op": "All" },
        "action": { "op": "All" },
        "resource": { "op": "All" },
        "conditions": [{ "kind": "when", "body": any(&conditions) }],
    });
    let policy =
        Policy::from_json(Some(PolicyId::new("together")), policy).map_err(|error| error.to_string())?;
    PolicySet::from_policies([policy]).map_err(|error| error.to_string())
}

/// Whether any holds, by halves: the depth of what is evaluated stays small.
fn any(conditions: &[Value]) -> Value {
    match conditions {
        [] => json!({ "Value": false }),
        [one] => one.clone(),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            json!({ "||": { "left": any(left), "right": any(right) } })
        }
    }
}

/// The condition of a rule that is about everybody and every run; none for another.
pub(crate) fn condition(policy: &Policy) -> Option<Value> {
    let whole = policy.to_json().ok()?;
    let is_any =
        |part: &str| whole.get(part).and_then(|part| part.get("op")).and_then(Value::as_str) == Some("All");
    if !is_any("principal") || !is_any("resource") {
        return None;
    }
    let mut all = json!({ "Value": true });
    for (index, condition) in whole.get("conditions")?.as_array()?.iter().enumerate() {
        let body = condition.get("body")?;
        let body = match condition.get("kind")?.as_str()? {
            "when" => body.clone(),
            "unless" => json!({ "!": { "arg": body } }),
            _other => return None,
        };
        all = if index == 0 { body } else { json!({ "&&": { "left": all, "right": body } }) };
    }
    Some(all)
}

#[cfg(test)]
mod tests;
