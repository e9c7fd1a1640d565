//! Taking over logs that this clone did not write, on a person's word: of a copied repository, or from before keys.
//!
//! The chain of each log is followed before its head is signed, and the caller records what will be taken over. It must
//! not take over a log that contradicts itself, and must not be reachable for anything but a person at a terminal.

use std::path::PathBuf;

use crate::audit::AuditLog;
use crate::doctor::DoctorError;
use crate::error::{Distrust, StoreError};
use crate::inherited_rows::InheritedRows;
use crate::journal::Appended;
use crate::log::{Authenticity, LogReader};
use crate::permit::{Maintenance, Permit, PermitRefusal};
use crate::verify::{Accepted, Lane, Problem, ProblemClass, Repository, check_reader};

/// Why logs are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustMode {
    /// They are another clone's: copied, moved, restored.
    Copied,
    /// They are from before logs were keyed.
    Upgrade,
}

/// A log that was taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedLog {
    /// Its path from the root of the repository.
    pub log: String,
    /// How many lines it has.
    pub rows: u64,
    /// What they hash to.
    pub digest: String,
    /// Its last row, where it is a journal.
    pub last: Option<Appended>,
    /// Whether it is a journal.
    pub is_journal: bool,
    /// Why it was not trusted before.
    pub reason: Distrust,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Trusted {
    /// What was taken over.
    pub logs: Vec<TrustedLog>,
    /// What was not, and why: the first thing that is wrong with each.
    pub refused: Vec<Problem>,
    /// What is left for another mode or selection.
    pub left: Vec<(PathBuf, Distrust)>,
}

/// Takes over the logs that `selects` names by their paths from the root of the repository.
///
/// Every log is checked first. Then `record` is told what will be taken over, and the logs follow: a crash leaves a record
/// without its logs, which another call completes, never a log without its record. The audit log, which takes the record,
/// is the one log that is taken over before.
///
/// # Errors
/// `Permit` unless it is for this; `Untrusted` without a key; `Io`; whatever `record` fails with.
pub fn trust<E: From<DoctorError>>(
    repository: &Repository,
    permit: Permit,
    mode: TrustMode,
    selects: &dyn Fn(&str) -> bool,
    record: impl FnOnce(&[TrustedLog]) -> Result<(), E>,
) -> Result<Trusted, E> {
    authorise(permit).map_err(DoctorError::from)?;
    let mut check =
        Check { mode, selects, accepted: read_accepted(repository)?, trusted: Trusted::default() };
    let found = list_candidates(repository, &mut check)?;
    let (audit, others): (Vec<Candidate>, Vec<Candidate>) = found.into_iter().partition(Candidate::is_audit);
    for candidate in audit {
        check.take_over(candidate)?;
    }
    let planned: Vec<TrustedLog> =
        check.trusted.logs.iter().chain(others.iter().map(|other| &other.log)).cloned().collect();
    if !planned.is_empty() {
        record(&planned)?;
    }
    for candidate in others {
        check.take_over(candidate)?;
    }
    Ok(check.trusted)
}

fn read_accepted(repository: &Repository) -> Result<Accepted, DoctorError> {
    Ok(Accepted::read(&repository.witnesses(), &repository.root)?)
}

/// Checks every log and returns those that can be taken over; what cannot is noted in the outcome.
fn list_candidates(repository: &Repository, check: &mut Check<'_>) -> Result<Vec<Candidate>, DoctorError> {
    let lanes = repository.lanes()?;
    let mut found = Vec::new();
    for lane in lanes.logs()?.into_iter().chain(lanes.private_journals()?) {
        let log = lanes.relative(lane.log.path());
        found.extend(check.examine(&lane, log)?.map(|log| Candidate { lane, log }));
    }
    Ok(found)
}

/// A log that was checked and can be taken over.
struct Candidate {
    lane: Lane,
    log: TrustedLog,
}

impl Candidate {
    fn is_audit(&self) -> bool {
        self.lane.log.path().file_name().is_some_and(|name| name == AuditLog::FILE_NAME)
    }

    /// Whether the log is gone, so that only what this clone knows of it is forgotten.
    fn is_gone(&self) -> bool {
        self.log.digest.is_empty()
    }
}

fn authorise(permit: Permit) -> Result<(), PermitRefusal> {
    match permit {
        Permit::Maintenance(grant) if grant.purpose() == Maintenance::Trust => Ok(()),
        Permit::Maintenance(_) | Permit::Turn(_) | Permit::Lease(_) | Permit::Operator(_) => {
            Err(PermitRefusal { detail: "taking logs over takes a maintenance permit for it".to_owned() })
        }
    }
}

