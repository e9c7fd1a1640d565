//! Arguments as Rust values, and the messages for those that are none.

use std::sync::Arc;

use crate::error::Budget;
use crate::fault::{Fault, Outcome};
use crate::heap::Key;
use crate::number::Number;
use crate::value::{Handle, Value};
use crate::write::{Bounds, Style, TooLong, shortened, text_of};

use super::Library;

impl Library<'_> {
    pub(super) fn spend(&mut self, steps: usize) -> Outcome<()> {
        self.meter.spend(steps as u64)
    }

    /// Steps for looking at so many bytes.
    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Outcome<()> {
        self.spend(bytes / 16 + 1)
    }

    pub(super) fn shown(&self, value: Value) -> String {
        shortened(self.heap, self.symbols, value)
    }

    /// An argument of the wrong kind.
    #[cold]
    pub(super) fn wrong(&self, wanted: &str, got: Value) -> Fault {
        Fault::type_of(format!("`{}` needs {wanted}, got `{}`", self.name, self.shown(got)))
    }

    #[cold]
    pub(super) fn out_of_range(&self, what: &str) -> Fault {
        Fault::range(format!("`{}`: {what}", self.name))
    }

    pub(super) fn number(&self, value: Value) -> Outcome<Number> {
        value.as_number().ok_or_else(|| self.wrong("a number", value))
    }

    pub(super) fn integer(&self, value: Value) -> Outcome<i64> {
        if let Value::Integer(integer) = value { Ok(integer) } else { Err(self.wrong("an integer", value)) }
    }

    /// A place or a count.
    pub(super) fn count(&self, value: Value) -> Outcome<usize> {
        let integer = self.integer(value)?;
        usize::try_from(integer).map_err(|_| self.out_of_range(&format!("{integer} is negative")))
    }

    pub(super) fn text(&self, value: Value) -> Outcome<Arc<str>> {
        if let Value::Text(handle) = value {
            Ok(Arc::clone(self.heap.text(handle)))
        } else {
            Err(self.wrong("a string", value))
        }
    }

    pub(super) fn character(&self, value: Value) -> Outcome<char> {
        if let Value::Char(one) = value { Ok(one) } else { Err(self.wrong("a character", value)) }
    }

    pub(super) fn vector(&self, value: Value) -> Outcome<Handle> {
        if let Value::Vector(handle) = value { Ok(handle) } else { Err(self.wrong("a vector", value)) }
    }

    pub(super) fn table(&self, value: Value) -> Outcome<Handle> {
        if let Value::Table(handle) = value { Ok(handle) } else { Err(self.wrong("a hash table", value)) }
    }

    /// The items of a list, each for a step.
    pub(super) fn list(&mut self, value: Value) -> Outcome<Vec<Value>> {
        let mut walk = self.heap.items(value);
        let items: Vec<Value> = walk.by_ref().collect();
        if walk.tail != Value::Nil {
            return Err(self.wrong("a list", value));
        }
        self.spend(items.len())?;
        Ok(items)
    }

    /// A key, charged for being compared with those of a table of so many entries.
    pub(super) fn key(&mut self, value: Value, entries: usize) -> Outcome<Key> {
        let comparisons = entries.checked_ilog2().unwrap_or_default() as usize + 1;
        let bytes = if let Value::Text(handle) = value { self.heap.text(handle).len() } else { 0 };
        self.spend((bytes / 16).saturating_mul(comparisons))?;
        if let Some(number) = value.as_number() {
            return Ok(Key::Number(number));
        }
        if let Value::Text(handle) = value {
            return Ok(Key::Text(Arc::clone(self.heap.text(handle))));
        }
        if let Value::Symbol(symbol) = value {
            return Ok(Key::Symbol(Arc::clone(self.symbols.name(symbol))));
        }
        if let Value::Bool(flag) = value {
            return Ok(Key::Bool(flag));
        }
        if let Value::Char(one) = value {
            return Ok(Key::Char(one));
        }
        Err(self.wrong("a key that is a string, symbol, number, character or boolean", value))
    }

    /// The value that a key is.
    pub(super) fn value_of_key(&mut self, key: &Key) -> Outcome {
        match key {
            Key::Bool(flag) => Ok(Value::Bool(*flag)),
            Key::Number(number) => Ok(Value::number(*number)),
            Key::Char(one) => Ok(Value::Char(*one)),
            Key::Symbol(name) => Ok(Value::Symbol(self.symbols.intern(name))),
            Key::Text(text) => self.new_shared(text),
        }
    }

    /// The same text once more: nothing is copied, but the string is charged.
    fn new_shared(&mut self, text: &Arc<str>) -> Outcome {
        self.heap.charge_text(text.len())?;
        Ok(self.heap.charged_text(Arc::clone(text)))
    }

    /// A new string; the bytes are charged before the heap takes it.
    pub(super) fn new_text(&mut self, text: &str) -> Outcome {
        self.spend_bytes(text.len())?;
        self.heap.make_text(text)
    }

    /// The text of a value, as long as the memory allows.
    pub(super) fn text_of(&mut self, value: Value, style: Style) -> Outcome<String> {
        self.bounded_text(value, style, self.heap.room()).map_err(|too_long| match too_long {
            TooLong::Bytes => Fault::Full,
            TooLong::Parts => Fault::Budget(Budget::Fuel),
        })
    }

    /// The text of a value, as long as the output has room for it.
    pub(super) fn text_for_output(&mut self, value: Value, style: Style) -> Outcome<String> {
        let most = self.output.most.saturating_sub(self.output.text.len());
        self.bounded_text(value, style, most).map_err(|too_long| match too_long {
            TooLong::Bytes => Fault::Budget(Budget::Output),
            TooLong::Parts => Fault::Budget(Budget::Fuel),
        })
    }

    /// A text is charged a step for each eight bytes, whatever it is made of; one that would cost more than is left
    /// is given up.
    fn bounded_text(&mut self, value: Value, style: Style, bytes: usize) -> Result<String, TooLong> {
        let left = self.meter.fuel.saturating_sub(self.meter.steps);
        let text = text_of(self.heap, self.symbols, value, style, Bounds { bytes, parts: left })?;
        self.meter.spend(text.len() as u64 / 8 + 1).map_err(|_| TooLong::Parts)?;
        Ok(text)
    }

    /// Part of the arguments by place; the machine has checked how many there are.
    pub(super) fn nth(arguments: &[Value], place: usize) -> Value {
        arguments.get(place).copied().unwrap_or_default()
    }
}
