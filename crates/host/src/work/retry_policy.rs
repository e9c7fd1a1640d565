//! The retry policy `policies/control/harness-retry-policy-v1.json`: read, held against its digest, made into a table.
//!
//! A policy that is missing, cannot be read, is of another shape or was changed without its digest is refused by class: no
//! work begins under rules that nobody stands for. It must not fall back to rules of its own.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_bd::{Access, StoreError, read_to_end};
use premath_kernel::{
    BackoffClass, ClassPattern, Digest, EscalationAction, FailureKind, Object, RetryRule, RetryTable,
    RetryTableFault, Value,
};
use premath_wire::strict::{Limits, parse};

use crate::agent::RunRefused as Refused;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// Where it is, from the root.
pub(crate) const RETRY_POLICY_PATH: &str = "policies/control/harness-retry-policy-v1.json";
/// What `premath init` writes there.
pub(crate) const DEFAULT_RETRY_POLICY: &str = include_str!("harness-retry-policy-v1.json");

const KIND: &str = "ci.harness.retry.policy.v1";
/// More than any policy needs.
const LARGEST: usize = 1 << 20;

/// The rules in force.
#[derive(Debug, Clone)]
pub(crate) struct RetryPolicy {
    pub(crate) table: RetryTable,
    pub(crate) digest: Digest,
}

/// Reads the policy of a repository.
pub(crate) fn load(workspace: &Workspace) -> Result<Result<RetryPolicy, Refused>, ActionError> {
    let path = workspace.root.join(RETRY_POLICY_PATH);
    let bytes = match workspace.disk.open(&path, Access::Read) {
        Ok(file) => read_to_end(file.as_ref(), 0, LARGEST).map_err(|source| failed(&path, source))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let detail = format!("there is no `{}`", shown(&path));
            return Ok(Err(refused("retry_policy_missing", &detail, "`premath init` writes it")));
        }
        Err(source) => return Err(failed(&path, source)),
    };
    Ok(read(&bytes))
}

fn failed(path: &Path, source: std::io::Error) -> ActionError {
    StoreError::Io { doing: "read", path: PathBuf::from(path), source }.into()
}

fn refused(class: &str, detail: &str, hint: &str) -> Refused {
    Refused { class: class.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() }
}

/// Reads a policy from its bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<RetryPolicy, Refused> {
    let document = parse(bytes, Limits::default()).map_err(|error| {
        refused(
            "retry_policy_invalid_json",
            &error.to_string(),
            "mend it, or put back what `premath init` writes",
        )
    })?;
    let (normal, rules) = normal(&document).map_err(|what| invalid_shape(&what))?;
    let table = RetryTable::new(rules).map_err(|fault| invalid_shape(&told(&fault)))?;
    let digest = Digest::prefixed("pol1_", &normal);
    let claimed = document.as_object().and_then(|object| object.get("policyDigest")).and_then(Value::as_text);
    if claimed != Some(digest.as_str()) {
        let detail = format!(
            "the document has the digest {}, and says {}",
            digest.as_str(),
            claimed.unwrap_or("none")
        );
        return Err(refused(
            "retry_policy_invalid_digest",
            &detail,
            "whoever changes the policy states its digest; review the change before you do",
        ));
    }
    Ok(RetryPolicy { table, digest })
}

fn invalid_shape(what: &str) -> Refused {
    refused("retry_policy_invalid_shape", what, "docs/reference/workers.md shows the shape")
}

fn told(fault: &RetryTableFault) -> String {
    match fault {
        RetryTableFault::KindMissing(kind) => format!("there is no rule `{}`", kind.token()),
        RetryTableFault::KindTwice(kind) => format!("there are two rules `{}`", kind.token()),
        RetryTableFault::ClassesMisplaced(FailureKind::Default) => {
            "the rule `default` names failure classes".to_owned()
        }
        RetryTableFault::ClassesMisplaced(kind) => {
            format!("the rule `{}` names no failure class", kind.token())
        }
        RetryTableFault::AttemptsOutOfRange(kind) => {
            format!("the rule `{}` allows no attempt, or more than 100", kind.token())
        }
        RetryTableFault::Overlap { left, right } => {
            format!("`{left}` and `{right}` of two rules name the same class")
        }
    }
}

