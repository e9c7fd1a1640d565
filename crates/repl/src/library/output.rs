//! What a program writes: into a buffer that the embedder gets, and no further than its budget.

use crate::error::Budget;
use crate::fault::{Fault, Outcome};
use crate::value::Value;
use crate::write::Style;

use super::{ANY, Library, Native, plain};

pub(super) const OUTPUT: &[Native] = &[
    plain("display", 1, 1, |library, arguments| library.emit(Library::nth(arguments, 0), Style::Display)),
    plain("write", 1, 1, |library, arguments| library.emit(Library::nth(arguments, 0), Style::Write)),
    plain("newline", 0, 0, |library, _| library.push("\n")),
    plain("displayln", 1, 1, |library, arguments| {
        let mut text = library.text_for_output(Library::nth(arguments, 0), Style::Display)?;
        text.push('\n');
        library.push(&text)
    }),
    plain("format", 1, ANY, format),
];

impl Library<'_> {
    fn emit(&mut self, value: Value, style: Style) -> Outcome {
        let text = self.text_for_output(value, style)?;
        self.push(&text)
    }

    fn push(&mut self, text: &str) -> Outcome {
        if self.output.text.len().saturating_add(text.len()) > self.output.most {
            return Err(Fault::Budget(Budget::Output));
        }
        self.output.text.push_str(text);
        Ok(Value::Unspecified)
    }
}

/// `(format "~a of ~s~%" x y)` is a string; with `#t` before, it is written instead.
fn format(library: &mut Library<'_>, arguments: &[Value]) -> Outcome {
    let (writes, arguments) = match arguments {
        [Value::Bool(writes), rest @ ..] => (*writes, rest),
        all => (false, all),
    };
    let Some((template, values)) = arguments.split_first() else {
        return Err(Fault::arity("`format` needs a template"));
    };
    let template = library.text(*template)?;
    let text = filled(library, &template, values)?;
    if writes { library.push(&text) } else { library.new_text(&text) }
}

fn filled(library: &mut Library<'_>, template: &str, values: &[Value]) -> Outcome<String> {
    library.spend_bytes(template.len())?;
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = template.chars();
    while let Some(letter) = letters.next() {
        if letter != '~' {
            text.push(letter);
            continue;
        }
        let style = match letters.next() {
            Some('a' | 'A' | 'd' | 'D') => Style::Display,
            Some('s' | 'S') => Style::Write,
            Some('%' | 'n') => {
                text.push('\n');
                continue;
            }
            Some('~') => {
                text.push('~');
                continue;
            }
            other => {
                let other = other.map(String::from).unwrap_or_default();
                return Err(library.out_of_range(&format!("`~{other}` is none of ~a ~s ~d ~% ~~")));
            }
        };
        let Some(value) = values.next() else {
            return Err(Fault::arity("`format` has fewer values than its template wants"));
        };
        let part = library.text_of(*value, style)?;
        library.heap.foresee(text.len().saturating_add(part.len()))?;
        text.push_str(&part);
    }
    match values.len() {
        0 => Ok(text),
        left => Err(Fault::arity(format!("`format` has {left} values more than its template wants"))),
    }
}
