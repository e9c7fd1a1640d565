//! The workdir before and after a command, side by side: what differs becomes rows, with where the earlier bytes are.
//!
//! A file that was written with the bytes it had, and keeps its mode, did not change. It must not leave out a difference
//! that it cannot explain.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_bd::ObjectId;
use premath_kernel::{
    Access, ChangeKind, ChangeSource, Digest, FileBefore, IgnoredPaths, ObservedChanges, Text, Value, encode,
};

use super::git_listing::blob_digests;
use super::keep::{Kept, Known, UNREADABLE};
use super::{CommandBaseline, MOST_ROWS, TrackedWorkdir, TreeState};
use crate::evidence::artifact_value;
use crate::sandbox::Interrupt;
use crate::tools::files::EntryKind;
use crate::tools::outcome::{ToolArtifact, ToolFailure};
use crate::tools::work_tree::FileStamp;

/// Why the earlier bytes of a file cannot be had any more.
const OBJECT_GONE: &str = "its copy is no longer in the object store";
/// How often a file is read again that changed meanwhile.
const MOST_READS: usize = 3;

/// One path that has another stamp than before.
struct Difference<'b> {
    path: String,
    before: Option<&'b Known>,
    after: Option<FileStamp>,
}

impl TrackedWorkdir {
    /// The rows of what differs, and why they are not all. What is known is brought up to date.
    pub(super) fn compare(
        &self,
        state: &mut TreeState,
        baseline: &CommandBaseline,
    ) -> Result<(Vec<ToolArtifact>, Option<String>), ToolFailure> {
        // The command is over; what it left has to be found whether or not somebody wants the end.
        let look = self.look(state, &Interrupt::default())?;
        let differences = differences(&baseline.files, &look.files);
        let blobs = self.earlier_blobs(&differences);
        let mut rows = Vec::new();
        let mut unchanged = BTreeMap::new();
        for difference in &differences {
            match self.row(difference, &blobs)? {
                Some(row) => rows.push(row),
                None => {
                    unchanged
                        .extend(difference.before.map(|known| (difference.path.clone(), known.kept.clone())));
                }
            }
        }
        let mut files = BTreeMap::new();
        for (path, stamp) in look.files {
            let known =
                state.files.get(&path).filter(|known| known.stamp == stamp).map(|known| known.kept.clone());
            let kept = known.or_else(|| unchanged.remove(&path)).unwrap_or(Kept::NotYet);
            files.insert(path, Known { stamp, kept });
        }
        state.files = Arc::new(files);
        let cut = self.cut(&mut rows)?;
        Ok((rows, look.incomplete.or(cut)))
    }

