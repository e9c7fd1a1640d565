//! One side of a merge: the lines of a file, and which of them are rows of which issue.
//!
//! Lines that are no rows are lines like others: they are kept. It must not change a line, but where an issue gets another id.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Object, Value};

use crate::issues::row::{IssueRow, row_object};

/// The lines of a file.
#[derive(Debug, Default)]
pub(super) struct Side<'l> {
    lines: Vec<Cow<'l, [u8]>>,
    /// Places of the rows of each issue, in the order of the file.
    places: BTreeMap<String, Vec<usize>>,
}

/// The id that a line is a row of.
pub(super) fn id_of(line: &[u8]) -> Option<String> {
    let object = row_object(line)?;
    let id = object.get("id").and_then(Value::as_text)?.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

impl<'l> Side<'l> {
    /// The lines of these bytes; blank ones are left out.
    pub(super) fn read(bytes: &'l [u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let filled = lines.filter(|line| !line.iter().all(u8::is_ascii_whitespace));
        Self::of_lines(filled.map(Cow::Borrowed).collect())
    }

    fn of_lines(lines: Vec<Cow<'l, [u8]>>) -> Self {
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (line, at) in lines.iter().zip(0..) {
            if let Some(id) = id_of(line) {
                places.entry(id).or_default().push(at);
            }
        }
        Self { lines, places }
    }

    /// The lines in their order.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(Cow::as_ref)
    }

    /// The distinct lines.
    pub(super) fn set(&self) -> BTreeSet<&[u8]> {
        self.lines().collect()
    }

    /// The issues.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// The lines of an issue.
    pub(super) fn lines_of(&self, id: &str) -> impl Iterator<Item = &[u8]> {
        let places = self.places.get(id).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|at| self.lines.get(*at).map(Cow::as_ref))
    }

    /// The rows of an issue.
    pub(super) fn rows(&self, id: &str) -> Vec<IssueRow> {
        self.lines_of(id).filter_map(IssueRow::read).collect()
    }

    /// The same lines where an issue has another id: its own rows, and what depends on it. Lines that `stay` are left alone.
    pub(super) fn renaming(self, from: &str, to: &str, stay: impl Fn(&[u8]) -> bool) -> Self {
        let mut versions: BTreeMap<String, String> = BTreeMap::new();
        let lines = self.lines.into_iter().map(|line| {
            if stay(&line) {
                return line;
            }
            let Some(row) = IssueRow::read(&line) else { return line };
            let version = row.version();
            let renamed = with_other_id(row.clone(), from, to)
                .resealed(|parent| versions.get(parent).cloned().unwrap_or_else(|| parent.to_owned()));
            // A row that was sealed by another hand keeps its bytes where nothing in it has another name.
            let is_same = renamed.version() == version || renamed.seal().is_none() && renamed == row;
            if is_same || row.seal_holds() == Some(false) && with_other_id(row.clone(), from, to) == row {
                return line;
            }
            versions.insert(version, renamed.version());
            Cow::Owned(renamed.line())
        });
        Self::of_lines(lines.collect())
    }
}

/// A row where an issue has another id: its own, or one that it depends on.
pub(super) fn with_other_id(row: IssueRow, from: &str, to: &str) -> IssueRow {
    let row = if row.id() == from { row.with("id", Some(Value::from(to.to_owned()))) } else { row };
    let items = row.object().get("dependencies").and_then(Value::as_array).unwrap_or_default();
    let names = |item: &Value<'static>| {
        let object = item.as_object();
        ["depends_on_id", "issue_id"].iter().any(|name| {
            object.and_then(|object| object.get(name)).and_then(Value::as_text).map(str::trim) == Some(from)
        })
    };
    if !items.iter().any(names) {
        return row;
    }
    let items = items.iter().map(|item| match item.as_object() {
        Some(object) => Value::Object(object_with_other_id(object, from, to)),
        None => item.clone(),
    });
    let items = items.collect();
    row.with("dependencies", Some(Value::Array(items)))
}

fn object_with_other_id(object: &Object<'static>, from: &str, to: &str) -> Object<'static> {
    let members = object.iter().map(|(name, value)| {
        let is_id = matches!(name, "depends_on_id" | "issue_id");
        let is_it = is_id && value.as_text().map(str::trim) == Some(from);
        (Cow::Owned(name.to_owned()), if is_it { Value::from(to.to_owned()) } else { value.clone() })
    });
    Object::from_members(members.collect()).unwrap_or_default()
}