/// The document as it is hashed: without its digest, sets sorted; and its rules.
fn normal<'v>(document: &'v Value<'v>) -> Result<(Value<'v>, Vec<RetryRule>), String> {
    let object = document.as_object().ok_or("the policy is not an object")?;
    let members = ["policyDigest", "policyId", "policyKind", "rules", "schema"];
    if let Some((unknown, _)) = object.iter().find(|(name, _)| !members.contains(name)) {
        return Err(format!("the member `{unknown}` is not known"));
    }
    let text =
        |name: &str| object.get(name).and_then(Value::as_text).ok_or_else(|| format!("`{name}` is no text"));
    if text("policyKind")? != KIND {
        return Err(format!("`policyKind` is not `{KIND}`"));
    }
    let schema = object.get("schema").and_then(Value::as_number).and_then(premath_kernel::Number::as_u64);
    if schema != Some(1) {
        return Err("`schema` is not 1".to_owned());
    }
    let listed = object.get("rules").and_then(Value::as_array).ok_or("`rules` is no list")?;
    let mut rules = listed.iter().map(rule).collect::<Result<Vec<_>, String>>()?;
    rules.sort_by(|left, right| left.kind.token().cmp(right.kind.token()));
    let written = rules.iter().map(written).collect();
    let normal = Object::fields()
        .field("policyId", text("policyId")?)
        .field("policyKind", KIND)
        .field("rules", Value::Array(written))
        .field("schema", 1_u32)
        .finish();
    Ok((normal, rules))
}

fn rule(value: &Value<'_>) -> Result<RetryRule, String> {
    let object = value.as_object().ok_or("a rule is not an object")?;
    let members = ["backoffClass", "escalationAction", "failureClasses", "maxAttempts", "ruleId"];
    if let Some((unknown, _)) = object.iter().find(|(name, _)| !members.contains(name)) {
        return Err(format!("the member `{unknown}` of a rule is not known"));
    }
    let token = |name: &str| object.get(name).and_then(Value::as_text).unwrap_or_default();
    fn named<T>(all: &[T], token: impl Fn(&T) -> &'static str, name: &str, said: &str) -> Result<T, String>
    where
        T: Copy,
    {
        all.iter().find(|one| token(one) == said).copied().ok_or_else(|| format!("`{said}` is no {name}"))
    }
    let mut classes = Vec::new();
    for class in
        object.get("failureClasses").and_then(Value::as_array).ok_or("`failureClasses` is no list")?
    {
        let text = class.as_text().unwrap_or_default();
        classes.push(ClassPattern::new(text).ok_or_else(|| format!("`{text}` names no failure classes"))?);
    }
    classes.sort_unstable();
    classes.dedup();
    let attempts =
        object.get("maxAttempts").and_then(Value::as_number).and_then(premath_kernel::Number::as_u64);
    Ok(RetryRule {
        kind: named(&FailureKind::ALL, |kind| kind.token(), "ruleId", token("ruleId"))?,
        classes,
        max_attempts: attempts
            .and_then(|count| u32::try_from(count).ok())
            .ok_or("`maxAttempts` is no count")?,
        backoff: named(&BackoffClass::ALL, |class| class.token(), "backoffClass", token("backoffClass"))?,
        escalation: named(
            &EscalationAction::ALL,
            |action| action.token(),
            "escalationAction",
            token("escalationAction"),
        )?,
    })
}

fn written(rule: &RetryRule) -> Value<'static> {
    let classes = rule.classes.iter().map(|class| Value::from(class.as_str().to_owned())).collect();
    Object::fields()
        .field("backoffClass", rule.backoff.token())
        .field("escalationAction", rule.escalation.token())
        .field("failureClasses", Value::Array(classes))
        .field("maxAttempts", rule.max_attempts)
        .field("ruleId", rule.kind.token())
        .finish()
}

#[cfg(test)]
mod tests;
