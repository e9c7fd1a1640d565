//! Two versions of one issue made into one, field by field, from the version both began with.
//!
//! A field that one side changed has that side's value. Labels, dependencies and comments are sets, notes are appended, the
//! higher fence wins. What both changed to different values gets a value by a rule that knows no order, and a record. It must
//! not depend on which side is called ours, and must not lose a value.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Object, Status, Value, encode};

use super::conflict::{CONFLICTS, Records, records, united, with_records};
use super::notes::appended;
use crate::issues::facts::dependency;
use crate::issues::row::{IssueRow, number};

/// Members that are not fields of an issue, or that are merged after the fields.
const APART: [&str; 5] = ["id", "rev", "write_witness", "lease", CONFLICTS];

type Member<'v> = Option<&'v Value<'static>>;

/// The content that two versions come to. Its revision and witness are those of the first and mean nothing.
pub(super) fn merged(base: Option<&IssueRow>, one: &IssueRow, other: &IssueRow) -> IssueRow {
    let mut merge = Merge {
        revs: [one.rev(), other.rev()],
        known: [records(one), records(other)],
        records: Records::new(),
    };
    merge.records = merge.standing_records(&base.map(records).unwrap_or_default());
    let empty = Object::default();
    let before = base.map_or(&empty, IssueRow::object);
    let mut row = one.clone();
    for name in names([before, one.object(), other.object()]) {
        if APART.contains(&name.as_str()) {
            continue;
        }
        let value =
            merge.member(&name, before.get(&name), one.object().get(&name), other.object().get(&name));
        row = row.with(name, value);
    }
    let lease = merge.lease(base, one, other);
    row = row.with("lease", lease);
    settled(row, one, other, merge.records)
}

