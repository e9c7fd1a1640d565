//! The rows of an evaluation: what was run, each call and what it came to, how it ended.
//!
//! They go into the journal of the door that programs come through, between the turns of their changes. Rows of calls that
//! read wait in memory; before a change everything is on the disk, with a row that says what is about to be done. An
//! evaluation that calls nothing leaves no row. It must not make a folder where there is no repository.

use std::sync::Arc;

use premath_bd::{Journal, JournalEvent, Objects, StoreError, doors_folder, objects_folder};
use premath_kernel::{Digest, Fields, Number, Object, Value};
use premath_repl::{HostCall, Limits, Position, Usage};

use super::announced::{Mark, close_abandoned};
use super::book::SchemeCall;
use super::door::CLIENT;
use crate::table::ACTIONS;
use crate::workspace::{Retention, Workspace};

/// A longer program is kept as an object.
const INLINE: usize = 16 << 10;
/// So many rows wait at most.
const WAITING: usize = 1_000;

/// What an evaluation begins with.
#[derive(Debug)]
pub(super) struct Beginning<'b> {
    pub(super) evaluation: &'b str,
    pub(super) program: &'b str,
    pub(super) program_digest: &'b Digest,
    pub(super) limits: &'b Limits,
    pub(super) is_read_only: bool,
    pub(super) instruction: Option<&'b str>,
}

/// The journal of one evaluation.
#[derive(Debug)]
pub(super) struct EvaluationJournal<'b> {
    workspace: &'b Workspace,
    beginning: Beginning<'b>,
    journal: Option<Journal>,
    /// Held from the first announcement on
    mark: Option<Mark>,
    waiting: Vec<JournalEvent>,
    is_begun: bool,
}

impl<'b> EvaluationJournal<'b> {
    /// The journal of an evaluation in a repository; nothing is written yet.
    pub(super) fn new(workspace: &'b Workspace, beginning: Beginning<'b>) -> Result<Self, StoreError> {
        let is_repository = workspace.disk.list(&workspace.root.join(".premath")).is_ok();
        let open = || Journal::open(Arc::clone(&workspace.disk), &doors_folder(&workspace.root), CLIENT);
        let journal = is_repository.then(open).transpose()?;
        Ok(Self { workspace, beginning, journal, mark: None, waiting: Vec::new(), is_begun: false })
    }

    /// Puts it on the disk that a call is about to be made which may change something.
    ///
    /// # Errors
    /// `Missing` where there is no repository; `Busy`, `Io`. Nothing may be changed then.
    pub(super) fn intent(&mut self, call: &HostCall, action: &str, args: &Digest) -> Result<(), StoreError> {
        if self.journal.is_none() {
            return Err(StoreError::Missing { path: self.workspace.root.join(".premath") });
        }
        if self.mark.is_none() {
            self.mark = Some(Mark::new(self.workspace, self.beginning.evaluation)?);
        }
        let fields = self.fields(call.index, action).field("argsDigest", args.as_str().to_owned());
        self.waiting.push(JournalEvent::new("scheme.intent", fields));
        let flushed = self.flush();
        if flushed.is_err() {
            self.waiting.pop();
        }
        flushed
    }

    /// Notes what a call came to.
    pub(super) fn call(&mut self, call: &SchemeCall) {
        if self.journal.is_none() {
            return;
        }
        let classes = call.failure_classes.iter().map(|class| Value::from(class.clone())).collect();
        let fields = self
            .fields(call.index, &call.action)
            .field("argsDigest", call.args_digest.clone())
            .field("position", position(call.position))
            .field("resultClass", call.result_class.clone())
            .optional("effectDigest", call.effect_digest().map(|digest| digest.as_str().to_owned()))
            .non_empty("failureClasses", classes);
        self.waiting.push(JournalEvent::new("scheme.call", fields));
        if self.waiting.len() >= WAITING {
            // What cannot be written now is tried again before a change and at the end, where it is told.
            self.flush().unwrap_or_default();
        }
    }

