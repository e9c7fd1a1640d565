//! Everything that values name by handles, and the account of its bytes.
//!
//! Bytes are charged before they are taken. A charge that does not fit is [`Fault::Full`]: the machine collects and tries
//! again. Nothing here collects by itself, so that a library procedure may hold handles while it allocates.

mod arena;
mod collect;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::ErrorKind;
use crate::fault::{Fault, Outcome};
use crate::number::Number;
use crate::position::Place;
use crate::value::{Handle, Value};

use self::arena::Arena;

const PAIR_BYTES: usize = 40;
const CELL_BYTES: usize = 24;
const HEADER_BYTES: usize = 48;
const SLOT_BYTES: usize = 16;
const ENTRY_BYTES: usize = 96;
const CONDITION_BYTES: usize = 512;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pair {
    pub(crate) first: Value,
    pub(crate) rest: Value,
}

#[derive(Debug, Default)]
pub(crate) struct Closure {
    /// The place of the function in the program
    pub(crate) function: u32,
    pub(crate) captured: Box<[Value]>,
}

#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The number of its type
    pub(crate) kind: u32,
    /// The symbol that its type was named by
    pub(crate) name: Value,
    pub(crate) fields: Vec<Value>,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) kind: ErrorKind,
    pub(crate) message: Arc<str>,
    pub(crate) irritants: Value,
    pub(crate) place: Place,
    /// Function and place of the calls around it, the innermost first
    pub(crate) trace: Vec<(u32, Place)>,
    pub(crate) class: Option<Arc<str>>,
    pub(crate) retryable: bool,
}

impl Default for Condition {
    fn default() -> Self {
        Condition {
            kind: ErrorKind::Raised,
            message: Arc::default(),
            irritants: Value::Nil,
            place: Place::default(),
            trace: Vec::new(),
            class: None,
            retryable: false,
        }
    }
}

/// What a hash table can be asked by. The order of keys is the order of this type: booleans, numbers, characters,
/// symbols by name, strings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Bool(bool),
    Number(Number),
    Char(char),
    Symbol(Arc<str>),
    Text(Arc<str>),
}

pub(crate) type Table = BTreeMap<Key, Value>;

#[derive(Debug, Default)]
pub(crate) struct Heap {
    pairs: Arena<Pair>,
    texts: Arena<Arc<str>>,
    vectors: Arena<Vec<Value>>,
    tables: Arena<Table>,
    closures: Arena<Closure>,
    conditions: Arena<Condition>,
    records: Arena<Record>,
    cells: Arena<Value>,
    used: usize,
    /// What is used but not by anything that can be collected
    kept: usize,
    limit: usize,
    peak: usize,
    allocated: u64,
    record_kinds: u32,
}

impl Heap {
    pub(crate) fn new(limit: usize) -> Heap {
        Heap { limit, ..Heap::default() }
    }

    pub(crate) fn limit(&mut self, limit: usize) {
        self.limit = limit;
        self.peak = self.used;
    }

