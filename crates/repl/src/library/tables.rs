//! Hash tables, which change in place. Keys come out sorted: booleans, numbers, characters, symbols, strings.

use crate::fault::{Fault, Outcome};
use crate::heap::{Key, Table};
use crate::value::Value;

use super::{ANY, Library, Native, plain};

pub(super) const TABLES: &[Native] = &[
    plain("hash-table?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Table(_))))
    }),
    plain("make-hash-table", 0, 0, |library, _| library.heap.make_table(Table::new())),
    plain("hash-table", 0, ANY, |library, arguments| {
        let (pairs, rest) = arguments.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(library.out_of_range("keys and values come in pairs"));
        }
        library.spend(arguments.len())?;
        let mut table = Table::new();
        for [key, value] in pairs {
            table.insert(library.key(*key, table.len())?, *value);
        }
        library.heap.make_table(table)
    }),
    plain("alist->hash-table", 1, 1, |library, arguments| {
        let mut table = Table::new();
        for item in library.list(Library::nth(arguments, 0))? {
            let Value::Pair(handle) = item else { return Err(library.wrong("a list of pairs", item)) };
            let pair = library.heap.pair(handle);
            // The first entry of a key counts, as it does for `assoc`.
            table.entry(library.key(pair.first, table.len())?).or_insert(pair.rest);
        }
        library.heap.make_table(table)
    }),
    plain("hash-table-copy", 1, 1, |library, arguments| {
        let handle = library.table(Library::nth(arguments, 0))?;
        library.walk_entries(handle)?;
        let copy = library.heap.table(handle).clone();
        library.heap.make_table(copy)
    }),
    plain("hash-table-ref/default", 3, 3, |library, arguments| {
        Ok(library.look_up(arguments)?.unwrap_or_else(|| Library::nth(arguments, 2)))
    }),
    plain("hash-table-contains?", 2, 2, |library, arguments| {
        Ok(Value::Bool(library.look_up(arguments)?.is_some()))
    }),
    plain("hash-table-set!", 3, 3, |library, arguments| {
        let handle = library.table(Library::nth(arguments, 0))?;
        let entries = library.heap.table(handle).len();
        let key = library.key(Library::nth(arguments, 1), entries)?;
        library.heap.table_put(handle, key, Library::nth(arguments, 2))?;
        Ok(Value::Unspecified)
    }),
    plain("hash-table-delete!", 2, 2, |library, arguments| {
        let handle = library.table(Library::nth(arguments, 0))?;
        let entries = library.heap.table(handle).len();
        let key = library.key(Library::nth(arguments, 1), entries)?;
        library.heap.table_remove(handle, &key);
        Ok(Value::Unspecified)
    }),
    plain("hash-table-count", 1, 1, |library, arguments| {
        let handle = library.table(Library::nth(arguments, 0))?;
        Ok(Value::Integer(i64::try_from(library.heap.table(handle).len()).unwrap_or(i64::MAX)))
    }),
    plain("hash-table-keys", 1, 1, |library, arguments| {
        let mut keys = Vec::new();
        for (key, _) in library.entries(arguments)? {
            keys.push(library.value_of_key(&key)?);
        }
        library.heap.list(&keys)
    }),
    plain("hash-table-values", 1, 1, |library, arguments| {
        let values: Vec<Value> = library.entries(arguments)?.into_iter().map(|(_, value)| value).collect();
        library.heap.list(&values)
    }),
    plain("hash-table->alist", 1, 1, |library, arguments| {
        let mut pairs = Vec::new();
        for (key, value) in library.entries(arguments)? {
            let key = library.value_of_key(&key)?;
            pairs.push(library.heap.cons(key, value)?);
        }
        library.heap.list(&pairs)
    }),
];

impl Library<'_> {
    pub(crate) fn look_up(&mut self, arguments: &[Value]) -> Outcome<Option<Value>> {
        let handle = self.table(Self::nth(arguments, 0))?;
        let entries = self.heap.table(handle).len();
        let key = self.key(Self::nth(arguments, 1), entries)?;
        Ok(self.heap.table(handle).get(&key).copied())
    }

    /// The failure for a key that has no entry.
    pub(crate) fn no_entry(&self, key: Value) -> Fault {
        self.out_of_range(&format!("no entry for `{}`", self.shown(key)))
    }

    fn walk_entries(&mut self, handle: u32) -> Outcome<()> {
        let count = self.heap.table(handle).len();
        self.spend(count)?;
        self.heap.foresee(count.saturating_mul(96))
    }

    fn entries(&mut self, arguments: &[Value]) -> Outcome<Vec<(Key, Value)>> {
        let handle = self.table(Self::nth(arguments, 0))?;
        self.walk_entries(handle)?;
        Ok(self.heap.table(handle).iter().map(|(key, value)| (key.clone(), *value)).collect())
    }
}
