//! What came of a call, as the envelope that every door gives: also where the host gave no answer at all.
//!
//! A refusal is a result, with its class and what to do next; it is never an error of the protocol, which clients hide from
//! models. It must not say more than the host does.

use premath_host::ActionError;
use premath_kernel::{Digest, Value};
use premath_wire::v1::{HOST_EFFECT_SCHEMA, HostEffect, RefusedAnswer, RefusedBecause};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::value::RawValue;

/// More than this is not handed to a model: whoever wants it asks for less at once.
const LARGEST: usize = 1024 * 1024;

/// An envelope, written.
#[derive(Debug)]
pub(crate) struct Answered {
    text: String,
    is_error: bool,
}

/// How an envelope becomes structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    /// Of values, which the SDK writes.
    Built,
    /// By the transport, which writes the text once more: it is JSON already.
    Spliced,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) class: String,
    pub(crate) detail: String,
    pub(crate) hint: String,
}

impl Answered {
    /// What the host answered.
    pub(crate) fn of(effect: &HostEffect<Box<RawValue>>) -> Self {
        match serde_json::to_string(effect) {
            Ok(text) if text.len() > LARGEST => {
                let failure = Failure {
                    class: "answer_too_large".to_owned(),
                    detail: format!(
                        "the answer has {} bytes, and at most {LARGEST} are handed out",
                        text.len()
                    ),
                    hint: "ask for less: with `limit`, or with what narrows the question".to_owned(),
                };
                Self::failed(effect.action, &effect.args_digest, failure)
            }
            Ok(text) => Self { text, is_error: effect.result_class == "rejected" },
            Err(source) => {
                Self::failed(effect.action, &effect.args_digest, failure(&ActionError::Unwritable { source }))
            }
        }
    }

    /// Why the host did not answer.
    pub(crate) fn from_error(action: &'static str, args: &Value<'_>, error: &ActionError) -> Self {
        Self::failed(action, Digest::prefixed("he1_", args).as_str(), failure(error))
    }

    /// The envelope of a call that came to nothing.
    pub(crate) fn failed(action: &'static str, args_digest: &str, failure: Failure) -> Self {
        let class = failure.class;
        let effect = HostEffect {
            schema: HOST_EFFECT_SCHEMA,
            action,
            args_digest: args_digest.to_owned(),
            result_class: "error".to_owned(),
            payload: RefusedAnswer {
                action: action.to_owned(),
                issues_path: String::new(),
                refused: RefusedBecause { class: class.clone(), detail: failure.detail, hint: failure.hint },
            },
            witness_refs: Vec::new(),
            failure_classes: vec![class],
            policy_digest: None,
            instruction_ref: None,
        };
        // Texts alone: this can always be written.
        Self { text: serde_json::to_string(&effect).unwrap_or_default(), is_error: true }
    }

    /// The envelope as a tool gives it: for programs, and again as text for clients that know nothing else.
    pub(crate) fn into_result(self, structure: Structure) -> CallToolResult {
        let mut result = CallToolResult::default();
        result.structured_content = match structure {
            // A line that is broken in two is none, so such a text goes the long way.
            Structure::Spliced if !self.text.contains('\n') => None,
            Structure::Spliced | Structure::Built => serde_json::from_str(&self.text).ok(),
        };
        result.is_error = Some(self.is_error);
        result.content = vec![ContentBlock::text(self.text)];
        result
    }

    /// What the action answered, without the envelope; why not, where it was refused.
    pub(crate) fn into_payload(self) -> Result<String, String> {
        #[derive(serde::Deserialize)]
        struct Envelope {
            payload: Box<RawValue>,
        }
        let payload = serde_json::from_str::<Envelope>(&self.text).map(|read| read.payload.get().to_owned());
        match payload {
            Ok(payload) if !self.is_error => Ok(payload),
            Ok(refused) => Err(refused),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn failure(error: &ActionError) -> Failure {
    let of_input =
        matches!(error, ActionError::Input(_)).then_some("the tool's inputSchema says what it takes");
    let hint = of_input.or_else(|| error.hint()).unwrap_or_default();
    Failure { class: error.class().to_owned(), hint: hint.to_owned(), detail: error.to_string() }
}
