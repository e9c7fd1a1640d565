//! Arguments that a tool's schema accepts, and how they come to be.
//!
//! [`Arguments`] have one producer, `Schema::check`, so that no tool sees what nobody validated. A schema reaches nothing
//! outside itself: whatever refers elsewhere is refused when the catalogue is built.

mod explain;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::outcome::ToolFailure;
use crate::JsonText;

/// How many things that are wrong are told at once.
const MOST_ERRORS: usize = 8;
/// The largest compiled pattern of a schema, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// Arguments that were validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments(Value);

impl Arguments {
    /// A text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// A text that the schema requires.
    ///
    /// # Errors
    /// `tool.schema_invalid` when the schema does not require it after all.
    pub fn required_text(&self, name: &str) -> Result<&str, ToolFailure> {
        self.text(name).ok_or_else(|| {
            let mut failure = ToolFailure::new("tool.schema_invalid", format!("`{name}` is missing"));
            failure.pointers.push(format!("/{name}"));
            failure
        })
    }

    /// A whole number, however it is written: `1.0` is one.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        let value = self.0.get(name)?;
        value.as_i64().or_else(|| whole(value.as_f64()?))
    }

    /// A whole number that is not negative.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.integer(name).and_then(|count| u64::try_from(count).ok())
    }

    /// A flag; absent is `false`.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// All of them.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.0
    }
}

#[expect(clippy::cast_possible_truncation, reason = "bounded by what a double holds exactly")]
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is not the schema of an object.
    #[error("it does not say `\"type\": \"object\"`")]
    NotOfAnObject,
    /// It refers to something outside itself.
    #[error("`{keyword}` at `{pointer}` refers outside the schema")]
    RefersOutside {
        /// The keyword.
        keyword: &'static str,
        /// Where.
        pointer: String,
    },
    /// It is no schema.
    #[error("it is not a JSON Schema: {detail}")]
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
}

/// A compiled schema.
#[derive(Debug)]
pub(super) struct Schema {
    source: Value,
    validator: Validator,
}

impl Schema {
    pub(super) fn new(text: &JsonText) -> Result<Self, SchemaError> {
        let invalid = |detail: String| SchemaError::Invalid { detail };
        let source: Value =
            serde_json::from_str(text.as_str()).map_err(|error| invalid(error.to_string()))?;
        if source.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaError::NotOfAnObject);
        }
        refuse_outside(&source, &mut String::new())?;
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
            .build(&source)
            .map_err(|error| invalid(explain::bounded(&error.to_string())))?;
        Ok(Self { source, validator })
    }

    /// Validates arguments.
    pub(super) fn check(&self, text: &JsonText) -> Result<Arguments, ToolFailure> {
        let value: Value = serde_json::from_str(text.as_str())
            .map_err(|error| ToolFailure::new("tool.schema_invalid", explain::bounded(&error.to_string())))?;
        let errors: Vec<_> = self.validator.iter_errors(&value).take(MOST_ERRORS).collect();
        if errors.is_empty() {
            return Ok(Arguments(value));
        }
        Err(explain::failure(&self.source, &value, &errors))
    }

    /// The names of the arguments.
    pub(super) fn argument_names(&self) -> Vec<&str> {
        let properties = self.source.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)).collect()
    }
}

const SCHEMA_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

/// INVARIANT: the strict decoder bounds the depth.
fn refuse_outside(value: &Value, pointer: &mut String) -> Result<(), SchemaError> {
    let length = pointer.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(keyword) = leads_outside(name, member) {
                    return Err(SchemaError::RefersOutside { keyword, pointer: pointer.clone() });
                }
                pointer.push('/');
                pointer.push_str(&explain::escaped(name));
                refuse_outside(member, pointer)?;
                pointer.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                refuse_outside(item, pointer)?;
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(())
}

/// A property may have such a name; then its value is a schema and not a text.
fn leads_outside(name: &str, member: &Value) -> Option<&'static str> {
    let target = member.as_str()?;
    let outside = |keyword, is_inside: bool| (!is_inside).then_some(keyword);
    match name {
        "$ref" => outside("$ref", target.starts_with('#')),
        "$dynamicRef" => outside("$dynamicRef", target.starts_with('#')),
        "$recursiveRef" => outside("$recursiveRef", target.starts_with('#')),
        "$schema" => outside("$schema", target.trim_end_matches('#') == SCHEMA_2020_12),
        // A base of its own would turn `#/…` into a reference to somewhere else.
        "$id" => outside("$id", false),
        _ => None,
    }
}
