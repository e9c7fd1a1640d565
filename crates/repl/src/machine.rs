//! The machine that runs instructions: one row of code, a stack of values, a stack of calls that wait.
//!
//! It uses the Rust stack no more for a deep program than for a flat one. It does nothing but compute: when a program
//! calls the host, the machine stops with the calls and goes on when it is given the answers.

mod arithmetic;
mod call;
mod execute;
mod fiber;
mod host;
mod parallel;
mod raise;
mod start;
#[cfg(test)]
mod tests;

use crate::break_off::BreakOff;
use crate::code::Program;
use crate::error::{Budget, Error, ErrorKind};
use crate::fault::{Fault, Outcome};
use crate::globals::Globals;
use crate::heap::Heap;
use crate::host::{HostCall, HostFailure, HostFunction};
use crate::library::{Meter, Native, Output};
use crate::limits::{Limits, Usage};
use crate::position::{Place, Position, Text};
use crate::symbols::Symbols;
use crate::value::Value;

use self::fiber::Fiber;
use self::parallel::Group;

/// What the machine did last.
pub(crate) enum Step {
    /// The program is done
    Done(Value),
    /// The program waits for these
    Calls(Vec<HostCall>),
}

/// Why the instructions stopped.
enum Pause {
    /// The one that was asked for is done
    Stepped,
    Done(Value),
    Call(HostCall),
}

/// Whether the fiber that ran can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Running,
    /// It is done, has failed or waits: another one has to be chosen
    Ended,
}

pub(crate) struct Machine {
    pub(crate) program: Program,
    pub(crate) heap: Heap,
    pub(crate) symbols: Symbols,
    pub(crate) globals: Globals,
    natives: Vec<&'static Native>,
    hosts: Vec<HostFunction>,
    limits: Limits,
    fiber: Fiber,
    group: Option<Box<Group>>,
    /// Frames of fibers that are not running
    parked: usize,
    pub(crate) meter: Meter,
    pub(crate) output: Output,
    host_calls: u64,
    /// What the arguments of unanswered calls take
    waiting_bytes: usize,
    deepest: usize,
    allocated_before: u64,
    texts: Vec<Text>,
    /// The prelude's procedure that calls handlers, and the plain `map`
    handle: u32,
    map: u32,
    /// What ends the program before it is done
    pub(crate) break_off: BreakOff,
    /// Whether to collect before every instruction, for tests
    pub(crate) is_stressed: bool,
}

impl std::fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Machine").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Machine {
    /// Goes on until the program is done, fails, or waits for the host.
    pub(crate) fn advance(&mut self) -> Result<Step, Error> {
        let mut is_single = false;
        loop {
            if self.is_stressed {
                self.collect()?;
                is_single = true;
            }
            let progress = match self.execute(is_single) {
                Ok(Pause::Stepped) => Progress::Running,
                Ok(Pause::Done(value)) => match self.group.as_mut() {
                    None => return Ok(Step::Done(value)),
                    Some(group) => group.settle(Ok(value)),
                },
                Ok(Pause::Call(call)) => match self.group.as_mut() {
                    None => return Ok(Step::Calls(vec![call])),
                    Some(_) => self.park(call)?,
                },
                // Room was made for this instruction, and it was not enough.
                Err(Fault::Full) if is_single => return Err(self.used_up(Budget::Memory)),
                Err(Fault::Full) => {
                    self.collect()?;
                    is_single = true;
                    continue;
                }
                Err(fault) => self.recover(fault)?,
            };
            is_single = false;
            if progress == Progress::Ended
                && let Some(step) = self.next_fiber()?
            {
                return Ok(step);
            }
        }
    }

    /// Finds a handler, or gives up.
    fn recover(&mut self, fault: Fault) -> Result<Progress, Error> {
        match fault {
            Fault::Full => Err(self.used_up(Budget::Memory)),
            Fault::Budget(budget) => Err(self.used_up(budget)),
            Fault::BrokenOff(reason) => Err(self.broken_off(*reason)),
            Fault::Failure(failure) => {
                let condition = self.condition(&failure)?;
                self.raise(condition, false)
            }
            Fault::Raise { value, continuable } => self.raise(value, continuable),
        }
    }

    /// Does something that allocates, twice if there has to be made room for it.
    fn with_room<T>(&mut self, make: impl Fn(&mut Machine) -> Outcome<T>) -> Result<Outcome<T>, Error> {
        match make(self) {
            Err(Fault::Full) => {
                self.collect()?;
                Ok(make(self))
            }
            made => Ok(made),
        }
    }

    /// Keeps what can still be reached. A heap that stays nearly full is a used-up budget.
    fn collect(&mut self) -> Result<(), Error> {
        let mut roots: Vec<Value> = self.globals.values().to_vec();
        roots.extend(&self.program.constants);
        self.fiber.roots(&mut roots);
        if let Some(group) = &self.group {
            group.roots(&mut roots);
        }
        let kept = self.heap.collect(roots);
        if self.heap.is_exhausted() {
            return Err(self.used_up(Budget::Memory));
        }
        self.meter.spend(kept / 8 + 1).map_err(|_| self.used_up(Budget::Fuel))
    }

    #[cold]
    fn used_up(&self, budget: Budget) -> Error {
        let message = match budget {
            Budget::Fuel => format!("more than {} steps", self.limits.fuel),
            Budget::Memory => format!("more than {} bytes of memory", self.limits.memory),
            Budget::Depth => format!("calls nested deeper than {}", self.limits.depth),
            Budget::Output => format!("more than {} bytes of output", self.limits.output),
            Budget::HostCalls => format!("more than {} host calls", self.limits.host_calls),
            Budget::Source => format!("more than {} bytes of source", self.limits.source),
        };
        let (place, trace) = self.whereabouts();
        self.located(Error::new(ErrorKind::Budget(budget), message), place, &trace)
    }

    #[cold]
    fn broken_off(&self, reason: HostFailure) -> Error {
        let (place, trace) = self.whereabouts();
        let mut error = Error::new(ErrorKind::Interrupted, reason.message);
        error.class = Some(reason.class);
        error.retryable = reason.retryable;
        self.located(error, place, &trace)
    }

    /// An error with its position and trace.
    fn located(&self, mut error: Error, place: Place, trace: &[(u32, Place)]) -> Error {
        error.position = (place.text > 0).then(|| self.position(place));
        error.text = (place.text as usize).saturating_sub(1);
        error.trace = trace
            .iter()
            .map(|(function, place)| crate::TraceEntry {
                procedure: self.function_name(*function),
                position: self.position(*place),
            })
            .collect();
        error
    }

    fn position(&self, place: Place) -> Position {
        let byte = place.byte as usize;
        let nowhere = Position { line: 1, column: 1, byte };
        self.texts.get(place.text as usize).map_or(nowhere, |text| text.position(byte))
    }

    fn function_name(&self, function: u32) -> String {
        let name = self.program.functions.get(function as usize).map(|function| function.name);
        name.map(|name| self.symbols.name(name).to_string()).unwrap_or_default()
    }

    pub(crate) fn usage(&self) -> Usage {
        Usage {
            steps: self.meter.steps,
            allocated: self.heap.allocated() - self.allocated_before,
            peak: self.heap.peak(),
            depth: self.deepest,
            host_calls: self.host_calls,
        }
    }
}