    /// The digests of the clean files that differ now, from git.
    fn earlier_blobs(&self, differences: &[Difference<'_>]) -> BTreeMap<String, Digest> {
        let mut blobs: Vec<(String, u64)> = Vec::new();
        for known in differences.iter().filter_map(|difference| difference.before) {
            if let Kept::Blob(blob) = &known.kept {
                blobs.push((blob.clone(), known.stamp.length));
            }
        }
        blob_digests(self.sandbox.as_ref(), &self.workdir, &blobs)
    }

    /// The row of a difference; none when the file has the bytes and the mode it had.
    fn row(
        &self,
        difference: &Difference<'_>,
        blobs: &BTreeMap<String, Digest>,
    ) -> Result<Option<ToolArtifact>, ToolFailure> {
        let before = difference.before.map(|known| self.before(known, blobs)).transpose()?;
        let digest = difference.after.and_then(|stamp| self.digest(&difference.path, stamp));
        let mode = difference.after.map(|stamp| octal(stamp.mode));
        let was = before.as_ref();
        let has_same_bytes = digest.is_some() && was.is_some_and(|was| was.digest == digest);
        let has_same_mode = was.is_some_and(|was| was.mode.as_ref().map(Text::as_str) == mode.as_deref());
        let change = match (was, difference.after) {
            (None, _) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Removed,
            (Some(_), Some(_)) if has_same_bytes && has_same_mode => return Ok(None),
            (Some(_), Some(_)) if has_same_bytes => ChangeKind::Mode,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        Ok(Some(ToolArtifact {
            path: difference.path.clone(),
            digest,
            access: Access::Write,
            change: Some(change),
            mode,
            before,
        }))
    }

    /// What a file was, and where its bytes are.
    fn before(&self, known: &Known, blobs: &BTreeMap<String, Digest>) -> Result<FileBefore, ToolFailure> {
        let mut before = FileBefore {
            digest: None,
            mode: Text::new(&octal(known.stamp.mode)),
            git_blob: None,
            object_ref: None,
            not_restorable: None,
        };
        match &known.kept {
            Kept::Blob(blob) => {
                before.digest = blobs.get(blob).cloned();
                before.git_blob = Text::new(blob);
            }
            Kept::Object(digest) => {
                before.digest = Some(digest.clone());
                let id = digest.as_str().parse::<ObjectId>().ok();
                let is_there = id.map(|id| self.objects.contains(&id)).transpose();
                let is_there =
                    is_there.map_err(|error| ToolFailure::new("shell.not_observed", error.to_string()))?;
                if is_there == Some(true) {
                    before.object_ref = Text::new(digest.as_str());
                } else {
                    before.not_restorable = Text::new(OBJECT_GONE);
                }
            }
            Kept::No(why) => before.not_restorable = Text::new(why),
            Kept::NotYet => before.not_restorable = Text::new(UNREADABLE),
        }
        Ok(before)
    }

    /// What a file holds now; none when it cannot be read, or is still being written.
    fn digest(&self, path: &str, stamp: FileStamp) -> Option<Digest> {
        match stamp.kind {
            EntryKind::File | EntryKind::Link => {}
            EntryKind::Folder | EntryKind::Other => return None,
        }
        for _ in 0..MOST_READS {
            match self.tree.digest(path) {
                Ok((digest, now)) if now == stamp => return Some(digest),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Leaves as many rows as one result names; all of them go to an object then.
    fn cut(&self, rows: &mut Vec<ToolArtifact>) -> Result<Option<String>, ToolFailure> {
        if rows.len() <= MOST_ROWS {
            return Ok(None);
        }
        let all = encode(&Value::from(rows.iter().map(artifact_value).collect::<Vec<_>>()));
        let stored = self.objects.put(&mut all.as_slice());
        let stored = stored.map_err(|error| ToolFailure::new("shell.not_observed", error.to_string()))?;
        let count = rows.len();
        rows.truncate(MOST_ROWS);
        Ok(Some(format!(
            "{count} files differ, the first {MOST_ROWS} are named here, all in {}",
            stored.digest
        )))
    }
}

/// The paths whose stamps differ, sorted.
fn differences<'b>(
    before: &'b BTreeMap<String, Known>,
    after: &BTreeMap<String, FileStamp>,
) -> Vec<Difference<'b>> {
    let mut found = Vec::new();
    for (path, known) in before {
        let after = after.get(path).copied();
        if after != Some(known.stamp) {
            found.push(Difference { path: path.clone(), before: Some(known), after });
        }
    }
    for (path, stamp) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        found.push(Difference { path: path.clone(), before: None, after: Some(*stamp) });
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// Kind and permission bits as the row writes them.
fn octal(mode: u32) -> String {
    format!("{mode:06o}")
}

/// How the comparison was made, for the row of the command.
pub(super) fn observed(is_git: bool, overlaps: &[String], incomplete: Option<&str>) -> ObservedChanges {
    let (source, ignored) = if is_git {
        (ChangeSource::Git, IgnoredPaths::Excluded)
    } else {
        (ChangeSource::Walk, IgnoredPaths::Included)
    };
    ObservedChanges {
        source,
        ignored,
        overlaps: overlaps.iter().filter_map(|id| Text::new(id)).collect(),
        incomplete: incomplete.and_then(Text::new),
    }
}