/// The names of the members of some objects, each once.
fn names(objects: [&Object<'static>; 3]) -> BTreeSet<String> {
    objects.iter().flat_map(|object| object.iter().map(|(name, _)| name.to_owned())).collect()
}

/// What follows from the fields together: only work in progress has a lease, only closed work was closed at a time.
fn settled(row: IssueRow, one: &IssueRow, other: &IssueRow, mut records: Records) -> IssueRow {
    let mut row = row;
    if row.status() == Status::InProgress {
        let owner = row.lease().map(|lease| lease.owner);
        let claimants = records.get("assignee");
        if let (Some(owner), Some(claimants)) = (owner, claimants)
            && claimants.iter().any(|(_, value)| value.as_text() == Some(owner.as_str()))
        {
            row = row.with("assignee", Some(Value::from(owner)));
        }
    } else {
        records.remove("lease");
        row = row.with("lease", None);
    }
    let closed_at = match row.status() {
        Status::Closed => latest(one.object().get("closed_at"), other.object().get("closed_at")),
        Status::Open | Status::InProgress | Status::Blocked | Status::Deleted | Status::Other => None,
    };
    with_records(row.with("closed_at", closed_at.cloned()), &records)
}

struct Merge {
    revs: [u64; 2],
    /// The records that the sides came with.
    known: [Records; 2],
    /// Those that the merged row has.
    records: Records,
}

impl Merge {
    /// The records of the sides: one that a side settled is settled, one that a side added is there.
    fn standing_records(&self, before: &Records) -> Records {
        let [one, other] = &self.known;
        let fields: BTreeSet<&String> = before.keys().chain(one.keys()).chain(other.keys()).collect();
        let mut standing = Records::new();
        for field in fields {
            let (base, left, right) = (before.get(field), one.get(field), other.get(field));
            let values = if left == right || right == base {
                left.cloned()
            } else if left == base {
                right.cloned()
            } else {
                Some(united(left.into_iter().chain(right).flatten().cloned()))
            };
            standing.extend(values.map(|values| (field.clone(), values)));
        }
        standing
    }

    fn member(
        &mut self,
        path: &str,
        base: Member<'_>,
        one: Member<'_>,
        other: Member<'_>,
    ) -> Option<Value<'static>> {
        if one == other || other == base {
            return one.cloned();
        }
        if one == base {
            return other.cloned();
        }
        match (path, one, other) {
            ("labels", _, _) => Some(set(base, one, other, encode, Places::Sorted)),
            ("comments", _, _) => Some(set(base, one, other, encode, Places::Kept)),
            ("dependencies", _, _) => Some(set(base, one, other, edge, Places::Kept)),
            ("updated_at" | "closed_at" | "deleted_at", _, _) => latest(one, other).cloned(),
            ("created_at", Some(one), Some(other)) => Some(smaller(one, other).clone()),
            ("notes", _, _) => match appended(base, one, other) {
                Some(text) => Some(Value::from(text)),
                None => self.disputed(path, one, other),
            },
            (_, Some(Value::Object(one)), Some(Value::Object(other))) => {
                let empty = Object::default();
                let base = base.and_then(Value::as_object).unwrap_or(&empty);
                Some(self.object(path, base, one, other))
            }
            _ => self.disputed(path, one, other),
        }
        .filter(|value| value.as_array().is_none_or(|items| !items.is_empty()))
    }

    fn object(
        &mut self,
        path: &str,
        base: &Object<'static>,
        one: &Object<'static>,
        other: &Object<'static>,
    ) -> Value<'static> {
        let members = names([base, one, other]).into_iter().filter_map(|name| {
            let path = format!("{path}.{name}");
            let value = self.member(&path, base.get(&name), one.get(&name), other.get(&name))?;
            Some((Cow::Owned(name), value))
        });
        let members: Vec<(Cow<'static, str>, Value<'static>)> = members.collect();
        Value::Object(Object::from_members(members).unwrap_or_default())
    }

    /// Both sides changed it: every value goes on record, the first of them by rule stands.
    fn disputed(&mut self, path: &str, one: Member<'_>, other: Member<'_>) -> Option<Value<'static>> {
        let candidates: Vec<(u64, Value<'static>)> = [one, other]
            .into_iter()
            .zip(self.revs)
            .zip(&self.known)
            .flat_map(|((value, rev), known)| {
                let value = value.cloned().unwrap_or(Value::Null);
                match known.get(path).filter(|known| known.iter().any(|(_, one)| *one == value)) {
                    Some(known) => known.clone(),
                    None => vec![(rev, value)],
                }
            })
            .collect();
        let values = united(candidates);
        let winner =
            values.iter().map(|(_, value)| value).max_by(|left, right| standing(path, left, right)).cloned();
        self.records.insert(path.to_owned(), values);
        winner.filter(|value| *value != Value::Null)
    }

    /// The lease of the side with the higher fence: what branches disagree about older ones is over.
    fn newer_lease(&mut self, side: usize, lease: Member<'_>) -> Option<Value<'static>> {
        match self.known.get(side).and_then(|known| known.get("lease")).cloned() {
            Some(record) => drop(self.records.insert("lease".to_owned(), record)),
            None => drop(self.records.remove("lease")),
        }
        lease.cloned()
    }

    /// The lease with the higher fence. Of two with the same fence the renewed one, the earlier one when they are different
    /// leases, and a lease before none: nobody is let in by a merge.
    fn lease(&mut self, base: Option<&IssueRow>, one: &IssueRow, other: &IssueRow) -> Option<Value<'static>> {
        let before = base.and_then(|base| base.object().get("lease"));
        let (left, right) = (one.object().get("lease"), other.object().get("lease"));
        match one.last_fence().cmp(&other.last_fence()) {
            Ordering::Greater => return self.newer_lease(0, left),
            Ordering::Less => return self.newer_lease(1, right),
            Ordering::Equal => {}
        }
        if left == right || right == before {
            return left.cloned();
        }
        if left == before {
            return right.cloned();
        }
        let (Some(left), Some(right)) = (left, right) else { return left.or(right).cloned() };
        let text = |lease: &Value<'static>, name: &str| {
            lease
                .as_object()
                .and_then(|lease| lease.get(name))
                .and_then(Value::as_text)
                .map(ToOwned::to_owned)
        };
        let holder = |lease: &Value<'static>| (text(lease, "lease_id"), text(lease, "owner"));
        if holder(left) == holder(right) {
            let key = |lease: &Value<'static>| (text(lease, "expires_at"), encode(lease));
            return Some(if key(left) >= key(right) { left.clone() } else { right.clone() });
        }
        self.disputed("lease", Some(left), Some(right))
    }
}

