//! `apply_patch`: changes to several files in one envelope, all of them or none.
//!
//! Everything is read, checked and prepared before the first write. Context that is not there any more, or there twice, is
//! refused and never guessed at. It must not touch what is protected, nor anything behind a link.

mod change;
mod commit;
mod diff;
mod hunk;
mod parse;
mod place;
mod prepare;
mod undo;

use std::sync::{Mutex, PoisonError};

use premath_kernel::Access;

use super::Tool;
use super::arguments::Arguments;
use super::clip::{Clipped, length};
use super::context::ToolContext;
use super::outcome::{Extent, FileBase, ToolArtifact, ToolFailure, ToolOutput};
use super::spec::{Caller, Risk, SpecError, ToolKind, ToolSpec};
use super::work_path::WorkPath;
use crate::policy::Target;

pub use self::change::{AfterFile, FileChange};
pub use self::commit::{CommitFailure, FileState, PatchedFile};
pub use self::diff::text_diff;
pub use self::prepare::{PreparedPatch, prepare_patch};
pub use self::undo::{UndoRecord, UndoRecordError};

/// The largest file that can be patched, and the largest that a patch can make.
const LARGEST: u64 = 16 << 20;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "patch": {"type": "string", "minLength": 1, "maxLength": 4194304, "description": "The whole envelope, from *** Begin Patch to *** End Patch."}
  },
  "required": ["patch"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 3] = [
    r#"{"patch": "*** Begin Patch\n*** Update File: src/lib.rs\n@@ fn total(items: &[u32]) -> u32 {\n     let mut sum = 0;\n-    for item in items.iter().skip(1) {\n+    for item in items {\n         sum += item;\n*** End Patch"}"#,
    r#"{"patch": "*** Begin Patch\n*** Add File: docs/notes.md\n+# Notes\n+\n+Nothing yet.\n*** Delete File: docs/old.md\n*** End Patch"}"#,
    r#"{"patch": "*** Begin Patch\n*** Update File: src/util.py\n*** Move to: src/text.py\n@@\n import re\n-import os\n*** End Patch"}"#,
];

const DESCRIPTION: &str = "Changes files with a patch; all of its changes happen, or none. The envelope begins with \
`*** Begin Patch` and ends with `*** End Patch`. In it: `*** Add File: path` and the new lines, each after a `+`; `*** Delete \
File: path`; `*** Update File: path`, perhaps `*** Move to: path`, and hunks. A hunk begins with `@@`, or with `@@ ` and a \
line of the file above the change when the context alone is not unique; its lines begin with a space (context), `-` (goes) or \
`+` (comes). Context must be exactly as in the file and fit one place only; give about three lines of it. No line numbers. \
`*** End of File` after a hunk says that it ends where the file ends. Paths are relative to the workdir.";

/// Changes files with a patch.
#[derive(Debug)]
pub struct ApplyPatch {
    spec: ToolSpec,
    /// One patch at a time: two of one turn that prepare at the same time could both be right and undo each other.
    turn: Mutex<()>,
}

impl ApplyPatch {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let mut spec = ToolSpec::new("apply_patch", "files:write", DESCRIPTION, SCHEMA, &EXAMPLES)?;
        spec.kind = ToolKind::Effect;
        spec.risk = Risk::Write;
        spec.idempotent = false;
        spec.allowed_callers = vec![Caller::Model, Caller::Code];
        Ok(Self { spec, turn: Mutex::new(()) })
    }
}

impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let patch = arguments.required_text("patch")?;
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let prepared = prepare_patch(patch, context)?;
        context.go_on()?;
        prepared.commit(context.files)?;
        drop(turn);
        Ok(output(prepared.into_undo(), context.budget))
    }

    fn targets(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        // A patch that cannot be read changes nothing: the call says why.
        let sections = parse::parse(arguments.required_text("patch")?).unwrap_or_default();
        let target = |named: &str| {
            let path = WorkPath::read(named, context.workdir);
            Target::file(path.as_ref().map_or(named, WorkPath::as_str))
        };
        Ok(sections.iter().flat_map(hunk::Section::paths).map(target).collect())
    }

    fn prepare(
        &self,
        arguments: &Arguments,
        context: &ToolContext<'_>,
    ) -> Result<Option<UndoRecord>, ToolFailure> {
        Ok(Some(prepare_patch(arguments.required_text("patch")?, context)?.into_undo()))
    }

    fn call_prepared(
        &self,
        arguments: &Arguments,
        undo: Option<&UndoRecord>,
        context: &ToolContext<'_>,
    ) -> Result<ToolOutput, ToolFailure> {
        let Some(undo) = undo else { return self.call(arguments, context) };
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        context.go_on()?;
        undo.apply_prepared(context)?;
        drop(turn);
        Ok(output(undo.clone(), context.budget))
    }
}

fn output(undo: UndoRecord, budget: usize) -> ToolOutput {
    let mut lines = Clipped::new(budget);
    let (mut artifacts, mut bases) = (Vec::new(), Vec::new());
    for change in undo.changes() {
        lines.push(&change.to_string());
        let path = change.path.as_str().to_owned();
        bases.extend(change.before_digest().map(|digest| FileBase { path: path.clone(), digest }));
        artifacts.push(ToolArtifact::touched(path, change.after_digest(), Access::Write));
    }
    let note = if lines.is_cut() {
        format!("{} more changed paths did not fit; all changes were made", lines.dropped)
    } else {
        String::new()
    };
    let (total_bytes, is_cut) = (lines.total, lines.is_cut());
    let content = lines.into_text();
    let extent = Extent { total_bytes, shown_bytes: length(content.len()), replaced_bytes: 0, is_cut };
    ToolOutput { content, note, extent, artifacts, bases, undo: Some(undo), ..ToolOutput::default() }
}
