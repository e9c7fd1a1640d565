//! What a verification and the doctor answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAnswer {
    /// `workspace.verify`
    pub action: String,
    /// The folder that holds `.premath`.
    pub root: String,
    /// Whether nothing but warnings was found.
    pub ok: bool,
    /// How much was looked at.
    pub checked: CheckedCounts,
    /// How many problems fail the verification.
    pub error_count: u64,
    /// How many are only worth a word.
    pub warning_count: u64,
    /// How many a person accepted earlier, each on record as a witness.
    pub accepted_count: u64,
    /// How many of the problems are not listed.
    pub omitted_count: u64,
    /// What is not as it should be; the first thousand.
    pub problems: Vec<StoreProblem>,
    /// `ok`, `damaged`, or `not_verifiable_here`: nothing is damaged, and without the key of this clone nobody can tell who
    /// wrote it.
    pub state: VerifyState,
    /// What a person took over with `trust` or accepted with `doctor --fix`, as the audit log has it; the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<TakenOver>,
}

/// How a verification ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerifyState {
    /// Nothing but warnings was found.
    Ok,
    /// Something is not as it was written.
    Damaged,
    /// The key of this clone is not here.
    NotVerifiableHere,
}

/// A record that a person answered for logs which nothing else vouched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakenOver {
    /// The row of the audit log.
    pub audit_id: String,
    /// When.
    pub at: String,
    /// Who.
    pub actor: String,
    /// `workspace.trust` or `workspace.doctor`.
    pub by: String,
    /// Why, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The logs.
    pub paths: Vec<String>,
}

/// The answer of `trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAnswer {
    /// `workspace.trust`
    pub action: String,
    /// The folder that holds `.premath`.
    pub root: String,
    /// Whether everything that was asked for was taken over.
    pub ok: bool,
    /// `copied` or `upgrade`.
    pub mode: String,
    /// Why, in the words of the person.
    pub reason: String,
    /// The row of the audit log that says so; absent when there was nothing to take over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<String>,
    /// What was taken over.
    pub logs: Vec<TrustedLogRow>,
    /// What was not, because it contradicts itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<StoreProblem>,
    /// What is still not trusted, because nobody asked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<UntrustedLog>,
}

/// A log that was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustedLogRow {
    /// The file, from the root.
    pub path: String,
    /// How many lines it has.
    pub rows: u64,
    /// What they hash to.
    pub digest: String,
    /// Why it was not trusted: `foreign`, `unkeyed` or `rolled_back`.
    pub was: String,
}

/// A log that is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UntrustedLog {
    /// The file.
    pub path: String,
    /// Why: `foreign`, `unkeyed` or `rolled_back`.
    pub why: String,
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckedCounts {
    /// Logs, journals among them.
    pub logs: u64,
    /// Journals.
    pub journals: u64,
    /// Rows in all of them.
    pub rows: u64,
    /// Rows that are part of a chain.
    pub chained_rows: u64,
    /// Rows that stand before a chain and are not covered by it.
    pub unverified_rows: u64,
    /// Sessions and feature ledgers.
    pub documents: u64,
    /// Objects.
    pub objects: u64,
    /// Bytes in them.
    pub object_bytes: u64,
    /// Witnesses.
    pub witnesses: u64,
    /// References to objects and witnesses.
    pub references: u64,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreProblem {
    /// The stable class.
    pub class: String,
    /// How much it weighs.
    pub severity: super::Severity,
    /// The file.
    pub path: String,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was found.
    pub detail: String,
    /// What it means.
    pub meaning: String,
    /// What to do.
    pub hint: String,
}

/// The answer of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorAnswer {
    /// `workspace.doctor`
    pub action: String,
    /// The folder that holds `.premath`.
    pub root: String,
    /// Whether the stores are sound, warnings aside: after mending, when that was asked for.
    pub ok: bool,
    /// Whether mending was asked for.
    pub fix: bool,
    /// How much was looked at.
    pub checked: CheckedCounts,
    /// How many problems a person accepted earlier, each on record as a witness.
    pub accepted_count: u64,
    /// How many findings are not listed.
    pub omitted_count: u64,
    /// What is wrong: what is left, when mending was asked for.
    pub findings: Vec<DoctorFinding>,
    /// What was mended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<DoctorRepair>,
    /// What could not be mended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<DoctorFailure>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFinding {
    /// What is wrong, and where.
    #[serde(flatten)]
    pub problem: StoreProblem,
    /// What `--fix` does about it; absent when a person has to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// Something that was mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorRepair {
    /// The file.
    pub path: String,
    /// What was done.
    pub what: String,
    /// The copies that were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backups: Vec<String>,
    /// The witnesses that record what was accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness_refs: Vec<String>,
}

/// Something that could not be mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFailure {
    /// The file.
    pub path: String,
    /// Why.
    pub detail: String,
}
