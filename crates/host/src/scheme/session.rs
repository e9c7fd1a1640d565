//! A session of programs over a host: definitions stay from one evaluation to the next, each evaluation has its own budgets,
//! digests and rows.
//!
//! It must not remember an authority: instructions are looked at for each change.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use premath_kernel::{Moment, Object};
use premath_repl::{Answer, BreakOff, Error, Limits, Session, Usage};
use premath_tusk::sandbox::Interrupt;

use super::book::{CallBook, SchemeCall};
use super::broken_off::LiveEnd;
use super::calls::LiveCalls;
use super::door::ProgramDoor;
use super::functions::{PRELUDE, bound};
use super::journal::{Beginning, EvaluationJournal, length, usage};
use super::trace::{TraceHead, class_of, program_digest, trace};
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// What a session of programs may do.
#[derive(Debug, Clone, Default)]
pub struct SchemeWishes {
    /// Whether everything that does more than read is denied
    pub read_only: bool,
    /// The budgets of each evaluation
    pub limits: Limits,
    /// The instruction that changes are linked to
    pub instruction: Option<String>,
    /// Who takes work when a program names nobody; else whoever stands at the door, else `scheme`
    pub actor: Option<String>,
    /// Definitions that programs find beside the library's, in the language itself
    pub definitions: Option<String>,
    /// The issue that whoever runs the program works on: closing it, and leases, are theirs
    pub working_on: Option<String>,
    /// Asks the program to end: from then on every call fails, and one that computes is broken off
    pub interrupt: Interrupt,
    /// When its time is over: the same
    pub deadline: Option<Moment>,
}

/// A world of definitions over a host.
#[derive(Debug)]
pub struct SchemeSession<'h> {
    host: &'h Host<'h>,
    wishes: SchemeWishes,
    actor: String,
    session: Session,
    after: Vec<String>,
}

/// What an evaluation came to.
#[derive(Debug)]
pub struct SchemeEvaluation {
    /// Its name in journals
    pub evaluation_id: String,
    /// `sp1_…`: over the normal text of the program
    pub program_digest: String,
    /// `sr1_…`: over what it came to
    pub result_digest: String,
    /// `st1_…`: over the trace
    pub trace_digest: String,
    /// The value of the program, or why there is none
    pub result: Result<Answer, Error>,
    /// The class of the failure
    pub failure_class: Option<String>,
    /// What the program wrote
    pub output: String,
    /// What it used
    pub usage: Usage,
    /// Every call it made
    pub calls: Vec<SchemeCall>,
    /// The trace, as canonical JSON
    pub trace: Vec<u8>,
    /// Where its rows are, where it has any
    pub journal_ref: Option<String>,
    /// Why rows could not be written
    pub journal_failure: Option<String>,
}

impl<'h> SchemeSession<'h> {
    /// A session over a host.
    ///
    /// # Errors
    /// Definitions that are no program.
    pub fn new(host: &'h Host<'h>, wishes: SchemeWishes) -> Result<Self, Error> {
        let mut session = new_session(wishes.limits)?;
        let mut after = Vec::new();
        if let Some(definitions) = &wishes.definitions {
            session.define(definitions)?;
            after.push(program_digest(definitions, &Limits::default()).as_str().to_owned());
        }
        let actor = wishes.actor.clone().or_else(|| host.workspace.door.actor());
        let actor = actor.unwrap_or_else(|| super::door::CLIENT.to_owned());
        Ok(Self { host, wishes, actor, session, after })
    }

    /// Evaluates a program.
    ///
    /// # Errors
    /// A folder that cannot be looked at. A program that fails is no error.
    pub fn evaluate(&mut self, source: &str) -> Result<SchemeEvaluation, ActionError> {
        let digest = program_digest(source, &self.wishes.limits);
        let evaluation = format!("ev1_{}", self.host.workspace.ids.fresh());
        let door = Arc::new(ProgramDoor {
            outer: Arc::clone(&self.host.workspace.door),
            instruction: self.wishes.instruction.clone(),
            evaluation: evaluation.clone(),
            model_ref: format!("scheme:{digest}"),
            call: AtomicU64::new(0),
        });
        let workspace = Workspace { door: door.clone(), ..self.host.workspace.clone() };
        let head = TraceHead {
            program: source,
            program_digest: &digest,
            limits: &self.wishes.limits,
            is_read_only: self.wishes.read_only,
            actor: &self.actor,
            instruction: self.wishes.instruction.as_deref(),
            after: &self.after,
        };
        let beginning = Beginning {
            evaluation: &evaluation,
            program: source,
            program_digest: &digest,
            limits: &self.wishes.limits,
            is_read_only: self.wishes.read_only,
            instruction: self.wishes.instruction.as_deref(),
        };
        let end = LiveEnd {
            interrupt: self.wishes.interrupt.clone(),
            deadline: self.wishes.deadline,
            clock: Arc::clone(&workspace.clock),
        };
        self.session.breaks_off(BreakOff::When(Arc::new(end.clone())));
        let mut live = LiveCalls {
            host: Host { workspace: &workspace, ..*self.host },
            door,
            actor: &self.actor,
            wishes: &self.wishes,
            end,
            book: CallBook::default(),
            journal: EvaluationJournal::new(&workspace, beginning)?,
        };
        let done = self.session.evaluate(source, &mut live);
        let traced = trace(&head, &live.book.calls, &done);
        let failure_class = done.result.as_ref().err().map(class_of);
        let end = Object::fields()
            .field("callCount", length(live.book.calls.len()))
            .field("resultDigest", traced.result_digest.as_str())
            .field("traceDigest", traced.trace_digest.as_str())
            .optional("failureClass", failure_class.as_deref())
            .field("usage", usage(&done.usage));
        let (journal_ref, journal_failure) = match live.journal.finish(end) {
            Ok(reference) => (reference, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let calls = live.book.calls;
        self.after.push(digest.as_str().to_owned());
        Ok(SchemeEvaluation {
            evaluation_id: evaluation,
            program_digest: digest.as_str().to_owned(),
            result_digest: traced.result_digest.as_str().to_owned(),
            trace_digest: traced.trace_digest,
            result: done.result,
            failure_class,
            output: done.output,
            usage: done.usage,
            calls,
            trace: traced.bytes,
            journal_ref,
            journal_failure,
        })
    }

    /// From now on this asks a program to end.
    pub fn ends_with(&mut self, interrupt: Interrupt) {
        self.wishes.interrupt = interrupt;
    }

    /// Every name that means something, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.session.names()
    }

    /// A failure as text for people, with the line it is in.
    #[must_use]
    pub fn pretty(&self, error: &Error) -> String {
        self.session.pretty(error)
    }

    /// The budgets of each evaluation.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.wishes.limits
    }
}

/// The language with the host functions bound.
pub(super) fn new_session(limits: Limits) -> Result<Session, Error> {
    let mut session = Session::new(limits, bound())?;
    session.define(PRELUDE)?;
    Ok(session)
}
