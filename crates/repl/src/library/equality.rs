//! Sameness, and what kind of thing a value is.

use std::sync::Arc;

use crate::error::Budget;
use crate::fault::{Fault, Outcome};
use crate::heap::Heap;
use crate::value::Value;

use super::{ANY, Library, Meter, Native, plain};

/// How many parts may wait to be compared: two values can be deep, and vectors can hold themselves.
const MOST_OPEN: usize = 1 << 20;

pub(super) const EQUALITY: &[Native] = &[
    plain("eq?", 2, 2, |_, arguments| {
        Ok(Value::Bool(Library::nth(arguments, 0) == Library::nth(arguments, 1)))
    }),
    plain("eqv?", 2, 2, |_, arguments| {
        Ok(Value::Bool(Library::nth(arguments, 0) == Library::nth(arguments, 1)))
    }),
    plain("equal?", 2, 2, |library, arguments| {
        let (left, right) = (Library::nth(arguments, 0), Library::nth(arguments, 1));
        compare_deep(library.heap, library.meter, left, right).map(Value::Bool)
    }),
    plain("not", 1, 1, |_, arguments| Ok(Value::Bool(!Library::nth(arguments, 0).is_true()))),
    plain("boolean?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Bool(_))))
    }),
    plain("symbol?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Symbol(_))))
    }),
    plain("procedure?", 1, 1, |_, arguments| Ok(Value::Bool(Library::nth(arguments, 0).is_procedure()))),
    plain("symbol->string", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Symbol(symbol) = value else { return Err(library.wrong("a symbol", value)) };
        let name = Arc::clone(library.symbols.name(symbol));
        library.new_text(&name)
    }),
    plain("string->symbol", 1, 1, |library, arguments| {
        let name = library.text(Library::nth(arguments, 0))?;
        library.spend_bytes(name.len())?;
        // Names are never collected: as many as the memory holds strings can be made, and no more.
        if !library.symbols.is_known(&name) {
            library.heap.keep(name.len() + 128)?;
        }
        Ok(Value::Symbol(library.symbols.intern(&name)))
    }),
    plain("symbol<?", 2, 2, |library, arguments| {
        let name = |value| {
            let Value::Symbol(symbol) = value else { return Err(library.wrong("a symbol", value)) };
            Ok(Arc::clone(library.symbols.name(symbol)))
        };
        let (left, right) = (name(Library::nth(arguments, 0))?, name(Library::nth(arguments, 1))?);
        library.spend_bytes(left.len().min(right.len()))?;
        Ok(Value::Bool(left < right))
    }),
    plain("values", 0, ANY, |library, arguments| match arguments {
        [only] => Ok(*only),
        several => library.heap.make_values(several),
    }),
    plain("%value-of", 3, 3, |library, arguments| {
        let (whole, place) = (Library::nth(arguments, 0), library.count(Library::nth(arguments, 1))?);
        let count = library.count(Library::nth(arguments, 2))?;
        let items = several(library, whole);
        if items.len() != count {
            let message = format!("{count} values are wanted, got {}", items.len());
            return Err(Fault::arity(message));
        }
        Ok(Library::nth(&items, place))
    }),
    plain("%values->list", 1, 1, |library, arguments| {
        let items = several(library, Library::nth(arguments, 0));
        library.heap.list(&items)
    }),
];

fn several(library: &Library<'_>, whole: Value) -> Vec<Value> {
    if let Value::Values(handle) = whole { library.heap.vector(handle).clone() } else { vec![whole] }
}

/// Whether two values look the same, a step for each part that is looked at.
pub(crate) fn compare_deep(heap: &Heap, meter: &mut Meter, left: Value, right: Value) -> Outcome<bool> {
    let mut open = vec![(left, right)];
    while let Some((left, right)) = open.pop() {
        meter.spend(1)?;
        if open.len() > MOST_OPEN {
            return Err(Fault::Budget(Budget::Memory));
        }
        if left == right {
            continue;
        }
        match (left, right) {
            (Value::Text(left), Value::Text(right)) => {
                let (left, right) = (heap.text(left), heap.text(right));
                meter.spend((left.len().min(right.len()) / 16) as u64)?;
                if left != right {
                    return Ok(false);
                }
            }
            (Value::Pair(left), Value::Pair(right)) => {
                let (left, right) = (heap.pair(left), heap.pair(right));
                open.push((left.rest, right.rest));
                open.push((left.first, right.first));
            }
            (Value::Vector(left), Value::Vector(right)) => {
                let (left, right) = (heap.vector(left), heap.vector(right));
                if left.len() != right.len() {
                    return Ok(false);
                }
                meter.spend(left.len() as u64)?;
                if left.len() > MOST_OPEN {
                    return Err(Fault::Budget(Budget::Memory));
                }
                open.extend(left.iter().copied().zip(right.iter().copied()));
            }
            (Value::Table(left), Value::Table(right)) => {
                let (left, right) = (heap.table(left), heap.table(right));
                meter.spend(left.len() as u64)?;
                if left.len() != right.len() || !left.keys().eq(right.keys()) {
                    return Ok(false);
                }
                open.extend(left.values().copied().zip(right.values().copied()));
            }
            (Value::Record(left), Value::Record(right)) => {
                let (left, right) = (heap.record(left), heap.record(right));
                if left.kind != right.kind {
                    return Ok(false);
                }
                open.extend(left.fields.iter().copied().zip(right.fields.iter().copied()));
            }
            _ => return Ok(false),
        }
    }
    Ok(true)
}
