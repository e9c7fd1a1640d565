//! The `conflicts` member of a row: fields that two branches changed to different values, with every value.
//!
//! It must not decide which value stands.

use std::collections::BTreeMap;

use premath_kernel::{Object, Value, encode};

use crate::issues::row::{IssueRow, counted, number};

/// The member of a row.
pub(super) const CONFLICTS: &str = "conflicts";
/// The field of the record of an issue that another one has the id of.
const ID: &str = "id";

/// A field that branches changed to different values, and those values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldConflict {
    /// Which field; a member of an object after a dot.
    pub field: String,
    /// The values, each with the revision that set it; `null` for none.
    pub values: Vec<(u64, Value<'static>)>,
}

/// The conflicts of a row by their fields.
pub(super) type Records = BTreeMap<String, Vec<(u64, Value<'static>)>>;

impl IssueRow {
    /// The fields that branches disagree about, until an update settles them.
    #[must_use]
    pub fn conflicts(&self) -> Vec<FieldConflict> {
        let records = records(self).into_iter();
        records.map(|(field, values)| FieldConflict { field, values }).collect()
    }

    /// The id that the issue had on its branch, when another issue has it here.
    #[must_use]
    pub fn former_id(&self) -> Option<String> {
        let values = records(self).remove(ID)?;
        values.first().and_then(|(_, value)| value.as_text()).map(ToOwned::to_owned)
    }

    /// The same row without the records of the fields that a change sets. A record about the
    /// id is settled by any change.
    #[must_use]
    pub(crate) fn settling(self, is_set: impl Fn(&str) -> bool) -> Self {
        if self.object().get(CONFLICTS).is_none() {
            return self;
        }
        let mut left = records(&self);
        left.retain(|field, _| {
            let top = field.split('.').next().unwrap_or(field);
            top != ID && !is_set(top)
        });
        with_records(self, &left)
    }
}

/// The records of a row; what cannot be read is none.
pub(super) fn records(row: &IssueRow) -> Records {
    let items = row.object().get(CONFLICTS).and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(record).collect()
}

fn record(item: &Value<'static>) -> Option<(String, Vec<(u64, Value<'static>)>)> {
    let object = item.as_object()?;
    let field = object.get("field")?.as_text()?.to_owned();
    let values = object.get("values")?.as_array()?.iter().filter_map(|value| {
        let value = value.as_object()?;
        Some((number(value.get("rev")).unwrap_or(0), value.get("value").cloned().unwrap_or(Value::Null)))
    });
    Some((field, values.collect()))
}

/// The row with these records and no others.
pub(super) fn with_records(row: IssueRow, records: &Records) -> IssueRow {
    let items: Vec<Value<'static>> = records
        .iter()
        .map(|(field, values)| {
            let values = values.iter().map(|(rev, value)| {
                Object::fields().field("rev", counted(*rev)).field("value", value.clone()).finish()
            });
            Object::fields()
                .field("field", field.clone())
                .field("values", Value::Array(values.collect()))
                .finish()
        })
        .collect();
    row.with(CONFLICTS, (!items.is_empty()).then_some(Value::Array(items)))
}

/// All values of some records, each once with the lowest revision that set it, in an order that is always the same.
pub(super) fn united(values: impl IntoIterator<Item = (u64, Value<'static>)>) -> Vec<(u64, Value<'static>)> {
    let mut by_bytes: BTreeMap<Vec<u8>, (u64, Value<'static>)> = BTreeMap::new();
    for (rev, value) in values {
        let known = by_bytes.entry(encode(&value)).or_insert((rev, value));
        known.0 = known.0.min(rev);
    }
    by_bytes.into_values().collect()
}

/// The record of an issue that had another id on its branch.
pub(super) fn renamed(row: IssueRow, former: &str) -> IssueRow {
    let mut records = records(&row);
    records.insert(ID.to_owned(), vec![(row.rev(), Value::from(former.to_owned()))]);
    with_records(row, &records)
}
