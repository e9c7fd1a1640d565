//! Verification: everything durable is read and compared with what vouches for it. Read-only.
//!
//! Logs against their heads and chains, objects and witnesses against their names, references against the stores. It
//! must not stop at the first problem, and must not change anything: mending is the doctor's.

mod accepted;
mod chain;
mod documents;
mod form;
mod issue_rows;
mod lanes;
mod locality;
mod log_check;
mod problem;
mod read_only;
mod recorded;
mod references;
mod repository;
mod resolver;
mod turn_witness;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use premath_kernel::{Object, Value};

use crate::audit::{Anchors, JournalAnchor};
use crate::clone_auth::MergeDriver;
use crate::desk::Desk;
use crate::error::StoreError;
use crate::inherited_rows::InheritedRows;
use crate::objects::Objects;
use crate::witnesses::Witnesses;

use self::issue_rows::IssueRowProblem;
use self::lanes::LaneKind;
use self::resolver::{Author, Citation, Resolver};
use self::turn_witness::TurnWitnesses;

pub(crate) use self::accepted::{Acceptance, Accepted};
pub(crate) use self::chain::{is_authentic_row, row_mac, seal_for};
pub(crate) use self::documents::{DocumentState, document_bytes, document_state};
pub(crate) use self::form::{Content, Form};
pub(crate) use self::issue_rows::issue_row_problems;
pub(crate) use self::lanes::{Lane, Lanes, issue_files};
pub(crate) use self::log_check::{check_log, check_reader};

pub use self::accepted::ACCEPTANCE_KIND;
pub use self::chain::{ChainWatch, Link, seal};
pub use self::locality::{LANE_PLACES, LanePlace, Locality};
pub use self::log_check::{Chaining, LogReport, verify_log};
pub use self::problem::{Problem, ProblemClass, ProblemState, Problems};
pub use self::recorded::RecordedHere;
pub use self::references::{Reference, references};
pub use self::repository::Repository;

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    /// Logs, journals among them.
    pub logs: u64,
    /// Journals.
    pub journals: u64,
    /// Rows in all of them.
    pub rows: u64,
    /// Rows that are part of a chain.
    pub chained_rows: u64,
    /// Rows that stand before a chain and are not covered by it.
    pub unverified_rows: u64,
    /// Sessions and feature ledgers.
    pub documents: u64,
    /// Objects.
    pub objects: u64,
    /// Bytes in them.
    pub object_bytes: u64,
    /// Witnesses.
    pub witnesses: u64,
    /// References to objects, witnesses and runs.
    pub references: u64,
}

/// What verification found.
#[derive(Debug)]
pub struct Verification {
    /// How much was looked at.
    pub checked: Checked,
    /// What is not as it should be.
    pub problems: Problems,
    /// How many problems a person accepted earlier.
    pub accepted: u64,
    /// What this clone put on record.
    pub recorded: RecordedHere,
}

/// Reads everything durable in a repository. `progress` hears how far it is, now and then.
///
/// # Errors
/// `Missing` when the folder has no `.premath`; `Io` when a folder cannot be listed.
pub fn verify(
    repository: &Repository,
    progress: &mut dyn FnMut(&Checked),
) -> Result<Verification, StoreError> {
    let repository = &repository.read_only();
    let lanes = repository.lanes()?;
    let (objects, witnesses) = (repository.objects(), repository.witnesses());
    let mut survey = Survey {
        repository,
        lanes: &lanes,
        objects: &objects,
        witnesses: &witnesses,
        resolver: Resolver::new(repository, &objects, &witnesses),
        inherited: InheritedRows::default(),
        accepted: Accepted::new(&repository.disk, &repository.root),
        found: Verification {
            checked: Checked::default(),
            problems: Problems::default(),
            accepted: 0,
            recorded: RecordedHere::default(),
        },
        anchors: Anchors::default(),
        progress,
    };
    survey.inherited();
    survey.witnesses()?;
    // The audit log comes before the lanes that cite something: it says which runs are this clone's.
    for lane in lanes.logs()? {
        if let Err(error) = survey.log(&lane) {
            survey.failed(&error, ProblemClass::Unreadable, lane.log.path());
        }
    }
    survey.lost_journals();
    for path in lanes.documents()? {
        if let Err(error) = survey.document(&path) {
            survey.failed(&error, ProblemClass::Unreadable, &path);
        }
    }
    survey.merge_driver();
    survey.desk();
    survey.objects()?;
    survey.found.checked.references = survey.resolver.seen;
    Ok(survey.found)
}

/// One verification under way.
struct Survey<'a> {
    repository: &'a Repository,
    lanes: &'a Lanes<'a>,
    objects: &'a Objects,
    witnesses: &'a Witnesses,
    resolver: Resolver<'a>,
    inherited: InheritedRows,
    accepted: Accepted,
    found: Verification,
    anchors: Anchors,
    progress: &'a mut dyn FnMut(&Checked),
}

