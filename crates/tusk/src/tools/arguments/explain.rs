//! What is wrong with arguments, in words for a model: a pointer to each place, and what may have been meant.
//!
//! It must not repeat arguments at length: they may be long, and somebody else's.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::tools::closest::closest;
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::shown;

/// One thing that is wrong.
struct Finding {
    pointer: String,
    words: String,
    closest: Vec<String>,
}

pub(super) fn failure(schema: &Value, arguments: &Value, errors: &[ValidationError<'_>]) -> ToolFailure {
    let mut findings: Vec<Finding> =
        errors.iter().flat_map(|error| findings(schema, arguments, error)).collect();
    findings.sort_by(|left, right| left.pointer.cmp(&right.pointer));
    findings.dedup_by(|left, right| left.pointer == right.pointer && left.words == right.words);
    let words: Vec<String> = findings
        .iter()
        .map(|finding| format!("at `{}`: {}", shown(&finding.pointer), finding.words))
        .collect();
    let mut failure = ToolFailure::new("tool.schema_invalid", words.join("; "));
    for finding in findings {
        failure.pointers.push(finding.pointer);
        failure.closest_matches.extend(finding.closest);
    }
    failure.pointers.dedup();
    let mut seen = Vec::new();
    failure.closest_matches.retain(|name| {
        let is_new = !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    failure
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what else a schema can say is told by its keyword")]
fn findings(schema: &Value, arguments: &Value, error: &ValidationError<'_>) -> Vec<Finding> {
    let at = error.instance_path().as_str();
    let one = |words: String, closest| vec![Finding { pointer: at.to_owned(), words, closest }];
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let known = properties(schema, error);
            let given = arguments.pointer(at).and_then(Value::as_object);
            let unknown = given.into_iter().flat_map(|given| given.keys().map(String::as_str));
            let near = closest(name, unknown.filter(|given| !known.contains(given)));
            let words = near.first().map_or_else(
                || "it is missing".to_owned(),
                |given| format!("it is missing; was `{}` meant to be it?", shown(given)),
            );
            vec![Finding { pointer: below(at, name), words, closest: vec![name.to_owned()] }]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = properties(schema, error);
            let finding = |name: &String| Finding {
                pointer: below(at, &shown(name)),
                words: "there is no such argument".to_owned(),
                closest: closest(name, known.iter().copied()),
            };
            unexpected.iter().take(super::MOST_ERRORS).map(finding).collect()
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let texts: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
            let near = error.instance().as_str().map(|given| closest(given, texts.iter().copied()));
            let list: Vec<String> = options.iter().map(ToString::to_string).collect();
            one(bounded(&format!("it is none of {}", list.join(", "))), near.unwrap_or_default())
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(wanted) => wanted.to_string(),
                TypeKind::Multiple(wanted) => {
                    wanted.iter().map(|wanted| wanted.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            one(format!("it is {}, not {wanted}", kind_of(error.instance())), Vec::new())
        }
        other => {
            let keyword = other.keyword();
            let limit = schema.pointer(error.schema_path().as_str()).filter(|limit| !limit.is_object());
            let limit = limit.map(|limit| format!(": {limit}")).unwrap_or_default();
            one(bounded(&format!("it breaks `{keyword}{limit}`")), Vec::new())
        }
    }
}

/// The names that the schema knows where an error was found.
fn properties<'s>(schema: &'s Value, error: &ValidationError<'_>) -> Vec<&'s str> {
    let path = error.schema_path().as_str();
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    // A missing name is reported at `required`, in some versions at an entry of it.
    let parent = parent.strip_suffix("/required").unwrap_or(parent);
    let known = schema.pointer(parent).and_then(|schema| schema.get("properties"));
    let known = known.and_then(Value::as_object);
    known.into_iter().flat_map(|known| known.keys().map(String::as_str)).collect()
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", escaped(name))
}

/// A name as JSON pointers spell it.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// At most a few hundred characters, on one line.
pub(super) fn bounded(text: &str) -> String {
    shown(text)
}