    /// Notes how the evaluation ended; the reference of its rows, where it has any.
    ///
    /// # Errors
    /// `Busy`, `Io`: some rows are not on the disk.
    pub(super) fn finish(&mut self, end: Fields<'_>) -> Result<Option<String>, StoreError> {
        if self.journal.is_none() || (self.waiting.is_empty() && !self.is_begun) {
            return Ok(None);
        }
        let end = end.field("evaluation", self.beginning.evaluation.to_owned());
        self.waiting.push(JournalEvent::new("scheme.end", end));
        self.flush()?;
        if let Some(mark) = self.mark.take() {
            mark.lift(self.workspace)?;
        }
        Ok(Some(format!(".premath/doors/{CLIENT}/journal.jsonl#{}", self.beginning.evaluation)))
    }

    fn fields(&self, index: u64, action: &str) -> Fields<'static> {
        // A name that a program made up does not get into a record.
        let known = ACTIONS.iter().find(|known| known.name == action).map_or("unknown", |known| known.name);
        Object::fields()
            .field("evaluation", self.beginning.evaluation.to_owned())
            .field("index", count(index))
            .field("action", known)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        if !self.is_begun {
            close_abandoned(self.workspace, journal)?;
            let begin = self.begin()?;
            self.waiting.insert(0, begin);
        }
        let written = journal
            .write()
            .and_then(|mut writer| writer.append_events(&self.waiting, self.workspace.clock.now()));
        match written {
            Ok(_) => {
                self.is_begun = true;
                self.waiting.clear();
                Ok(())
            }
            Err(error) => {
                if !self.is_begun {
                    self.waiting.remove(0);
                }
                Err(error)
            }
        }
    }

    fn begin(&self) -> Result<JournalEvent, StoreError> {
        let beginning = &self.beginning;
        let mut fields = Object::fields()
            .field("evaluation", beginning.evaluation.to_owned())
            .field("programDigest", beginning.program_digest.as_str().to_owned())
            .field("limits", limits(beginning.limits))
            .field("readOnly", beginning.is_read_only)
            .optional("instruction", beginning.instruction.map(str::to_owned));
        let is_kept = matches!(self.workspace.retention, Retention::Payloads);
        // A record keeps no secret; the digest is of the program as it was run.
        let program = self.workspace.redactor.text(beginning.program);
        if is_kept && program.len() <= INLINE {
            fields = fields.field("program", program.into_owned());
        } else if is_kept {
            let (disk, ids) = (Arc::clone(&self.workspace.disk), Arc::clone(&self.workspace.ids));
            let objects = Objects::new(disk, ids, objects_folder(&self.workspace.root));
            let kept = objects.put(&mut program.as_bytes())?;
            fields = fields.field("objectRef", kept.digest.reference());
        }
        Ok(JournalEvent::new("scheme.begin", fields))
    }
}

/// A count as JSON; beyond what JSON holds exactly it is the most that it holds.
pub(super) fn count(number: u64) -> Value<'static> {
    Value::Number(Number::unsigned(number.min((1 << 53) - 1)).unwrap_or_else(|| Number::from(0)))
}

/// A length as JSON.
pub(super) fn length(number: usize) -> Value<'static> {
    count(u64::try_from(number).unwrap_or(u64::MAX))
}

/// A place in a program.
pub(super) fn position(position: Position) -> Value<'static> {
    let Position { line, column, byte } = position;
    Object::fields()
        .field("line", length(line))
        .field("column", length(column))
        .field("byte", length(byte))
        .finish()
}

/// Budgets.
pub(super) fn limits(limits: &Limits) -> Value<'static> {
    let Limits { fuel, memory, depth, output, host_calls, source } = *limits;
    Object::fields()
        .field("fuel", count(fuel))
        .field("memory", length(memory))
        .field("depth", length(depth))
        .field("output", length(output))
        .field("hostCalls", count(host_calls))
        .field("source", length(source))
        .finish()
}

/// What was used.
pub(super) fn usage(usage: &Usage) -> Value<'static> {
    let Usage { steps, allocated, peak, depth, host_calls } = *usage;
    Object::fields()
        .field("steps", count(steps))
        .field("allocated", count(allocated))
        .field("peak", length(peak))
        .field("depth", length(depth))
        .field("hostCalls", count(host_calls))
        .finish()
}
