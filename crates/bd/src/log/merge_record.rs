//! What merges of this clone came to, kept outside the repository: git puts their bytes into the working tree before any commit
//! has them.
//!
//! A record says that the merge driver of this clone wrote these lines for git. It must not say so of anything else.

use super::head::Extent;
use super::{Log, folder_of};
use crate::clone_auth::{LogAuth, MacPurpose};
use crate::disk::{Access, read_to_end, write_all_at};
use crate::error::StoreError;

/// So many merges are remembered: a rebase makes one for every commit, and the last one counts.
const REMEMBERED: usize = 16;
/// No record is longer.
const LONGEST: usize = 64 * 1024;

impl Log {
    /// Remembers what a merge came to. Without a key nothing is remembered, and git vouches for it from the commit on.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn record_merge(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let mut extent = Extent::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            extent = extent.and(line.strip_suffix(b"\n").unwrap_or(line));
        }
        let Some(auth) = &self.auth else { return Ok(()) };
        auth.make_key();
        let (Some(path), Some(line)) = (auth.merges_path(), signed(auth, &extent)) else { return Ok(()) };
        let known = self.recorded_merges(auth)?;
        let others: Vec<&str> = known.lines().filter(|known| *known != line).collect();
        let first = others.len().saturating_sub(REMEMBERED - 1);
        let mut text = String::new();
        for kept in others.iter().skip(first).copied().chain([line.as_str()]) {
            text.push_str(kept);
            text.push('\n');
        }
        let temporary = path.with_extension("merges.tmp");
        self.disk.create_folder(folder_of(&path)).map_err(StoreError::io("make", folder_of(&path)))?;
        self.disk
            .open(&temporary, Access::Replace)
            .and_then(|mut file| write_all_at(file.as_mut(), text.as_bytes(), 0))
            .and_then(|()| self.disk.rename(&temporary, &path))
            .map_err(StoreError::io("write", &path))
    }

    /// Whether a merge of this clone came to these lines.
    pub(super) fn is_recorded_merge(&self, auth: &LogAuth, extent: &Extent) -> Result<bool, StoreError> {
        let digest = extent.digest_hex();
        let known = self.recorded_merges(auth)?;
        let macs = known.lines().filter_map(|line| line.strip_prefix(digest.as_str())?.strip_prefix(' '));
        Ok(macs.into_iter().any(|mac| auth.verifies(MacPurpose::Merge, &[&digest], mac)))
    }

    fn recorded_merges(&self, auth: &LogAuth) -> Result<String, StoreError> {
        let Some(path) = auth.merges_path() else { return Ok(String::new()) };
        let read =
            self.disk.open(&path, Access::Read).and_then(|file| read_to_end(file.as_ref(), 0, LONGEST));
        match read {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }
}

fn signed(auth: &LogAuth, extent: &Extent) -> Option<String> {
    let digest = extent.digest_hex();
    let mac = auth.sign(MacPurpose::Merge, &[&digest])?;
    Some(format!("{digest} {mac}"))
}
