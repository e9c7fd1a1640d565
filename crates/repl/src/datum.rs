//! A program as data: what the reader makes of a text, each part with its place. Also its normal text.
//!
//! Data nests at most [`MOST_NESTING`] deep, which bounds everything that walks it.

mod print;

pub(crate) use self::print::{CHARACTER_NAMES, write_char, write_symbol, write_text};

use crate::number::Number;

/// How deep parentheses and quotes may stand inside each other.
pub(crate) const MOST_NESTING: usize = 200;

/// One datum and the byte it starts at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Datum {
    pub(crate) kind: Kind,
    pub(crate) at: u32,
}

/// What can stand in a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool(bool),
    Number(Number),
    Char(char),
    Text(String),
    Symbol(String),
    List(Vec<Datum>),
    /// The items before the dot, and what is behind it; there are some, and the tail is no list but `,x`
    Dotted(Vec<Datum>, Box<Datum>),
    Vector(Vec<Datum>),
}

impl Datum {
    pub(crate) fn new(kind: Kind, at: u32) -> Datum {
        Datum { kind, at }
    }

    pub(crate) fn symbol(&self) -> Option<&str> {
        if let Kind::Symbol(name) = &self.kind { Some(name) } else { None }
    }

    pub(crate) fn list(&self) -> Option<&[Datum]> {
        if let Kind::List(items) = &self.kind { Some(items) } else { None }
    }

    /// The one operand of `(keyword operand)`.
    pub(crate) fn operand_of(&self, keyword: &str) -> Option<&Datum> {
        let [head, operand] = self.list()? else { return None };
        (head.symbol() == Some(keyword)).then_some(operand)
    }
}
