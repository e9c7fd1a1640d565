//! One log, read from its first line to its last: is it what its head says, is every line a row, does the chain hold.
//!
//! It reads the lines themselves even where the head vouches for them: a file can be changed and its time set back. It
//! must not write anything.

use std::collections::BTreeMap;
use std::path::Path;

use premath_kernel::{Object, Value};
use premath_wire::v1::AUDIT_KIND;

use super::chain::{ChainWatch, Link};
use super::form::{Content, Departures, Form};
use super::problem::{Problem, ProblemClass, Problems};
use crate::error::{Distrust, StoreError};
use crate::log::{Authenticity, Extent, Log, LogReader, Standing};

/// Whether the rows of a log are chained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chaining {
    /// By `seq`, `prev` and `rowDigest`.
    Chained,
    /// Not at all.
    Unchained,
}

/// What was found in one log.
#[derive(Debug, Default)]
pub struct LogReport {
    /// What is wrong with it.
    pub problems: Problems,
    /// How many problems stand in the part that a person accepted.
    pub accepted: u64,
    /// How many lines are rows.
    pub rows: u64,
    /// How many of them are part of a chain.
    pub chained: u64,
    /// How many stand before the chain, not covered by it.
    pub unverified: u64,
    /// The end of the chain.
    pub last: Option<Link>,
    /// The whole lines, as they hash now.
    pub extent: Extent,
    /// How many lines of the start a person accepted.
    pub(crate) accepted_lines: u64,
    /// How many lines of the start git brought: what their seals say is git's to answer for.
    pub(crate) committed_lines: u64,
}

/// Checks one log.
///
/// # Errors
/// `Missing` when there is no such file; `Io` when it cannot be read.
pub fn verify_log(log: &Log, chaining: Chaining) -> Result<LogReport, StoreError> {
    check_reader(&log.read()?, chaining, &[], &mut |_, _| ())
}

