//! The way in: a session that evaluates texts one after the other, in one world of definitions.
//!
//! It can be driven in two ways: [`Session::evaluate`] asks a [`HostCalls`] whenever the program calls the host;
//! [`Session::start`] and [`Session::answer`] leave that to the caller, who may do it elsewhere.

use premath_kernel::Value;

use crate::break_off::BreakOff;
use crate::error::{Error, ErrorKind};
use crate::host::{HostAnswer, HostCall, HostCalls, HostFunction};
use crate::library::to_kernel;
use crate::limits::{Limits, Usage};
use crate::machine::{self, Machine};
use crate::reader::read;
use crate::syntax::KEYWORDS;
use crate::write::{Bounds, Style, text_of};

/// What an evaluation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// The value of the last expression, or why there is none
    pub result: Result<Answer, Error>,
    /// What the program wrote, also when it failed
    pub output: String,
    /// What it used
    pub usage: Usage,
}

/// The value of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// As the reader would read it; empty when there is nothing to say
    pub text: String,
    /// As JSON, unless it is something that JSON cannot say or no fuel is left to say it
    pub value: Option<Value<'static>>,
}

/// What a session that is driven step by step does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The program is done
    Done(Evaluation),
    /// The program waits for the answers to these calls, in their order; several do not wait for each other
    Calls(Vec<HostCall>),
}

/// A world of definitions and the machine it lives in. It can move between threads, and runs on the one that calls it.
#[derive(Debug)]
pub struct Session {
    machine: Machine,
    limits: Limits,
    /// Whether calls came out that were not answered yet
    is_waiting: bool,
}

impl Session {
    /// A session in which these host functions can be called.
    ///
    /// # Errors
    /// When a host function has a name that is taken or that no program could write.
    pub fn new(limits: Limits, functions: Vec<HostFunction>) -> Result<Session, Error> {
        let mut machine = Machine::new(limits)?;
        let mut taken = names_of(&machine);
        for function in &functions {
            let name = function.name.as_str();
            if taken.iter().any(|known| known == name) {
                let message = format!("the host function `{name}` has a name that is taken");
                return Err(Error::new(ErrorKind::Syntax, message));
            }
            if !is_name(name) {
                let message = format!("`{name}` cannot be the name of a host function");
                return Err(Error::new(ErrorKind::Syntax, message));
            }
            taken.push(name.to_owned());
        }
        machine.bind_hosts(functions);
        Ok(Session { machine, limits, is_waiting: false })
    }

    /// Binds the definitions of a text for every program, beside those of the library. It is charged to no program, must
    /// not call the host, and comes before the first program.
    ///
    /// # Errors
    /// When the text is no program, or fails.
    pub fn define(&mut self, source: &str) -> Result<(), Error> {
        self.machine.define(source)
    }

    /// What breaks off the texts that are evaluated from now on.
    pub fn breaks_off(&mut self, break_off: BreakOff) {
        self.machine.break_off = break_off;
    }

    /// Evaluates a text; whenever it calls the host, the host is asked.
    pub fn evaluate(&mut self, source: &str, host: &mut dyn HostCalls) -> Evaluation {
        let mut step = self.start(source);
        loop {
            match step {
                Step::Done(evaluation) => return evaluation,
                Step::Calls(calls) => {
                    let answers = match calls.as_slice() {
                        [only] => vec![host.call(only)],
                        several => host.call_many(several),
                    };
                    step = self.answer(answers);
                }
            }
        }
    }

    /// Reads a text and runs it up to its end or its first calls. Budgets are full again.
    pub fn start(&mut self, source: &str) -> Step {
        let loaded = self.machine.load(source);
        let step = loaded.and_then(|()| self.machine.advance());
        self.shown(step)
    }

    /// Goes on with the answers to the calls that came out last, in their order. Without such calls, that is a failure.
    pub fn answer(&mut self, answers: Vec<HostAnswer>) -> Step {
        if !self.is_waiting {
            let error = Error::new(ErrorKind::Host, "no call waits for an answer");
            return Step::Done(self.evaluation(Err(error)));
        }
        let step = match self.machine.answer(answers) {
            Ok(Some(step)) => Ok(step),
            Ok(None) => self.machine.advance(),
            Err(error) => Err(error),
        };
        self.shown(step)
    }

    fn shown(&mut self, step: Result<machine::Step, Error>) -> Step {
        self.is_waiting = matches!(step, Ok(machine::Step::Calls(_)));
        match step {
            Ok(machine::Step::Calls(calls)) => Step::Calls(calls),
            Ok(machine::Step::Done(value)) => Step::Done(self.evaluation(Ok(value))),
            Err(error) => Step::Done(self.evaluation(Err(error))),
        }
    }

    fn evaluation(&mut self, result: Result<crate::value::Value, Error>) -> Evaluation {
        let result = result.and_then(|value| self.printed(value));
        let output = std::mem::take(&mut self.machine.output.text);
        Evaluation { result, output, usage: self.machine.usage() }
    }

    fn printed(&mut self, value: crate::value::Value) -> Result<Answer, Error> {
        let machine = &mut self.machine;
        if value == crate::value::Value::Unspecified {
            return Ok(Answer { text: String::new(), value: None });
        }
        let most = self.limits.output.saturating_sub(machine.output.text.len());
        let text = text_of(&machine.heap, &machine.symbols, value, Style::Write, Bounds::bytes(most))
            .map_err(|_| {
                let message = format!("the result does not fit the {} bytes of output", self.limits.output);
                Error::new(ErrorKind::Budget(crate::Budget::Output), message)
            })?;
        let most = self.limits.memory;
        let made = to_kernel(&machine.heap, &machine.symbols, &mut machine.meter, value, most);
        let value = made.ok().map(|(value, _)| value);
        Ok(Answer { text, value })
    }

    /// A failure as text for people, with the line it is in.
    #[must_use]
    pub fn pretty(&self, error: &Error) -> String {
        error.pretty(self.machine.text(error.text))
    }

    /// Every name that means something: forms, the library, host functions, what programs defined. Sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        names_of(&self.machine)
    }
}

/// Whether a program can write this where a procedure stands.
fn is_name(name: &str) -> bool {
    let data = read(name, name.len()).unwrap_or_default();
    let is_symbol = matches!(data.as_slice(), [only] if only.symbol() == Some(name));
    is_symbol && !name.is_empty() && !name.starts_with('%')
}

fn names_of(machine: &Machine) -> Vec<String> {
    let bound = machine.globals.bound().map(|name| machine.symbols.name(name).to_string());
    let forms = KEYWORDS.iter().map(ToString::to_string);
    let mut names: Vec<String> = bound.filter(|name| !name.starts_with('%')).chain(forms).collect();
    names.sort();
    names.dedup();
    names
}

/// The normal text of a program: one form to a line, one space between parts, no comments. Two programs with the same
/// normal text do the same.
///
/// # Errors
/// When the text is no program.
pub fn normalise(source: &str, limits: &Limits) -> Result<String, Error> {
    let data = read(source, limits.source)?;
    Ok(data.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// Whether a text only stops too early, so that a prompt should ask for more of it.
#[must_use]
pub fn needs_more(source: &str, limits: &Limits) -> bool {
    read(source, limits.source).is_err_and(|error| error.incomplete)
}
