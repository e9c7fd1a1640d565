//! `parallel-map`: one fiber for each item. All run until they call the host or are done; their calls go out as one batch.
//!
//! Nothing runs at the same time: fibers take turns, in the order of the items, so the same answers give the same run.

use crate::error::{Budget, Error, ErrorKind};
use crate::fault::{Failure, Fault};
use crate::host::{HostAnswer, HostCall, HostFailure};
use crate::value::Value;
use crate::write::shortened;

use super::execute::Flow;
use super::fiber::Fiber;
use super::start::CALL_ONE;
use super::{Machine, Progress, Step};

/// What a fiber is charged.
const FIBER_BYTES: usize = 1024;

#[derive(Debug)]
enum Child {
    Fresh(Value),
    Running,
    /// Its call, until it is handed out
    Waiting(Fiber, Option<HostCall>),
    Answered(Fiber, HostAnswer),
    Done(Value),
    Failed(Value),
}

#[derive(Debug)]
pub(super) struct Group {
    procedure: Value,
    children: Vec<Child>,
    current: usize,
    parent: Fiber,
}

impl Group {
    /// The running fiber is done or has failed.
    pub(super) fn settle(&mut self, result: Result<Value, Value>) -> Progress {
        if let Some(child) = self.children.get_mut(self.current) {
            *child = match result {
                Ok(value) => Child::Done(value),
                Err(value) => Child::Failed(value),
            };
        }
        Progress::Ended
    }

    pub(super) fn roots(&self, roots: &mut Vec<Value>) {
        roots.push(self.procedure);
        self.parent.roots(roots);
        for child in &self.children {
            match child {
                Child::Fresh(value) | Child::Done(value) | Child::Failed(value) => roots.push(*value),
                Child::Waiting(fiber, _) | Child::Answered(fiber, _) => fiber.roots(roots),
                Child::Running => {}
            }
        }
    }

    pub(super) fn parent(&self) -> &Fiber {
        &self.parent
    }

    /// What it holds of the memory outside the heap.
    pub(super) fn bytes(&self) -> usize {
        let parked = self.children.iter().map(|child| match child {
            Child::Waiting(fiber, _) | Child::Answered(fiber, _) => fiber.bytes(),
            Child::Fresh(_) | Child::Running | Child::Done(_) | Child::Failed(_) => 0,
        });
        self.children.len().saturating_mul(FIBER_BYTES).saturating_add(parked.sum())
    }

    /// Takes the next fiber that can run, at or behind the current one.
    fn take_next(&mut self) -> Option<Child> {
        let mut behind = self.children.iter_mut().enumerate().skip(self.current);
        let (place, child) =
            behind.find(|(_, child)| matches!(child, Child::Fresh(_) | Child::Answered(..)))?;
        self.current = place;
        Some(std::mem::replace(child, Child::Running))
    }

    /// Takes the calls that are waited for, in the order of the fibers.
    fn take_calls(&mut self) -> Vec<HostCall> {
        let waiting = self.children.iter_mut().filter_map(|child| match child {
            Child::Waiting(_, call) => call.take(),
            Child::Fresh(_) | Child::Running | Child::Answered(..) | Child::Done(_) | Child::Failed(_) => {
                None
            }
        });
        waiting.collect()
    }

    /// Hands the answers to those who wait, in the order of their calls.
    fn answer(&mut self, answers: Vec<HostAnswer>) {
        let mut answers = answers.into_iter();
        for child in &mut self.children {
            if let Child::Waiting(..) = child
                && let Child::Waiting(fiber, _) = std::mem::replace(child, Child::Running)
            {
                *child = Child::Answered(fiber, answers.next().unwrap_or_else(no_answer));
            }
        }
        self.current = 0;
    }
}

/// What a host gives that gives fewer answers than there were calls.
pub(super) fn no_answer() -> HostAnswer {
    Err(HostFailure {
        class: "host_answer_missing".to_owned(),
        message: "the host gave no answer to this call".to_owned(),
        retryable: false,
    })
}

impl Machine {
    pub(super) fn parallel_map(&mut self, procedure: Value, start: usize) -> Flow {
        if self.group.is_some() {
            // Fibers of fibers would only reorder what is one batch already.
            return self.call_global(self.map, 2, false);
        }
        let list = self.fiber.stack.last().copied().unwrap_or_default();
        let mut walk = self.heap.items(list);
        let items: Vec<Value> = walk.by_ref().collect();
        if walk.tail != Value::Nil {
            let shown = shortened(&self.heap, &self.symbols, list);
            return Err(Fault::type_of(format!("`parallel-map` needs a list, got `{shown}`")));
        }
        self.meter.spend(items.len() as u64)?;
        self.heap.keep(items.len().saturating_mul(FIBER_BYTES))?;
        self.fiber.stack.truncate(start);
        let Some((first, rest)) = items.split_first() else { return self.push(Value::Nil) };
        let rest = rest.iter().map(|item| Child::Fresh(*item));
        let children = [Child::Running].into_iter().chain(rest).collect();
        let parent = std::mem::replace(&mut self.fiber, Fiber::at(CALL_ONE, vec![*first, procedure]));
        self.parked += parent.frames.len();
        self.group = Some(Box::new(Group { procedure, children, current: 0, parent }));
        Ok(None)
    }

