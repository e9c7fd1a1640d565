//! One row of issue memory, with everything in it kept: fields of other tools, values we do not know.
//!
//! It must not drop or reorder meaning: a row that is read and written again differs only where it was changed.

use std::borrow::Cow;

use premath_kernel::{
    DependencyKind, Digest, IssueType, Lease, Moment, Number, Object, Status, Value, encode,
};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, parse_time};

use super::facts::{Dependency, Facts, dependency, priority};
use super::signature::MAC;
use crate::permit::Authority;

/// A row that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRow {
    object: Object<'static>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineProblemClass {
    /// It is not JSON that we can read.
    Unreadable,
    /// It is JSON, but no object with an id.
    NotAnIssue,
    /// The file begins with a byte order mark.
    ByteOrderMark,
    /// It lacks the newline at its end.
    Unterminated,
    /// It was cut short by an interrupted writer.
    Torn,
}

impl LineProblemClass {
    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unreadable => "issue_line.unreadable",
            Self::NotAnIssue => "issue_line.not_an_issue",
            Self::ByteOrderMark => "issue_line.byte_order_mark",
            Self::Unterminated => "issue_line.unterminated",
            Self::Torn => "issue_line.torn",
        }
    }

    /// Whether its content is lost to readers until it is mended.
    #[must_use]
    pub const fn hides_content(self) -> bool {
        matches!(self, Self::Unreadable | Self::NotAnIssue)
    }
}

/// A line that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// Which line, from 1.
    pub line: u64,
    /// What is wrong.
    pub class: LineProblemClass,
    /// In words.
    pub detail: String,
}

/// A line of the file, read.
pub(crate) enum Line<'l> {
    /// Nothing but white space.
    Blank,
    /// An issue.
    Issue(Box<(Facts, Value<'l>)>),
    /// Something else.
    Bad(LineProblemClass, String),
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The line without a byte order mark.
pub(crate) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Reads one line.
pub(crate) fn read_line(line: &[u8]) -> Line<'_> {
    let line = without_mark(line);
    if line.iter().all(u8::is_ascii_whitespace) {
        return Line::Blank;
    }
    match parse(line, Limits::default()) {
        Err(error) => Line::Bad(LineProblemClass::Unreadable, error.to_string()),
        Ok(value) => match Facts::read(&value) {
            Some(facts) => Line::Issue(Box::new((facts, value))),
            None => Line::Bad(LineProblemClass::NotAnIssue, "no object with an `id`".to_owned()),
        },
    }
}

/// The members of a line, borrowed from it; `None` when it is no issue. For whoever only shows rows.
#[must_use]
pub fn row_object(line: &[u8]) -> Option<Object<'_>> {
    match parse(without_mark(line), Limits::default()) {
        Ok(Value::Object(object)) if object.get("id").and_then(Value::as_text).is_some() => Some(object),
        _ => None,
    }
}

impl IssueRow {
    /// A row with nothing in it but its id.
    pub(crate) fn new(id: &str) -> Self {
        Self { object: Object::default() }.with("id", Some(Value::from(id.to_owned())))
    }

