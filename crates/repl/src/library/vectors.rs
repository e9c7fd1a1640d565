//! Vectors: a fixed number of places that change in place.

use crate::fault::Outcome;
use crate::value::Value;

use super::{ANY, Library, Native, plain};

pub(super) const VECTORS: &[Native] = &[
    plain("vector?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Vector(_))))
    }),
    plain("vector", 0, ANY, |library, arguments| library.heap.make_vector(arguments)),
    plain("make-vector", 1, 2, |library, arguments| {
        let count = library.count(Library::nth(arguments, 0))?;
        library.heap.foresee(count.saturating_mul(16).saturating_add(64))?;
        library.spend(count / 4 + 1)?;
        let fill = arguments.get(1).copied().unwrap_or(Value::Integer(0));
        library.heap.make_vector(&vec![fill; count])
    }),
    plain("vector-length", 1, 1, |library, arguments| {
        let handle = library.vector(Library::nth(arguments, 0))?;
        Ok(Value::Integer(i64::try_from(library.heap.vector(handle).len()).unwrap_or(i64::MAX)))
    }),
    plain("vector-ref", 2, 2, |library, arguments| {
        let handle = library.vector(Library::nth(arguments, 0))?;
        let place = library.count(Library::nth(arguments, 1))?;
        let items = library.heap.vector(handle);
        let length = items.len();
        let item = items.get(place).copied();
        item.ok_or_else(|| library.out_of_range(&format!("{place} is not below the length {length}")))
    }),
    plain("vector-set!", 3, 3, |library, arguments| {
        let handle = library.vector(Library::nth(arguments, 0))?;
        let place = library.count(Library::nth(arguments, 1))?;
        match library.heap.vector_slot(handle, place) {
            Some(slot) => *slot = Library::nth(arguments, 2),
            None => {
                return Err(library.out_of_range(&format!("{place} is not below the length of the vector")));
            }
        }
        Ok(Value::Unspecified)
    }),
    plain("vector-fill!", 2, 2, |library, arguments| {
        let handle = library.vector(Library::nth(arguments, 0))?;
        let count = library.heap.vector(handle).len();
        library.spend(count / 4 + 1)?;
        for place in 0..count {
            if let Some(slot) = library.heap.vector_slot(handle, place) {
                *slot = Library::nth(arguments, 1);
            }
        }
        Ok(Value::Unspecified)
    }),
    plain("vector->list", 1, 1, |library, arguments| {
        let items = library.copied(Library::nth(arguments, 0))?;
        library.heap.list(&items)
    }),
    plain("list->vector", 1, 1, |library, arguments| {
        let items = library.list(Library::nth(arguments, 0))?;
        library.heap.make_vector(&items)
    }),
    plain("vector-append", 0, ANY, |library, arguments| {
        let mut all = Vec::new();
        for argument in arguments {
            let items = library.copied(*argument)?;
            library.heap.foresee((all.len() + items.len()).saturating_mul(16))?;
            all.extend(items);
        }
        library.heap.make_vector(&all)
    }),
    plain("subvector", 3, 3, |library, arguments| {
        let items = library.copied(Library::nth(arguments, 0))?;
        let (start, end) =
            (library.count(Library::nth(arguments, 1))?, library.count(Library::nth(arguments, 2))?);
        match items.get(start..end) {
            Some(part) => library.heap.make_vector(part),
            None => Err(library.out_of_range(&format!("{start} to {end} is not within the vector"))),
        }
    }),
];

impl Library<'_> {
    /// The items of a vector, each for a part of a step.
    fn copied(&mut self, value: Value) -> Outcome<Vec<Value>> {
        let handle = self.vector(value)?;
        let count = self.heap.vector(handle).len();
        self.heap.foresee(count.saturating_mul(16))?;
        self.spend(count / 4 + 1)?;
        Ok(self.heap.vector(handle).clone())
    }
}
