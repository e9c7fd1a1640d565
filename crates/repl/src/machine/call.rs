//! Calls and returns.

use crate::error::{Budget, ErrorKind};
use crate::fault::{Fault, Outcome};
use crate::hints::instead_of;
use crate::library::{Library, Run, Special};
use crate::position::index;
use crate::value::{Handle, Value};
use crate::write::shortened;

use super::execute::Flow;
use super::fiber::{Frame, Handler};
use super::{Machine, Pause};

/// How many values may lie on the stack for each call that may wait.
const VALUES_PER_CALL: usize = 16;

impl Machine {
    /// Calls what lies above its arguments.
    pub(super) fn call_top(&mut self, arguments: u32, is_tail: bool) -> Flow {
        let callee = self.pop();
        let flow = self.call_value(callee, arguments, is_tail);
        if let Err(Fault::Full) = flow {
            self.fiber.stack.push(callee);
        }
        flow
    }

    #[inline]
    pub(super) fn call_global(&mut self, global: u32, arguments: u32, is_tail: bool) -> Flow {
        let callee = self.globals.value(global);
        if let Value::Closure(handle) = callee {
            return self.enter(handle, arguments, is_tail);
        }
        if callee == Value::Unassigned {
            return Err(self.unbound(global));
        }
        self.call_value(callee, arguments, is_tail)
    }

    pub(super) fn call_value(&mut self, callee: Value, arguments: u32, is_tail: bool) -> Flow {
        if let Value::Closure(handle) = callee {
            return self.enter(handle, arguments, is_tail);
        }
        if let Value::Native(native) = callee {
            return self.call_native(native, arguments, is_tail);
        }
        if let Value::Host(host) = callee {
            return self.call_host(host, arguments);
        }
        let shown = shortened(&self.heap, &self.symbols, callee);
        Err(Fault::type_of(format!("`{shown}` is {}, not a procedure", callee.kind_name())))
    }

    /// Calls a closure with the arguments on the stack. A tail call takes the place of the running one.
    #[inline]
    pub(super) fn enter(&mut self, handle: Handle, arguments: u32, is_tail: bool) -> Flow {
        let number = self.heap.closure(handle).function;
        let Some(function) = self.program.functions.get(number as usize) else {
            return Err(Fault::type_of("this is no procedure"));
        };
        let (entry, text) = (function.entry, function.text);
        let mut arguments = arguments;
        if function.has_rest || arguments != function.required {
            arguments = self.adjust(number, arguments)?;
        }
        let height = self.fiber.stack.len();
        let start = height - arguments as usize;
        if is_tail {
            // Frames are the only memory of where a call stands, and a tail call takes its frame away.
            if text > 0 {
                self.fiber.caller = 0;
            } else if self.fiber.caller == 0 && self.program.origin(self.fiber.next - 1).1.text > 0 {
                self.fiber.caller = self.fiber.next;
            }
            let base = self.fiber.base as usize;
            self.fiber.stack.copy_within(start.., base);
            self.fiber.stack.truncate(base + arguments as usize);
        } else {
            let depth = self.fiber.frames.len() + self.parked;
            if depth >= self.limits.depth || height > self.limits.depth.saturating_mul(VALUES_PER_CALL) {
                return Err(Fault::Budget(Budget::Depth));
            }
            self.deepest = self.deepest.max(depth + 1);
            let fiber = &mut self.fiber;
            let (next, base, own, caller) = (fiber.next, fiber.base, fiber.own, fiber.caller);
            fiber.frames.push(Frame { next, base, own, caller });
            fiber.base = index(start);
            fiber.caller = 0;
        }
        self.fiber.next = entry;
        self.fiber.own = handle;
        Ok(None)
    }

    /// Arguments as a procedure takes them: those beyond the required become a list.
    #[cold]
    fn adjust(&mut self, number: u32, arguments: u32) -> Outcome<u32> {
        let Some(function) = self.program.functions.get(number as usize) else { return Ok(arguments) };
        let (required, has_rest, name) = (function.required, function.has_rest, function.name);
        if arguments < required || (!has_rest && arguments > required) {
            let name = self.symbols.name(name);
            let least = if has_rest { "at least " } else { "" };
            let message = format!("`{name}` takes {least}{}, got {arguments}", counted(required as usize));
            return Err(Fault::arity(message));
        }
        let start = self.fiber.stack.len() - (arguments - required) as usize;
        let rest = self.heap.list(self.fiber.stack.get(start..).unwrap_or_default())?;
        self.fiber.stack.truncate(start);
        self.fiber.stack.push(rest);
        Ok(required + 1)
    }

    #[inline]
    pub(super) fn do_return(&mut self) -> Flow {
        let value = self.pop();
        self.fiber.stack.truncate(self.fiber.base as usize);
        let Some(frame) = self.fiber.frames.pop() else { return Ok(Some(Pause::Done(value))) };
        self.fiber.stack.push(value);
        self.fiber.next = frame.next;
        self.fiber.base = frame.base;
        self.fiber.own = frame.own;
        self.fiber.caller = frame.caller;
        Ok(None)
    }

