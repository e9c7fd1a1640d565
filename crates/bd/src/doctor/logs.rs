//! Mending a log, under its lock: lines that are no rows are moved out, other programs' marks taken off, and what cannot
//! be made good is accepted as it is, on record.
//!
//! The order makes an interruption harmless: copies first, then the log, then the record, and only then the head that
//! says all is well. It must not accept anything that is not on record.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Diagnosis, Repair, Surgery};
use crate::error::StoreError;
use crate::log::{Extent, Log, LogReader, LogWriter, Replacement, beside};
use crate::verify::{
    Acceptance, Content, Form, Lane, LogReport, ProblemClass, check_reader, issue_row_problems,
};

/// What a rewritten log would not have.
const REWRITTEN: [ProblemClass; 3] = [ProblemClass::BadLine, ProblemClass::TextForm, ProblemClass::TornTail];
/// What no rewriting mends.
const ACCEPTED: [ProblemClass; 3] =
    [ProblemClass::ChainBroken, ProblemClass::RowDigestMismatch, ProblemClass::RowOrder];
/// What the head says against the log.
const TAMPERED: [ProblemClass; 6] = [
    ProblemClass::LogChanged,
    ProblemClass::LogShorter,
    ProblemClass::NotAuthentic,
    ProblemClass::NotVerifiableHere,
    ProblemClass::RolledBack,
    ProblemClass::Unkeyed,
];

impl Surgery<'_> {
    /// Mends every log that something was found in.
    pub(super) fn logs(&mut self, diagnosis: &Diagnosis) -> Result<(), StoreError> {
        for lane in self.lanes.logs()? {
            let path = lane.log.path();
            let is_ill = |found: &super::Finding| found.path == path && found.remedy.is_some();
            if diagnosis.omitted > 0 || diagnosis.findings.iter().any(is_ill) {
                let outcome = self.mend_log(&lane);
                self.note(path, outcome);
            }
        }
        Ok(())
    }

    fn mend_log(&self, lane: &Lane) -> Result<Option<Repair>, StoreError> {
        let path = lane.log.path();
        let expected = lane.log.anchored_extent()?;
        // Opening a log whose head is damaged writes a new one.
        let head_copy = match expected {
            None => self.backups.copy(&beside(path, "head"))?,
            Some(_) => None,
        };
        let mut writer = lane.log.write_for_person()?;
        let found = self.look(lane, writer.reader())?;
        if found.classes.is_empty() {
            return Ok(None);
        }
        // What only this clone may have written is not taken over from somebody else here: that is `premath trust`.
        writer.check_acceptable()?;
        let mut mending = Mending::new(path, head_copy);
        let is_tampered = found.has(&TAMPERED);
        let is_rewritten = found.report.extent != writer.reader().extent() || found.has(&REWRITTEN);
        if is_tampered || is_rewritten || found.has(&ACCEPTED) {
            mending.copy(self, path)?;
        }
        if is_tampered || found.has(&ACCEPTED) {
            mending.copy(self, &beside(path, "head"))?;
            mending.witnesses.push(self.record(&lane.log, &found, expected)?);
        }
        if is_rewritten {
            self.rewrite(&found, &mut writer, &mut mending)?;
            let left = self.look(lane, writer.reader())?;
            if left.has(&ACCEPTED) {
                mending.witnesses.push(self.record(&lane.log, &left, expected)?);
            }
        }
        writer.accept()?;
        drop(writer);
        self.discard_index(path)?;
        Ok(Some(mending.into_repair()))
    }

    fn record(&self, log: &Log, look: &Look, expected: Option<Extent>) -> Result<String, StoreError> {
        let classes =
            look.classes.iter().filter(|class| ACCEPTED.contains(class) || TAMPERED.contains(class));
        let acceptance = Acceptance {
            path: &self.lanes.relative(log.path()),
            extent: look.report.extent,
            expected,
            lines: look.faulty_rows.iter().cloned().collect(),
            classes: classes.map(|class| class.code()).collect(),
            at: self.now,
        };
        acceptance.record(self.witnesses, log)
    }

    fn look(&self, lane: &Lane, reader: &LogReader) -> Result<Look, StoreError> {
        let path = self.lanes.relative(reader.log().path());
        let report =
            check_reader(reader, lane.kind.chaining(), self.accepted.extents(&path), &mut |_, _| ())?;
        let mut classes: BTreeSet<ProblemClass> =
            report.problems.kept().iter().map(|one| one.class).collect();
        let (mut bad_rows, mut faulty_rows) = (BTreeSet::new(), BTreeSet::new());
        let rows = if lane.kind.holds_issues() { issue_row_problems(reader)? } else { Vec::new() };
        for row in rows {
            let (class, line) = (row.problem.class, row.problem.line);
            if class == ProblemClass::BadLine {
                bad_rows.extend(line);
            } else {
                faulty_rows.insert(row.line_digest.clone());
            }
            let is_within = line.is_some_and(|line| line <= report.accepted_lines);
            if !is_within && !self.accepted.has_line(&path, &row.line_digest) {
                classes.insert(class);
            }
        }
        Ok(Look { report, classes, bad_rows, faulty_rows })
    }

    /// Writes the rows anew, in their plain form. What is no row goes into a file beside the copy.
    fn rewrite(
        &self,
        found: &Look,
        writer: &mut LogWriter,
        mending: &mut Mending<'_>,
    ) -> Result<(), StoreError> {
        let mut number = 0_u64;
        let mut moved = 0_u64;
        let mut out = None;
        writer.replace::<StoreError>(|reader, replacement| {
            reader.each_line::<StoreError>(0, |_, line| {
                number += 1;
                if !found.bad_rows.contains(&number) && keep(line, replacement)? {
                    return Ok(());
                }
                moved += 1;
                let file = match &mut out {
                    Some(file) => file,
                    none => none.insert(self.backups.begin(mending.path, ".bad-lines")?),
                };
                file.write(line)?;
                file.write(b"\n")
            })?;
            if let Some(line) = reader.unterminated_line() {
                keep(line, replacement)?;
            }
            // Before the log changes, what leaves it is safe.
            if let Some(file) = out.take() {
                mending.backups.push(file.finish()?);
            }
            Ok(())
        })?;
        mending.done.push(match moved {
            0 => "wrote its rows in their plain form".to_owned(),
            1 => "moved 1 line out that is no row".to_owned(),
            moved => format!("moved {moved} lines out that are no rows"),
        });
        Ok(())
    }
}

