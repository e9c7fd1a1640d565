//! The procedures that every program has. They are pure but for the bounded output: no file, clock, process, network or
//! randomness can be reached from here.
//!
//! Whatever grows with its arguments is charged, in steps and bytes, before it is done.

mod arguments;
mod characters;
mod conditions;
mod equality;
mod json;
mod json_text;
mod lists;
mod numbers;
mod output;
mod records;
mod strings;
mod strings_search;
mod tables;
mod vectors;

use crate::error::Budget;
use crate::fault::{Fault, Outcome};
use crate::heap::Heap;
use crate::symbols::Symbols;
use crate::value::Value;

pub(crate) use self::json::{Unconvertible, from_kernel, to_kernel};

/// The part of the library that is written in Scheme.
pub(crate) const PRELUDE: &str = include_str!("prelude.scm");

/// Steps taken, and how many are allowed.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) steps: u64,
    pub(crate) fuel: u64,
    /// Behind this step the machine looks whether it may go on; never more than `fuel`
    pub(crate) look: u64,
}

impl Meter {
    /// Takes steps from the budget, before the work they stand for is done.
    #[inline]
    pub(crate) fn spend(&mut self, steps: u64) -> Outcome<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.fuel { Err(Fault::Budget(Budget::Fuel)) } else { Ok(()) }
    }
}

/// What a program has written.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) most: usize,
}

/// What a library procedure works with.
pub(crate) struct Library<'m> {
    /// The name of the procedure, for messages
    pub(crate) name: &'static str,
    pub(crate) heap: &'m mut Heap,
    pub(crate) symbols: &'m mut Symbols,
    pub(crate) meter: &'m mut Meter,
    pub(crate) output: &'m mut Output,
}

/// Procedures that change what the machine does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Apply,
    Raise,
    RaiseContinuable,
    PushHandler,
    PopHandler,
    RestoreHandler,
    ParallelMap,
    TableRef,
}

#[derive(Clone, Copy)]
pub(crate) enum Run {
    Plain(fn(&mut Library<'_>, &[Value]) -> Outcome),
    Special(Special),
}

/// A procedure of the library. Names that begin with `%` are for the prelude and for forms.
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) run: Run,
}

/// Any number of arguments.
const ANY: usize = usize::MAX;

const fn plain(
    name: &'static str,
    least: usize,
    most: usize,
    run: fn(&mut Library<'_>, &[Value]) -> Outcome,
) -> Native {
    Native { name, least, most, run: Run::Plain(run) }
}

const fn special(name: &'static str, least: usize, most: usize, special: Special) -> Native {
    Native { name, least, most, run: Run::Special(special) }
}

const CONTROL: &[Native] = &[
    special("apply", 2, ANY, Special::Apply),
    special("raise", 1, 1, Special::Raise),
    special("raise-continuable", 1, 1, Special::RaiseContinuable),
    special("parallel-map", 2, 2, Special::ParallelMap),
    special("hash-table-ref", 2, 3, Special::TableRef),
    special("%push-handler", 1, 1, Special::PushHandler),
    special("%pop-handler", 0, 0, Special::PopHandler),
    special("%restore-handler", 0, 0, Special::RestoreHandler),
];

const FAMILIES: [&[Native]; 13] = [
    CONTROL,
    numbers::NUMBERS,
    equality::EQUALITY,
    lists::LISTS,
    strings::STRINGS,
    strings_search::SEARCH,
    characters::CHARACTERS,
    vectors::VECTORS,
    tables::TABLES,
    conditions::CONDITIONS,
    records::RECORDS,
    output::OUTPUT,
    json::JSON,
];

/// All of them; the place of one is its number.
pub(crate) fn natives() -> impl Iterator<Item = &'static Native> {
    FAMILIES.into_iter().flatten()
}

pub(crate) fn number_of(name: &str) -> Option<u16> {
    natives().position(|native| native.name == name).and_then(|place| u16::try_from(place).ok())
}

pub(crate) fn name_of(number: u16) -> &'static str {
    natives().nth(usize::from(number)).map_or("", |native| native.name)
}
