//! What happens when something is raised: the innermost handler gets it, or the program ends.

use std::sync::Arc;

use crate::error::{Budget, Error, ErrorKind, one_line};
use crate::fault::Failure;
use crate::heap::Condition;
use crate::position::Place;
use crate::value::{Symbol, Value};
use crate::write::shortened;

use super::fiber::{Fiber, Handler};
use super::{Machine, Progress};

/// How many calls a trace shows.
const TRACED: usize = 8;

impl Machine {
    /// Gives a value to the innermost handler; without one, the fiber has failed.
    pub(super) fn raise(&mut self, value: Value, continuable: bool) -> Result<Progress, Error> {
        match self.fiber.handlers.pop() {
            None => match self.group.as_mut() {
                Some(group) => Ok(group.settle(Err(value))),
                None => Err(self.uncaught(value)),
            },
            Some(Handler::Guard { frames, stack, suspended, next, base, own, caller }) => {
                let fiber = &mut self.fiber;
                fiber.frames.truncate(frames);
                fiber.stack.truncate(stack);
                fiber.suspended.truncate(suspended);
                fiber.stack.push(value);
                (fiber.next, fiber.base, fiber.own, fiber.caller) = (next, base, own, caller);
                Ok(Progress::Running)
            }
            Some(Handler::Procedure(handler)) => {
                self.fiber.suspended.push(handler);
                self.fiber.stack.extend([handler, value, Value::Bool(continuable)]);
                match self.call_global(self.handle, 3, false) {
                    Ok(_) => Ok(Progress::Running),
                    Err(fault) => self.recover(fault),
                }
            }
        }
    }

    /// The condition that a failure is for the program.
    pub(super) fn condition(&mut self, failure: &Failure) -> Result<Value, Error> {
        let (place, trace) = self.whereabouts();
        let host = failure.host.as_ref();
        // What the condition is about is on no stack, so it must be shown to the collector.
        self.fiber.stack.push(failure.irritants);
        let made = self.with_room(|machine| {
            machine.heap.make_condition(Condition {
                kind: failure.kind,
                message: Arc::from(one_line(&failure.message)),
                irritants: failure.irritants,
                place,
                trace: trace.clone(),
                class: host.map(|host| Arc::from(host.class.as_str())),
                retryable: host.is_some_and(|host| host.retryable),
            })
        })?;
        self.fiber.stack.pop();
        made.map_err(|_| self.used_up(Budget::Memory))
    }

    /// The place in a program's own text that is running, and the calls around it.
    pub(super) fn whereabouts(&self) -> (Place, Vec<(u32, Place)>) {
        // Below a fiber lies the one that made it.
        let fibers = [Some(&self.fiber), self.group.as_ref().map(|group| group.parent())];
        let all = fibers.into_iter().flatten().flat_map(Fiber::calls);
        let origins = all.map(|(next, caller)| {
            let next = if caller > 0 { caller } else { next };
            self.program.origin(next.saturating_sub(1))
        });
        // The prelude's own calls say nothing to the author of a program.
        let trace: Vec<(u32, Place)> = origins.filter(|(_, place)| place.text > 0).take(TRACED).collect();
        (trace.first().map_or_else(Place::default, |(_, place)| *place), trace)
    }

    fn uncaught(&self, value: Value) -> Error {
        if let Value::Condition(handle) = value {
            let condition = self.heap.condition(handle);
            let mut error = Error::new(condition.kind, condition.message.to_string());
            error.class = condition.class.as_ref().map(ToString::to_string);
            error.retryable = condition.retryable;
            return self.located(error, condition.place, &condition.trace);
        }
        let shown = shortened(&self.heap, &self.symbols, value);
        let (place, trace) = self.whereabouts();
        self.located(Error::new(ErrorKind::Raised, format!("`{shown}` was raised")), place, &trace)
    }

    /// The bound name that is closest to one that is not, if it is close enough to be meant.
    pub(super) fn nearest(&self, wanted: &str) -> Option<Arc<str>> {
        let names = self.globals.bound().map(|symbol: Symbol| self.symbols.name(symbol));
        let near = names.filter(|name| !name.starts_with('%')).map(|name| (distance(wanted, name), name));
        let (edits, name) = near.min_by_key(|(edits, name)| (*edits, Arc::clone(name)))?;
        (edits * 3 <= wanted.chars().count()).then(|| Arc::clone(name))
    }
}

/// How many letters have to be added, dropped or changed.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.chars().take(64).enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        let mut next = vec![before];
        for (other, above) in right.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *above;
            before = changed.min(before + 1).min(*above + 1);
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
