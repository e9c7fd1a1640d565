//! Issues that a requested change is about.
//!
//! The runtime looks the lineage up in issue memory; the kernel compares it with the scope of the role.

use crate::canon::{Object, Value};
use crate::scalar::{Text, TextSet};

/// An issue that a requested change is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueTarget {
    /// Which; for an issue that does not exist yet, `new`.
    pub issue_id: Text,
    /// The issues it descends from, as a child or as a discovery.
    pub lineage: TextSet,
}

impl IssueTarget {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("issueId", &self.issue_id)
            .non_empty("lineage", self.lineage.canonical())
            .finish()
    }
}
