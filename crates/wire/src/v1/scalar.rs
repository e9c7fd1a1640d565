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
    ($($(#[$meta:meta])* $name:ident($kernel:ty) $parse:path, $expected:literal;)+) => {$(
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

            fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
                let unless_blank = |text: &str| match text.trim().is_empty() {
                    true => Some(None),
                    false => $parse(text).map(|value| Some(Self(value))),
                };
                read(deserializer, $expected, unless_blank)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer, $expected, $parse).map(Self)
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
                Cow::Borrowed(stringify!($name))
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": "\\S" })
            }
        }
    )+};
}

text_scalar! {
    /// Trimmed text that is not blank.
    Name(kernel::Text) kernel::Text::new, "text that is not blank";
    /// The same in lower case.
    Word(kernel::Token) kernel::Token::new, "text that is not blank";
    /// The id of a tool call.
    CallId(kernel::ToolCallId) kernel::ToolCallId::new, "text that is not blank";
    /// A digest as text.
    DigestText(kernel::Digest) kernel::Digest::claimed, "text that is not blank";
    /// The name of a host action.
    ActionText(kernel::ActionName) kernel::ActionName::new, "a lower-case action name such as issue.update";
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

            fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
                Word::read_optional(deserializer)?.map(Self::from_word).transpose()
            }
        }

        impl $name {
            fn from_word<E: serde::de::Error>(word: Word) -> Result<Self, E> {
                let token = word.0.as_str();
                let known = kernel::$kernel::ALL.into_iter().find(|known| known.token() == token);
                known.map(Self).ok_or_else(|| {
                    let expected = format!("one of {}", kernel::$kernel::ALL.map(|known| known.token()).join(", "));
                    E::invalid_value(Unexpected::Str(token), &expected.as_str())
                })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Word::deserialize(deserializer).and_then(Self::from_word)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.token())
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($kernel))
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let tokens = kernel::$kernel::ALL.map(|known| known.token());
                token_schema(generator, &tokens)
            }
        }
    )+};
}

/// What is written is a token; what is read may have other case and outer blanks.
fn token_schema(generator: &SchemaGenerator, tokens: &[&str]) -> Schema {
    if generator.contract().is_serialize() {
        return json_schema!({ "enum": tokens });
    }
    let letter = |letter: char| match letter {
        'a'..='z' => format!("[{}{letter}]", letter.to_ascii_uppercase()),
        other => other.to_string(),
    };
    let spellings: Vec<String> = tokens.iter().map(|token| token.chars().map(letter).collect()).collect();
    let pattern = format!("^\\s*({})\\s*$", spellings.join("|"));
    json_schema!({
        "description": "Read without regard to case and outer blanks.",
        "anyOf": [{ "enum": tokens }, { "type": "string", "pattern": pattern }],
    })
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
    /// What a command did to a file.
    ChangeKindToken = ChangeKind;
    /// Who said which files there are.
    ChangeSourceToken = ChangeSource;
    /// Whether paths that git ignores were compared.
    IgnoredPathsToken = IgnoredPaths;
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

/// One entry of a set: null and blank text are none.
struct Entry(Option<kernel::Text>);

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::<Blankable>::deserialize(deserializer)
            .map(|entry| Self(entry.and_then(|Blankable(text)| text)))
    }
}

struct Blankable(Option<kernel::Text>);

impl<'de> Deserialize<'de> for Blankable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Name::read_optional(deserializer).map(|name| Self(name.map(Name::into_kernel)))
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
        while let Some(Entry(entry)) = items.next_element()? {
            texts.extend(entry);
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

/// Text that is kept byte for byte and is not empty: a truncation marker is counted in bytes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("minLength" = 1))]
pub(crate) struct Verbatim(String);

impl Wire for Verbatim {
    type Kernel = String;

    fn into_kernel(self) -> Self::Kernel {
        self.0
    }

    fn from_kernel(kernel: Self::Kernel) -> Self {
        Self(kernel)
    }

    fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        read(deserializer, "text", |text| Some((!text.is_empty()).then(|| Self(text.to_owned()))))
    }
}

impl<'de> Deserialize<'de> for Verbatim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, "text that is not empty", |text| (!text.is_empty()).then(|| Self(text.to_owned())))
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

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number from 0 to 2^53-1")
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Whole, E> {
        kernel::Count::new(number)
            .map(Whole)
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(WholeVisitor)
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

    fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        // An empty string is a value like any other; only null is none.
        Self::deserialize(deserializer).map(|json| (json.0.0 != kernel::Value::Null).then_some(json))
    }
}
