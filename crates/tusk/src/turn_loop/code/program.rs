//! One program on its way: the session that runs it, and the calls it waits for.
//!
//! Calls that a program makes at once come out together and go back together; between the two they may be run in parts. It
//! must not plan or judge a call.

use std::collections::VecDeque;

use premath_kernel::Digest;
use premath_repl::{Error, HostAnswer, HostFailure, HostFunction, Session, Step};

use super::limits::CodeLimits;
use super::refused::RefusedCall;
use crate::turn_loop::step::PlannedCall;

/// A program on its way.
#[derive(Debug)]
pub(crate) struct Program {
    session: Session,
    /// The call that it is the program of.
    pub(crate) parent: String,
    pub(crate) digest: Digest,
    /// What each call of the batch came to.
    answers: Vec<Option<HostAnswer>>,
    /// Calls of the batch that nobody has begun with, and their places in it.
    waiting: VecDeque<(usize, PlannedCall)>,
    /// The places of the calls that are under way.
    under_way: Vec<usize>,
    /// How many ids were given to calls.
    pub(crate) numbered: u64,
    /// How many parts of batches were begun.
    pub(crate) parts: u64,
    /// The calls that it made.
    pub(crate) made: Vec<String>,
    /// About how many tokens a model would have been shown of them.
    pub(crate) unfiltered: u64,
    /// What was cut of what calls gave back, a line each.
    pub(crate) cut: Vec<String>,
    /// How many bytes its calls gave back to it.
    pub(crate) given: u64,
    /// How many calls it wanted to make and could not.
    pub(crate) refused: u64,
    /// Whether anything ran that does more than look.
    pub(crate) has_changed: bool,
    /// How many changes it asked for and does not get.
    pub(crate) dropped: u64,
}

impl Program {
    /// Begins with a program.
    ///
    /// # Errors
    /// The functions cannot be bound.
    pub(crate) fn start(
        parent: &str,
        source: &str,
        limits: CodeLimits,
        functions: Vec<HostFunction>,
    ) -> Result<(Self, Step), Error> {
        let mut session = Session::new(limits.budgets(), functions)?;
        let step = session.start(source);
        let program = Self {
            session,
            parent: parent.trim().to_owned(),
            digest: Digest::of_bytes(source.as_bytes()),
            answers: Vec::new(),
            waiting: VecDeque::new(),
            under_way: Vec::new(),
            numbered: 0,
            parts: 0,
            made: Vec::new(),
            unfiltered: 0,
            cut: Vec::new(),
            given: 0,
            refused: 0,
            has_changed: false,
            dropped: 0,
        };
        Ok((program, step))
    }

    /// Takes a batch: what was planned of each call, or why it is none.
    pub(crate) fn take(&mut self, batch: Vec<Result<PlannedCall, HostFailure>>) {
        self.answers.clear();
        for (place, call) in batch.into_iter().enumerate() {
            match call {
                Ok(call) => {
                    self.answers.push(None);
                    self.waiting.push_back((place, call));
                }
                Err(failure) => self.answers.push(Some(Err(failure))),
            }
        }
    }

    /// The next calls of the batch, so many at most; none when all have ended.
    pub(crate) fn next_part(&mut self, most: usize) -> Vec<PlannedCall> {
        let part: Vec<(usize, PlannedCall)> = self.waiting.drain(..most.min(self.waiting.len())).collect();
        self.parts += u64::from(!part.is_empty());
        self.under_way = part.iter().map(|(place, _)| *place).collect();
        part.into_iter().map(|(_, call)| call).collect()
    }

    /// Calls of the batch that nobody has begun with are not made.
    pub(crate) fn refuse_waiting(&mut self, failure: &HostFailure) -> Vec<RefusedCall> {
        let mut refused = Vec::with_capacity(self.waiting.len());
        for (place, call) in std::mem::take(&mut self.waiting) {
            refused.push(RefusedCall::of_planned(&call, &failure.class));
            if let Some(slot) = self.answers.get_mut(place) {
                *slot = Some(Err(failure.clone()));
            }
        }
        refused
    }

    /// What the calls under way came to, in their order.
    pub(crate) fn ended(&mut self, answers: Vec<HostAnswer>) {
        for (place, answer) in std::mem::take(&mut self.under_way).into_iter().zip(answers) {
            if let Some(slot) = self.answers.get_mut(place) {
                *slot = Some(answer);
            }
        }
    }

    /// Goes on with what the whole batch came to.
    pub(crate) fn go_on(&mut self) -> Step {
        let never = || {
            Err(HostFailure {
                class: "interrupted".to_owned(),
                message: "it never ended".to_owned(),
                retryable: false,
            })
        };
        let answers = std::mem::take(&mut self.answers);
        self.session.answer(answers.into_iter().map(|answer| answer.unwrap_or_else(never)).collect())
    }

    /// An error with its place in the program.
    pub(crate) fn pretty(&self, error: &Error) -> String {
        self.session.pretty(error)
    }
}
