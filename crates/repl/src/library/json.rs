//! JSON: between the machine's values and the kernel's canonical ones, and as text.
//!
//! Objects are hash tables with strings as keys, arrays are lists, `null` is the symbol `null`. On the way out vectors are
//! arrays too, and symbols other than `null` are strings.

use std::borrow::Cow;

use premath_kernel as kernel;

use crate::error::Budget;
use crate::fault::{Fault, Outcome};
use crate::heap::{Heap, Key, Table};
use crate::number::{NoNumber, Number};
use crate::symbols::Symbols;
use crate::value::Value;

use super::json_text::JsonReader;
use super::{ANY, Library, Meter, Native, plain};

/// How deep JSON may nest.
pub(super) const MOST_DEPTH: usize = 128;
/// The name of the symbol that stands for `null`.
pub(super) const NULL: &str = "null";

pub(super) const JSON: &[Native] = &[
    plain("json->string", 1, 1, |library, arguments| {
        let (value, most) = (Library::nth(arguments, 0), library.heap.room());
        let made = to_kernel(library.heap, library.symbols, library.meter, value, most);
        let (value, _) = made.map_err(|error| library.unconvertible(error))?;
        let bytes = kernel::encode(&value);
        let text = String::from_utf8(bytes).unwrap_or_default();
        library.new_text(&text)
    }),
    plain("string->json", 1, 1, |library, arguments| {
        let text = library.text(Library::nth(arguments, 0))?;
        library.spend_bytes(text.len())?;
        library.heap.foresee(text.len())?;
        JsonReader::new(&text, library).document()
    }),
    plain("json-null?", 1, 1, |library, arguments| {
        let null = Value::Symbol(library.symbols.intern(NULL));
        Ok(Value::Bool(Library::nth(arguments, 0) == null))
    }),
    plain("json-ref", 2, ANY, |library, arguments| {
        let Some((whole, path)) = arguments.split_first() else { return Ok(Value::Bool(false)) };
        library.spend(path.len())?;
        let mut value = *whole;
        for step in path {
            match library.inside(value, *step)? {
                Some(part) => value = part,
                None => return Ok(Value::Bool(false)),
            }
        }
        Ok(value)
    }),
];

impl Library<'_> {
    /// The part of a value under a key or at a place, if there is one.
    fn inside(&mut self, value: Value, step: Value) -> Outcome<Option<Value>> {
        if let Value::Table(handle) = value {
            let mut key = self.key(step, self.heap.table(handle).len())?;
            if let Key::Symbol(name) = key {
                key = Key::Text(name);
            }
            return Ok(self.heap.table(handle).get(&key).copied());
        }
        let Value::Integer(place) = step else { return Ok(None) };
        let Ok(place) = usize::try_from(place) else { return Ok(None) };
        if let Value::Vector(handle) = value {
            return Ok(self.heap.vector(handle).get(place).copied());
        }
        let mut walk = self.heap.items(value);
        let part = walk.nth(place);
        self.spend(place)?;
        Ok(part)
    }

    fn unconvertible(&self, error: Unconvertible) -> Fault {
        match error {
            Unconvertible::Kind(shown) => {
                Fault::type_of(format!("`{}`: `{shown}` has no form in JSON", self.name))
            }
            Unconvertible::Range(what) => self.out_of_range(&what),
            Unconvertible::Full => Fault::Full,
            Unconvertible::Fuel => Fault::Budget(Budget::Fuel),
        }
    }
}

/// Why a value has no canonical form.
pub(crate) enum Unconvertible {
    /// It is of a kind that JSON lacks
    Kind(String),
    Range(String),
    /// It does not fit
    Full,
    Fuel,
}

/// A value as the kernel's, of at most so many bytes, and how many it takes. Each part is a step.
pub(crate) fn to_kernel(
    heap: &Heap,
    symbols: &Symbols,
    meter: &mut Meter,
    value: Value,
    most: usize,
) -> Result<(kernel::Value<'static>, usize), Unconvertible> {
    let mut converter = Converter { heap, symbols, meter, bytes: most };
    let value = converter.convert(value, 0)?;
    Ok((value, most - converter.bytes))
}

struct Converter<'m> {
    heap: &'m Heap,
    symbols: &'m Symbols,
    meter: &'m mut Meter,
    /// What the result may still take: one list can stand in many places
    bytes: usize,
}

