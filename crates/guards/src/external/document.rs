//! What a guard outside is given.

use premath_tusk::policy::{GuardError, GuardSubject};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Document<'s> {
    stage: &'static str,
    tool: Option<&'s str>,
    text: &'s str,
    paths: &'s [String],
}

impl<'s> Document<'s> {
    const fn about(subject: &GuardSubject<'s>) -> Self {
        Self { stage: subject.stage.token(), tool: subject.tool, text: subject.text, paths: subject.paths }
    }
}

fn unwritten<E>(_: E) -> GuardError {
    GuardError::Unavailable("the document cannot be written".to_owned())
}

/// The document about a subject, as the arguments of a call.
pub(super) fn value(subject: &GuardSubject<'_>) -> Result<serde_json::Value, GuardError> {
    serde_json::to_value(Document::about(subject)).map_err(unwritten)
}

/// The document about a subject, as JSON on one line.
pub(super) fn document(subject: &GuardSubject<'_>) -> Result<Vec<u8>, GuardError> {
    let mut bytes = serde_json::to_vec(&Document::about(subject)).map_err(unwritten)?;
    bytes.push(b'\n');
    Ok(bytes)
}
