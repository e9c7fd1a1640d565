//! What came of one call, as the journal keeps it.
//!
//! Equal calls with equal answers give equal outcomes on any machine: no clock, no absolute path, no process id. It must
//! not hold more of a payload than a row can carry; the rest is an object.

use premath_kernel::{Digest, IssueTarget, Number, Object, ObservedChanges, Value};

use super::outcome_parts::{
    artifact_value, intent_value, read_artifact, read_intent, read_shell, shell_value,
};
use super::row::{Row, Unreadable, count, text_list, unreadable};
use crate::policy::GuardRow;
use crate::tools::{Extent, FileBase, ToolArtifact};

/// What came of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallOutcome {
    /// The call.
    pub tool_call_id: String,
    /// Whether it did what was asked.
    pub status: CallStatus,
    /// What a file, a command or a service said: other people's words.
    pub payload: Payload,
    /// What we say about it. Empty when there is nothing to say.
    pub note: String,
    /// How much of what there is the payload stands for.
    pub extent: Extent,
    /// The files that were read or written.
    pub artifacts: Vec<ToolArtifact>,
    /// What files held that were changed, before they were.
    pub bases: Vec<FileBase>,
    /// The code of a command that ended by itself.
    pub exit_code: Option<i64>,
    /// Where a command ran.
    pub shell: Option<ShellRow>,
    /// What a search for tools was for and found.
    pub found: Option<(String, Vec<String>)>,
    /// The change of issue memory that was asked for.
    pub intent: Option<IntentRow>,
    /// Who looked at what came of it.
    pub guards: Vec<GuardRow>,
}

/// Whether a call did what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStatus {
    /// It did.
    Ok,
    /// It did not.
    Failed(Failure),
}

/// Why a call did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Machine-readable, for ever.
    pub error_code: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What happened, in one line.
    pub message: String,
    /// Where in the arguments, as JSON pointers.
    pub pointers: Vec<String>,
    /// What may have been meant: other people's words.
    pub closest_matches: Vec<String>,
}

/// Other people's words, whole or as an object with its two ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// All of it.
    Inline(String),
    /// Too long for a row: the object has all of it.
    Stored {
        /// The content address of the object, `sha256:` and hexadecimal digits.
        reference: String,
        /// Its length.
        bytes: u64,
        /// How it begins; whole characters.
        head: String,
        /// How it ends; whole characters.
        tail: String,
    },
}

/// Where a command ran and what it was, alike on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellRow {
    /// The folder, relative to the workdir of the run; `.` for that itself.
    pub workdir: String,
    /// The profile of its sandbox.
    pub profile: String,
    /// The digest of the command, its folder, its profile and its limits.
    pub command_digest: String,
    /// How the files were compared before and after it; none when it did not run.
    pub observed: Option<ObservedChanges>,
}

/// A change of issue memory that was asked for, and waits until its turn is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentRow {
    /// The action.
    pub action: String,
    /// The digest of its arguments.
    pub args_digest: String,
    /// The issues it changes; empty when it changes none.
    pub targets: Vec<IssueTarget>,
    /// The status that it brings an issue to, where it can set one.
    pub target_status: Option<String>,
}

impl Default for Payload {
    fn default() -> Self {
        Self::Inline(String::new())
    }
}

impl Payload {
    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Inline(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
            Self::Stored { bytes, .. } => *bytes,
        }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The digest of the bytes.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Inline(text) => Some(Digest::of_bytes(text.as_bytes())),
            Self::Stored { reference, .. } => Digest::claimed(reference),
        }
    }
}

impl CallOutcome {
    /// An outcome without content.
    #[must_use]
    pub fn empty(tool_call_id: &str, status: CallStatus) -> Self {
        Self {
            tool_call_id: tool_call_id.to_owned(),
            status,
            payload: Payload::default(),
            note: String::new(),
            extent: Extent::default(),
            artifacts: Vec::new(),
            bases: Vec::new(),
            exit_code: None,
            shell: None,
            found: None,
            intent: None,
            guards: Vec::new(),
        }
    }

    /// A failure without content.
    #[must_use]
    pub fn failed(tool_call_id: &str, error_code: &str, retryable: bool, message: impl Into<String>) -> Self {
        let failure = Failure {
            error_code: error_code.to_owned(),
            retryable,
            message: message.into(),
            pointers: Vec::new(),
            closest_matches: Vec::new(),
        };
        Self::empty(tool_call_id, CallStatus::Failed(failure))
    }

