//! Files that a call read or wrote, and how the files that a command changed were found.
//!
//! The kernel never looks at a disk: the runtime compares the files and reports what differed.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, TextSet};

/// How the files of the workdir were compared before and after a command. What differed is in the artifacts of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedChanges {
    /// Who said which files there are.
    pub source: ChangeSource,
    /// Whether paths that git ignores were compared.
    pub ignored: IgnoredPaths,
    /// Calls that ran at the same time: a change of this row may be theirs.
    pub overlaps: TextSet,
    /// Why the comparison is not complete; none when it is.
    pub incomplete: Option<Text>,
}

impl ObservedChanges {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("ignored", self.ignored.token())
            .optional("incomplete", self.incomplete.as_ref())
            .non_empty("overlaps", self.overlaps.canonical())
            .field("source", self.source.token())
            .finish()
    }
}

/// Who said which files there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSource {
    /// Git.
    Git,
    /// Nobody: every folder was listed.
    Walk,
}

impl ChangeSource {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Git, Self::Walk];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Git => "git",
            Self::Walk => "walk",
        }
    }
}

/// Whether paths that git ignores were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredPaths {
    /// They were not.
    Excluded,
    /// They were: git was not asked.
    Included,
}

impl IgnoredPaths {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Excluded, Self::Included];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Excluded => "excluded",
            Self::Included => "included",
        }
    }
}

/// How a file was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// It was read.
    Read,
    /// It was written.
    Write,
}

impl Access {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Read, Self::Write];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What a command did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It has other bytes, or became something else.
    Changed,
    /// It is gone.
    Removed,
    /// It has the same bytes and another mode.
    Mode,
}

impl ChangeKind {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Created, Self::Changed, Self::Removed, Self::Mode];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Mode => "mode",
        }
    }
}

/// A file a call read or wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Where.
    pub path: Text,
    /// What it held afterwards.
    pub digest: Option<Digest>,
    /// How it was touched.
    pub access: Option<Access>,
    /// What a command did to it.
    pub change: Option<ChangeKind>,
    /// Its mode afterwards, kind and permission bits in octal: `100644`.
    pub mode: Option<Text>,
    /// What it was before a command.
    pub before: Option<FileBefore>,
}

/// What a file was before a command, and where its bytes are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileBefore {
    /// The digest of its bytes.
    pub digest: Option<Digest>,
    /// Its mode, kind and permission bits in octal: `100644`.
    pub mode: Option<Text>,
    /// The git blob that has its bytes.
    pub git_blob: Option<Text>,
    /// The object that has its bytes.
    pub object_ref: Option<Text>,
    /// Why its bytes are nowhere.
    pub not_restorable: Option<Text>,
}

impl Artifact {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("access", self.access.map(Access::token))
            .optional("before", self.before.as_ref().map(FileBefore::canonical))
            .optional("change", self.change.map(ChangeKind::token))
            .optional("digest", self.digest.as_ref())
            .optional("mode", self.mode.as_ref())
            .field("path", &self.path)
            .finish()
    }
}

impl FileBefore {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("digest", self.digest.as_ref())
            .optional("gitBlob", self.git_blob.as_ref())
            .optional("mode", self.mode.as_ref())
            .optional("notRestorable", self.not_restorable.as_ref())
            .optional("objectRef", self.object_ref.as_ref())
            .finish()
    }
}
