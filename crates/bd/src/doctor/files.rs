//! Mending files that are one thing each: documents, objects, witnesses. What cannot be made good is moved aside.

use std::path::Path;
use std::time::Duration;

use premath_wire::strict::{Limits, parse};

use super::{Diagnosis, Repair, Surgery};
use crate::disk::{Access, LockMode, LockOutcome, write_all_at};
use crate::error::StoreError;
use crate::log::{beside, folder_of};
use crate::verify::{DocumentState, Form, ProblemClass, document_bytes, document_state};

const PATIENCE: Duration = Duration::from_secs(30);

impl Surgery<'_> {
    /// Mends every file that something was found in.
    pub(super) fn files(&mut self, diagnosis: &Diagnosis) {
        for finding in &diagnosis.findings {
            let path = &finding.path;
            let outcome = if finding.is(ProblemClass::DocumentInvalid) {
                self.mend_document(path)
            } else if finding.is(ProblemClass::ObjectMismatch) {
                self.move_object(path)
            } else if finding.is(ProblemClass::WitnessMismatch) {
                self.move_witness(path)
            } else {
                continue;
            };
            self.note(path, outcome);
        }
    }

    /// Under the document's lock: a byte order mark is taken off, anything worse moved aside.
    fn mend_document(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        let lock_path = beside(path, "lock");
        let lock = self.disk.open(&lock_path, Access::Update).map_err(StoreError::opening(&lock_path))?;
        match lock.lock(LockMode::Exclusive, PATIENCE).map_err(StoreError::io("lock", &lock_path))? {
            LockOutcome::Held => {}
            LockOutcome::Busy => return Err(StoreError::Busy { path: path.to_owned() }),
        }
        match document_state(self.disk, path) {
            Ok(DocumentState::Invalid(_)) => {}
            // Somebody mended it, or took it away.
            Ok(_) | Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let bytes = document_bytes(self.disk, path)?;
        let form = Form::of(&bytes);
        if !parse(form.text, Limits::default()).is_ok_and(|value| value.as_object().is_some()) {
            let moved = self.backups.take(path)?;
            let what = "moved aside; the next write begins a new one".to_owned();
            return Ok(Some(Repair {
                path: path.to_owned(),
                what,
                backups: vec![moved],
                witnesses: Vec::new(),
            }));
        }
        let copy = self.backups.copy(path)?;
        self.replace(path, form.text)?;
        let what = "took the byte order mark off".to_owned();
        Ok(Some(Repair {
            path: path.to_owned(),
            what,
            backups: copy.into_iter().collect(),
            witnesses: Vec::new(),
        }))
    }

    /// The content of a small file, replaced at once and durably.
    pub(super) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = beside(path, "tmp");
        let mut file =
            self.disk.open(&temporary, Access::Replace).map_err(StoreError::io("write", &temporary))?;
        write_all_at(file.as_mut(), bytes, 0)
            .and_then(|()| file.sync())
            .and_then(|()| self.disk.rename(&temporary, path))
            .map_err(StoreError::io("write", path))?;
        let folder = folder_of(path);
        self.disk.sync_folder(folder).map_err(StoreError::io("sync", folder))
    }

    fn move_object(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        let Some(id) = self.objects.id_at(path) else { return Ok(None) };
        let _alone = self.objects.alone()?;
        match self.objects.verify(&id) {
            Err(StoreError::Corrupt { .. }) => self.move_aside(path).map(Some),
            // Somebody put it again, or took it away.
            Ok(_) | Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn move_witness(&self, path: &Path) -> Result<Option<Repair>, StoreError> {
        let Some(id) = path.file_stem().map(|stem| stem.to_string_lossy()) else { return Ok(None) };
        match self.witnesses.get(&id) {
            Err(StoreError::Corrupt { .. }) => self.move_aside(path).map(Some),
            Ok(_) | Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn move_aside(&self, path: &Path) -> Result<Repair, StoreError> {
        let moved = self.backups.take(path)?;
        let what = "moved aside".to_owned();
        Ok(Repair { path: path.to_owned(), what, backups: vec![moved], witnesses: Vec::new() })
    }
}