    /// Why it failed, when it did.
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match &self.status {
            CallStatus::Ok => None,
            CallStatus::Failed(failure) => Some(failure),
        }
    }

    /// The row of the journal: what is absent leaves no trace.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let failure = self.failure();
        let (content, stored) = match &self.payload {
            Payload::Inline(text) => ((!text.is_empty()).then_some(text.as_str()), None),
            stored @ Payload::Stored { .. } => (None, Some(stored_value(stored))),
        };
        Object::fields()
            .non_empty("artifacts", self.artifacts.iter().map(artifact_value).collect())
            .non_empty("bases", self.bases.iter().map(base_value).collect())
            .non_empty("closestMatches", failure.map(|it| text_list(&it.closest_matches)).unwrap_or_default())
            .optional("content", content)
            .optional("errorCode", failure.map(|it| it.error_code.as_str()))
            .optional("exitCode", self.exit_code.and_then(Number::integer).map(Value::Number))
            .optional("extent", (self.extent != Extent::default()).then(|| extent_value(self.extent)))
            .optional("found", self.found.as_ref().map(|(query, names)| found_value(query, names)))
            .non_empty("guards", self.guards.iter().map(GuardRow::to_value).collect())
            .optional("intent", self.intent.as_ref().map(intent_value))
            .optional("message", failure.map(|it| it.message.as_str()))
            .optional("note", (!self.note.is_empty()).then_some(self.note.as_str()))
            .non_empty("pointers", failure.map(|it| text_list(&it.pointers)).unwrap_or_default())
            .optional("retryable", failure.map(|it| it.retryable))
            .optional("shell", self.shell.as_ref().map(shell_value))
            .field("status", if failure.is_some() { "error" } else { "ok" })
            .optional("stored", stored)
            .field("toolCallId", self.tool_call_id.as_str())
            .finish()
    }

    /// Reads a row of the journal.
    ///
    /// # Errors
    /// The first member that is missing or of another kind.
    pub fn from_value(value: &Value<'_>) -> Result<Self, Unreadable> {
        let row = Row::of(value)?;
        let status = match row.text("status")? {
            "ok" => CallStatus::Ok,
            "error" => CallStatus::Failed(Failure {
                error_code: row.owned("errorCode")?,
                retryable: row.flag("retryable"),
                message: row.owned("message")?,
                pointers: row.texts("pointers")?,
                closest_matches: row.texts("closestMatches")?,
            }),
            _other => return Err(unreadable("status")),
        };
        let payload = match row.optional_row("stored")? {
            Some(stored) => read_stored(stored)?,
            None => Payload::Inline(row.optional("content")?.unwrap_or_default()),
        };
        Ok(Self {
            tool_call_id: row.owned("toolCallId")?,
            status,
            payload,
            note: row.optional("note")?.unwrap_or_default(),
            extent: row.optional_row("extent")?.map(read_extent).transpose()?.unwrap_or_default(),
            artifacts: row.rows("artifacts", read_artifact)?,
            bases: row.rows("bases", read_base)?,
            exit_code: row.value("exitCode").and_then(Value::as_number).and_then(Number::as_i64),
            shell: row.optional_row("shell")?.map(read_shell).transpose()?,
            found: row.optional_row("found")?.map(read_found).transpose()?,
            intent: row.optional_row("intent")?.map(read_intent).transpose()?,
            guards: row.rows("guards", GuardRow::from_row)?,
        })
    }
}

fn stored_value(payload: &Payload) -> Value<'_> {
    let Payload::Stored { reference, bytes, head, tail } = payload else { return Value::Null };
    Object::fields()
        .field("bytes", count(*bytes))
        .field("head", head.as_str())
        .field("objectRef", reference.as_str())
        .field("tail", tail.as_str())
        .finish()
}

fn read_stored(row: Row<'_>) -> Result<Payload, Unreadable> {
    Ok(Payload::Stored {
        reference: row.owned("objectRef")?,
        bytes: row.count("bytes")?,
        head: row.owned("head")?,
        tail: row.owned("tail")?,
    })
}

fn extent_value(extent: Extent) -> Value<'static> {
    Object::fields()
        .field("cut", extent.is_cut)
        .field("replacedBytes", count(extent.replaced_bytes))
        .field("shownBytes", count(extent.shown_bytes))
        .field("totalBytes", count(extent.total_bytes))
        .finish()
}

fn read_extent(row: Row<'_>) -> Result<Extent, Unreadable> {
    Ok(Extent {
        total_bytes: row.count("totalBytes")?,
        shown_bytes: row.count("shownBytes")?,
        replaced_bytes: row.count("replacedBytes")?,
        is_cut: row.flag("cut"),
    })
}

fn base_value(base: &FileBase) -> Value<'_> {
    Object::fields().field("digest", &base.digest).field("path", base.path.as_str()).finish()
}

fn read_base(row: Row<'_>) -> Result<FileBase, Unreadable> {
    let digest = Digest::claimed(row.text("digest")?).ok_or_else(|| unreadable("digest"))?;
    Ok(FileBase { path: row.owned("path")?, digest })
}

fn found_value<'v>(query: &'v str, names: &'v [String]) -> Value<'v> {
    Object::fields()
        .field("names", Value::text_list(names.iter().map(String::as_str)))
        .field("query", query)
        .finish()
}

fn read_found(row: Row<'_>) -> Result<(String, Vec<String>), Unreadable> {
    Ok((row.owned("query")?, row.texts("names")?))
}
