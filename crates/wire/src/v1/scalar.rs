//! The small values of the wire: each reads into the kernel's normal form and refuses what has none.

use std::borrow::Cow;
use std::fmt;

use premath_kernel as kernel;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::row::Wire;

/// Reads a string without keeping it.
struct Reading<T, F>(&'static str, F, std::marker::PhantomData<T>);

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for Reading<T, F> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self.0))
    }
}

fn read<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(Reading(expected, parse, std::marker::PhantomData))
}

macro_rules! text_scalar {
    ($($(#[$meta:meta])* $name:ident($kernel:ty) $parse:path, $title:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub(crate) struct $name(pub(crate) $kernel);

        impl Wire for $name {
            type Kernel = $kernel;

            fn into_kernel(self) -> $kernel {
                self.0
            }

            fn from_kernel(kernel: $kernel) -> Self {
                Self(kernel)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer, "text that is not blank", $parse).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.as_str())
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed($title)
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": "\\S" })
            }
        }
    )+};
}

text_scalar! {
    /// Trimmed text that is not blank.
    Name(kernel::Text) kernel::Text::new, "Name";
    /// The same in lower case.
    Word(kernel::Token) kernel::Token::new, "Word";
    /// The id of a tool call.
    CallId(kernel::ToolCallId) kernel::ToolCallId::new, "CallId";
    /// A digest as text.
    DigestText(kernel::Digest) kernel::Digest::claimed, "DigestText";
}

macro_rules! token_enum {
    ($($(#[$meta:meta])* $name:ident = $kernel:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(pub(crate) kernel::$kernel);

        impl Wire for $name {
            type Kernel = kernel::$kernel;

            fn into_kernel(self) -> Self::Kernel {
                self.0
            }

            fn from_kernel(kernel: Self::Kernel) -> Self {
                Self(kernel)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let token = Word::deserialize(deserializer)?;
                let token = token.0.as_str();
                let found = kernel::$kernel::ALL.into_iter().find(|known| known.token() == token);
                found.map(Self).ok_or_else(|| {
                    let expected = format!("one of {}", kernel::$kernel::ALL.map(|known| known.token()).join(", "));
                    D::Error::invalid_value(Unexpected::Str(token), &expected.as_str())
                })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.token())
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($kernel))
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let tokens = kernel::$kernel::ALL.map(|known| known.token());
                json_schema!({ "enum": tokens, "description": "Read without regard to case and outer blanks." })
            }
        }
    )+};
}

token_enum! {
    /// How the model expresses actions.
    ActionModeToken = ActionMode;
    /// The shape of the work.
    ExecutionPatternToken = ExecutionPattern;
    /// Who speaks.
    OrchestrationRoleToken = OrchestrationRole;
    /// Whether a call ended, and how.
    ResultStatusToken = ResultStatus;
    /// Where a result came from.
    ProvenanceKindToken = ProvenanceKind;
    /// How a file was touched.
    AccessToken = Access;
    /// What became of a result.
    DispositionToken = Disposition;
    /// When a guardrail looks.
    GuardrailStageToken = GuardrailStage;
    /// Whether results follow the order of requests.
    OrderingToken = Ordering;
    /// Where a payload may be cut.
    #[derive(Default)]
    CutToken = Cut;
}

/// Texts as a set: trimmed, blanks dropped, sorted, without repeats.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refs(pub(crate) kernel::TextSet);

impl Wire for Refs {
    type Kernel = kernel::TextSet;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

struct RefsVisitor;

impl<'de> Visitor<'de> for RefsVisitor {
    type Value = Refs;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Refs, A::Error> {
        let mut texts = Vec::new();
        // An absent option is a blank or null entry, which a set does not have.
        while let Some(item) = items.next_element::<Option<Name>>()? {
            texts.extend(item.map(|name| name.0));
        }
        Ok(Refs(texts.into_iter().collect()))
    }
}

impl<'de> Deserialize<'de> for Refs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RefsVisitor)
    }
}

impl Serialize for Refs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(kernel::Text::as_str))
    }
}

impl JsonSchema for Refs {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Refs")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}

/// A whole number from 0 to 2^53-1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole(pub(crate) kernel::Count);

impl Wire for Whole {
    type Kernel = kernel::Count;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let expected = "a whole number up to 2^53-1";
        kernel::Count::new(number)
            .map(Self)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(number), &expected))
    }
}

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0.get())
    }
}

impl JsonSchema for Whole {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Whole")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 })
    }
}

/// A finite number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal(pub(crate) kernel::Number);

impl Wire for Decimal {
    type Kernel = kernel::Number;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let expected = "a finite number";
        kernel::Number::float(number)
            .map(Self)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Float(number), &expected))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_u64() {
            Some(whole) => serializer.serialize_u64(whole),
            None => serializer.serialize_f64(self.0.as_f64()),
        }
    }
}

impl JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Decimal")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

/// Any JSON, as the kernel's value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AnyJson(pub(crate) crate::Json);

impl<'de> Deserialize<'de> for AnyJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::Json::deserialize(deserializer).map(Self)
    }
}

impl Wire for AnyJson {
    type Kernel = kernel::Value<'static>;

    fn into_kernel(self) -> Self::Kernel {
        self.0.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(crate::Json(kernel))
    }
}

/// Keeps a value that is present even when it is a blank string: a payload may be one.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<AnyJson>, D::Error> {
    AnyJson::deserialize(deserializer).map(|json| (json.0.0 != kernel::Value::Null).then_some(json))
}