/// What is asked for, and what came of it so far.
struct Check<'a> {
    mode: TrustMode,
    selects: &'a dyn Fn(&str) -> bool,
    accepted: Accepted,
    trusted: Trusted,
}

impl Check<'_> {
    /// Checks one log without writing; none where it needs nobody's word, is left for another call, or is damaged.
    fn examine(&mut self, lane: &Lane, log: String) -> Result<Option<TrustedLog>, StoreError> {
        if let Err(StoreError::Missing { .. }) = lane.log.read().map(drop) {
            return self.examine_gone(lane, log);
        }
        let writer = lane.log.write_for_person()?;
        let reason = match writer.reader().authenticity()? {
            Authenticity::Unguarded | Authenticity::Authentic | Authenticity::Committed(_) => {
                return Ok(None);
            }
            Authenticity::Distrusted(reason, _) => reason,
        };
        let is_meant = match self.mode {
            TrustMode::Copied => reason != Distrust::Unkeyed,
            TrustMode::Upgrade => reason == Distrust::Unkeyed,
        };
        if !is_meant || !(self.selects)(&log) {
            self.trusted.left.push((lane.log.path().to_owned(), reason));
            return Ok(None);
        }
        self.describe(lane, log, writer.reader(), reason)
    }

    /// Follows the chain of a log; none, with its first problem noted, where it contradicts itself.
    fn describe(
        &mut self,
        lane: &Lane,
        log: String,
        reader: &LogReader,
        reason: Distrust,
    ) -> Result<Option<TrustedLog>, StoreError> {
        let extents = self.accepted.extents(&log);
        let report = check_reader(reader, lane.kind.chaining(), extents, &mut |_, _| ())?;
        let is_damage =
            |problem: &&Problem| !problem.class.is_warning() && !is_about_keys(problem.class, self.mode);
        if let Some(problem) = report.problems.kept().iter().find(is_damage) {
            self.trusted.refused.push(problem.clone());
            return Ok(None);
        }
        let last =
            report.last.as_ref().map(|link| Appended { seq: link.seq, row_digest: link.digest.clone() });
        Ok(Some(TrustedLog {
            log,
            rows: report.extent.rows,
            digest: report.extent.digest_hex(),
            last,
            // One that is deleted with its run is no anchor.
            is_journal: lane.kind.is_journal() && lane.log.is_recorded(),
            reason,
        }))
    }

    /// A log that this clone knows and that is gone: a person may answer for that too.
    fn examine_gone(&mut self, lane: &Lane, log: String) -> Result<Option<TrustedLog>, StoreError> {
        if lane.log.recorded_head()?.is_none() {
            return Ok(None);
        }
        let reason = Distrust::RolledBack;
        if self.mode == TrustMode::Upgrade || !(self.selects)(&log) {
            self.trusted.left.push((lane.log.path().to_owned(), reason));
            return Ok(None);
        }
        let (is_journal, digest) = (lane.kind.is_journal(), String::new());
        Ok(Some(TrustedLog { log, rows: 0, digest, last: None, is_journal, reason }))
    }

    /// Takes over a log that was checked, unless it has changed since.
    fn take_over(&mut self, candidate: Candidate) -> Result<(), DoctorError> {
        let lane = &candidate.lane;
        if candidate.is_gone() {
            lane.log.forget_record()?;
            self.trusted.logs.push(candidate.log);
            return Ok(());
        }
        let mut writer = lane.log.write_for_person()?;
        let (name, reason) = (candidate.log.log.clone(), candidate.log.reason);
        let now = self.describe(lane, name, writer.reader(), reason)?;
        match now {
            Some(now) if now == candidate.log => {
                // Rows that came with a clone stay inherited: their evidence may be on the machine that wrote them.
                InheritedRows::note(lane.log.disk(), lane.log.path())?;
                writer.accept()?;
                self.trusted.logs.push(now);
            }
            // Another process wrote to it meanwhile: what was recorded is not what it is now.
            Some(_) => return Err(StoreError::Busy { path: lane.log.path().to_owned() }.into()),
            None => {}
        }
        Ok(())
    }
}

/// What a person answers for. The head of another clone may say what it likes; one from before keys must fit.
const fn is_about_keys(class: ProblemClass, mode: TrustMode) -> bool {
    let is_about_the_log = matches!(class, ProblemClass::LogChanged | ProblemClass::LogShorter);
    matches!(class, ProblemClass::NotAuthentic | ProblemClass::RolledBack | ProblemClass::Unkeyed)
        || is_about_the_log && matches!(mode, TrustMode::Copied)
}