/// How two values that both sides want stand to each other: the greater one wins. Only the values have a say.
fn standing(path: &str, one: &Value<'static>, other: &Value<'static>) -> Ordering {
    let text = |value: &Value<'static>| encode(value);
    let by_rule = match path {
        "status" => rank(one).cmp(&rank(other)),
        "priority" => number(Some(other)).cmp(&number(Some(one))),
        "lease" => acquired(other).cmp(&acquired(one)),
        _ => {
            let length = |value: &Value<'static>| if *value == Value::Null { 0 } else { text(value).len() };
            length(one).cmp(&length(other))
        }
    };
    by_rule.then_with(|| text(one).cmp(&text(other)))
}

/// What keeps dependents back wins: a merge closes nothing that a branch holds open.
fn rank(status: &Value<'static>) -> u8 {
    match status.as_text().map_or(Status::Open, Status::from_token) {
        Status::Blocked => 5,
        Status::InProgress => 4,
        Status::Open => 3,
        Status::Other => 2,
        Status::Closed => 1,
        Status::Deleted => 0,
    }
}

fn acquired<'v>(lease: &'v Value<'static>) -> Option<&'v str> {
    lease.as_object()?.get("acquired_at")?.as_text()
}

/// The later of two times; the one that is there.
fn latest<'v>(one: Member<'v>, other: Member<'v>) -> Member<'v> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if smaller(one, other) == one { other } else { one }),
        (one, other) => one.or(other),
    }
}

fn smaller<'v>(one: &'v Value<'static>, other: &'v Value<'static>) -> &'v Value<'static> {
    let time = |value: &Value<'static>| value.as_text().and_then(premath_wire::time::parse_time);
    let by_time = time(one).cmp(&time(other)).then_with(|| encode(one).cmp(&encode(other)));
    if by_time.is_gt() { other } else { one }
}

/// What a dependency is known by: its target and its kind, however they are spelled.
fn edge(entry: &Value<'static>) -> Vec<u8> {
    match dependency(entry) {
        Some(known) => format!("{} {}", known.kind.token(), known.depends_on).into_bytes(),
        None => encode(entry),
    }
}

/// How the items of a set stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    /// All of them in order of their bytes.
    Sorted,
    /// Those of the base first, as they stood there; new ones in order of their bytes.
    Kept,
}

/// Items that a side added are in, items that a side removed are out.
fn set(
    base: Member<'_>,
    one: Member<'_>,
    other: Member<'_>,
    key: impl Fn(&Value<'static>) -> Vec<u8>,
    places: Places,
) -> Value<'static> {
    let items = |member: Member<'_>| -> BTreeMap<Vec<u8>, Value<'static>> {
        let items = member.and_then(Value::as_array).unwrap_or_default();
        items.iter().map(|item| (key(item), item.clone())).collect()
    };
    let (before, left, right) = (items(base), items(one), items(other));
    let chosen = |key: &Vec<u8>| -> Option<Value<'static>> {
        let (base, one, other) = (before.get(key), left.get(key), right.get(key));
        if one == other || other == base {
            one.cloned()
        } else if one == base {
            other.cloned()
        } else {
            one.into_iter().chain(other).max_by_key(|item| encode(item)).cloned()
        }
    };
    let mut first: Vec<Vec<u8>> = Vec::new();
    if places == Places::Kept {
        let mut seen = BTreeSet::new();
        let keys = base.and_then(Value::as_array).unwrap_or_default().iter().map(&key);
        first = keys.filter(|key| seen.insert(key.clone())).collect();
    }
    let keys: BTreeSet<&Vec<u8>> = before.keys().chain(left.keys()).chain(right.keys()).collect();
    let mut rest: Vec<Value<'static>> =
        keys.into_iter().filter(|key| !first.contains(key)).filter_map(&chosen).collect();
    rest.sort_by_key(encode);
    Value::Array(first.iter().filter_map(&chosen).chain(rest).collect())
}
