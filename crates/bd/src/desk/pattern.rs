//! A yes for more than one call, as data: a tool, and names or an argument that later calls must have too.
//!
//! What it covers is shown by example before anybody says yes to it. It must not be a program.

use premath_kernel::{Moment, Object, Value};
use premath_wire::time::format_time;
use rusqlite::params;

use super::answer::{DeskRefusal, DeskRefusalClass, Stop};
use super::approvals::{ApprovalRequest, FOREIGN_TOOL, Target, read_targets};
use super::database::{Desk, from_stored, stored_json};
use crate::error::StoreError;

/// So many requests of the past are looked at for examples.
const HISTORY: i64 = 500;

/// Which calls a yes covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Of which tool.
    pub tool: String,
    /// What every target must be called: `*` stands for any letters, `?` for one.
    pub names: Option<String>,
    /// An argument, by the name of its field, that must have that very value.
    pub argument: Option<(String, Value<'static>)>,
}

/// A call of the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternExample {
    /// What its targets are called.
    pub names: Vec<String>,
    /// Its arguments, in canonical JSON.
    pub arguments: String,
    /// When it was asked about.
    pub requested_at: Moment,
}

impl PatternExample {
    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("arguments", self.arguments.as_str())
            .field("names", Value::text_list(self.names.iter().map(String::as_str)))
            .field("requestedAt", format_time(self.requested_at))
            .finish()
    }
}

/// What a pattern would have covered, and what not, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternExamples {
    /// Covered.
    pub matches: Vec<PatternExample>,
    /// Not covered.
    pub misses: Vec<PatternExample>,
}

impl Pattern {
    /// Whether it covers a call.
    #[must_use]
    pub fn covers(&self, tool: &str, arguments: &Value<'_>, targets: &[Target]) -> bool {
        let names_fit = self
            .names
            .as_ref()
            .is_none_or(|glob| !targets.is_empty() && targets.iter().all(|target| fits(glob, &target.name)));
        let argument_fits = self.argument.as_ref().is_none_or(|(field, wanted)| {
            arguments.as_object().and_then(|members| members.get(field)) == Some(wanted)
        });
        // Of such a call only the tool is known, so that no pattern says what it acts on.
        let is_known = targets.iter().all(|target| target.kind != FOREIGN_TOOL);
        self.is_bounded() && is_known && tool == self.tool && names_fit && argument_fits
    }

    /// Names close to the name of a call that the glob does not cover: they show where it ends where nothing else was asked.
    #[must_use]
    pub fn near_misses(&self, request: &ApprovalRequest) -> Vec<String> {
        let (Some(glob), Some(target)) = (&self.names, request.targets.first()) else { return Vec::new() };
        let name = &target.name;
        let near = [format!("other-{name}"), format!("{name}.old"), format!("sub/{name}")];
        near.into_iter().filter(|name| !fits(glob, name)).collect()
    }

    /// A pattern that asks for nothing would cover every call of a tool.
    pub(super) const fn is_bounded(&self) -> bool {
        self.names.is_some() || self.argument.is_some()
    }

    /// As it is kept and signed.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let argument = self.argument.as_ref().map(|(field, value)| {
            Object::fields().field("field", field.as_str()).field("value", value.borrowed()).finish()
        });
        Object::fields()
            .optional("argument", argument)
            .optional("names", self.names.as_deref())
            .field("tool", self.tool.as_str())
            .finish()
    }

    /// Reads what [`Self::to_value`] wrote.
    ///
    /// # Errors
    /// `desk_invalid`: it is no pattern.
    pub fn read(value: &Value<'_>) -> Result<Self, DeskRefusal> {
        let invalid = || DeskRefusal::new(DeskRefusalClass::Invalid, "it is no pattern of calls");
        let members = value.as_object().ok_or_else(invalid)?;
        let text = |name: &str| match members.get(name) {
            None => Ok(None),
            Some(value) => value.as_text().map(|text| Some(text.to_owned())).ok_or_else(invalid),
        };
        let argument = match members.get("argument") {
            None => None,
            Some(argument) => {
                let argument = argument.as_object().ok_or_else(invalid)?;
                let field = argument.get("field").and_then(Value::as_text).ok_or_else(invalid)?;
                let value = argument.get("value").ok_or_else(invalid)?;
                Some((field.to_owned(), value.borrowed().into_owned()))
            }
        };
        let tool = text("tool")?.ok_or_else(invalid)?;
        Ok(Self { tool, names: text("names")?, argument })
    }
}

impl Desk {
    /// What a pattern would have covered of the calls that were asked about, and what not; so many of each.
    ///
    /// # Errors
    /// A database that failed.
    pub fn pattern_examples(&self, pattern: &Pattern, limit: usize) -> Result<PatternExamples, StoreError> {
        self.read(|connection| {
            let query = "SELECT arguments, targets, requested_at, MAX(number) FROM approvals WHERE tool = ?1
                 GROUP BY arguments_digest, targets ORDER BY MAX(number) DESC LIMIT ?2";
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query(params![pattern.tool, HISTORY])?;
            let mut examples = PatternExamples::default();
            while let Some(row) = rows.next()? {
                let arguments: String = row.get(0)?;
                let targets = read_targets(&row.get::<_, String>(1)?)?;
                let covered = pattern.covers(&pattern.tool, &stored_json(&arguments)?, &targets);
                let side = if covered { &mut examples.matches } else { &mut examples.misses };
                if side.len() < limit {
                    let names = targets.into_iter().map(|target| target.name).collect();
                    side.push(PatternExample { names, arguments, requested_at: from_stored(row.get(2)?) });
                }
            }
            Ok::<_, Stop>(examples)
        })
    }
}

/// Whether a name fits a pattern of letters, `*` and `?`. Goes back to the last `*` only, so it takes no more than the
/// product of both lengths.
fn fits(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while next < name.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || Some(wanted) == name.get(next) => {
                at += 1;
                next += 1;
            }
            _ => match star {
                Some((place, taken)) => {
                    star = Some((place, taken + 1));
                    (at, next) = (place + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    glob.iter().skip(at).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests;