impl Survey<'_> {
    /// What came with the clone. Where that cannot be read, the heads of the logs tell.
    fn inherited(&mut self) {
        let folder = self.repository.folder();
        match InheritedRows::read(self.repository.disk.as_ref(), &folder) {
            Ok(inherited) => self.inherited = inherited,
            Err(error) => {
                self.failed(&error, ProblemClass::Unreadable, &folder.join(InheritedRows::FILE_NAME));
            }
        }
    }

    /// Witnesses come first: what a person accepted of the logs is among them.
    fn witnesses(&mut self) -> Result<(), StoreError> {
        for id in self.witnesses.iter()? {
            match self.witnesses.get(&id) {
                Ok(witness) => self.accepted.learn(&witness),
                Err(error) => {
                    self.failed(&error, ProblemClass::WitnessMismatch, &self.witnesses.path_of(&id))
                }
            }
            self.found.checked.witnesses += 1;
            (self.progress)(&self.found.checked);
        }
        Ok(())
    }

    /// Git carries which driver merges issue memory, and never what that driver is.
    fn merge_driver(&mut self) {
        let repository = self.repository;
        let file = repository.issues.strip_prefix(&repository.root).unwrap_or(&repository.issues);
        let Some(auth) = repository.disk.clone_auth() else { return };
        if auth.merge_driver(&repository.root, &file.to_string_lossy()) == MergeDriver::Missing {
            let detail = "`.gitattributes` asks for the driver `premath`";
            let class = ProblemClass::MergeDriverMissing;
            self.found.problems.add(Problem::of_file(class, &repository.issues, detail));
        }
    }

    fn log(&mut self, lane: &Lane) -> Result<(), StoreError> {
        let path = lane.log.path();
        let accepted = self.accepted.extents(&self.lanes.relative(path)).to_vec();
        let is_tracked = self.lanes.is_tracked(path);
        let inherited = if is_tracked { self.inherited.of(self.repository.disk.as_ref(), path)? } else { 0 };
        let mut dangling = Problems::default();
        let mut failure = None;
        let mut turns = TurnWitnesses::default();
        let relative = self.lanes.relative(path);
        let mut anchor = lane.kind.is_journal().then(|| self.anchors.take(&relative)).flatten();
        let (resolver, recorded, anchors) = (&mut self.resolver, &mut self.found.recorded, &mut self.anchors);
        let checked = check_log(&lane.log, lane.kind.chaining(), &accepted, &mut |line, row| {
            if lane.kind == LaneKind::Audit {
                anchors.learn(row);
            }
            anchor.take_if(|anchor| anchor.is_met_by(row));
            if lane.kind == LaneKind::Audit && line > inherited {
                recorded.learn(line, row);
            }
            if !lane.kind.has_references() || failure.is_some() {
                return;
            }
            let author = match is_tracked {
                false => Author::Machine,
                true if line > inherited => Author::Here,
                true => Author::Inherited,
            };
            let citation = Citation { path, line: Some(line), author };
            failure = resolver.check(row, citation, &mut dangling).err();
            if let Some(cited) = turns.cited_by(row).filter(|_| failure.is_none()) {
                failure = resolver.check_one(&cited, citation, &mut dangling).err();
            }
        });
        self.found.problems.extend(dangling);
        if let Some(anchor) = anchor {
            self.add_unmet(path, &anchor);
        }
        if let Some(report) = checked? {
            self.found.checked.logs += 1;
            self.found.checked.journals += u64::from(lane.kind == LaneKind::Journal);
            self.take(lane, report)?;
            (self.progress)(&self.found.checked);
        }
        if lane.kind == LaneKind::Audit {
            self.recorded_runs(path)?;
        }
        failure.map_or(Ok(()), Err)
    }

    /// The runs that this clone started must have their journals.
    fn recorded_runs(&mut self, path: &Path) -> Result<(), StoreError> {
        let runs = self.found.recorded.runs.clone();
        self.resolver.recorded_runs = runs.keys().cloned().collect();
        for (run, line) in runs {
            let citation = Citation { path, line: Some(line), author: Author::Here };
            self.resolver.check_one(&Reference::Run(run), citation, &mut self.found.problems)?;
        }
        Ok(())
    }

    /// A journal without the row that the audit log knows of it.
    fn add_unmet(&mut self, path: &Path, anchor: &JournalAnchor) {
        let detail =
            format!("the audit log knows row {} of it ({}), which is not there", anchor.rows, anchor.digest);
        self.add(ProblemClass::RolledBack, path, detail);
    }

    /// Journals that the audit log knows and that are not there at all.
    fn lost_journals(&mut self) {
        for anchor in std::mem::take(&mut self.anchors).rest() {
            self.add_unmet(&self.repository.root.join(&anchor.log), &anchor);
        }
    }

    fn take(&mut self, lane: &Lane, report: LogReport) -> Result<(), StoreError> {
        let (accepted_lines, committed_lines) = (report.accepted_lines, report.committed_lines);
        let bad_line = |problem: &Problem| problem.line.filter(|_| problem.class == ProblemClass::BadLine);
        let bad_lines: BTreeSet<u64> = report.problems.kept().iter().filter_map(bad_line).collect();
        self.found.accepted += report.accepted;
        self.found.checked.rows += report.rows;
        self.found.checked.chained_rows += report.chained;
        self.found.checked.unverified_rows += report.unverified;
        self.found.problems.extend(report.problems);
        if !lane.kind.holds_issues() {
            return Ok(());
        }
        let rows = match lane.log.read() {
            Ok(reader) => issue_row_problems(&reader)?,
            Err(StoreError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let path = self.lanes.relative(lane.log.path());
        for IssueRowProblem { problem, line_digest } in rows {
            if bad_line(&problem).is_some_and(|line| bad_lines.contains(&line)) {
                continue;
            }
            let is_edit = matches!(problem.class, ProblemClass::RowDigestMismatch | ProblemClass::RowOrder);
            let is_within = problem
                .line
                .is_some_and(|line| line <= accepted_lines || (is_edit && line <= committed_lines));
            if is_within || self.accepted.has_line(&path, &line_digest) {
                self.found.accepted += 1;
            } else {
                self.found.problems.add(problem);
            }
        }
        Ok(())
    }

    fn document(&mut self, path: &Path) -> Result<(), StoreError> {
        self.found.checked.documents += 1;
        match document_state(&self.repository.disk, path) {
            Ok(DocumentState::Sound(document)) => {
                if let Some(document) = document.as_object() {
                    let author = self.document_author(path)?;
                    let citation = Citation { path, line: None, author };
                    self.resolver.check(document, citation, &mut self.found.problems)?;
                    self.snapshot(path, document)?;
                }
            }
            Ok(DocumentState::Foreign(why)) => self.add(ProblemClass::DocumentForeign, path, why),
            Ok(DocumentState::Invalid(why)) => self.add(ProblemClass::DocumentInvalid, path, why),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A document that git tracks may have come with the clone, wherever anything did.
    fn document_author(&self, path: &Path) -> Result<Author, StoreError> {
        if !self.lanes.is_tracked(path) {
            return Ok(Author::Machine);
        }
        let came = self.inherited.has_any(self.repository.disk.as_ref(), &self.repository.folder())?;
        Ok(if came { Author::Inherited } else { Author::Here })
    }

    fn add(&mut self, class: ProblemClass, path: &Path, detail: String) {
        self.found.problems.add(Problem::of_file(class, path, detail));
    }

    /// A session says which issues it saw; they may have moved on.
    fn snapshot(&mut self, path: &Path, session: &Object<'_>) -> Result<(), StoreError> {
        let Some(stated) = session.get("issuesSnapshotRef").and_then(Value::as_text) else { return Ok(()) };
        let issues = match session.get("issuesPath").and_then(Value::as_text) {
            Some(named) => self.repository.root.join(named),
            None => self.repository.issues.clone(),
        };
        match issue_rows::snapshot(&self.repository.disk, &issues)? {
            Some(current) if current != stated => {
                let what = format!("it saw {stated}; the issues are {current} now");
                self.add(ProblemClass::SnapshotStale, path, what);
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    fn objects(&mut self) -> Result<(), StoreError> {
        for id in self.objects {
            let id = id?;
            match self.objects.verify(&id) {
                Ok(bytes) => self.found.checked.object_bytes += bytes,
                // Collected between the listing and now.
                Err(StoreError::Missing { .. }) => continue,
                Err(error) => self.failed(&error, ProblemClass::ObjectMismatch, &self.objects.path_of(&id)),
            }
            self.found.checked.objects += 1;
            (self.progress)(&self.found.checked);
        }
        Ok(())
    }

    /// A file that contradicts itself is of the class its lane says; one that cannot be read is `unreadable`.
    /// The database of the desk, where there is one.
    fn desk(&mut self) {
        let path = self.repository.root.join(".premath").join(Desk::FILE_NAME);
        let (clock, ids) = (Arc::clone(&self.repository.clock), Arc::clone(&self.repository.ids));
        let checked = match Desk::open_existing(&path, clock, ids) {
            Err(StoreError::Missing { .. }) => return,
            opened => opened.and_then(|desk| desk.check()),
        };
        self.found.checked.documents += 1;
        if let Err(error) = checked {
            self.failed(&error, ProblemClass::DeskDamaged, &path);
        }
    }

    fn failed(&mut self, error: &StoreError, class: ProblemClass, path: &Path) {
        let (class, detail) = match &error {
            StoreError::Corrupt { detail, .. } => (class, detail.clone()),
            StoreError::Io { source, .. } => (ProblemClass::Unreadable, source.to_string()),
            StoreError::Missing { .. }
            | StoreError::Busy { .. }
            | StoreError::Poisoned { .. }
            | StoreError::DerivedDamaged { .. }
            | StoreError::Newer { .. }
            | StoreError::Untrusted { .. }
            | StoreError::Input(_) => (ProblemClass::Unreadable, error.to_string()),
        };
        self.add(class, path, detail);
    }
}
