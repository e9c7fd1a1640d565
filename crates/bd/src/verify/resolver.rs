//! Looks references up in the stores, and says of what is not there whether it was lost or never came here.
//!
//! A row that this clone wrote, and every row of a file that git does not track, cites what must be here. A row that came
//! with the clone may cite what stayed on the machine that wrote it. It must not report one thing of one row twice.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::Object;
use premath_wire::strict::{Limits, parse};

use super::problem::{Problem, ProblemClass, Problems};
use super::references::{Reference, outputs, references};
use super::repository::Repository;
use crate::disk::{Access, Disk};
use crate::error::StoreError;
use crate::journal::{Journal, runs_folder};
use crate::objects::{ObjectId, Objects};
use crate::witnesses::Witnesses;

/// The record of a check is shorter.
const LONGEST_RECORD: usize = 1 << 20;

/// Who wrote what cites something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// This machine: git does not track the file.
    Machine,
    /// This clone, in a file that git tracks.
    Here,
    /// It came with the clone.
    Inherited,
}

/// Where a citation stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Citation<'c> {
    /// The file.
    pub(crate) path: &'c Path,
    /// The line in it.
    pub(crate) line: Option<u64>,
    /// Who wrote it.
    pub(crate) author: Author,
}

/// Looks references up, each only once.
#[derive(Debug)]
pub(crate) struct Resolver<'s> {
    disk: Arc<dyn Disk>,
    runs: PathBuf,
    objects: &'s Objects,
    witnesses: &'s Witnesses,
    present: BTreeSet<Reference>,
    /// The runs that this clone recorded. A run is cited by name, and a name says nothing of who wrote it.
    pub(crate) recorded_runs: BTreeSet<String>,
    /// How many references were looked at.
    pub(crate) seen: u64,
}

impl<'s> Resolver<'s> {
    /// Over the stores of a repository.
    pub(crate) fn new(repository: &Repository, objects: &'s Objects, witnesses: &'s Witnesses) -> Self {
        Self {
            disk: Arc::clone(&repository.disk),
            runs: runs_folder(&repository.root),
            objects,
            witnesses,
            present: BTreeSet::new(),
            recorded_runs: BTreeSet::new(),
            seen: 0,
        }
    }

    /// Reports what a row cites and is not there.
    pub(crate) fn check(
        &mut self,
        row: &Object<'_>,
        citation: Citation<'_>,
        problems: &mut Problems,
    ) -> Result<(), StoreError> {
        for reference in references(row) {
            self.check_one(&reference, citation, problems)?;
        }
        Ok(())
    }

    /// The same for one reference.
    pub(crate) fn check_one(
        &mut self,
        reference: &Reference,
        citation: Citation<'_>,
        problems: &mut Problems,
    ) -> Result<(), StoreError> {
        self.seen += 1;
        if self.present.contains(reference) {
            return Ok(());
        }
        if !self.resolves(reference)? {
            problems.add(self.unresolved(reference, citation, None));
            return Ok(());
        }
        let mut is_whole = true;
        if let Reference::Outcome(record) = reference {
            for id in self.outputs_of(record)? {
                self.seen += 1;
                if !self.objects.contains(&id)? {
                    is_whole = false;
                    problems.add(self.unresolved(&Reference::Object(id), citation, Some(record)));
                }
            }
        }
        if is_whole {
            self.present.insert(reference.clone());
        }
        Ok(())
    }

    fn unresolved(&self, reference: &Reference, citation: Citation<'_>, by: Option<&ObjectId>) -> Problem {
        let is_here = match reference {
            Reference::Run(run) => citation.author == Author::Machine || self.recorded_runs.contains(run),
            Reference::Object(_) | Reference::Outcome(_) => citation.author != Author::Inherited,
            Reference::Witness(_) => true,
        };
        let kind = match reference {
            Reference::Object(_) | Reference::Outcome(_) => "object",
            Reference::Run(_) => "the journal of",
            Reference::Witness(_) => "witness",
        };
        let by = by.map(|by| format!(", which object {by} cites,")).unwrap_or_default();
        let class = if is_here { ProblemClass::ReferenceMissing } else { ProblemClass::ReferenceNotHere };
        let name = reference.name();
        Problem {
            class,
            path: citation.path.to_owned(),
            line: citation.line,
            detail: format!("{kind} {name}{by} is not in the store"),
            missing: Some(name),
        }
    }

    fn resolves(&self, reference: &Reference) -> Result<bool, StoreError> {
        match reference {
            Reference::Object(id) | Reference::Outcome(id) => self.objects.contains(id),
            Reference::Run(run) => self.has_journal(run),
            Reference::Witness(id) => self.witnesses.contains(id),
        }
    }

    fn has_journal(&self, run: &str) -> Result<bool, StoreError> {
        let journal = Journal::open(Arc::clone(&self.disk), &self.runs, run)?;
        match self.disk.open(journal.path(), Access::Read) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("open", journal.path())(error)),
        }
    }

    /// What a record cites; nothing of one that cannot be read, which is reported where objects are.
    fn outputs_of(&self, record: &ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        let bytes = self.objects.read_range(record, 0, LONGEST_RECORD)?;
        Ok(parse(&bytes, Limits::default()).map(|record| outputs(&record)).unwrap_or_default())
    }
}