    /// Calls a library procedure; its arguments leave the stack when it is done.
    pub(super) fn call_native(&mut self, native: u16, arguments: u32, is_tail: bool) -> Flow {
        let Some(known) = self.natives.get(usize::from(native)).copied() else {
            return Err(Fault::type_of("this is no procedure"));
        };
        let count = arguments as usize;
        if count < known.least || count > known.most {
            return Err(wrong_count(known.name, known.least, known.most, count));
        }
        let start = self.fiber.stack.len() - count;
        let run = match known.run {
            Run::Plain(run) => run,
            Run::Special(special) => return self.call_special(special, start, is_tail),
        };
        let mut library = Library {
            name: known.name,
            heap: &mut self.heap,
            symbols: &mut self.symbols,
            meter: &mut self.meter,
            output: &mut self.output,
        };
        let value = run(&mut library, self.fiber.stack.get(start..).unwrap_or_default())?;
        self.fiber.stack.truncate(start);
        self.fiber.stack.push(value);
        Ok(None)
    }

    fn call_special(&mut self, special: Special, start: usize, is_tail: bool) -> Flow {
        let first = self.fiber.stack.get(start).copied().unwrap_or_default();
        match special {
            Special::Apply => self.apply(first, start, is_tail),
            Special::Raise => Err(Fault::Raise { value: first, continuable: false }),
            Special::RaiseContinuable => {
                self.fiber.stack.truncate(start);
                Err(Fault::Raise { value: first, continuable: true })
            }
            Special::PushHandler => {
                if !first.is_procedure() {
                    return Err(Fault::type_of("`with-exception-handler` needs a procedure as its handler"));
                }
                self.fiber.handlers.push(Handler::Procedure(first));
                self.fiber.stack.truncate(start);
                self.push(Value::Unspecified)
            }
            Special::PopHandler => {
                self.fiber.handlers.pop();
                self.push(Value::Unspecified)
            }
            Special::RestoreHandler => {
                if let Some(handler) = self.fiber.suspended.pop() {
                    self.fiber.handlers.push(Handler::Procedure(handler));
                }
                self.push(Value::Unspecified)
            }
            Special::ParallelMap => self.parallel_map(first, start),
            Special::TableRef => self.table_ref(start, is_tail),
        }
    }

    /// `(apply f a … list)`: the list's items become arguments.
    fn apply(&mut self, callee: Value, start: usize, is_tail: bool) -> Flow {
        let last = self.fiber.stack.last().copied().unwrap_or_default();
        let mut walk = self.heap.items(last);
        let mut items: Vec<Value> = self.fiber.stack.get(start + 1..).unwrap_or_default().to_vec();
        items.pop();
        items.extend(walk.by_ref());
        if walk.tail != Value::Nil {
            let shown = shortened(&self.heap, &self.symbols, last);
            return Err(Fault::type_of(format!("`apply` needs a list at the end, got `{shown}`")));
        }
        self.meter.spend(items.len() as u64)?;
        if start + items.len() > self.limits.depth.saturating_mul(VALUES_PER_CALL) {
            return Err(Fault::Budget(Budget::Depth));
        }
        self.call_instead(callee, items, start, is_tail)
    }

    /// Calls something with other arguments than those on the stack; those come back if it has to be done again.
    fn call_instead(&mut self, callee: Value, mut items: Vec<Value>, start: usize, is_tail: bool) -> Flow {
        let before = self.fiber.stack.split_off(start);
        let arguments = index(items.len());
        self.fiber.stack.append(&mut items);
        let flow = self.call_value(callee, arguments, is_tail);
        if let Err(Fault::Full) = flow {
            self.fiber.stack.truncate(start);
            self.fiber.stack.extend(before);
        }
        flow
    }

    /// `(hash-table-ref table key default)`: a default that is a procedure is called for the value.
    fn table_ref(&mut self, start: usize, is_tail: bool) -> Flow {
        let arguments = self.fiber.stack.get(start..).unwrap_or_default().to_vec();
        let mut library = self.library("hash-table-ref");
        let value = match (library.look_up(&arguments)?, arguments.get(2)) {
            (Some(value), _) => value,
            (None, Some(default)) if default.is_procedure() => {
                return self.call_instead(*default, Vec::new(), start, is_tail);
            }
            (None, Some(default)) => *default,
            (None, None) => return Err(library.no_entry(arguments.get(1).copied().unwrap_or_default())),
        };
        self.fiber.stack.truncate(start);
        self.push(value)
    }

    fn library(&mut self, name: &'static str) -> Library<'_> {
        Library {
            name,
            heap: &mut self.heap,
            symbols: &mut self.symbols,
            meter: &mut self.meter,
            output: &mut self.output,
        }
    }

    #[cold]
    pub(super) fn unbound(&self, global: u32) -> Fault {
        let name = self.symbols.name(self.globals.name(global));
        // Looking for a name that was meant takes a while: it is done for people, not in a loop that catches failures.
        let is_caught = !self.fiber.handlers.is_empty() || self.group.is_some();
        let near = if is_caught { None } else { self.nearest(name) };
        let message = match (instead_of(name), near) {
            (Some(hint), _) => format!("`{name}` is not defined; use {hint}"),
            (None, Some(near)) => format!("`{name}` is not defined; did you mean `{near}`?"),
            (None, None) => format!("`{name}` is not defined"),
        };
        Fault::new(ErrorKind::Unbound, message)
    }
}

#[cold]
pub(super) fn wrong_count(name: &str, least: usize, most: usize, got: usize) -> Fault {
    let wanted = if least == most {
        counted(least)
    } else if most == usize::MAX {
        format!("at least {}", counted(least))
    } else {
        format!("{least} to {}", counted(most))
    };
    Fault::arity(format!("`{name}` takes {wanted}, got {got}"))
}

fn counted(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}
