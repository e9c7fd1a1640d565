//! `resolve_ref`: what an earlier call gave back as a whole, piece by piece, to the last byte (I8).
//!
//! A reference is the digest of what is behind it, so it means the same for ever. It must not be a path.

use super::Tool;
use super::arguments::Arguments;
use super::clip::{LOOK_BACK, decoded, fitting, length, room, whole_piece};
use super::context::ToolContext;
use super::outcome::{Extent, ToolFailure, ToolOutput};
use super::spec::{SpecError, ToolSpec};

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "ref": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": "The reference, as an answer that was cut gave it."},
    "offset": {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991, "description": "The first byte, from 0. Negative counts from the end: -200 is the last 200 bytes. Default: the beginning."},
    "length": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "The most bytes. Default: as many as fit."}
  },
  "required": ["ref"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 2] = [
    r#"{"ref": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "offset": 8192, "length": 4096}"#,
    r#"{"ref": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "offset": -2000}"#,
];

/// Reads what is behind a reference.
#[derive(Debug)]
pub struct ResolveRef {
    spec: ToolSpec,
}

impl ResolveRef {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Reads the whole of an answer that was cut, piece by piece, by its reference. A negative \
                           offset counts from the end. When there is more, the answer says how to read on.";
        Ok(Self { spec: ToolSpec::new("resolve_ref", "refs:read", description, SCHEMA, &EXAMPLES)? })
    }
}

impl Tool for ResolveRef {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let reference = arguments.required_text("ref")?;
        let total = context.payloads.read(reference, 0, 0)?.total;
        let offset = arguments.integer("offset").unwrap_or(0);
        let distance = offset.unsigned_abs();
        let start = if offset < 0 { total.saturating_sub(distance) } else { distance };
        if start > total {
            let mut failure = ToolFailure::new("ref.range", format!("there are {total} bytes behind it"));
            failure.pointers.push("/offset".to_owned());
            return Err(failure);
        }
        let wanted = arguments.count("length").unwrap_or(u64::MAX).min(total - start);
        let before = start.min(LOOK_BACK);
        let most = wanted.min(length(context.budget)).saturating_add(before);
        let read = context.payloads.read(reference, start - before, most)?;
        let piece = Piece { read: &read.bytes, before: room(before), start, wanted, total };
        Ok(piece.output(reference, context.budget))
    }
}

/// What was read around the piece that was asked for.
struct Piece<'r> {
    read: &'r [u8],
    /// How many bytes of it come before the piece.
    before: usize,
    start: u64,
    wanted: u64,
    total: u64,
}

impl Piece<'_> {
    fn output(&self, reference: &str, budget: usize) -> ToolOutput {
        let (start, total) = (self.start, self.total);
        let (before, bytes) = self.read.split_at_checked(self.before).unwrap_or((self.read, &[]));
        let (stray, shown) = whole_piece(before, fitting(bytes, budget));
        let begin = start + length(stray);
        let end = begin + length(shown.len());
        let (content, replaced_bytes) = decoded(shown);
        let mut notes = Vec::new();
        if total == 0 {
            notes.push("there is nothing in it".to_owned());
        }
        if begin > 0 || end < total {
            notes.push(format!("bytes {begin} to {end} of {total}"));
        }
        if replaced_bytes > 0 {
            notes.push(format!("{replaced_bytes} bytes are not UTF-8 and are shown as U+FFFD"));
        }
        if end < total {
            let next = serde_json::json!({"ref": reference, "offset": end});
            notes.push(format!("read on with resolve_ref {next}"));
        }
        let is_cut = end < start + self.wanted;
        let extent = Extent { total_bytes: total, shown_bytes: end - begin, replaced_bytes, is_cut };
        ToolOutput { content, note: notes.join("; "), extent, ..ToolOutput::default() }
    }
}
