//! Lists. A pair never changes, so every list ends.

use crate::fault::Outcome;
use crate::value::Value;

use super::equality::compare_deep;
use super::{ANY, Library, Native, plain};

pub(super) const LISTS: &[Native] = &[
    plain("cons", 2, 2, |library, arguments| {
        library.heap.cons(Library::nth(arguments, 0), Library::nth(arguments, 1))
    }),
    plain("car", 1, 1, |library, arguments| library.path(arguments, "a")),
    plain("cdr", 1, 1, |library, arguments| library.path(arguments, "d")),
    plain("caar", 1, 1, |library, arguments| library.path(arguments, "aa")),
    plain("cadr", 1, 1, |library, arguments| library.path(arguments, "ad")),
    plain("cdar", 1, 1, |library, arguments| library.path(arguments, "da")),
    plain("cddr", 1, 1, |library, arguments| library.path(arguments, "dd")),
    plain("caddr", 1, 1, |library, arguments| library.path(arguments, "add")),
    plain("cdddr", 1, 1, |library, arguments| library.path(arguments, "ddd")),
    plain("cadddr", 1, 1, |library, arguments| library.path(arguments, "addd")),
    plain("first", 1, 1, |library, arguments| library.path(arguments, "a")),
    plain("second", 1, 1, |library, arguments| library.path(arguments, "ad")),
    plain("third", 1, 1, |library, arguments| library.path(arguments, "add")),
    plain("list", 0, ANY, |library, arguments| library.heap.list(arguments)),
    plain("cons*", 1, ANY, |library, arguments| match arguments.split_last() {
        Some((tail, items)) => library.heap.list_before(items, *tail),
        None => Ok(Value::Nil),
    }),
    plain("make-list", 1, 2, |library, arguments| {
        let count = library.count(Library::nth(arguments, 0))?;
        library.heap.foresee(count.saturating_mul(40))?;
        library.spend(count)?;
        let fill = Library::nth(arguments, 1);
        (0..count).try_fold(Value::Nil, |rest, _| library.heap.cons(fill, rest))
    }),
    plain("null?", 1, 1, |_, arguments| Ok(Value::Bool(Library::nth(arguments, 0) == Value::Nil))),
    plain("pair?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Pair(_))))
    }),
    plain("list?", 1, 1, |library, arguments| {
        let mut walk = library.heap.items(Library::nth(arguments, 0));
        let count = walk.by_ref().count();
        let is_list = walk.tail == Value::Nil;
        library.spend(count)?;
        Ok(Value::Bool(is_list))
    }),
    plain("length", 1, 1, |library, arguments| {
        let count = library.list(Library::nth(arguments, 0))?.len();
        Ok(Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
    }),
    plain("append", 0, ANY, append),
    plain("reverse", 1, 1, |library, arguments| {
        let mut items = library.list(Library::nth(arguments, 0))?;
        items.reverse();
        library.heap.list(&items)
    }),
    plain("list-copy", 1, 1, |library, arguments| {
        let items = library.list(Library::nth(arguments, 0))?;
        library.heap.list(&items)
    }),
    plain("list-tail", 2, 2, |library, arguments| library.tail(arguments)),
    plain("drop", 2, 2, |library, arguments| library.tail(arguments)),
    plain("list-ref", 2, 2, |library, arguments| {
        let tail = library.tail(arguments)?;
        let Value::Pair(handle) = tail else {
            return Err(library.out_of_range("the list is shorter than that"));
        };
        Ok(library.heap.pair(handle).first)
    }),
    plain("take", 2, 2, take),
    plain("list-head", 2, 2, take),
    plain("last", 1, 1, |library, arguments| {
        let items = library.list(Library::nth(arguments, 0))?;
        items.last().copied().ok_or_else(|| library.out_of_range("the list is empty"))
    }),
    plain("memq", 2, 2, |library, arguments| library.member(arguments, Sameness::Identical)),
    plain("memv", 2, 2, |library, arguments| library.member(arguments, Sameness::Identical)),
    plain("member", 2, 2, |library, arguments| library.member(arguments, Sameness::Equal)),
    plain("assq", 2, 2, |library, arguments| library.associate(arguments, Sameness::Identical)),
    plain("assv", 2, 2, |library, arguments| library.associate(arguments, Sameness::Identical)),
    plain("assoc", 2, 2, |library, arguments| library.associate(arguments, Sameness::Equal)),
    plain("iota", 1, 3, iota),
    plain("delete", 2, 2, |library, arguments| {
        let unwanted = Library::nth(arguments, 0);
        let mut kept = Vec::new();
        for item in library.list(Library::nth(arguments, 1))? {
            if !library.is_same(item, unwanted, Sameness::Equal)? {
                kept.push(item);
            }
        }
        library.heap.list(&kept)
    }),
    plain("delete-duplicates", 1, 1, |library, arguments| {
        let mut kept: Vec<Value> = Vec::new();
        for item in library.list(Library::nth(arguments, 0))? {
            let mut is_known = false;
            for known in &kept {
                if library.is_same(item, *known, Sameness::Equal)? {
                    is_known = true;
                    break;
                }
            }
            if !is_known {
                kept.push(item);
            }
        }
        library.heap.list(&kept)
    }),
    plain("zip", 1, ANY, |library, arguments| {
        let mut columns = Vec::new();
        for argument in arguments {
            columns.push(library.list(*argument)?.into_iter());
        }
        let mut rows = Vec::new();
        while let Some(row) = columns.iter_mut().map(Iterator::next).collect::<Option<Vec<Value>>>() {
            library.spend(row.len())?;
            rows.push(library.heap.list(&row)?);
        }
        library.heap.list(&rows)
    }),
];

