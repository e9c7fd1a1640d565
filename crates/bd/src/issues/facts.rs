//! What the graph needs to know of an issue, read leniently: rows of other tools keep their own values, and what cannot
//! be understood counts as unknown. It must not change a row.

use premath_kernel::{DependencyKind, Moment, ReadyKey, Status, Value};
use premath_wire::time::parse_time;

/// The priority of an issue that names none, or none that exists.
pub(crate) const DEFAULT_PRIORITY: u8 = 2;

/// One dependency of an issue.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// What it depends on.
    pub depends_on: String,
    /// How.
    pub kind: DependencyKind,
}

/// What the graph needs to know of one issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Which issue.
    pub id: String,
    /// Where it stands.
    pub status: Status,
    /// 0 comes first.
    pub priority: u8,
    /// When it was made, if that can be read.
    pub created_at: Option<Moment>,
    /// When its lease ends, if it has one.
    pub lease_until: Option<Moment>,
    /// Whether it names an assignee; who that is, the row says.
    pub is_assigned: bool,
    /// The dependencies that block, in the order of the row.
    pub blocking: Vec<Dependency>,
}

impl Facts {
    /// The facts of a row; `None` when it is no object with an id.
    #[must_use]
    pub fn read(row: &Value<'_>) -> Option<Self> {
        let object = row.as_object()?;
        let id = object.get("id")?.as_text()?.trim();
        if id.is_empty() {
            return None;
        }
        let text = |key: &str| object.get(key).and_then(Value::as_text);
        let dependencies = object.get("dependencies").and_then(Value::as_array).unwrap_or_default();
        Some(Self {
            id: id.to_owned(),
            status: text("status").map_or(Status::Open, Status::from_token),
            priority: priority(object.get("priority")),
            created_at: text("created_at").and_then(parse_time),
            lease_until: object.get("lease").and_then(lease_end),
            is_assigned: text("assignee").is_some_and(|assignee| !assignee.trim().is_empty()),
            blocking: dependencies
                .iter()
                .filter_map(dependency)
                .filter(|one| one.kind.is_blocking())
                .collect(),
        })
    }

    /// Its place among the ready ones.
    #[must_use]
    pub fn key(&self) -> ReadyKey<'_> {
        ReadyKey { priority: self.priority, created_at: self.created_at, id: &self.id }
    }
}

/// The priority of a row, between 0 and 4.
pub(crate) fn priority(value: Option<&Value<'_>>) -> u8 {
    let number = value.and_then(Value::as_number).and_then(premath_kernel::Number::as_u64);
    number
        .and_then(|number| u8::try_from(number).ok())
        .filter(|number| *number <= 4)
        .unwrap_or(DEFAULT_PRIORITY)
}

/// One entry of `dependencies`; `None` without a target.
pub(crate) fn dependency(value: &Value<'_>) -> Option<Dependency> {
    let object = value.as_object()?;
    let depends_on = object.get("depends_on_id")?.as_text()?.trim();
    let kind = object
        .get("type")
        .and_then(Value::as_text)
        .map_or(DependencyKind::Blocks, DependencyKind::from_token);
    (!depends_on.is_empty()).then(|| Dependency { depends_on: depends_on.to_owned(), kind })
}

/// A lease without an end that can be read has ended: it keeps nobody out.
fn lease_end(lease: &Value<'_>) -> Option<Moment> {
    let object = lease.as_object()?;
    Some(object.get("expires_at").and_then(Value::as_text).and_then(parse_time).unwrap_or(Moment::EPOCH))
}
