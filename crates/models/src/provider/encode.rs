//! What the bodies of all three protocols share when they are written: fields as serde writes them, and between them
//! what was written before, copied. It must not write a list of a request again.

#[cfg(test)]
mod tests;

use premath_tusk::model::{
    Encoded, ModelError, ModelErrorKind, Piece, ReasoningEffort, SystemText, Verbatim,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error_kinds::one_line;

/// What separates the texts of system blocks where a protocol takes one text, as it is inside a JSON string.
const BETWEEN_TEXTS: &[u8] = br"\n\n";

/// A JSON object on its way. What is copied into it begins every item with a comma.
#[derive(Debug)]
pub(crate) struct Body(Vec<u8>);

impl Body {
    /// A body that begins with these fields, of which there is at least one, and has room for what is copied into it.
    ///
    /// # Errors
    /// `request_invalid`, when something in them has no JSON form.
    pub(crate) fn new(room: usize, fields: &impl Serialize) -> Result<Self, ModelError> {
        const ROOM_FOR_FIELDS: usize = 1024;
        // A conversation grows with every request. Buffers of the same few sizes are handed out again; ones that are each a
        // little larger than the last are taken from the system anew, page by page.
        let room = room.saturating_add(ROOM_FOR_FIELDS).next_power_of_two();
        let mut body = Self(Vec::with_capacity(room));
        serde_json::to_writer(&mut body.0, fields).map_err(unsendable)?;
        body.0.pop();
        Ok(body)
    }

    /// Adds the fields of an object, which may have none.
    ///
    /// # Errors
    /// `request_invalid`, when something in them has no JSON form.
    pub(crate) fn fields(&mut self, fields: &impl Serialize) -> Result<(), ModelError> {
        let before = self.0.len();
        serde_json::to_writer(&mut self.0, fields).map_err(unsendable)?;
        self.0.pop();
        match self.0.get_mut(before..) {
            // What was the beginning of an object of its own goes on with this one.
            Some([brace, _, ..]) => *brace = b',',
            _ => self.0.truncate(before),
        }
        Ok(())
    }

    /// Begins a field whose value is put behind it.
    pub(crate) fn name(&mut self, name: &str) {
        self.put(b",\"");
        self.put(name.as_bytes());
        self.put(b"\":");
    }

    /// Puts bytes behind what there is.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A list of items that were written before.
    pub(crate) fn list(&mut self, name: &str, items: &Encoded<'_>) {
        self.name(name);
        self.put(b"[");
        self.put(after(b",", items.bytes()));
        self.put(b"]");
    }

    /// The text of system blocks that were written before.
    pub(crate) fn text(&mut self, blocks: &Encoded<'_>) {
        self.put(b"\"");
        self.put(after(BETWEEN_TEXTS, blocks.bytes()));
        self.put(b"\"");
    }

    /// The whole body.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.put(b"}");
        self.0
    }
}

/// The bytes without the separator before the first item.
pub(crate) fn after<'a>(separator: &[u8], bytes: &'a [u8]) -> &'a [u8] {
    bytes.strip_prefix(separator).unwrap_or(bytes)
}

/// Writes an item of a list, with the comma before it.
///
/// # Errors
/// `request_invalid`, when it has no JSON form.
pub(crate) fn item(item: &impl Serialize, piece: &mut Piece) -> Result<(), ModelError> {
    piece.put(b",");
    serde_json::to_writer(piece, item).map_err(unsendable)
}

/// A request that cannot be written.
#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
pub(crate) fn unsendable(error: serde_json::Error) -> ModelError {
    let message = one_line(&format!("the request cannot be written: {error}"));
    ModelError::new(ModelErrorKind::Model, "request_invalid", message)
}

/// A block of this protocol as it came; those of other protocols are carried to them only.
pub(crate) fn own(protocol: &str, verbatim: &Verbatim) -> Option<Result<Box<RawValue>, ModelError>> {
    (verbatim.protocol == protocol).then(|| verbatim.block.raw().map_err(unsendable))
}

/// All system blocks as one text, for protocols that take one; nothing when they say nothing.
///
/// # Errors
/// `request_invalid`, when something in them has no JSON form.
pub(crate) fn system_text(system: &SystemText) -> Result<Encoded<'_>, ModelError> {
    const FORM: &str = "one-text";
    system.encoded(FORM, |block, piece| {
        if !block.text.is_empty() {
            let quoted = serde_json::to_vec(&block.text).map_err(unsendable)?;
            piece.put(BETWEEN_TEXTS);
            piece.put(
                quoted.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or_default(),
            );
        }
        Ok(())
    })
}

/// The word all three protocols use.
pub(crate) const fn effort(effort: ReasoningEffort) -> &'static str {
    match effort {
        ReasoningEffort::Low => "low",
        ReasoningEffort::Medium => "medium",
        ReasoningEffort::High => "high",
    }
}
