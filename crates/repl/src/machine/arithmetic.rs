//! Instructions for what is done most: small integers and pairs. Everything else goes the long way, by the library.

use crate::heap::Pair;
use crate::value::Value;

use super::Machine;
use super::execute::Flow;

impl Machine {
    #[inline(always)]
    pub(super) fn compute(&mut self, native: u16, compute: fn(i64, i64) -> Option<i64>) -> Flow {
        if let [.., left, right] = self.fiber.stack.as_mut_slice()
            && let (Value::Integer(first), Value::Integer(second)) = (*left, *right)
            && let Some(result) = compute(first, second)
        {
            *left = Value::Integer(result);
            self.fiber.stack.pop();
            return Ok(None);
        }
        self.call_native(native, 2, false)
    }

    #[inline(always)]
    pub(super) fn compare(&mut self, native: u16, holds: fn(i64, i64) -> bool) -> Flow {
        if let [.., left, right] = self.fiber.stack.as_mut_slice()
            && let (Value::Integer(first), Value::Integer(second)) = (*left, *right)
        {
            *left = Value::Bool(holds(first, second));
            self.fiber.stack.pop();
            return Ok(None);
        }
        self.call_native(native, 2, false)
    }

    #[inline(always)]
    pub(super) fn compute_integer(
        &mut self,
        native: u16,
        operand: i32,
        compute: fn(i64, i64) -> Option<i64>,
    ) -> Flow {
        if let Some(left) = self.fiber.stack.last_mut()
            && let Value::Integer(first) = *left
            && let Some(result) = compute(first, i64::from(operand))
        {
            *left = Value::Integer(result);
            return Ok(None);
        }
        self.fiber.stack.push(Value::Integer(i64::from(operand)));
        self.call_native(native, 2, false)
    }

    #[inline(always)]
    pub(super) fn compare_integer(&mut self, native: u16, operand: i32, holds: fn(i64, i64) -> bool) -> Flow {
        if let Some(left) = self.fiber.stack.last_mut()
            && let Value::Integer(first) = *left
        {
            *left = Value::Bool(holds(first, i64::from(operand)));
            return Ok(None);
        }
        self.fiber.stack.push(Value::Integer(i64::from(operand)));
        self.call_native(native, 2, false)
    }

    #[inline(always)]
    pub(super) fn part_of_pair(&mut self, native: u16, part: fn(Pair) -> Value) -> Flow {
        if let Some(top) = self.fiber.stack.last_mut()
            && let Value::Pair(handle) = *top
        {
            *top = part(self.heap.pair(handle));
            return Ok(None);
        }
        self.call_native(native, 1, false)
    }

    #[inline(always)]
    pub(super) fn test_top(&mut self, holds: impl Fn(Value) -> bool) -> Flow {
        if let Some(top) = self.fiber.stack.last_mut() {
            *top = Value::Bool(holds(*top));
        }
        Ok(None)
    }
}
