//! One thread of a program's control: its stack, the calls that wait, and who catches what it raises.

use crate::value::{Handle, Value};

/// No closure is running.
pub(super) const NO_CLOSURE: Handle = Handle::MAX;

/// A call that waits for another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) next: u32,
    pub(super) base: u32,
    pub(super) own: Handle,
    pub(super) caller: u32,
}

/// Who catches what is raised.
#[derive(Debug)]
pub(super) enum Handler {
    /// `guard`: goes back to where it stands
    Guard { frames: usize, stack: usize, suspended: usize, next: u32, base: u32, own: Handle, caller: u32 },
    /// `with-exception-handler`: is called where it was raised
    Procedure(Value),
}

#[derive(Debug, Default)]
pub(super) struct Fiber {
    pub(super) stack: Vec<Value>,
    pub(super) frames: Vec<Frame>,
    pub(super) handlers: Vec<Handler>,
    /// Handlers that are running, and do not catch what they raise themselves
    pub(super) suspended: Vec<Value>,
    /// The instruction to do next
    pub(super) next: u32,
    /// Where the variables of the running call begin
    pub(super) base: u32,
    pub(super) own: Handle,
    /// The instruction behind the tail call by which a program came into the library; 0 if there was none
    pub(super) caller: u32,
}

impl Fiber {
    pub(super) fn at(next: u32, stack: Vec<Value>) -> Fiber {
        Fiber { stack, next, own: NO_CLOSURE, ..Fiber::default() }
    }

    /// What it takes while it does not run. A stack may have twice the room it needs.
    pub(super) fn bytes(&self) -> usize {
        let values = self.stack.len().saturating_add(self.suspended.len());
        values.saturating_add(self.frames.len()).saturating_add(self.handlers.len()).saturating_mul(32)
    }

    /// The instruction behind each call that has not returned, and the one it came into the library by.
    pub(super) fn calls(&self) -> impl Iterator<Item = (u32, u32)> {
        let waiting = self.frames.iter().rev().map(|frame| (frame.next, frame.caller));
        [(self.next, self.caller)].into_iter().chain(waiting)
    }

    pub(super) fn roots(&self, roots: &mut Vec<Value>) {
        let closure = |own: Handle| (own != NO_CLOSURE).then_some(Value::Closure(own));
        roots.extend(&self.stack);
        roots.extend(&self.suspended);
        roots.extend(closure(self.own));
        roots.extend(self.frames.iter().filter_map(|frame| closure(frame.own)));
        for handler in &self.handlers {
            match handler {
                Handler::Procedure(procedure) => roots.push(*procedure),
                Handler::Guard { own, .. } => roots.extend(closure(*own)),
            }
        }
    }
}
