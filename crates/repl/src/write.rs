//! Values as text, without recursion and never longer than allowed: a value may be deep, and a vector may hold itself.

use std::fmt::Write;

use crate::datum::{write_char, write_symbol, write_text};
use crate::heap::{Heap, Key};
use crate::library;
use crate::symbols::Symbols;
use crate::value::Value;

/// Who the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// People: strings and characters as they are
    Display,
    /// The reader: it would read the same back, where that is possible
    Write,
}

/// How long a text may become.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) bytes: usize,
    /// How many parts may be looked at, each a step
    pub(crate) parts: u64,
}

impl Bounds {
    pub(crate) fn bytes(bytes: usize) -> Bounds {
        Bounds { bytes, parts: u64::MAX }
    }
}

/// The text would be longer than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooLong {
    Bytes,
    Parts,
}

enum Part<'h> {
    Value(Value),
    /// What follows the first item of a list
    Tail(Value),
    Text(&'static str),
    Key(&'h Key),
}

/// The text of a value, if it stays within its bounds.
pub(crate) fn text_of(
    heap: &Heap,
    symbols: &Symbols,
    value: Value,
    style: Style,
    bounds: Bounds,
) -> Result<String, TooLong> {
    let most = bounds.bytes;
    let mut parts = bounds.parts;
    let mut out = String::new();
    let mut open = vec![Part::Value(value)];
    while let Some(part) = open.pop() {
        parts = parts.checked_sub(1).ok_or(TooLong::Parts)?;
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Value(value) if parts_of(heap, value) > most => return Err(TooLong::Bytes),
            Part::Value(value) => push_value(heap, symbols, value, style, &mut out, &mut open),
            Part::Tail(value) => push_tail(heap, value, &mut out, &mut open),
            Part::Key(key) => push_key(key, style, &mut out),
        }
        // Whatever waits becomes a byte at least.
        if out.len() > most || open.len() > most.saturating_mul(2).saturating_add(64) {
            return Err(TooLong::Bytes);
        }
    }
    Ok(out)
}

/// A value for a message: at most forty characters.
pub(crate) fn shortened(heap: &Heap, symbols: &Symbols, value: Value) -> String {
    match text_of(heap, symbols, value, Style::Write, Bounds::bytes(400)) {
        Ok(text) if text.chars().count() <= 40 => text,
        Ok(text) => text.chars().take(39).chain(['…']).collect(),
        Err(TooLong::Bytes | TooLong::Parts) => value.kind_name().to_owned(),
    }
}

fn push_value<'h>(
    heap: &'h Heap,
    symbols: &Symbols,
    value: Value,
    style: Style,
    out: &mut String,
    open: &mut Vec<Part<'h>>,
) {
    // Writing to a string cannot fail.
    let written = match value {
        Value::Unspecified | Value::Unassigned | Value::Cell(_) => out.write_str("#<unspecified>"),
        Value::Nil => out.write_str("()"),
        Value::Bool(flag) => out.write_str(if flag { "#t" } else { "#f" }),
        Value::Integer(integer) => write!(out, "{integer}"),
        Value::Decimal { .. } => value.as_number().map_or(Ok(()), |number| write!(out, "{number}")),
        Value::Char(one) if style == Style::Display => out.write_char(one),
        Value::Char(one) => write_char(out, one),
        Value::Symbol(symbol) if style == Style::Display => out.write_str(symbols.name(symbol)),
        Value::Symbol(symbol) => write_symbol(out, symbols.name(symbol)),
        Value::Text(handle) if style == Style::Display => out.write_str(heap.text(handle)),
        Value::Text(handle) => write_text(out, heap.text(handle)),
        Value::Closure(_) => out.write_str("#<procedure>"),
        Value::Host(_) => out.write_str("#<host procedure>"),
        Value::Native(native) => write!(out, "#<procedure {}>", library::name_of(native)),
        Value::Condition(handle) => {
            let condition = heap.condition(handle);
            write!(out, "#<condition {}: {}>", condition.kind.code(), condition.message)
        }
        Value::Pair(handle) => {
            let pair = heap.pair(handle);
            open.extend([Part::Tail(pair.rest), Part::Value(pair.first)]);
            out.write_str("(")
        }
        Value::Vector(handle) => push_items(heap.vector(handle), "#(", out, open),
        Value::Values(handle) => push_items(heap.vector(handle), "(values ", out, open),
        Value::Record(handle) => {
            let record = heap.record(handle);
            open.push(Part::Text(">"));
            for field in record.fields.iter().rev() {
                open.extend([Part::Value(*field), Part::Text(" ")]);
            }
            open.push(Part::Value(record.name));
            out.write_str("#<")
        }
        Value::Table(handle) => {
            open.push(Part::Text(")"));
            for (at, (key, value)) in heap.table(handle).iter().enumerate().rev() {
                open.extend([Part::Text(")"), Part::Value(*value), Part::Text(" . "), Part::Key(key)]);
                open.push(Part::Text(if at > 0 { " (" } else { "(" }));
            }
            out.write_str("#hash(")
        }
    };
    written.unwrap_or_default();
}

/// How many bytes this has at least.
fn parts_of(heap: &Heap, value: Value) -> usize {
    if let Value::Vector(handle) | Value::Values(handle) = value {
        return heap.vector(handle).len();
    }
    if let Value::Text(handle) = value {
        return heap.text(handle).len();
    }
    if let Value::Table(handle) = value {
        return heap.table(handle).len().saturating_mul(6);
    }
    0
}

fn push_items(items: &[Value], start: &str, out: &mut String, open: &mut Vec<Part<'_>>) -> std::fmt::Result {
    open.push(Part::Text(")"));
    for (at, item) in items.iter().enumerate().rev() {
        open.push(Part::Value(*item));
        if at > 0 {
            open.push(Part::Text(" "));
        }
    }
    out.write_str(start)
}

fn push_tail(heap: &Heap, value: Value, out: &mut String, open: &mut Vec<Part<'_>>) {
    if let Value::Pair(handle) = value {
        let pair = heap.pair(handle);
        out.push(' ');
        open.extend([Part::Tail(pair.rest), Part::Value(pair.first)]);
    } else if value == Value::Nil {
        out.push(')');
    } else {
        out.push_str(" . ");
        open.extend([Part::Text(")"), Part::Value(value)]);
    }
}

fn push_key(key: &Key, style: Style, out: &mut String) {
    let written = match (key, style) {
        (Key::Bool(flag), _) => out.write_str(if *flag { "#t" } else { "#f" }),
        (Key::Number(number), _) => write!(out, "{number}"),
        (Key::Char(one), Style::Display) => out.write_char(*one),
        (Key::Char(one), Style::Write) => write_char(out, *one),
        (Key::Symbol(name) | Key::Text(name), Style::Display) => out.write_str(name),
        (Key::Symbol(name), Style::Write) => write_symbol(out, name),
        (Key::Text(text), Style::Write) => write_text(out, text),
    };
    written.unwrap_or_default();
}