    /// How many bytes are left, if nothing is collected.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Takes bytes from the budget, before anything is made of them.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) -> Outcome<()> {
        let used = self.used.saturating_add(bytes);
        if used > self.limit {
            return Err(Fault::Full);
        }
        self.used = used;
        self.peak = self.peak.max(used);
        self.allocated += bytes as u64;
        Ok(())
    }

    /// Takes bytes for something outside the heap, until they are released.
    pub(crate) fn keep(&mut self, bytes: usize) -> Outcome<()> {
        self.charge(bytes)?;
        self.kept += bytes;
        Ok(())
    }

    pub(crate) fn release(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_sub(bytes);
        self.used = self.used.saturating_sub(bytes);
    }

    /// Whether so many bytes would fit, without taking them: for what is built of many small parts.
    pub(crate) fn foresee(&self, bytes: usize) -> Outcome<()> {
        if self.used.saturating_add(bytes) > self.limit { Err(Fault::Full) } else { Ok(()) }
    }

    #[inline]
    pub(crate) fn cons(&mut self, first: Value, rest: Value) -> Outcome {
        self.charge(PAIR_BYTES)?;
        Ok(Value::Pair(self.pairs.add(Pair { first, rest })))
    }

    /// A list of these, before a tail.
    pub(crate) fn list_before(&mut self, items: &[Value], tail: Value) -> Outcome {
        self.foresee(items.len().saturating_mul(PAIR_BYTES))?;
        items.iter().rev().try_fold(tail, |rest, first| self.cons(*first, rest))
    }

    pub(crate) fn list(&mut self, items: &[Value]) -> Outcome {
        self.list_before(items, Value::Nil)
    }

    /// Charges for a string of so many bytes that is about to be made.
    pub(crate) fn charge_text(&mut self, bytes: usize) -> Outcome<()> {
        self.charge(bytes.saturating_add(HEADER_BYTES))
    }

    /// A string that [`Heap::charge_text`] was asked for.
    pub(crate) fn charged_text(&mut self, text: impl Into<Arc<str>>) -> Value {
        Value::Text(self.texts.add(text.into()))
    }

    pub(crate) fn make_text(&mut self, text: &str) -> Outcome {
        self.charge_text(text.len())?;
        Ok(self.charged_text(text))
    }

    pub(crate) fn charge_vector(&mut self, items: usize) -> Outcome<()> {
        self.charge(items.saturating_mul(SLOT_BYTES).saturating_add(HEADER_BYTES))
    }

    pub(crate) fn make_vector(&mut self, items: &[Value]) -> Outcome {
        self.charge_vector(items.len())?;
        Ok(Value::Vector(self.vectors.add(items.to_vec())))
    }

    pub(crate) fn make_values(&mut self, items: &[Value]) -> Outcome {
        self.charge_vector(items.len())?;
        Ok(Value::Values(self.vectors.add(items.to_vec())))
    }

    pub(crate) fn make_table(&mut self, table: Table) -> Outcome {
        self.charge(table.len().saturating_mul(ENTRY_BYTES).saturating_add(HEADER_BYTES))?;
        Ok(Value::Table(self.tables.add(table)))
    }

    pub(crate) fn make_closure(&mut self, function: u32, captured: Box<[Value]>) -> Outcome {
        self.charge(captured.len().saturating_mul(SLOT_BYTES).saturating_add(HEADER_BYTES))?;
        Ok(Value::Closure(self.closures.add(Closure { function, captured })))
    }

    pub(crate) fn make_cell(&mut self, value: Value) -> Outcome {
        self.charge(CELL_BYTES)?;
        Ok(Value::Cell(self.cells.add(value)))
    }

    pub(crate) fn make_condition(&mut self, condition: Condition) -> Outcome {
        self.charge(CONDITION_BYTES.saturating_add(condition.message.len()))?;
        Ok(Value::Condition(self.conditions.add(condition)))
    }

    pub(crate) fn make_record(&mut self, kind: u32, name: Value, fields: Vec<Value>) -> Outcome {
        self.charge_vector(fields.len())?;
        Ok(Value::Record(self.records.add(Record { kind, name, fields })))
    }

    /// A number for a record type that no other has.
    pub(crate) fn new_record_kind(&mut self) -> u32 {
        self.record_kinds = self.record_kinds.saturating_add(1);
        self.record_kinds
    }

    #[inline]
    pub(crate) fn pair(&self, handle: Handle) -> Pair {
        *self.pairs.get(handle)
    }

    pub(crate) fn text(&self, handle: Handle) -> &Arc<str> {
        self.texts.get(handle)
    }

    pub(crate) fn vector(&self, handle: Handle) -> &Vec<Value> {
        self.vectors.get(handle)
    }

    pub(crate) fn vector_slot(&mut self, handle: Handle, at: usize) -> Option<&mut Value> {
        self.vectors.get_mut(handle)?.get_mut(at)
    }

    pub(crate) fn table(&self, handle: Handle) -> &Table {
        self.tables.get(handle)
    }

    /// Puts an entry; a new key is charged.
    pub(crate) fn table_put(&mut self, handle: Handle, key: Key, value: Value) -> Outcome<()> {
        if !self.table(handle).contains_key(&key) {
            self.charge(ENTRY_BYTES)?;
        }
        if let Some(table) = self.tables.get_mut(handle) {
            table.insert(key, value);
        }
        Ok(())
    }

    pub(crate) fn table_remove(&mut self, handle: Handle, key: &Key) {
        if let Some(table) = self.tables.get_mut(handle) {
            table.remove(key);
        }
    }

    #[inline]
    pub(crate) fn closure(&self, handle: Handle) -> &Closure {
        self.closures.get(handle)
    }

    #[inline]
    pub(crate) fn cell(&self, handle: Handle) -> Value {
        *self.cells.get(handle)
    }

    pub(crate) fn set_cell(&mut self, handle: Handle, value: Value) {
        if let Some(cell) = self.cells.get_mut(handle) {
            *cell = value;
        }
    }

    pub(crate) fn condition(&self, handle: Handle) -> &Condition {
        self.conditions.get(handle)
    }

    pub(crate) fn record(&self, handle: Handle) -> &Record {
        self.records.get(handle)
    }

    pub(crate) fn record_field(&mut self, handle: Handle, at: usize) -> Option<&mut Value> {
        self.records.get_mut(handle)?.fields.get_mut(at)
    }

    /// The items of a list, as far as it is one: what it ends in is [`Items::tail`].
    pub(crate) fn items(&self, list: Value) -> Items<'_> {
        Items { heap: self, tail: list }
    }
}

/// Walks a list.
pub(crate) struct Items<'h> {
    heap: &'h Heap,
    pub(crate) tail: Value,
}

impl Iterator for Items<'_> {
    type Item = Value;

    #[inline]
    fn next(&mut self) -> Option<Value> {
        let Value::Pair(handle) = self.tail else { return None };
        let pair = self.heap.pair(handle);
        self.tail = pair.rest;
        Some(pair.first)
    }
}
