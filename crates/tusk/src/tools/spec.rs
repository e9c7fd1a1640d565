//! What a tool is, apart from what it does: its name, its schema, its examples, its risk, its scope, who may call it.
//!
//! Everything in here is hashed; a definition that changes is another definition.

use premath_kernel::{Digest, Fields, Object, Value, encode};
use premath_wire::InputError;
use premath_wire::strict::{Limits, parse};

use crate::JsonText;

/// What a call can do to what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Looks only.
    Read,
    /// Makes something new.
    Create,
    /// Changes what is there.
    Write,
    /// Can lose what is there.
    Destructive,
}

impl Risk {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// When what a call asks for happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolKind {
    /// Never: it looks only.
    Read,
    /// At once: it changes files or runs processes.
    Effect,
    /// Once the turn is closed and admitted: it asks for a change of issue memory, and has changed nothing when it answers.
    Intent,
}

impl ToolKind {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Effect => "effect",
            Self::Intent => "intent",
        }
    }
}

/// Who may call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caller {
    /// The model itself.
    Model,
    /// Any program of the turn.
    Code,
}

impl Caller {
    /// How allow-lists and request rows name it.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Code => "code_execution",
        }
    }
}

/// A tool's definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema (2020-12) of its arguments; always of an object.
    pub input_schema: JsonText,
    /// Arguments as they are meant to be given.
    pub examples: Vec<JsonText>,
    /// What a program gets of a call, in a line; empty where that follows from the kind of the tool.
    pub returns: String,
    /// When what a call asks for happens.
    pub kind: ToolKind,
    /// What a call can do.
    pub risk: Risk,
    /// What must be granted for it to exist, as `<resource>:<verb>`.
    pub scope: String,
    /// Who may call it.
    pub allowed_callers: Vec<Caller>,
    /// Whether a call that was cut off may be made again.
    pub idempotent: bool,
    /// Whether it is offered only after a search found it.
    pub defer_loading: bool,
}

/// A definition that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{part} of the tool `{tool}` is not JSON")]
pub struct SpecError {
    /// The tool.
    pub tool: String,
    /// Which part.
    pub part: &'static str,
    /// Where.
    #[source]
    pub source: InputError,
}

impl ToolSpec {
    /// A tool that reads, may be called by everybody, again, and is offered from the start.
    ///
    /// # Errors
    /// A schema or an example that is not strict JSON.
    pub fn new(
        name: &str,
        scope: &str,
        description: &str,
        input_schema: &str,
        examples: &[&str],
    ) -> Result<Self, SpecError> {
        // In the spelling that a journal gives back, so that a run that goes on offers the same bytes.
        let json = |part, text: &str| {
            let read = JsonText::new(text)
                .and_then(|text| JsonText::new(String::from_utf8_lossy(&encode(&value(&text))).into_owned()));
            read.map_err(|source| SpecError { tool: name.to_owned(), part, source })
        };
        Ok(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: json("the schema", input_schema)?,
            examples: examples.iter().map(|example| json("an example", example)).collect::<Result<_, _>>()?,
            returns: String::new(),
            kind: ToolKind::Read,
            risk: Risk::Read,
            scope: scope.to_owned(),
            allowed_callers: vec![Caller::Model, Caller::Code],
            idempotent: true,
            defer_loading: false,
        })
    }

    /// The digest of the schema that arguments are validated with.
    #[must_use]
    pub fn schema_digest(&self) -> Digest {
        Digest::of(&value(&self.input_schema))
    }

    /// The digest of the usage examples; none without any.
    #[must_use]
    pub fn example_digest(&self) -> Option<Digest> {
        (!self.examples.is_empty()).then(|| Digest::of_array(self.examples.iter().map(value)))
    }

    /// The digest of the whole definition: what a pin holds.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_value())
    }

    /// The definition as it is hashed and kept.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let fields: Fields<'_> = Object::fields()
            .field("allowedCallers", Value::text_list(self.callers()))
            .field("deferLoading", self.defer_loading)
            .field("description", self.description.as_str())
            .field("examples", self.examples.iter().map(value).collect::<Vec<_>>())
            .field("idempotent", self.idempotent)
            .field("inputSchema", value(&self.input_schema))
            .field("kind", self.kind.token())
            .field("name", self.name.as_str())
            .optional("returns", Some(self.returns.as_str()).filter(|text| !text.is_empty()))
            .field("risk", self.risk.token())
            .field("scope", self.scope.as_str());
        fields.finish()
    }

    /// Its callers as allow-lists name them, sorted, each once.
    pub(super) fn callers(&self) -> Vec<&'static str> {
        let mut callers: Vec<_> = self.allowed_callers.iter().map(|caller| caller.token()).collect();
        callers.sort_unstable();
        callers.dedup();
        callers
    }
}

/// What a text means. INVARIANT: a `JsonText` was read by the same decoder under the same limits.
pub(super) fn value(text: &JsonText) -> Value<'_> {
    parse(text.as_str().as_bytes(), Limits::default()).unwrap_or(Value::Null)
}
