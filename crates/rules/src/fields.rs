//! Which arguments of a tool a rule can see, and as what: those whose schema is a text, a whole number, a flag or a list of
//! texts. It must not guess: an argument of any other kind is not there for a rule.

use cedar_policy::RestrictedExpression;
use serde_json::{Value, json};

/// As what a rule sees an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Text,
    Long,
    Flag,
    Texts,
}

impl FieldKind {
    /// Its type in the schema that rules are checked against.
    pub(crate) fn schema(self, is_required: bool) -> Value {
        match self {
            Self::Text => json!({"type": "String", "required": is_required}),
            Self::Long => json!({"type": "Long", "required": is_required}),
            Self::Flag => json!({"type": "Boolean", "required": is_required}),
            Self::Texts => json!({"type": "Set", "element": {"type": "String"}, "required": is_required}),
        }
    }

    /// A value of it; none when the argument is of another kind.
    pub(crate) fn read(self, value: &Value) -> Option<RestrictedExpression> {
        let text =
            |value: &Value| value.as_str().map(|text| RestrictedExpression::new_string(text.to_owned()));
        match self {
            Self::Text => text(value),
            Self::Long => whole(value).map(RestrictedExpression::new_long),
            Self::Flag => value.as_bool().map(RestrictedExpression::new_bool),
            Self::Texts => {
                let items: Option<Vec<_>> = value.as_array()?.iter().map(text).collect();
                items.map(RestrictedExpression::new_set)
            }
        }
    }

    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Long => "a whole number",
            Self::Flag => "true or false",
            Self::Texts => "a list of texts",
        }
    }
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    pub(crate) is_required: bool,
}

/// The arguments of a tool that rules can see, by name.
pub(crate) fn fields(input_schema: &Value) -> Vec<Field> {
    let required = input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let properties = input_schema.get("properties").and_then(Value::as_object);
    let field = |(name, property): (&String, &Value)| {
        let (kind, may_be_null) = kind(property)?;
        Some(Field { name: name.clone(), kind, is_required: is_required(name) && !may_be_null })
    };
    let mut fields: Vec<Field> = properties.into_iter().flatten().filter_map(field).collect();
    fields.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    fields
}

/// The kind of a property, and whether it may be null, which a rule sees as absent.
fn kind(property: &Value) -> Option<(FieldKind, bool)> {
    let Some(named) = property.get("type") else {
        let choices = property.get("enum")?.as_array()?;
        return choices.iter().all(Value::is_string).then_some((FieldKind::Text, false));
    };
    let names: Vec<&str> = match named {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let may_be_null = names.contains(&"null");
    let mut others = names.into_iter().filter(|name| *name != "null");
    let kind = match (others.next()?, others.next()) {
        ("string", None) => FieldKind::Text,
        ("integer", None) => FieldKind::Long,
        ("boolean", None) => FieldKind::Flag,
        ("array", None) => match self::kind(property.get("items")?)? {
            (FieldKind::Text, false) => FieldKind::Texts,
            (FieldKind::Text | FieldKind::Long | FieldKind::Flag | FieldKind::Texts, _) => return None,
        },
        (_, _) => return None,
    };
    Some((kind, may_be_null))
}

/// A whole number, however it is written: JSON Schema takes `1.0` for one.
#[expect(clippy::cast_possible_truncation, reason = "bounded by what a double holds exactly")]
fn whole(value: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let number = || value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT);
    value.as_i64().or_else(|| number().map(|number| number as i64))
}