    /// Sets the running fiber aside until its call is answered.
    pub(super) fn park(&mut self, call: HostCall) -> Result<Progress, Error> {
        let bytes = self.fiber.bytes();
        let kept = self.with_room(|machine| machine.heap.keep(bytes))?;
        kept.map_err(|_| self.used_up(Budget::Memory))?;
        let fiber = std::mem::take(&mut self.fiber);
        self.parked += fiber.frames.len();
        if let Some(group) = self.group.as_mut()
            && let Some(child) = group.children.get_mut(group.current)
        {
            *child = Child::Waiting(fiber, Some(call));
        }
        Ok(Progress::Ended)
    }

    /// Chooses who runs now. Calls come out when all that are left wait for them.
    pub(super) fn next_fiber(&mut self) -> Result<Option<Step>, Error> {
        while let Some(group) = self.group.as_mut() {
            match group.take_next() {
                Some(Child::Fresh(item)) => {
                    self.fiber = Fiber::at(CALL_ONE, vec![item, group.procedure]);
                    return Ok(None);
                }
                Some(Child::Answered(fiber, answer)) => {
                    self.parked = self.parked.saturating_sub(fiber.frames.len());
                    self.heap.release(fiber.bytes());
                    self.fiber = fiber;
                    if self.accept(answer)? == Progress::Running {
                        return Ok(None);
                    }
                }
                Some(Child::Running | Child::Waiting(..) | Child::Done(_) | Child::Failed(_)) => {}
                None => {
                    let calls = group.take_calls();
                    if !calls.is_empty() {
                        return Ok(Some(Step::Calls(calls)));
                    }
                    self.close_group()?;
                }
            }
        }
        Ok(None)
    }

    /// All are done: the parent goes on with their values, or with the first failure.
    fn close_group(&mut self) -> Result<(), Error> {
        let Some(group) = self.group.take() else { return Ok(()) };
        self.heap.release(group.bytes());
        self.fiber = group.parent;
        self.parked = 0;
        let start = self.fiber.stack.len();
        for child in group.children {
            match child {
                Child::Done(value) => self.fiber.stack.push(value),
                Child::Failed(value) => {
                    self.fiber.stack.truncate(start);
                    self.raise(value, false)?;
                    return Ok(());
                }
                Child::Fresh(_) | Child::Running | Child::Waiting(..) | Child::Answered(..) => {}
            }
        }
        let made = self
            .with_room(|machine| machine.heap.list(machine.fiber.stack.get(start..).unwrap_or_default()))?;
        let list = made.map_err(|_| self.used_up(Budget::Memory))?;
        self.fiber.stack.truncate(start);
        self.fiber.stack.push(list);
        Ok(())
    }

    /// Gives the answers to the calls that came out last.
    pub(crate) fn answer(&mut self, answers: Vec<HostAnswer>) -> Result<Option<Step>, Error> {
        self.forget_calls();
        match self.group.as_mut() {
            Some(group) => {
                group.answer(answers);
                self.next_fiber()
            }
            None => {
                self.accept(answers.into_iter().next().unwrap_or_else(no_answer))?;
                Ok(None)
            }
        }
    }

    /// Gives back what the arguments of the last calls took.
    pub(super) fn forget_calls(&mut self) {
        self.heap.release(std::mem::take(&mut self.waiting_bytes));
    }

    /// The running fiber goes on with an answer: a value, or a condition.
    fn accept(&mut self, answer: HostAnswer) -> Result<Progress, Error> {
        let value = match answer {
            Ok(value) => value,
            Err(failure) => {
                let message = failure.message.clone();
                let failure =
                    Failure { kind: ErrorKind::Host, message, irritants: Value::Nil, host: Some(failure) };
                return self.recover(Fault::Failure(Box::new(failure)));
            }
        };
        let made = self.with_room(|machine| {
            crate::library::from_kernel(&mut machine.heap, &mut machine.symbols, &value, 0)
        })?;
        match made {
            Ok(value) => {
                self.fiber.stack.push(value);
                Ok(Progress::Running)
            }
            Err(fault) => self.recover(fault),
        }
    }
}
