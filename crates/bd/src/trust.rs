//! Taking over logs that this clone did not write, on a person's word: of a copied repository, or from before keys.
//!
//! The chain of each log is followed before its head is signed, and whoever calls this records what was taken over. It must
//! not take over a log that contradicts itself, and must not be reachable for anything but a person at a terminal.

use std::path::PathBuf;

use crate::doctor::DoctorError;
use crate::error::{Distrust, StoreError};
use crate::inherited_rows::InheritedRows;
use crate::journal::Appended;
use crate::log::Authenticity;
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
/// # Errors
/// `Permit` unless it is for this; `Untrusted` without a key; `Io`.
pub fn trust(
    repository: &Repository,
    permit: Permit,
    mode: TrustMode,
    selects: &dyn Fn(&str) -> bool,
) -> Result<Trusted, DoctorError> {
    authorise(permit)?;
    let lanes = repository.lanes()?;
    let accepted = Accepted::read(&repository.witnesses(), &repository.root)?;
    let mut trusted = Trusted::default();
    for lane in lanes.logs()?.into_iter().chain(lanes.private_journals()?) {
        let log = lanes.relative(lane.log.path());
        take_over(&lane, log, mode, selects, &accepted, &mut trusted)?;
    }
    Ok(trusted)
}

fn authorise(permit: Permit) -> Result<(), PermitRefusal> {
    match permit {
        Permit::Maintenance(grant) if grant.purpose() == Maintenance::Trust => Ok(()),
        Permit::Maintenance(_) | Permit::Turn(_) | Permit::Lease(_) | Permit::Operator(_) => {
            Err(PermitRefusal { detail: "taking logs over takes a maintenance permit for it".to_owned() })
        }
    }
}

fn take_over(
    lane: &Lane,
    log: String,
    mode: TrustMode,
    selects: &dyn Fn(&str) -> bool,
    accepted: &Accepted,
    trusted: &mut Trusted,
) -> Result<(), StoreError> {
    let path = lane.log.path().to_owned();
    if let Err(StoreError::Missing { .. }) = lane.log.read().map(drop) {
        return forget_gone(lane, log, mode, selects, trusted);
    }
    let mut writer = lane.log.write_for_person()?;
    let (reason, detail) = match writer.reader().authenticity()? {
        Authenticity::Unguarded | Authenticity::Authentic | Authenticity::Committed(_) => return Ok(()),
        Authenticity::Distrusted(reason, detail) => (reason, detail),
    };
    let has_key = lane.log.auth.as_ref().is_some_and(|auth| auth.missing_key().is_none());
    if !has_key {
        return Err(StoreError::Untrusted { path, reason: Distrust::NoKey, detail });
    }
    let is_meant = match mode {
        TrustMode::Copied => reason != Distrust::Unkeyed,
        TrustMode::Upgrade => reason == Distrust::Unkeyed,
    };
    if !is_meant || !selects(&log) {
        trusted.left.push((path, reason));
        return Ok(());
    }
    let report = check_reader(writer.reader(), lane.kind.chaining(), accepted.extents(&log), &mut |_, _| ())?;
    let is_damage = |problem: &&Problem| !problem.class.is_warning() && !is_about_keys(problem.class, mode);
    if let Some(problem) = report.problems.kept().iter().find(is_damage) {
        trusted.refused.push(problem.clone());
        return Ok(());
    }
    // Rows that came with a clone stay inherited: their evidence may be on the machine that wrote them.
    InheritedRows::note(lane.log.disk(), lane.log.path())?;
    writer.accept()?;
    let last = report.last.as_ref().map(|link| Appended { seq: link.seq, row_digest: link.digest.clone() });
    trusted.logs.push(TrustedLog {
        log,
        rows: report.extent.rows,
        digest: report.extent.digest_hex(),
        last,
        // One that is deleted with its run is no anchor.
        is_journal: lane.kind.is_journal() && lane.log.is_recorded(),
        reason,
    });
    Ok(())
}

/// A log that this clone knows and that is gone: a person may answer for that too.
fn forget_gone(
    lane: &Lane,
    log: String,
    mode: TrustMode,
    selects: &dyn Fn(&str) -> bool,
    trusted: &mut Trusted,
) -> Result<(), StoreError> {
    if lane.log.recorded_head()?.is_none() {
        return Ok(());
    }
    let reason = Distrust::RolledBack;
    if mode == TrustMode::Upgrade || !selects(&log) {
        trusted.left.push((lane.log.path().to_owned(), reason));
        return Ok(());
    }
    lane.log.forget_record()?;
    let (is_journal, digest) = (lane.kind.is_journal(), String::new());
    trusted.logs.push(TrustedLog { log, rows: 0, digest, last: None, is_journal, reason });
    Ok(())
}

/// What a person answers for. The head of another clone may say what it likes; one from before keys must fit.
const fn is_about_keys(class: ProblemClass, mode: TrustMode) -> bool {
    let is_about_the_log = matches!(class, ProblemClass::LogChanged | ProblemClass::LogShorter);
    matches!(class, ProblemClass::NotAuthentic | ProblemClass::RolledBack | ProblemClass::Unkeyed)
        || is_about_the_log && matches!(mode, TrustMode::Copied)
}