impl Converter<'_> {
    fn charge(&mut self, bytes: usize) -> Result<(), Unconvertible> {
        let steps = bytes as u64 / 64 + 1;
        self.meter.spend(steps).map_err(|_| Unconvertible::Fuel)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Unconvertible::Full)?;
        Ok(())
    }

    fn convert(&mut self, value: Value, depth: usize) -> Result<kernel::Value<'static>, Unconvertible> {
        self.charge(48)?;
        if depth > MOST_DEPTH {
            return Err(Unconvertible::Range(format!("JSON nests at most {MOST_DEPTH} deep")));
        }
        let shown = || crate::write::shortened(self.heap, self.symbols, value);
        match value {
            Value::Bool(flag) => Ok(kernel::Value::Bool(flag)),
            Value::Integer(integer) => {
                kernel::Number::integer(integer).map(kernel::Value::Number).ok_or_else(|| {
                    Unconvertible::Range(format!("`{integer}` is beyond what JSON keeps exactly"))
                })
            }
            Value::Decimal { .. } => {
                let number = shown().parse::<f64>().ok().and_then(kernel::Number::float);
                number.map(kernel::Value::Number).ok_or_else(|| Unconvertible::Kind(shown()))
            }
            Value::Symbol(symbol) if &**self.symbols.name(symbol) == NULL => Ok(kernel::Value::Null),
            Value::Symbol(symbol) => self.text(&self.symbols.name(symbol).clone()),
            Value::Char(one) => self.text(one.encode_utf8(&mut [0; 4])),
            Value::Text(handle) => self.text(&self.heap.text(handle).clone()),
            Value::Nil => Ok(kernel::Value::Array(Vec::new())),
            Value::Vector(handle) => self.array(self.heap.vector(handle), depth),
            Value::Pair(_) => {
                let mut walk = self.heap.items(value);
                let items: Vec<Value> = walk.by_ref().collect();
                if walk.tail != Value::Nil {
                    return Err(Unconvertible::Kind(shown()));
                }
                self.array(&items, depth)
            }
            Value::Table(handle) => self.object(self.heap.table(handle), depth),
            Value::Unspecified
            | Value::Unassigned
            | Value::Closure(_)
            | Value::Native(_)
            | Value::Host(_)
            | Value::Condition(_)
            | Value::Record(_)
            | Value::Values(_)
            | Value::Cell(_) => Err(Unconvertible::Kind(shown())),
        }
    }

    fn text(&mut self, text: &str) -> Result<kernel::Value<'static>, Unconvertible> {
        self.charge(text.len())?;
        Ok(kernel::Value::Text(Cow::Owned(text.to_owned())))
    }

    fn array(&mut self, items: &[Value], depth: usize) -> Result<kernel::Value<'static>, Unconvertible> {
        let items = items.iter().map(|item| self.convert(*item, depth + 1));
        Ok(kernel::Value::Array(items.collect::<Result<Vec<_>, _>>()?))
    }

    fn object(&mut self, table: &Table, depth: usize) -> Result<kernel::Value<'static>, Unconvertible> {
        let mut members = Vec::new();
        for (key, value) in table {
            let name = match key {
                Key::Text(name) | Key::Symbol(name) => name,
                Key::Bool(_) | Key::Number(_) | Key::Char(_) => {
                    return Err(Unconvertible::Range("the keys of an object are strings".to_owned()));
                }
            };
            self.charge(name.len())?;
            members.push((Cow::Owned(name.as_ref().to_owned()), self.convert(*value, depth + 1)?));
        }
        kernel::Object::from_members(members)
            .map(kernel::Value::Object)
            .map_err(|error| Unconvertible::Range(error.to_string()))
    }
}

/// A kernel's value as the machine's.
pub(crate) fn from_kernel(
    heap: &mut Heap,
    symbols: &mut Symbols,
    value: &kernel::Value<'_>,
    depth: usize,
) -> Outcome {
    if depth > MOST_DEPTH {
        return Err(Fault::range(format!("JSON nests at most {MOST_DEPTH} deep")));
    }
    match value {
        kernel::Value::Null => Ok(Value::Symbol(symbols.intern(NULL))),
        kernel::Value::Bool(flag) => Ok(Value::Bool(*flag)),
        kernel::Value::Number(number) => match number.as_i64() {
            Some(integer) => Ok(Value::Integer(integer)),
            None => {
                let bytes = kernel::encode(&kernel::Value::Number(*number));
                number_of(&String::from_utf8(bytes).unwrap_or_default())
            }
        },
        kernel::Value::Text(text) => heap.make_text(text),
        kernel::Value::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.push(from_kernel(heap, symbols, item, depth + 1)?);
            }
            heap.list(&values)
        }
        kernel::Value::Object(object) => {
            let mut table = Table::new();
            for (name, member) in object.iter() {
                heap.charge(name.len())?;
                table.insert(Key::Text(name.into()), from_kernel(heap, symbols, member, depth + 1)?);
            }
            heap.make_table(table)
        }
    }
}

/// A JSON number: what needs more than 18 places is rounded.
pub(super) fn number_of(text: &str) -> Outcome {
    match Number::parse(text) {
        Ok(parsed) => Ok(Value::number(parsed.number)),
        Err(NoNumber::TooBig) => Err(Fault::range(format!("the number `{text}` does not fit 64 bits"))),
        Err(NoNumber::Spelling) => Err(Fault::range(format!("`{text}` is no number"))),
    }
}