/// As [`verify_log`], for a log that may be missing, with extents that a person accepted, handing every row with the
/// number of its line to a visitor.
pub(crate) fn check_log(
    log: &Log,
    chaining: Chaining,
    accepted: &[Extent],
    visit: &mut dyn FnMut(u64, &Object<'_>),
) -> Result<Option<LogReport>, StoreError> {
    match log.read() {
        Ok(reader) => check_reader(&reader, chaining, accepted, visit).map(Some),
        Err(StoreError::Missing { .. }) => Ok(check_missing(log)?),
        Err(error) => Err(error),
    }
}

/// A log that is not there is fine, unless something is left that knows of its lines.
fn check_missing(log: &Log) -> Result<Option<LogReport>, StoreError> {
    if log.auth.as_ref().is_some_and(|auth| log.version_without(auth).is_some()) {
        return Ok(None);
    }
    if let Some(known) = log.recorded_head()?.map(|head| head.extent.rows).filter(|rows| *rows > 0) {
        let mut report = LogReport::default();
        let detail = format!("the log is gone; this clone knows {} of it", lines(known));
        report.problems.add(Problem::of_file(ProblemClass::RolledBack, log.path(), detail));
        return Ok(Some(report));
    }
    let Some(known) = log.anchored_extent()?.filter(|extent| extent.rows > 0) else { return Ok(None) };
    let mut report = LogReport::default();
    let detail = format!("the log is gone; its head knows of {}", lines(known.rows));
    report.problems.add(Problem::of_file(ProblemClass::LogShorter, log.path(), detail));
    Ok(Some(report))
}

/// Checks what a reader sees.
pub(crate) fn check_reader(
    reader: &LogReader,
    chaining: Chaining,
    accepted: &[Extent],
    visit: &mut dyn FnMut(u64, &Object<'_>),
) -> Result<LogReport, StoreError> {
    let path = reader.log().path();
    let mut pass = Pass {
        path,
        chaining,
        accepted,
        chain: ChainWatch::default(),
        report: LogReport::default(),
        form: Departures::default(),
        decisions: BTreeMap::new(),
    };
    reader.each_line::<StoreError>(0, |_, line| {
        pass.line(line, visit);
        Ok(())
    })?;
    let Pass { chain, mut report, form, .. } = pass;
    report.chained = chain.chained();
    report.unverified = chain.unverified();
    report.last = chain.last().cloned();
    if let (Some(what), Some(first)) = (form.describe(), form.first) {
        report.problems.add(Problem::of_line(ProblemClass::TextForm, path, first, what));
    }
    check_tail(reader, &mut report);
    check_authenticity(reader, &mut report)?;
    Ok(report)
}

/// Who vouches for the log; where nobody but the head itself does, how it stands to that.
fn check_authenticity(reader: &LogReader, report: &mut LogReport) -> Result<(), StoreError> {
    let (log, path) = (reader.log(), reader.log().path());
    let (class, detail) = match reader.authenticity()? {
        Authenticity::Unguarded => return check_standing(reader, report),
        Authenticity::Authentic => {
            check_record(log, report)?;
            if let Some(version) = reader.base().and_then(|base| base.version) {
                report.committed_lines = reader.base().map_or(0, |base| base.extent.rows);
                let detail = format!("taken over from {version}");
                report.problems.add(Problem::of_file(ProblemClass::Committed, path, detail));
            }
            return check_standing(reader, report);
        }
        Authenticity::Committed(version) => {
            report.committed_lines = report.extent.rows;
            (ProblemClass::Committed, format!("its lines are those of {version}"))
        }
        Authenticity::Distrusted(reason, detail) => {
            if reader.standing().is_tampered() {
                check_standing(reader, report)?;
            }
            let has_key = log.auth.as_ref().is_some_and(|auth| auth.missing_key().is_none());
            (distrust_class(reason, has_key), detail)
        }
    };
    report.problems.add(Problem::of_file(class, path, detail));
    Ok(())
}

const fn distrust_class(reason: Distrust, has_key: bool) -> ProblemClass {
    match reason {
        Distrust::NoKey => ProblemClass::NotVerifiableHere,
        Distrust::Unkeyed if !has_key => ProblemClass::NotVerifiableHere,
        Distrust::Unkeyed => ProblemClass::Unkeyed,
        Distrust::Foreign | Distrust::Unmerged => ProblemClass::NotAuthentic,
        Distrust::RolledBack => ProblemClass::RolledBack,
    }
}

/// Whether the log goes on from the newest head that was recorded outside the repository, not from an earlier one.
fn check_record(log: &Log, report: &mut LogReport) -> Result<(), StoreError> {
    let Some(head) = log.recorded_head()? else { return Ok(()) };
    if head.next == Some(report.extent) {
        return Ok(());
    }
    let recorded = head.extent;
    let mut extent = Extent::default();
    log.read()?.each_line::<StoreError>(0, |_, line| {
        if extent.rows < recorded.rows {
            extent = extent.and(line);
        }
        Ok(())
    })?;
    if extent != recorded {
        let detail = format!("its first {} are not those that this clone knows", lines(recorded.rows));
        report.problems.add(Problem::of_file(ProblemClass::RolledBack, log.path(), detail));
    }
    Ok(())
}

/// One reading of a log.
struct Pass<'a> {
    path: &'a Path,
    chaining: Chaining,
    accepted: &'a [Extent],
    chain: ChainWatch,
    report: LogReport,
    form: Departures,
    /// The ids of rows of the audit, each with its time, and the lines they are on.
    decisions: BTreeMap<String, u64>,
}

impl Pass<'_> {
    fn line(&mut self, line: &[u8], visit: &mut dyn FnMut(u64, &Object<'_>)) {
        self.report.extent = self.report.extent.and(line);
        let number = self.report.extent.rows;
        let form = Form::of(line);
        self.form.note(number, &form);
        match form.content() {
            Content::Blank => {}
            Content::NotARow(why) => {
                self.report.problems.add(Problem::of_line(ProblemClass::BadLine, self.path, number, why));
            }
            Content::Row(row) => {
                if let Some(row) = row.as_object() {
                    self.row(number, row);
                    visit(number, row);
                }
            }
        }
        if self.accepted.contains(&self.report.extent) {
            self.report.accepted += self.report.problems.clear();
            self.report.accepted_lines = number;
        }
    }

    fn row(&mut self, number: u64, row: &Object<'_>) {
        self.report.rows += 1;
        if self.chaining == Chaining::Unchained {
            return;
        }
        for (class, detail) in self.chain.row(row) {
            self.report.problems.add(Problem::of_line(class, self.path, number, detail));
        }
        if let Some(detail) = self.twin(number, row) {
            self.report.problems.add(Problem::of_line(ProblemClass::ChainBroken, self.path, number, detail));
        }
    }

    /// What is wrong with a row of the audit that was written before: a chain holds twins as well as it holds others.
    fn twin(&mut self, number: u64, row: &Object<'_>) -> Option<String> {
        let text = |name: &str| row.get(name).and_then(Value::as_text);
        if text("rowKind") != Some(AUDIT_KIND) {
            return None;
        }
        let (id, at) = (text("id")?, text("at")?);
        let first = *self.decisions.entry(format!("{id} {at}")).or_insert(number);
        (first != number).then(|| format!("the row `{id}` is there twice: line {first} has it already"))
    }
}

fn check_tail(reader: &LogReader, report: &mut LogReport) {
    let rest = reader.rest();
    if rest.is_empty() {
        return;
    }
    let what = match reader.unterminated_line() {
        Some(_) => "the last line has no newline".to_owned(),
        None => format!("{} bytes of a line that was not finished", rest.len()),
    };
    let line = report.extent.rows + 1;
    report.problems.add(Problem::of_line(ProblemClass::TornTail, reader.log().path(), line, what));
}

fn check_standing(reader: &LogReader, report: &mut LogReport) -> Result<(), StoreError> {
    let path = reader.log().path();
    let known = reader.log().anchored_extent()?.map_or(0, |extent| extent.rows);
    let found = report.extent.rows;
    let (class, detail) = match reader.standing() {
        Standing::Shorter => {
            (ProblemClass::LogShorter, format!("its head knows of {}, it has {}", lines(known), lines(found)))
        }
        Standing::Changed => (
            ProblemClass::LogChanged,
            format!("one of the {} its head knows of is not what it was", lines(known)),
        ),
        // The head was believed because of the file's time and length; the lines say otherwise.
        Standing::Anchored if report.extent != reader.extent() => {
            let what = "a line is not what it was, and the file's time was set back";
            (ProblemClass::LogChanged, what.to_owned())
        }
        Standing::Anchored | Standing::Longer if reader.breaks() > 0 => {
            let times = reader.breaks();
            (
                ProblemClass::LogChanged,
                format!("it was found changed by others {times} time(s), and written to since"),
            )
        }
        Standing::Unanchored if found > 0 => {
            (ProblemClass::HeadMissing, format!("{} without a head that can be read", lines(found)))
        }
        Standing::Anchored | Standing::Longer | Standing::Unanchored => return Ok(()),
    };
    report.problems.add(Problem::of_file(class, path, detail));
    Ok(())
}

fn lines(count: u64) -> String {
    format!("{count} line{}", if count == 1 { "" } else { "s" })
}
