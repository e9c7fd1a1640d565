//! Keeping what a command may change: a clean file is in git, every other one is copied within the limits.
//!
//! A file is read once for every stamp it has. It must not copy what its name says is a secret or what holds one, and must not
//! say that bytes are kept which changed while they were read.

use std::collections::BTreeMap;

use premath_kernel::Digest;

use super::scan::Look;
use super::{TrackedWorkdir, TreeState};
use crate::tools::files::{EntryKind, FileError};
use crate::tools::outcome::ToolFailure;
use crate::tools::secret_names::names_a_secret;
use crate::tools::work_tree::FileStamp;

/// How often a file is read again that changed meanwhile.
const MOST_READS: usize = 3;

/// A file as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) stamp: FileStamp,
    pub(super) kept: Kept,
}

/// Where the bytes of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kept {
    /// In git.
    Blob(String),
    /// In the object store; its address is the digest of the bytes.
    Object(Digest),
    /// Nowhere, and why.
    No(&'static str),
    /// Nobody has looked since it changed.
    NotYet,
}

impl Kept {
    /// Whether there is nothing left to try: what did not fit into an earlier allowance may fit into this one.
    fn is_settled(&self) -> bool {
        !matches!(self, Self::NotYet | Self::No(OVER_BYTES | OVER_FILES))
    }
}

/// Why bytes are nowhere.
pub(super) const OVER_BYTES: &str = "over the limit of bytes (tools.shell.keep_bytes)";
pub(super) const OVER_FILES: &str = "over the limit of files (tools.shell.keep_files)";
pub(super) const SECRET_NAME: &str = "its name says that it holds a secret";
pub(super) const SECRET: &str = "it holds a secret";
pub(super) const UNSETTLED: &str = "it changed while it was read";
pub(super) const UNREADABLE: &str = "it cannot be read";
pub(super) const SPECIAL: &str = "it is no file and no link, or its name is no text";

/// How much may still be copied.
struct Allowance {
    bytes: u64,
    files: u64,
}

impl TrackedWorkdir {
    /// What is known of every file of a look, with copies of those that nobody else has.
    pub(super) fn keep(&self, state: &TreeState, look: Look) -> Result<BTreeMap<String, Known>, ToolFailure> {
        let mut allowance = Allowance { bytes: self.limits.bytes, files: self.limits.files };
        // An older answer of git is about files as they were then.
        let listing = state.listing.as_ref().filter(|_| look.is_listed);
        let mut kept = BTreeMap::new();
        for (path, stamp) in look.files {
            let known =
                state.files.get(&path).filter(|known| known.stamp == stamp && known.kept.is_settled());
            let known = match (known, listing.and_then(|listing| listing.clean_blob(&path))) {
                (Some(known), _) => known.clone(),
                (None, Some(blob)) => Known { stamp, kept: Kept::Blob(blob.to_owned()) },
                (None, None) => Known { stamp, kept: self.copy(&path, stamp, &mut allowance)? },
            };
            kept.insert(path, known);
        }
        Ok(kept)
    }

    fn copy(&self, path: &str, stamp: FileStamp, allowance: &mut Allowance) -> Result<Kept, ToolFailure> {
        if stamp.kind == EntryKind::Other || stamp.kind == EntryKind::Folder {
            return Ok(Kept::No(SPECIAL));
        }
        if names_a_secret(path) {
            return Ok(Kept::No(SECRET_NAME));
        }
        if allowance.files == 0 {
            return Ok(Kept::No(OVER_FILES));
        }
        if stamp.length > allowance.bytes {
            return Ok(Kept::No(OVER_BYTES));
        }
        for _ in 0..MOST_READS {
            match self.tree.content(path, allowance.bytes) {
                Ok(content) if content.stamp == stamp => {
                    let text = String::from_utf8_lossy(&content.bytes);
                    if self.redactor.text(&text) != text {
                        return Ok(Kept::No(SECRET));
                    }
                    let object = self.objects.put(&mut content.bytes.as_slice()).map_err(|error| {
                        let message = format!("a copy of `{path}` cannot be stored: {error}");
                        ToolFailure::new("shell.not_observed", message).retryable()
                    })?;
                    allowance.bytes = allowance.bytes.saturating_sub(stamp.length);
                    allowance.files = allowance.files.saturating_sub(1);
                    let digest = Digest::claimed(&object.digest.to_string());
                    return Ok(digest.map_or(Kept::No(UNREADABLE), Kept::Object));
                }
                // It is being written; the stamp of the look is not that of these bytes.
                Ok(_) => {}
                Err(FileError::TooLong { .. }) => return Ok(Kept::No(OVER_BYTES)),
                Err(_) => return Ok(Kept::No(UNREADABLE)),
            }
        }
        Ok(Kept::No(UNSETTLED))
    }
}
