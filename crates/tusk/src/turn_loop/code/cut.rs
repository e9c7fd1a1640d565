//! A result that a program cannot be given as a whole, as the condition that it gets instead.
//!
//! The condition says how much there is and how to get at it. It must not hand over a part as if it were all.

use premath_kernel::Truncation;
use premath_repl::HostFailure;

use crate::context::plain_line;
use crate::evidence::{CallOutcome, Payload};
use crate::tools::ToolKind;

/// The class of the condition.
const CUT: &str = "result.cut";
/// The longest of what the tool itself says about it.
const LONGEST_NOTE: usize = 400;

/// Why a program does not get what a call gave back; none when it is whole.
pub(crate) fn cut(kind: ToolKind, outcome: &CallOutcome, truncation: &Truncation) -> Option<HostFailure> {
    let extent = outcome.extent;
    let is_too_long = truncation.marker.is_some();
    if !extent.is_cut && !is_too_long {
        return None;
    }
    let did = match kind {
        ToolKind::Read => "",
        ToolKind::Effect | ToolKind::Intent => "it was done, but ",
    };
    // What the tool left out itself is nowhere; else all of it is stored.
    let (kept, total) = if extent.is_cut && !is_too_long {
        (extent.shown_bytes, extent.total_bytes)
    } else {
        (truncation.kept_bytes.get(), truncation.original_bytes.get())
    };
    let mut parts = vec![if kept < total {
        format!("{did}what it gives back is cut to {kept} of {total} bytes")
    } else {
        format!("{did}it left out something of what there is")
    }];
    match &outcome.payload {
        Payload::Stored { reference, .. } => parts.push(format!(
            "read it in parts: (resolve_ref \"{reference}\" (hash-table \"offset\" 0 \"length\" N))"
        )),
        Payload::Inline(_) => parts.push(
            "ask for less at a time: narrower, or in parts with offset and limit where it takes them"
                .to_owned(),
        ),
    }
    if !outcome.note.is_empty() {
        parts.push(plain_line(&outcome.note, LONGEST_NOTE));
    }
    Some(HostFailure { class: CUT.to_owned(), message: parts.join("; "), retryable: false })
}
