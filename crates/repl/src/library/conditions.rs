//! Conditions: what a failure tells the program that catches it.

use std::sync::Arc;

use crate::error::ErrorKind;
use crate::fault::Fault;
use crate::value::Value;
use crate::write::Style;

use super::{ANY, Library, Native, plain};

pub(super) const CONDITIONS: &[Native] = &[
    plain("error", 1, ANY, |library, arguments| {
        let Some((message, irritants)) = arguments.split_first() else { return Ok(Value::Unspecified) };
        let mut text = library.text_of(*message, Style::Display)?;
        for irritant in irritants {
            text.push(' ');
            text.push_str(&library.shown(*irritant));
        }
        let irritants = library.heap.list(irritants)?;
        let whole = library.heap.cons(*message, irritants)?;
        Err(Fault::with(ErrorKind::Raised, text, whole))
    }),
    plain("%assertion-failed", 1, 2, |library, arguments| {
        let mut text = format!("`{}` does not hold", library.text(Library::nth(arguments, 0))?);
        if let Some(message) = arguments.get(1) {
            text = format!("{text}: {}", library.text_of(*message, Style::Display)?);
        }
        Err(Fault::new(ErrorKind::Assertion, text))
    }),
    plain("%handler-returned", 0, 0, |_, _| {
        let message = "the handler returned, but what was raised cannot be continued; use `guard`";
        Err(Fault::new(ErrorKind::Raised, message))
    }),
    plain("error-object?", 1, 1, |_, arguments| {
        Ok(Value::Bool(matches!(Library::nth(arguments, 0), Value::Condition(_))))
    }),
    plain("error-object-message", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else { return Err(library.wrong("a condition", value)) };
        let condition = library.heap.condition(handle);
        // An error of the program keeps its message apart from what it was about.
        if let Value::Pair(whole) = condition.irritants
            && condition.kind == ErrorKind::Raised
        {
            let message = library.heap.pair(whole).first;
            if let Value::Text(_) = message {
                return Ok(message);
            }
            let text = library.text_of(message, Style::Display)?;
            return library.new_text(&text);
        }
        let message = Arc::clone(&condition.message);
        library.new_text(&message)
    }),
    plain("error-object-irritants", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else { return Err(library.wrong("a condition", value)) };
        if let Value::Pair(whole) = library.heap.condition(handle).irritants {
            return Ok(library.heap.pair(whole).rest);
        }
        Ok(Value::Nil)
    }),
    plain("condition/report-string", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else {
            let text = library.text_of(value, Style::Display)?;
            return library.new_text(&text);
        };
        let message = Arc::clone(&library.heap.condition(handle).message);
        library.new_text(&message)
    }),
    plain("error-kind", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else { return Err(library.wrong("a condition", value)) };
        let code = library.heap.condition(handle).kind.code();
        Ok(Value::Symbol(library.symbols.intern(code)))
    }),
    plain("error-class", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else { return Err(library.wrong("a condition", value)) };
        match library.heap.condition(handle).class.clone() {
            Some(class) => library.new_text(&class),
            None => Ok(Value::Bool(false)),
        }
    }),
    plain("error-retryable?", 1, 1, |library, arguments| {
        let value = Library::nth(arguments, 0);
        let Value::Condition(handle) = value else { return Ok(Value::Bool(false)) };
        Ok(Value::Bool(library.heap.condition(handle).retryable))
    }),
];