    /// The row of a line; `None` when it is none.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        match read_line(line) {
            Line::Issue(read) => Self::from_value(read.1.into_owned()),
            Line::Blank | Line::Bad(..) => None,
        }
    }

    /// The row that is this value; `None` when it is no object with an id.
    #[must_use]
    pub fn from_value(value: Value<'static>) -> Option<Self> {
        Facts::read(&value)?;
        if let Value::Object(object) = value { Some(Self { object }) } else { None }
    }

    /// The row as JSON.
    #[must_use]
    pub const fn object(&self) -> &Object<'static> {
        &self.object
    }

    /// What the graph needs to know of it.
    #[must_use]
    pub fn facts(&self) -> Option<Facts> {
        Facts::read(&Value::Object(self.object.clone()))
    }

    /// Its bytes: canonical, one line.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        encode(&Value::Object(self.object.clone()))
    }

    /// A text member, trimmed; blank is none.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.object.get(key).and_then(Value::as_text).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Which issue.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text("id").unwrap_or_default()
    }

    /// Where it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.text("status").map_or(Status::Open, Status::from_token)
    }

    /// What it is.
    #[must_use]
    pub fn issue_type(&self) -> IssueType {
        self.text("issue_type").map_or(IssueType::Task, IssueType::from_token)
    }

    /// How urgent it is.
    #[must_use]
    pub fn priority(&self) -> u8 {
        priority(self.object.get("priority"))
    }

    /// How often it was written.
    #[must_use]
    pub fn rev(&self) -> u64 {
        number(self.object.get("rev")).unwrap_or(0)
    }

    /// A time of it, if it can be read.
    #[must_use]
    pub fn time(&self, key: &str) -> Option<Moment> {
        self.text(key).and_then(parse_time)
    }

    /// Whether it is marked as short-lived.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.object.get("ephemeral").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Every dependency of it, also those that do not block.
    #[must_use]
    pub fn dependencies(&self) -> Vec<Dependency> {
        let items = self.object.get("dependencies").and_then(Value::as_array).unwrap_or_default();
        items.iter().filter_map(dependency).collect()
    }

    /// Its lease, read as well as can be: what is missing is blank, zero, or in the distant past.
    #[must_use]
    pub fn lease(&self) -> Option<Lease> {
        let lease = self.object.get("lease")?.as_object()?;
        let text = |key: &str| lease.get(key).and_then(Value::as_text).unwrap_or_default().trim().to_owned();
        let time = |key: &str| parse_time(&text(key));
        Some(Lease {
            lease_id: text("lease_id"),
            owner: text("owner"),
            acquired_at: time("acquired_at").unwrap_or(Moment::EPOCH),
            expires_at: time("expires_at").unwrap_or(Moment::EPOCH),
            renewed_at: time("renewed_at"),
            fence: number(lease.get("fence")).unwrap_or(0),
        })
    }

    /// The highest fence ever given for it, also after the lease is gone.
    #[must_use]
    pub fn last_fence(&self) -> u64 {
        let witness = self.object.get("write_witness").and_then(Value::as_object);
        let kept = witness.and_then(|witness| number(witness.get("fence"))).unwrap_or(0);
        self.lease().map_or(kept, |lease| kept.max(lease.fence))
    }

    /// The same row with a member set, or without it.
    #[must_use]
    pub(crate) fn with(self, key: impl Into<Cow<'static, str>>, value: Option<Value<'static>>) -> Self {
        let key = key.into();
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> = self
            .object
            .iter()
            .filter(|(name, _)| *name != key.as_ref())
            .map(|(name, value)| (Cow::Owned(name.to_owned()), value.clone()))
            .collect();
        members.extend(value.map(|value| (key, value)));
        Self { object: Object::from_members(members).unwrap_or_default() }
    }

    /// The same row with a text, or without it when the text is blank.
    #[must_use]
    pub(crate) fn with_text(self, key: &'static str, text: Option<&str>) -> Self {
        let text = text.filter(|text| !text.trim().is_empty());
        self.with(key, text.map(|text| Value::from(text.to_owned())))
    }

    /// The same row with a time.
    #[must_use]
    pub(crate) fn with_time(self, key: &'static str, moment: Option<Moment>) -> Self {
        self.with(key, moment.map(|moment| Value::from(format_time(moment))))
    }

    /// The same row with that lease, or none.
    #[must_use]
    pub(crate) fn with_lease(self, lease: Option<&Lease>) -> Self {
        let value = lease.map(|lease| {
            Object::fields()
                .field("acquired_at", format_time(lease.acquired_at))
                .field("expires_at", format_time(lease.expires_at))
                .field("fence", counted(lease.fence))
                .field("lease_id", lease.lease_id.clone())
                .field("owner", lease.owner.clone())
                .optional("renewed_at", lease.renewed_at.map(format_time))
                .finish()
        });
        self.with("lease", value)
    }

    /// The same row with one more dependency.
    #[must_use]
    pub(crate) fn with_dependency(self, depends_on: &str, kind: DependencyKind, by: Option<&str>) -> Self {
        let entry = Object::fields()
            .optional("created_by", by.map(ToOwned::to_owned))
            .field("depends_on_id", depends_on.to_owned())
            .field("issue_id", self.id().to_owned())
            .field("type", kind.token())
            .finish();
        let mut items = self.dependency_values();
        items.push(entry);
        self.with("dependencies", Some(Value::Array(items)))
    }

    /// The same row with only those dependencies that `keep` keeps; entries we cannot read stay.
    #[must_use]
    pub(crate) fn retaining(self, keep: impl Fn(&Dependency) -> bool) -> Self {
        let mut items = self.dependency_values();
        items.retain(|item| dependency(item).is_none_or(|known| keep(&known)));
        let value = if items.is_empty() { None } else { Some(Value::Array(items)) };
        self.with("dependencies", value)
    }

    fn dependency_values(&self) -> Vec<Value<'static>> {
        self.object.get("dependencies").and_then(Value::as_array).unwrap_or_default().to_vec()
    }

    /// Seals a row for writing: its revision, when it was written, on whose authority and what it follows, bound by a digest.
    #[must_use]
    pub(crate) fn sealed(
        self,
        before: Option<&Self>,
        action: &str,
        authority: &Authority,
        now: Moment,
    ) -> Self {
        let (rev, fence) = (self.rev() + 1, self.last_fence());
        let mut witness = Object::fields().field("action", action.to_owned()).field("at", format_time(now));
        for (name, value) in authority.members() {
            witness = witness.field(name, value.to_owned());
        }
        if fence > 0 {
            witness = witness.field("fence", counted(fence));
        }
        let witness = witness.optional("parent", before.map(Self::version)).finish();
        self.with_seal(rev, witness)
    }

    /// The row with a revision and a witness whose digest binds both to it.
    #[must_use]
    pub(super) fn with_seal(self, rev: u64, witness: Value<'static>) -> Self {
        let row = self.with("rev", Some(counted(rev))).with("write_witness", Some(witness.clone()));
        let digest = Digest::of(&Value::Object(row.object.clone()));
        let Value::Object(unsealed) = witness else { return row };
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> =
            unsealed.iter().map(|(name, value)| (Cow::Owned(name.to_owned()), value.clone())).collect();
        members.push((Cow::Borrowed("digest"), Value::from(digest.as_str().to_owned())));
        let sealed = Object::from_members(members).unwrap_or_default();
        row.with("write_witness", Some(Value::Object(sealed)))
    }

    /// Whether the seal fits the row; `None` when it has no seal of ours.
    #[must_use]
    pub fn seal_holds(&self) -> Option<bool> {
        let witness = self.object.get("write_witness")?.as_object()?;
        let claimed = witness.get("digest")?.as_text()?;
        let unsealed = Value::Object(witness.without("digest").without(MAC)).into_owned();
        let row = self.clone().with("write_witness", Some(unsealed));
        Some(Digest::of(&Value::Object(row.object)).as_str() == claimed)
    }
}

pub(super) fn number(value: Option<&Value<'_>>) -> Option<u64> {
    value.and_then(Value::as_number).and_then(Number::as_u64)
}

/// A count as JSON; beyond 2^53 - 1 it stays there.
pub(crate) fn counted(count: u64) -> Value<'static> {
    let largest = Number::unsigned((1 << 53) - 1);
    Number::unsigned(count).or(largest).map_or(Value::Null, Value::Number)
}
