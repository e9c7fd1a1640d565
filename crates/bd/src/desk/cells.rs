//! Spreadsheets: a document of cells, `{"A1": {"value": 3, "formula": "=1+2", "format": "0.00"}}`.
//!
//! A change of a value leaves every other key of its cell alone. It must not calculate.

use premath_kernel::{Object, Value, encode};
use premath_wire::strict::{Limits, parse};

use super::answer::{DeskRefusal, DeskRefusalClass};

/// The most values that one change sets.
pub const MOST_CELL_UPDATES: usize = 1000;
/// The key that a change sets.
const VALUE: &str = "value";
/// The keys that a cell may have.
const KEYS: [&str; 3] = ["format", "formula", VALUE];

/// One value to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellUpdate {
    /// Where, for example `B12`.
    pub cell: String,
    /// A text, a number, a flag, or null for no value.
    pub value: Value<'static>,
}

/// The cells of a spreadsheet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cells(Object<'static>);

impl Cells {
    /// Reads a document of cells.
    ///
    /// # Errors
    /// `desk_invalid`, with the cell.
    pub fn read(value: Value<'_>) -> Result<Self, DeskRefusal> {
        let Value::Object(object) = value.into_owned() else {
            return Err(invalid("a spreadsheet is an object of cells"));
        };
        for (name, cell) in object.iter() {
            check_place(name)?;
            let Some(members) = cell.as_object() else {
                return Err(invalid(format!("cell `{name}` is no object")));
            };
            if let Some((key, _)) = members.iter().find(|(key, _)| !KEYS.contains(key)) {
                let key = key.escape_debug();
                return Err(invalid(format!("cell `{name}` has a key `{key}`; it may have {KEYS:?}")));
            }
            check_value(name, members.get(VALUE).unwrap_or(&Value::Null))?;
            let texts = ["format", "formula"].into_iter().filter_map(|key| members.get(key));
            if texts.into_iter().any(|text| text.as_text().is_none()) {
                return Err(invalid(format!("formula and format of cell `{name}` are texts")));
            }
        }
        Ok(Self(object))
    }

    /// Reads a content.
    ///
    /// # Errors
    /// `desk_invalid`: it is no JSON, or no document of cells.
    pub fn from_content(content: &str) -> Result<Self, DeskRefusal> {
        let value =
            parse(content.as_bytes(), Limits::default()).map_err(|error| invalid(error.to_string()))?;
        Self::read(value)
    }

    /// The canonical content.
    #[must_use]
    pub fn content(&self) -> String {
        String::from_utf8_lossy(&encode(&self.value())).into_owned()
    }

    /// The cells as a value.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        Value::Object(self.0.clone())
    }

    /// The cells with other values; formulas and formats stay.
    ///
    /// # Errors
    /// `desk_invalid`: no update, too many, two for one cell, a place that is none, a value that is a list or an object.
    pub fn updated(&self, updates: &[CellUpdate]) -> Result<Self, DeskRefusal> {
        if updates.is_empty() || updates.len() > MOST_CELL_UPDATES {
            return Err(invalid(format!("{} updates; 1 to {MOST_CELL_UPDATES} are possible", updates.len())));
        }
        let mut members: std::collections::BTreeMap<String, Value<'static>> =
            self.0.iter().map(|(name, cell)| (name.to_owned(), cell.clone())).collect();
        let mut seen = std::collections::BTreeSet::new();
        for update in updates {
            check_place(&update.cell)?;
            check_value(&update.cell, &update.value)?;
            if !seen.insert(update.cell.as_str()) {
                return Err(invalid(format!("cell `{}` is updated twice", update.cell)));
            }
            let cell = with_value(members.get(&update.cell), &update.value);
            members.insert(update.cell.clone(), cell);
        }
        let members = members.into_iter().map(|(name, cell)| (name.into(), cell)).collect();
        Object::from_members(members).map(Self).map_err(|error| invalid(error.to_string()))
    }

    /// The cells whose names are wanted.
    #[must_use]
    pub fn filtered(&self, mut is_wanted: impl FnMut(&str) -> bool) -> Self {
        let wanted = self.0.iter().filter(|(name, _)| is_wanted(name));
        let members = wanted.map(|(name, cell)| (name.to_owned().into(), cell.clone())).collect();
        Self(Object::from_members(members).unwrap_or_default())
    }

    /// A line for every cell, for whoever compares two of them.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |(name, cell): (&str, &Value<'static>)| {
            format!("{name} {}\n", String::from_utf8_lossy(&encode(cell)))
        };
        self.0.iter().map(line).collect()
    }

    /// What a search looks through: every value and formula.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        for (_, cell) in self.0.iter() {
            let Some(members) = cell.as_object() else { continue };
            for text in [VALUE, "formula"].into_iter().filter_map(|key| members.get(key)) {
                match text {
                    Value::Text(text) => words.push_str(text),
                    Value::Number(_) => words.push_str(&String::from_utf8_lossy(&encode(text))),
                    Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => continue,
                }
                words.push('\n');
            }
        }
        words
    }
}

fn with_value(cell: Option<&Value<'static>>, value: &Value<'static>) -> Value<'static> {
    let mut fields: Vec<_> = cell
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Object::iter)
        .filter(|(key, _)| *key != VALUE)
        .map(|(key, value)| (key.to_owned().into(), value.clone()))
        .collect();
    fields.push((VALUE.into(), value.clone()));
    Value::Object(Object::from_members(fields).unwrap_or_default())
}

/// A place: up to three letters, then a row from 1 on.
fn check_place(place: &str) -> Result<(), DeskRefusal> {
    let letters = place.chars().take_while(char::is_ascii_uppercase).count();
    let digits = place.chars().skip(letters);
    let is_row = digits.clone().all(|digit| digit.is_ascii_digit())
        && digits.clone().next().is_some_and(|first| first != '0');
    if (1..=3).contains(&letters) && is_row && place.len() - letters <= 7 {
        Ok(())
    } else {
        Err(invalid(format!("`{}` is no cell; one is called for example `B12`", place.escape_debug())))
    }
}

fn check_value(place: &str, value: &Value<'_>) -> Result<(), DeskRefusal> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => Ok(()),
        Value::Array(_) | Value::Object(_) => {
            Err(invalid(format!("the value of cell `{place}` is a list or an object")))
        }
    }
}

fn invalid(detail: impl Into<String>) -> DeskRefusal {
    DeskRefusal::new(DeskRefusalClass::Invalid, detail)
}
