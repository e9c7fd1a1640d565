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

/// The document about a subject, as JSON on one line.
pub(super) fn document(subject: &GuardSubject<'_>) -> Result<Vec<u8>, GuardError> {
    let document = Document {
        stage: subject.stage.token(),
        tool: subject.tool,
        text: subject.text,
        paths: subject.paths,
    };
    let mut bytes = serde_json::to_vec(&document)
        .map_err(|_| GuardError::Unavailable("the document cannot be written".to_owned()))?;
    bytes.push(b'\n');
    Ok(bytes)
}