/// Writes a line in its plain form; false when it is no row.
fn keep(line: &[u8], replacement: &mut Replacement) -> Result<bool, StoreError> {
    let form = Form::of(line);
    match form.content() {
        Content::Row(_) => replacement.line(form.text).map(|_| true),
        Content::Blank => Ok(true),
        Content::NotARow(_) => Ok(false),
    }
}

/// A log as it is under its lock.
struct Look {
    report: LogReport,
    classes: BTreeSet<ProblemClass>,
    /// Lines that are JSON but no issues.
    bad_rows: BTreeSet<u64>,
    /// Issues whose rows do not hold, by what their lines hash to.
    faulty_rows: BTreeSet<String>,
}

impl Look {
    fn has(&self, classes: &[ProblemClass]) -> bool {
        classes.iter().any(|class| self.classes.contains(class))
    }
}

/// What was done to one log so far.
struct Mending<'p> {
    path: &'p Path,
    done: Vec<String>,
    copied: BTreeSet<PathBuf>,
    backups: Vec<PathBuf>,
    witnesses: Vec<String>,
}

impl<'p> Mending<'p> {
    fn new(path: &'p Path, backup: Option<PathBuf>) -> Self {
        let backups = backup.into_iter().collect();
        Self { path, done: Vec::new(), copied: BTreeSet::new(), backups, witnesses: Vec::new() }
    }

    /// Copies a file, once.
    fn copy(&mut self, surgery: &Surgery<'_>, path: &Path) -> Result<(), StoreError> {
        if self.copied.insert(path.to_owned()) {
            self.backups.extend(surgery.backups.copy(path)?);
        }
        Ok(())
    }

    fn into_repair(mut self) -> Repair {
        if !self.witnesses.is_empty() {
            self.done.push("accepted the log as it is".to_owned());
        }
        self.done.push("wrote its head".to_owned());
        Repair {
            path: self.path.to_owned(),
            what: self.done.join(", "),
            backups: self.backups,
            witnesses: self.witnesses,
        }
    }
}
