//! Mark and sweep, without recursion. What must stay is told by the caller, who knows all roots: values live nowhere but
//! in the heap, the stacks, the globals and the constants.

use crate::value::Value;

use super::{CELL_BYTES, CONDITION_BYTES, ENTRY_BYTES, HEADER_BYTES, Heap, PAIR_BYTES, SLOT_BYTES};

impl Heap {
    /// Keeps what the roots reach; how many things that are.
    pub(crate) fn collect(&mut self, roots: Vec<Value>) -> u64 {
        self.pairs.begin();
        self.texts.begin();
        self.vectors.begin();
        self.tables.begin();
        self.closures.begin();
        self.conditions.begin();
        self.records.begin();
        self.cells.begin();
        let mut open = roots;
        let mut kept = 0;
        while let Some(value) = open.pop() {
            kept += u64::from(self.mark(value, &mut open));
        }
        self.sweep();
        kept
    }

    /// Whether so little is free that collecting again and again would be all that happens.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.used > self.limit / 8 * 7
    }

    fn mark(&mut self, value: Value, open: &mut Vec<Value>) -> bool {
        match value {
            Value::Unspecified
            | Value::Unassigned
            | Value::Nil
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::Decimal { .. }
            | Value::Char(_)
            | Value::Symbol(_)
            | Value::Native(_)
            | Value::Host(_) => return false,
            Value::Pair(handle) if self.pairs.mark(handle) => {
                let pair = self.pair(handle);
                open.extend([pair.first, pair.rest]);
            }
            Value::Text(handle) if self.texts.mark(handle) => {}
            Value::Vector(handle) | Value::Values(handle) if self.vectors.mark(handle) => {
                open.extend(self.vectors.get(handle));
            }
            Value::Table(handle) if self.tables.mark(handle) => {
                open.extend(self.tables.get(handle).values());
            }
            Value::Closure(handle) if self.closures.mark(handle) => {
                open.extend(self.closures.get(handle).captured.iter());
            }
            Value::Condition(handle) if self.conditions.mark(handle) => {
                open.push(self.conditions.get(handle).irritants);
            }
            Value::Record(handle) if self.records.mark(handle) => {
                let record = self.records.get(handle);
                open.push(record.name);
                open.extend(&record.fields);
            }
            Value::Cell(handle) if self.cells.mark(handle) => open.push(self.cell(handle)),
            // Marked before.
            Value::Pair(_)
            | Value::Text(_)
            | Value::Vector(_)
            | Value::Values(_)
            | Value::Table(_)
            | Value::Closure(_)
            | Value::Condition(_)
            | Value::Record(_)
            | Value::Cell(_) => return false,
        }
        true
    }

    fn sweep(&mut self) {
        let slots = |items: usize| items * SLOT_BYTES + HEADER_BYTES;
        self.used = self.kept
            + self.pairs.sweep(|_| PAIR_BYTES)
            + self.texts.sweep(|text| text.len() + HEADER_BYTES)
            + self.vectors.sweep(|items| slots(items.len()))
            + self.tables.sweep(|table| table.len() * ENTRY_BYTES + HEADER_BYTES)
            + self.closures.sweep(|closure| slots(closure.captured.len()))
            + self.conditions.sweep(|condition| CONDITION_BYTES + condition.message.len())
            + self.records.sweep(|record| slots(record.fields.len()))
            + self.cells.sweep(|_| CELL_BYTES);
    }
}
