//! The loop over instructions. An instruction that fails leaves the stack as it was, so that it can be done again.

use crate::code::{Capture, Op};
use crate::error::{Budget, ErrorKind};
use crate::fault::{Fault, Outcome};
use crate::value::Value;

use super::fiber::Handler;
use super::{Machine, Pause};

/// Whether the loop goes on.
pub(super) type Flow = Outcome<Option<Pause>>;

impl Machine {
    /// Does instructions until one fails, or the fiber is done or waits; or only one.
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction, each a call or a line")]
    pub(super) fn execute(&mut self, is_single: bool) -> Outcome<Pause> {
        loop {
            let at = self.fiber.next;
            let Some(op) = self.program.ops.get(at as usize).copied() else {
                return Err(Fault::new(ErrorKind::Syntax, "the program has no end"));
            };
            self.meter.steps += 1;
            if self.meter.steps > self.meter.look {
                self.may_go_on()?;
            }
            self.fiber.next = at + 1;
            let flow = match op {
                Op::Constant(number) => {
                    let value = self.program.constants.get(number as usize).copied().unwrap_or_default();
                    self.push(value)
                }
                Op::Integer(integer) => self.push(Value::Integer(i64::from(integer))),
                Op::Local(slot) => self.push(self.local(slot)),
                Op::LocalChecked(slot) => self.push_assigned(self.local(slot)),
                Op::LocalCell(slot) => self.push_cell(self.local(slot)),
                Op::Captured(place) => self.push(self.captured(place)),
                Op::CapturedCell(place) => self.push_cell(self.captured(place)),
                Op::Own => self.push(Value::Closure(self.fiber.own)),
                Op::Global(global) => self.push_global(global),
                Op::SetLocal(slot) => self.set_local(slot),
                Op::SetLocalCell(slot) => self.set_cell(self.local(slot)),
                Op::SetCapturedCell(place) => self.set_cell(self.captured(place)),
                Op::SetGlobal(global) => self.set_global(global),
                Op::DefineGlobal(global) => self.define_global(global),
                Op::BoxLocal(slot) => self.box_local(slot),
                Op::BoxTop => self.box_top(),
                Op::Closure(function) => self.make_closure(function),
                Op::Jump(target) => self.jump(target),
                Op::JumpIfFalse(target) => {
                    if !self.pop().is_true() {
                        self.fiber.next = target;
                    }
                    Ok(None)
                }
                Op::JumpIfFalseOrPop(target) => self.jump_or_pop(target, false),
                Op::JumpIfTrueOrPop(target) => self.jump_or_pop(target, true),
                Op::Pop => {
                    self.fiber.stack.pop();
                    Ok(None)
                }
                Op::Slide(count) => self.slide(count),
                Op::Call(arguments) => self.call_top(arguments, false),
                Op::TailCall(arguments) => self.call_top(arguments, true),
                Op::CallGlobal { arguments, global } => self.call_global(global, u32::from(arguments), false),
                Op::TailCallGlobal { arguments, global } => {
                    self.call_global(global, u32::from(arguments), true)
                }
                Op::CallOwn(arguments) => self.enter(self.fiber.own, arguments, false),
                Op::TailCallOwn(arguments) => self.enter(self.fiber.own, arguments, true),
                Op::Native { native, arguments } => self.call_native(native, arguments, false),
                Op::Return => self.do_return(),
                Op::PushGuard(target) => self.push_guard(target),
                Op::PopGuard => {
                    self.fiber.handlers.pop();
                    Ok(None)
                }
                Op::Add(native) => self.compute(native, i64::checked_add),
                Op::Subtract(native) => self.compute(native, i64::checked_sub),
                Op::Multiply(native) => self.compute(native, i64::checked_mul),
                Op::Less(native) => self.compare(native, |left, right| left < right),
                Op::AtMost(native) => self.compare(native, |left, right| left <= right),
                Op::Greater(native) => self.compare(native, |left, right| left > right),
                Op::AtLeast(native) => self.compare(native, |left, right| left >= right),
                Op::Same(native) => self.compare(native, |left, right| left == right),
                Op::AddInteger { native, operand } => self.compute_integer(native, operand, i64::checked_add),
                Op::SubtractInteger { native, operand } => {
                    self.compute_integer(native, operand, i64::checked_sub)
                }
                Op::LessInteger { native, operand } => {
                    self.compare_integer(native, operand, |left, right| left < right)
                }
                Op::AtMostInteger { native, operand } => {
                    self.compare_integer(native, operand, |left, right| left <= right)
                }
                Op::GreaterInteger { native, operand } => {
                    self.compare_integer(native, operand, |left, right| left > right)
                }
                Op::AtLeastInteger { native, operand } => {
                    self.compare_integer(native, operand, |left, right| left >= right)
                }
                Op::SameInteger { native, operand } => {
                    self.compare_integer(native, operand, |left, right| left == right)
                }
                Op::First(native) => self.part_of_pair(native, |pair| pair.first),
                Op::Rest(native) => self.part_of_pair(native, |pair| pair.rest),
                Op::IsNull => self.test_top(|value| value == Value::Nil),
                Op::IsPair => self.test_top(|value| matches!(value, Value::Pair(_))),
                Op::Not => self.test_top(|value| !value.is_true()),
                Op::IsIdentical => {
                    let right = self.pop();
                    self.test_top(|left| left == right)
                }
            };
            match flow {
                Ok(None) if is_single => return Ok(Pause::Stepped),
                Ok(None) => {}
                Ok(Some(pause)) => return Ok(pause),
                Err(Fault::Full) => {
                    self.fiber.next = at;
                    return Err(Fault::Full);
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Whether there is fuel left, and nobody wants the program to end. One comparison a step stands for both.
    #[cold]
    #[inline(never)]
    fn may_go_on(&mut self) -> Outcome<()> {
        if self.meter.steps > self.meter.fuel {
            return Err(Fault::Budget(Budget::Fuel));
        }
        if let Some(reason) = self.break_off.reason(self.meter.steps) {
            return Err(Fault::BrokenOff(Box::new(reason)));
        }
        self.meter.look = self.meter.fuel.min(self.break_off.next_look(self.meter.steps));
        Ok(())
    }

    #[inline(always)]
    pub(super) fn push(&mut self, value: Value) -> Flow {
        self.fiber.stack.push(value);
        Ok(None)
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Value {
        self.fiber.stack.pop().unwrap_or_default()
    }

    #[inline(always)]
    fn local(&self, slot: u32) -> Value {
        self.fiber.stack.get((self.fiber.base + slot) as usize).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn captured(&self, place: u32) -> Value {
        self.heap.closure(self.fiber.own).captured.get(place as usize).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn push_global(&mut self, global: u32) -> Flow {
        let value = self.globals.value(global);
        if value == Value::Unassigned {
            return Err(self.unbound(global));
        }
        self.push(value)
    }

    fn push_assigned(&mut self, value: Value) -> Flow {
        if value == Value::Unassigned {
            return Err(Fault::new(ErrorKind::Unbound, "a variable is used before it has a value"));
        }
        self.push(value)
    }

    fn push_cell(&mut self, cell: Value) -> Flow {
        let Value::Cell(handle) = cell else { return self.push_assigned(cell) };
        self.push_assigned(self.heap.cell(handle))
    }

    fn set_local(&mut self, slot: u32) -> Flow {
        let value = self.pop();
        if let Some(local) = self.fiber.stack.get_mut((self.fiber.base + slot) as usize) {
            *local = value;
        }
        self.push(Value::Unspecified)
    }

    fn set_cell(&mut self, cell: Value) -> Flow {
        let value = self.pop();
        if let Value::Cell(handle) = cell {
            self.heap.set_cell(handle, value);
        }
        self.push(Value::Unspecified)
    }

    fn set_global(&mut self, global: u32) -> Flow {
        if self.globals.value(global) == Value::Unassigned {
            return Err(self.unbound(global));
        }
        self.define_global(global)
    }

    fn define_global(&mut self, global: u32) -> Flow {
        let value = self.pop();
        self.globals.set(global, value);
        self.push(Value::Unspecified)
    }

    fn box_local(&mut self, slot: u32) -> Flow {
        let cell = self.heap.make_cell(self.local(slot))?;
        if let Some(local) = self.fiber.stack.get_mut((self.fiber.base + slot) as usize) {
            *local = cell;
        }
        Ok(None)
    }

    fn box_top(&mut self) -> Flow {
        let value = self.fiber.stack.last().copied().unwrap_or_default();
        let cell = self.heap.make_cell(value)?;
        self.pop();
        self.push(cell)
    }

    fn make_closure(&mut self, function: u32) -> Flow {
        let captures = self.program.functions.get(function as usize).map_or(&[][..], |known| &known.captures);
        let captured = captures
            .iter()
            .map(|capture| match capture {
                Capture::Local(slot) => self.local(*slot),
                Capture::Captured(place) => self.captured(*place),
                Capture::Own => Value::Closure(self.fiber.own),
            })
            .collect();
        let closure = self.heap.make_closure(function, captured)?;
        self.push(closure)
    }

    #[inline(always)]
    fn jump(&mut self, target: u32) -> Flow {
        self.fiber.next = target;
        Ok(None)
    }

    fn jump_or_pop(&mut self, target: u32, wanted: bool) -> Flow {
        let is_true = self.fiber.stack.last().copied().unwrap_or_default().is_true();
        if is_true == wanted {
            self.fiber.next = target;
        } else {
            self.fiber.stack.pop();
        }
        Ok(None)
    }

    fn slide(&mut self, count: u32) -> Flow {
        let top = self.pop();
        let height = self.fiber.stack.len().saturating_sub(count as usize);
        self.fiber.stack.truncate(height);
        self.push(top)
    }

    fn push_guard(&mut self, target: u32) -> Flow {
        let fiber = &mut self.fiber;
        fiber.handlers.push(Handler::Guard {
            frames: fiber.frames.len(),
            stack: fiber.stack.len(),
            suspended: fiber.suspended.len(),
            next: target,
            base: fiber.base,
            own: fiber.own,
            caller: fiber.caller,
        });
        Ok(None)
    }
}
