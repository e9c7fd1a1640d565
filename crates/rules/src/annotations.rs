//! What the author of a rule must say beside it: `@id`, `@reason`; and may say: `@decision`, `@hint`, `@optional`.

use cedar_policy::{Effect as Sign, Policy};
use premath_tusk::policy::Effect;
use premath_tusk::tools::closest;

const KNOWN: [&str; 5] = ["decision", "hint", "id", "optional", "reason"];
const LONGEST_ID: usize = 100;

/// What a rule says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Annotations {
    pub(crate) id: String,
    pub(crate) effect: Effect,
    pub(crate) reason: String,
    pub(crate) hint: String,
    pub(crate) is_optional: bool,
}

/// Something wrong, and what to do.
pub(crate) type Fault = (String, String);

/// Reads them; what cannot be read is a fault, and the rule is then not used.
pub(crate) fn annotations(policy: &Policy) -> (Annotations, Vec<Fault>) {
    let mut faults = Vec::new();
    let said = |key: &str| policy.annotation(key).unwrap_or_default().trim().to_owned();
    for (key, _) in policy.annotations() {
        if !KNOWN.contains(&key) {
            faults.push((format!("there is no annotation `@{key}`"), meant(key, KNOWN)));
        }
    }
    let id = said("id");
    if !is_id(&id) {
        let advice = "give it an `@id(\"area.what\")` of letters, digits, `.`, `_` and `-`";
        faults.push(("a rule has no usable id".to_owned(), advice.to_owned()));
    }
    let reason = said("reason");
    if reason.is_empty() {
        faults.push((format!("`{id}` does not say why it exists"), "give it a `@reason(\"…\")`".to_owned()));
    }
    let hint = said("hint");
    if !id.is_empty() && hint.to_lowercase().contains(&id.to_lowercase()) {
        let problem = format!("the hint of `{id}` names the rule");
        faults.push((problem, "a model reads it: say what to do instead, without the id".to_owned()));
    }
    let effect = effect(policy, &id, &mut faults);
    let is_optional = match policy.annotation("optional") {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            let problem = format!("`@optional(\"{other}\")` of `{id}` is neither true nor false");
            faults.push((problem, "write `@optional(\"true\")`, or leave it out".to_owned()));
            false
        }
    };
    (Annotations { id, effect, reason, hint, is_optional }, faults)
}

fn effect(policy: &Policy, id: &str, faults: &mut Vec<Fault>) -> Effect {
    match (policy.effect(), policy.annotation("decision")) {
        (Sign::Permit, None) => Effect::Allow,
        (Sign::Permit, Some(_)) => {
            let problem = format!("`{id}` permits and has a `@decision`");
            faults.push((problem, "only a `forbid` can ask; a `permit` allows".to_owned()));
            Effect::Allow
        }
        (Sign::Forbid, None | Some("deny")) => Effect::Deny,
        (Sign::Forbid, Some("ask")) => Effect::Ask,
        (Sign::Forbid, Some(other)) => {
            let problem = format!("`@decision(\"{other}\")` of `{id}` is neither ask nor deny");
            faults.push((problem, meant(other, ["ask", "deny"])));
            Effect::Deny
        }
    }
}

fn is_id(id: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    !id.is_empty() && id.len() <= LONGEST_ID && id.chars().all(is_letter)
}

/// What may have been meant; else what there is.
pub(crate) fn meant<'n>(name: &str, names: impl IntoIterator<Item = &'n str> + Clone) -> String {
    const MOST: usize = 12;
    let near = closest(name, names.clone());
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if !near.is_empty() {
        return format!("did you mean {}?", quoted(&near));
    }
    let all: Vec<String> = names.into_iter().take(MOST).map(str::to_owned).collect();
    if all.is_empty() {
        "there is nothing by that name".to_owned()
    } else {
        format!("there is {}", quoted(&all))
    }
}
