//! What is not damage but in the way: files of killed writers, indexes that cannot be used, a missing `.gitignore`.
//!
//! A file that somebody may still be writing is not a leftover: it is old, and nobody holds its lock.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::Moment;

use super::finding::{Finding, INDEX, LEFTOVER, UNIGNORED};
use super::{Diagnosis, Repair, Surgery};
use crate::disk::{Access, Disk, LockMode, LockOutcome};
use crate::error::StoreError;
use crate::journal;
use crate::log::beside;
use crate::verify::{Lanes, ProblemClass, Repository};

/// What `.premath/.gitignore` says.
pub const GITIGNORE: &str = "\
# Written by premath. What premath makes again by itself, and what belongs to one machine, stays out of git.
# issues.jsonl and its history are the memory of the project: keep them.
*.lock
*.head
*.index
*.tmp
*.torn
*.db
*.db-*
/audit.jsonl
/backup/
/coordinator.json
/doors/
/harness_feature_ledger.json
/harness_kpi_remediations.jsonl
/harness_session.json
/harness_trajectory.jsonl
/instructions/
/model_circuits.json
/objects/
/permits/
/runs/
/tool_pins.json
/witnesses/
/workers/
";

/// No writer takes this long, in seconds.
const LEFT: i64 = 3_600;
/// Indexes are files of whole pages.
const PAGE: u64 = 4_096;

/// What is untidy in a repository.
pub(super) fn examine(repository: &Repository, lanes: &Lanes<'_>) -> Result<Vec<Finding>, StoreError> {
    let (disk, objects) = (&repository.disk, repository.objects());
    let before = repository.clock.now().plus_seconds(-LEFT);
    let mut findings = Vec::new();
    for folder in folders(disk, lanes)? {
        for entry in entries(disk, &folder)?.into_iter().filter(|entry| !entry.is_folder) {
            let path = folder.join(&entry.name);
            if entry.name.ends_with(".tmp") && is_left(disk, &path, before)? {
                findings.push(Finding::untidy(&LEFTOVER, &path, "nobody has written to it for an hour"));
            }
            if let Some(log) = entry.name.strip_suffix(".index")
                && let Some(why) = unusable(repository, &path, &folder.join(log))?
            {
                findings.push(Finding::untidy(&INDEX, &path, why));
            }
        }
    }
    for path in objects.incoming()? {
        if is_left(disk, &path, before)? && !objects.is_arriving(&path)? {
            findings.push(Finding::untidy(&LEFTOVER, &path, "an object that never got its name"));
        }
    }
    let gitignore = lanes.folder().join(".gitignore");
    if length_and_time(disk, &gitignore)?.is_none() {
        findings.push(Finding::untidy(&UNIGNORED, &gitignore, "there is none"));
    }
    Ok(findings)
}

/// Where writers leave files.
fn folders(disk: &Arc<dyn Disk>, lanes: &Lanes<'_>) -> Result<Vec<PathBuf>, StoreError> {
    let mut folders = lanes.worker_folders()?;
    folders.push(lanes.folder().join("witnesses"));
    let runs = lanes.folder().join("runs");
    folders.extend(journal::sessions(disk.as_ref(), &runs)?.into_iter().map(|session| runs.join(session)));
    Ok(folders)
}

fn entries(disk: &Arc<dyn Disk>, folder: &Path) -> Result<Vec<crate::disk::FolderEntry>, StoreError> {
    match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(StoreError::io("list", folder)),
    }
}

/// Whether a file is old, and the lock of the file it was to become is free.
fn is_left(disk: &Arc<dyn Disk>, path: &Path, before: Moment) -> Result<bool, StoreError> {
    let is_old = length_and_time(disk, path)?.is_some_and(|(_, modified)| modified < before);
    if !is_old {
        return Ok(false);
    }
    let owner = path.with_extension("");
    let lock_path = beside(&owner, "lock");
    match disk.open(&lock_path, Access::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        opened => {
            let lock = opened.map_err(StoreError::io("open", &lock_path))?;
            let held =
                lock.lock(LockMode::Shared, Duration::ZERO).map_err(StoreError::io("lock", &lock_path))?;
            Ok(held == LockOutcome::Held)
        }
    }
}

/// Why an index cannot be used. Readers of a trajectory find out by themselves, and write a new one.
fn unusable(repository: &Repository, index: &Path, log: &Path) -> Result<Option<&'static str>, StoreError> {
    let disk = &repository.disk;
    if length_and_time(disk, log)?.is_none() {
        return Ok(Some("its log is gone"));
    }
    let length = length_and_time(disk, index)?.map_or(0, |(length, _)| length);
    if length == 0 || !length.is_multiple_of(PAGE) {
        return Ok(Some("it was cut short"));
    }
    let is_sound = log != repository.issues || repository.has_sound_issue_index()?;
    Ok((!is_sound).then_some("its pages do not hold what they should"))
}

fn length_and_time(disk: &Arc<dyn Disk>, path: &Path) -> Result<Option<(u64, Moment)>, StoreError> {
    match disk.open(path, Access::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => {
            let stat = opened.and_then(|file| file.stat()).map_err(StoreError::io("look at", path))?;
            Ok(Some((stat.length, stat.modified)))
        }
    }
}

impl Surgery<'_> {
    /// Tidies up what was found.
    pub(super) fn tidy(&mut self, diagnosis: &Diagnosis) {
        for finding in &diagnosis.findings {
            let path = &finding.path;
            let outcome = if finding.class == LEFTOVER.class {
                self.move_leftover(path)
            } else if finding.class == INDEX.class {
                self.delete_index(path)
            } else if finding.is(ProblemClass::MergeDriverMissing) {
                self.install_merge_driver(path)
            } else if finding.class == UNIGNORED.class {
                self.write_gitignore(path)
            } else {
                continue;
            };
            self.note(path, outcome);
        }
    }

    fn move_leftover(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        // Its writer may have been slow, not dead.
        if !is_left(self.disk, path, self.now.plus_seconds(-LEFT))? {
            return Ok(None);
        }
        self.move_aside(path).map(Some)
    }

    fn delete_index(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        match self.disk.remove(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            removed => removed.map_err(StoreError::io("remove", path))?,
        }
        let what = "deleted; it is rebuilt when it is wanted".to_owned();
        Ok(Some(Repair { path: path.to_owned(), what, backups: Vec::new(), witnesses: Vec::new() }))
    }

    /// Deletes the index of a log that was mended: it may be of lines that are no longer there.
    pub(super) fn discard_index(&self, log: &Path) -> Result<(), StoreError> {
        self.delete_index(&beside(log, "index")).map(drop)
    }

    fn install_merge_driver(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        let Some(auth) = self.disk.clone_auth() else { return Ok(None) };
        auth.install_merge_driver(self.lanes.root()).map_err(|why| StoreError::Io {
            doing: "install the merge driver of",
            path: path.to_owned(),
            source: io::Error::other(why),
        })?;
        let what = "git merges it with this program from now on".to_owned();
        Ok(Some(Repair { path: path.to_owned(), what, backups: Vec::new(), witnesses: Vec::new() }))
    }

    fn write_gitignore(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        self.replace(path, GITIGNORE.as_bytes())?;
        let what = "written".to_owned();
        Ok(Some(Repair { path: path.to_owned(), what, backups: Vec::new(), witnesses: Vec::new() }))
    }
}
