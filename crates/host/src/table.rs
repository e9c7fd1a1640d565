//! The table itself: what each action is called, what it reads and answers, and whether it changes anything.

use premath_kernel::{Digest, Value};
use premath_wire::v1::{HOST_EFFECT_SCHEMA, HostEffect};
use premath_wire::{InputClass, InputError, JsonPath};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::actions::conformance::{SourceError, VectorSource};
use crate::actions::{conformance, explain, governance_check, join_check, schema};

/// Whether an action changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// It only reads.
    Read,
}

/// One host function.
#[derive(Debug)]
pub struct Action {
    /// `resource.verb`
    pub name: &'static str,
    /// The command that calls it.
    pub command: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it changes anything.
    pub door: Door,
    /// The schema of what it answers.
    pub output_schema: &'static str,
    call: fn(&Host<'_>, &Value<'_>) -> Result<Answer, ActionError>,
}

/// Every action, sorted by name.
pub const ACTIONS: &[Action] = &[
    Action {
        name: "conformance.run",
        command: "conformance-run",
        summary: "run the conformance vectors",
        door: Door::Read,
        output_schema: "conformance-report",
        call: conformance::call,
    },
    Action {
        name: "failure.explain",
        command: "explain",
        summary: "explain a failure class",
        door: Door::Read,
        output_schema: "explanation",
        call: explain::call,
    },
    Action {
        name: "governance.check",
        command: "governance-check",
        summary: "check a governance profile by itself",
        door: Door::Read,
        output_schema: "governance-check-report",
        call: governance_check::call,
    },
    Action {
        name: "harness.join_check",
        command: "harness-join-check",
        summary: "check whether a turn is closed and its mutation admissible",
        door: Door::Read,
        output_schema: "join-check-report",
        call: join_check::call,
    },
    Action {
        name: "schema.show",
        command: "schema",
        summary: "print the JSON Schema of a document",
        door: Door::Read,
        output_schema: "json-schema",
        call: schema::call,
    },
];

/// What an action answers.
#[derive(Debug)]
pub struct Answer {
    /// `accepted`, `rejected` or `ok`.
    pub result_class: &'static str,
    /// The document that `--json` prints.
    pub payload: Box<RawValue>,
    /// Witnesses that the call emitted.
    pub witness_refs: Vec<String>,
    /// Why it was refused.
    pub failure_classes: Vec<String>,
}

impl Answer {
    pub(crate) fn new(result_class: &'static str, payload: &impl Serialize) -> Result<Self, ActionError> {
        let payload =
            serde_json::value::to_raw_value(payload).map_err(|source| ActionError::Unwritable { source })?;
        Ok(Self { result_class, payload, witness_refs: Vec::new(), failure_classes: Vec::new() })
    }
}

/// Why an action gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// Nothing of that name is in the table.
    #[error("host_action_unknown: no action `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The arguments cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Something outside could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The answer could not be written as JSON.
    #[error("the answer cannot be written as JSON")]
    Unwritable {
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// The actions together with what they need from outside.
#[derive(Debug)]
pub struct Host<'a> {
    /// Where conformance vectors come from.
    pub vectors: &'a dyn VectorSource,
}

impl Host<'_> {
    /// Calls an action by name and wraps its answer in the envelope that every door gives.
    ///
    /// # Errors
    /// An unknown action, arguments that cannot be read, or an environment that does not answer.
    pub fn call(&self, name: &str, args: &Value<'_>) -> Result<HostEffect<Box<RawValue>>, ActionError> {
        let action = ACTIONS
            .iter()
            .find(|action| action.name == name)
            .ok_or_else(|| ActionError::Unknown { name: name.to_owned() })?;
        let answer = (action.call)(self, args)?;
        Ok(HostEffect {
            schema: HOST_EFFECT_SCHEMA,
            action: action.name,
            args_digest: Digest::prefixed("he1_", args).as_str().to_owned(),
            result_class: answer.result_class.to_owned(),
            payload: answer.payload,
            witness_refs: answer.witness_refs,
            failure_classes: answer.failure_classes,
            policy_digest: None,
            instruction_ref: None,
        })
    }
}

/// The member of the arguments that must be there.
pub(crate) fn required<'v>(args: &'v Value<'v>, key: &str) -> Result<&'v Value<'v>, InputError> {
    args.as_object()
        .and_then(|object| object.get(key))
        .ok_or_else(|| InputError::new(InputClass::FieldMissing, "missing field", JsonPath::root().key(key)))
}

/// The text argument that must be there.
pub(crate) fn required_text<'v>(args: &'v Value<'v>, key: &str) -> Result<&'v str, InputError> {
    required(args, key)?.as_text().ok_or_else(|| {
        InputError::new(InputClass::FieldInvalid, "expected a string", JsonPath::root().key(key))
    })
}

/// The text argument that may be there.
pub(crate) fn optional_text<'v>(args: &'v Value<'v>, key: &str) -> Result<Option<&'v str>, InputError> {
    match args.as_object().and_then(|object| object.get(key)) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => required_text(args, key).map(Some),
    }
}
