//! Which row an issue's row follows: the seal of the row before it, or of the rows that a merge brought together.
//!
//! Rows of older versions and of other programs do not say; what follows from that is decided in `merge`. It must not
//! change a row.

use std::borrow::Cow;

use premath_kernel::{Digest, Object, Value};

use super::row::{IssueRow, counted};
use super::signature::MAC;

/// The member of a row that holds its witness.
const WITNESS: &str = "write_witness";
/// What a row that brings others together says it was written for.
pub(super) const MERGE: &str = "issue.merge";

impl IssueRow {
    fn witness(&self) -> Option<&Object<'static>> {
        self.object().get(WITNESS).and_then(Value::as_object)
    }

    fn witness_text(&self, name: &str) -> Option<&str> {
        self.witness()?.get(name)?.as_text()
    }

    /// Its seal; none on rows of other programs.
    #[must_use]
    pub(super) fn seal(&self) -> Option<&str> {
        self.witness_text("digest")
    }

    /// What it is known by: its seal, else the digest of what it says.
    #[must_use]
    pub(super) fn version(&self) -> String {
        match self.seal() {
            Some(seal) => seal.to_owned(),
            None => Digest::of(&Value::Object(self.object().clone())).as_str().to_owned(),
        }
    }

    /// The versions it follows; none when it does not say.
    #[must_use]
    pub(super) fn parents(&self) -> Vec<&str> {
        let several = self.witness().and_then(|witness| witness.get("parents")).and_then(Value::as_array);
        let several = several.unwrap_or_default().iter().filter_map(Value::as_text);
        self.witness_text("parent").into_iter().chain(several).collect()
    }

    /// Whether a merge wrote it.
    #[must_use]
    pub(super) fn is_merge(&self) -> bool {
        self.witness_text("action") == Some(MERGE)
    }

    /// When it was written, as it says.
    pub(super) fn written_at(&self) -> &str {
        self.witness_text("at").unwrap_or_default()
    }

    /// The merged row of these parents, with a revision above every row of `among`, sealed. Independent of the clock: equal
    /// parents give equal bytes.
    #[must_use]
    pub(super) fn sealed_merge(self, parents: &[&Self], among: &[Self]) -> Self {
        let revs = parents.iter().copied().chain(among).map(Self::rev);
        let rev = revs.max().unwrap_or(0) + 1;
        let fence = parents.iter().map(|parent| parent.last_fence()).max().unwrap_or(0);
        let at = parents.iter().map(|parent| parent.written_at()).max().unwrap_or_default().to_owned();
        let mut versions: Vec<String> = parents.iter().map(|parent| parent.version()).collect();
        versions.sort();
        versions.dedup();
        let mut witness = Object::fields()
            .field("action", MERGE)
            .field("at", at)
            .field("authority", "maintenance")
            .field("parents", Value::Array(versions.into_iter().map(Value::from).collect()));
        if fence > 0 {
            witness = witness.field("fence", counted(fence));
        }
        self.with_seal(rev, witness.finish())
    }

    /// The row with other members and other parents, sealed anew where it was sealed; everything else its witness says stays.
    #[must_use]
    pub(super) fn resealed(self, rename: impl Fn(&str) -> String) -> Self {
        let Some(witness) = self.witness().filter(|witness| witness.get("digest").is_some()) else {
            return self;
        };
        let renamed = |value: &Value<'static>| match value.as_text() {
            Some(text) => Value::from(rename(text)),
            None => value.clone(),
        };
        let members: Vec<(Cow<'static, str>, Value<'static>)> = witness
            .iter()
            .filter(|(name, _)| *name != "digest" && *name != MAC)
            .map(|(name, value)| {
                let value = match (name, value) {
                    ("parent", value) => renamed(value),
                    ("parents", Value::Array(items)) => Value::Array(items.iter().map(renamed).collect()),
                    (_, value) => value.clone(),
                };
                (Cow::Owned(name.to_owned()), value)
            })
            .collect();
        let witness = Value::Object(Object::from_members(members).unwrap_or_default());
        let rev = self.rev();
        self.with_seal(rev, witness)
    }
}
