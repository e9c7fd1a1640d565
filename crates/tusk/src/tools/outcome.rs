//! What comes of a call: an output with its evidence, or a typed failure.
//!
//! What a file or a command says is in `content`; what we say about it is in `note`. The two are never mixed, so that
//! content cannot speak in our voice.

use premath_kernel::{Access, ChangeKind, Digest, FileBefore, SearchRef, Text, Value};

use super::UndoRecord;
use super::pending::PendingIntent;
use crate::evidence::ShellRow;
use crate::sandbox::SandboxEvidence;

/// What came of a call that did what was asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model may see of it: other people's words.
    pub content: String,
    /// What we say about it: what was cut, and how to get it. Empty when there is nothing to say.
    pub note: String,
    /// How much of what there is `content` shows.
    pub extent: Extent,
    /// The files that were read or written.
    pub artifacts: Vec<ToolArtifact>,
    /// What files held that were changed, before they were.
    pub bases: Vec<FileBase>,
    /// The code of a command that ended by itself.
    pub exit_code: Option<i32>,
    /// The walls around a command.
    pub shell: Option<Box<SandboxEvidence>>,
    /// What the row of a command must name.
    pub shell_row: Option<ShellRow>,
    /// How to take it back.
    pub undo: Option<UndoRecord>,
    /// What a search for tools found.
    pub found: Option<FoundTools>,
    /// The change of issue memory that was asked for and has not happened.
    pub intent: Option<PendingIntent>,
}

/// How much is shown of what there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many bytes there are in all.
    pub total_bytes: u64,
    /// How many of them `content` stands for.
    pub shown_bytes: u64,
    /// How many bytes were not UTF-8 and are shown as U+FFFD.
    pub replaced_bytes: u64,
    /// Whether anything that was asked for is not shown.
    pub is_cut: bool,
}

/// A file that a call read or wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolArtifact {
    /// Its path below the workdir.
    pub path: String,
    /// The digest of its bytes; none when it is gone, or was not read as a whole.
    pub digest: Option<Digest>,
    /// What was done to it.
    pub access: Access,
    /// What a command did to it.
    pub change: Option<ChangeKind>,
    /// Its mode after a command, in octal.
    pub mode: Option<String>,
    /// What it was before a command, and where its bytes are.
    pub before: Option<FileBefore>,
}

impl ToolArtifact {
    /// A file that a tool read or wrote by itself.
    #[must_use]
    pub const fn touched(path: String, digest: Option<Digest>, access: Access) -> Self {
        Self { path, digest, access, change: None, mode: None, before: None }
    }
}

/// What a file held before a call changed it: whoever wrote the change rests on having seen that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBase {
    /// Its path below the workdir.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// What a search for tools found, as request rows cite it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTools {
    /// What was searched for.
    pub query: String,
    /// The names, best first.
    pub names: Vec<String>,
    /// The digest of the list of names.
    pub digest: Digest,
}

impl FoundTools {
    /// The names that a search found, best first.
    #[must_use]
    pub fn new(query: &str, names: Vec<String>) -> Self {
        let digest = Digest::of_array(names.iter().map(|name| Value::from(name.as_str())));
        Self { query: query.trim().to_owned(), names, digest }
    }

    /// The reference of a call to one of the tools it found; none when it did not find it.
    #[must_use]
    pub fn search_ref(&self, tool: &str) -> Option<SearchRef> {
        let resolved = self.names.iter().find(|name| *name == tool)?;
        Some(SearchRef {
            query: Text::new(&self.query)?,
            result_set_digest: Some(self.digest.clone()),
            result_set: self.names.iter().map(|name| Text::new(name)).collect(),
            resolved_tool: Text::new(resolved),
        })
    }
}

/// Why a call did not do what was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error_code}: {message}")]
pub struct ToolFailure {
    /// Machine-readable, for ever.
    pub error_code: &'static str,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What happened, for the model: one line, bounded.
    pub message: String,
    /// Where in the arguments, as JSON pointers.
    pub pointers: Vec<String>,
    /// What may have been meant. May quote files: other people's words.
    pub closest_matches: Vec<String>,
    /// What happened nevertheless.
    pub aftermath: Option<Box<Aftermath>>,
}

/// What a call that failed left behind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Aftermath {
    /// What a command had said until then: other people's words.
    pub content: String,
    /// The walls around a command that did start.
    pub shell: Option<SandboxEvidence>,
    /// What the row of a command must name, whether it started or not.
    pub shell_row: Option<ShellRow>,
    /// What was changed and could not be put back.
    pub artifacts: Vec<ToolArtifact>,
}

impl ToolFailure {
    /// A failure that will not go away by itself.
    #[must_use]
    pub fn new(error_code: &'static str, message: impl Into<String>) -> Self {
        Self {
            error_code,
            retryable: false,
            message: message.into(),
            pointers: Vec::new(),
            closest_matches: Vec::new(),
            aftermath: None,
        }
    }

    /// The same failure, which may go away by itself.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The same failure with what may have been meant.
    #[must_use]
    pub fn with_closest(mut self, closest_matches: Vec<String>) -> Self {
        self.closest_matches = closest_matches;
        self
    }

    /// The same failure with what happened nevertheless.
    #[must_use]
    pub fn with_aftermath(mut self, aftermath: Aftermath) -> Self {
        self.aftermath = Some(Box::new(aftermath));
        self
    }

    /// Somebody asked for the end.
    #[must_use]
    pub fn interrupted() -> Self {
        Self::new("interrupted", "the call was interrupted").retryable()
    }
}
