//! Who holds what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `issue lease-projection`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseProjection {
    /// `issue.lease_projection`
    pub action: String,
    /// The issue memory.
    pub issues_path: String,
    /// How many leases are listed here.
    pub count: u64,
    /// How many there are, where `--limit` cut the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Leases that keep others out.
    pub active_count: u64,
    /// Leases that ran out.
    pub expired_count: u64,
    /// Leases that no claim could have given.
    pub invalid_count: u64,
    /// The leases, in natural order of the issues.
    pub items: Vec<LeaseRow>,
}

/// One lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseRow {
    /// The issue.
    pub issue_id: String,
    /// Names the lease.
    pub lease_id: String,
    /// Who holds it.
    pub owner: String,
    /// `active`, `expired` or `invalid`
    pub state: String,
    /// When it was given.
    pub acquired_at: String,
    /// When it ends.
    pub expires_at: String,
    /// When it was last made longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed_at: Option<String>,
    /// What every write by its holder names.
    pub fence: u64,
    /// Whom the row names as working on the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}