#[derive(Clone, Copy)]
enum Sameness {
    Identical,
    Equal,
}

impl Library<'_> {
    /// `car` and `cdr` combined, the last letter first.
    fn path(&self, arguments: &[Value], letters: &str) -> Outcome {
        let whole = Self::nth(arguments, 0);
        let mut value = whole;
        for letter in letters.chars().rev() {
            let Value::Pair(handle) = value else {
                let wanted = if letters.len() == 1 { "a pair" } else { "a longer list" };
                return Err(self.wrong(wanted, whole));
            };
            let pair = self.heap.pair(handle);
            value = if letter == 'a' { pair.first } else { pair.rest };
        }
        Ok(value)
    }

    fn tail(&mut self, arguments: &[Value]) -> Outcome {
        let (list, count) = (Self::nth(arguments, 0), self.count(Self::nth(arguments, 1))?);
        let mut walk = self.heap.items(list);
        let walked = walk.by_ref().take(count).count();
        let tail = walk.tail;
        self.spend(walked)?;
        if walked < count {
            return Err(self.out_of_range(&format!("the list has {walked} items, {count} are wanted")));
        }
        Ok(tail)
    }

    fn is_same(&mut self, left: Value, right: Value, sameness: Sameness) -> Outcome<bool> {
        match sameness {
            Sameness::Identical => {
                self.spend(1)?;
                Ok(left == right)
            }
            Sameness::Equal => compare_deep(self.heap, self.meter, left, right),
        }
    }

    fn member(&mut self, arguments: &[Value], sameness: Sameness) -> Outcome {
        let wanted = Self::nth(arguments, 0);
        let mut rest = Self::nth(arguments, 1);
        while let Value::Pair(handle) = rest {
            let pair = self.heap.pair(handle);
            if self.is_same(wanted, pair.first, sameness)? {
                return Ok(rest);
            }
            rest = pair.rest;
        }
        if rest == Value::Nil {
            Ok(Value::Bool(false))
        } else {
            Err(self.wrong("a list", Self::nth(arguments, 1)))
        }
    }

    fn associate(&mut self, arguments: &[Value], sameness: Sameness) -> Outcome {
        let wanted = Self::nth(arguments, 0);
        let mut rest = Self::nth(arguments, 1);
        while let Value::Pair(handle) = rest {
            let pair = self.heap.pair(handle);
            let Value::Pair(entry) = pair.first else {
                return Err(self.wrong("a list of pairs", Self::nth(arguments, 1)));
            };
            if self.is_same(wanted, self.heap.pair(entry).first, sameness)? {
                return Ok(pair.first);
            }
            rest = pair.rest;
        }
        if rest == Value::Nil {
            Ok(Value::Bool(false))
        } else {
            Err(self.wrong("a list of pairs", Self::nth(arguments, 1)))
        }
    }
}

fn append(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let Some((tail, lists)) = arguments.split_last() else { return Ok(Value::Nil) };
    let mut result = *tail;
    for list in lists.iter().rev() {
        let items = library.list(*list)?;
        result = library.heap.list_before(&items, result)?;
    }
    Ok(result)
}

fn take(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let (list, count) = (Library::nth(arguments, 0), library.count(Library::nth(arguments, 1))?);
    let items: Vec<Value> = library.heap.items(list).take(count).collect();
    library.spend(items.len())?;
    if items.len() < count {
        let message = format!("the list has {} items, {count} are wanted", items.len());
        return Err(library.out_of_range(&message));
    }
    library.heap.list(&items)
}

fn iota(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let count = library.count(Library::nth(arguments, 0))?;
    let start = arguments.get(1).map_or(Ok(0), |start| library.integer(*start))?;
    let step = arguments.get(2).map_or(Ok(1), |step| library.integer(*step))?;
    library.heap.foresee(count.saturating_mul(40))?;
    library.spend(count)?;
    let mut list = Value::Nil;
    for place in (0..count).rev() {
        let place = i64::try_from(place).unwrap_or(i64::MAX);
        let item = place.checked_mul(step).and_then(|offset| start.checked_add(offset));
        let item = item.ok_or_else(|| library.out_of_range("the result does not fit 64 bits"))?;
        list = library.heap.cons(Value::Integer(item), list)?;
    }
    Ok(list)
}
