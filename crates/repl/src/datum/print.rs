//! The normal text of data: one space between parts, no comments, one spelling of everything.

use std::fmt;

use super::{Datum, Kind};

/// What a quote may be spelled as.
const PREFIXES: [(&str, &str); 4] =
    [("quote", "'"), ("quasiquote", "`"), ("unquote-splicing", ",@"), ("unquote", ",")];

impl fmt::Display for Datum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Bool(flag) => out.write_str(if *flag { "#t" } else { "#f" }),
            Kind::Number(number) => write!(out, "{number}"),
            Kind::Char(one) => write_char(out, *one),
            Kind::Text(text) => write_text(out, text),
            Kind::Symbol(name) => write_symbol(out, name),
            Kind::List(items) => write_list(out, self, items),
            Kind::Dotted(items, tail) => {
                write_items(out, "(", items)?;
                write!(out, " . {tail})")
            }
            Kind::Vector(items) => {
                write_items(out, "#(", items)?;
                out.write_str(")")
            }
        }
    }
}

fn write_list(out: &mut fmt::Formatter<'_>, whole: &Datum, items: &[Datum]) -> fmt::Result {
    for (keyword, prefix) in PREFIXES {
        if let Some(operand) = whole.operand_of(keyword) {
            // `, @x` is an unquoted name; without the space it would be a splice.
            let gap = if prefix == "," && operand.symbol().is_some_and(|name| name.starts_with('@')) {
                " "
            } else {
                ""
            };
            return write!(out, "{prefix}{gap}{operand}");
        }
    }
    write_items(out, "(", items)?;
    out.write_str(")")
}

fn write_items(out: &mut fmt::Formatter<'_>, open: &str, items: &[Datum]) -> fmt::Result {
    out.write_str(open)?;
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.write_str(" ")?;
        }
        write!(out, "{item}")?;
    }
    Ok(())
}

/// Characters that have names; the first name is the one that is written.
pub(crate) const CHARACTER_NAMES: [(&str, char); 10] = [
    ("space", ' '),
    ("newline", '\n'),
    ("tab", '\t'),
    ("return", '\r'),
    ("null", '\0'),
    ("nul", '\0'),
    ("linefeed", '\n'),
    ("alarm", '\u{7}'),
    ("backspace", '\u{8}'),
    ("delete", '\u{7f}'),
];

pub(crate) fn write_char(out: &mut impl fmt::Write, one: char) -> fmt::Result {
    if let Some((name, _)) = CHARACTER_NAMES.iter().find(|(_, named)| *named == one) {
        return write!(out, "#\\{name}");
    }
    if one.is_control() || one.is_whitespace() {
        return write!(out, "#\\x{:x}", u32::from(one));
    }
    write!(out, "#\\{one}")
}

pub(crate) fn write_text(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    write_escaped(out, text, '"')?;
    out.write_char('"')
}

fn write_escaped(out: &mut impl fmt::Write, text: &str, quote: char) -> fmt::Result {
    for one in text.chars() {
        match one {
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\\' => out.write_str("\\\\")?,
            quoted if quoted == quote => write!(out, "\\{quote}")?,
            control if control.is_control() => write!(out, "\\x{:x};", u32::from(control))?,
            plain => out.write_char(plain)?,
        }
    }
    Ok(())
}

pub(crate) fn write_symbol(out: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_plain_symbol(name) {
        return out.write_str(name);
    }
    out.write_char('|')?;
    write_escaped(out, name, '|')?;
    out.write_char('|')
}

/// Whether a name reads back as itself without bars.
fn is_plain_symbol(name: &str) -> bool {
    let ends =
        |one: char| crate::reader::ends_token(one) || one == '|' || one == '\'' || one == '`' || one == ',';
    !name.is_empty()
        && name != "."
        && !name.starts_with('#')
        && !crate::reader::looks_like_number(name)
        && !name.chars().any(|one| ends(one) || one.is_control())
}
