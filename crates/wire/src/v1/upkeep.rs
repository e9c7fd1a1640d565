//! What a verification, the doctor and the garbage collection answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the subject of a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingState {
    /// It is here and not what it should be.
    Damaged,
    /// It was here, something cites it, and it is gone.
    Missing,
    /// Something cites it, and this clone never had it: it belongs to the machine that made it.
    NotHere,
    /// It may be sound; without the key of this clone its author cannot be checked.
    NotVerifiableHere,
    /// It is sound and worth a word.
    Notice,
}

/// What a look at all stores comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoreState {
    /// Everything that is cited is here, and is what it should be.
    Ok,
    /// What is here is sound, and something is cited that this clone never had.
    NotHere,
    /// Nothing is damaged, and without the key of this clone nobody can tell who wrote it.
    NotVerifiableHere,
    /// Something is damaged or missing.
    Damaged,
}

impl StoreState {
    /// The state of stores by how many findings fail the check, lack the key, or cite what this clone never had.
    #[must_use]
    pub const fn of(errors: u64, unverifiable: u64, not_here: u64) -> Self {
        match (errors, unverifiable, not_here) {
            (0, 0, 0) => Self::Ok,
            (0, 0, _) => Self::NotHere,
            (0, _, _) => Self::NotVerifiableHere,
            (_, _, _) => Self::Damaged,
        }
    }
}

/// The answer of `verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyAnswer {
    /// `workspace.verify`
    pub action: String,
    /// The folder that holds `.premath`.
    pub root: String,
    /// Whether nothing but warnings was found, and everything that is cited is here.
    pub ok: bool,
    /// What it comes to. The exit code is 1 for `damaged`, 4 for `not_verifiable_here`, else 0.
    pub state: StoreState,
    /// How much was looked at.
    pub checked: CheckedCounts,
    /// How many problems fail the verification.
    pub error_count: u64,
    /// How many are about evidence that this clone never had.
    pub not_here_count: u64,
    /// How many are only worth a word.
    pub warning_count: u64,
    /// How many a person accepted earlier, each on record as a witness.
    pub accepted_count: u64,
    /// How many of the problems are not listed.
    pub omitted_count: u64,
    /// What is not as it should be; the first thousand.
    pub problems: Vec<StoreProblem>,
    /// What a person took over with `trust` or accepted with `doctor --fix`, as the audit log has it; the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<TakenOver>,
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
    /// Where what it is about stands.
    pub state: FindingState,
    /// The file.
    pub path: String,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What the file, or the line in it, cites and is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
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
    /// Whether the stores are sound, warnings aside, and everything that is cited is here: after mending, when that was asked
    /// for.
    pub ok: bool,
    /// What it comes to. The exit code is 1 for `damaged`, 4 for `not_verifiable_here`, else 0.
    pub state: StoreState,
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

/// The answer of `gc`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcAnswer {
    /// `workspace.gc`
    pub action: String,
    /// The folder that holds `.premath`.
    pub root: String,
    /// Whether nothing was removed, and the answer says what would be.
    pub dry_run: bool,
    /// Only objects that were last put before then are garbage: the minimum age, or the beginning of the oldest run that is
    /// under way, whichever is earlier.
    pub before: String,
    /// The runs that are under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live_runs: Vec<String>,
    /// The size that the store is brought down to; absent when all garbage goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// How many objects there were.
    pub objects: u64,
    /// How many bytes they took.
    pub object_bytes: u64,
    /// How many are cited.
    pub reachable: u64,
    /// How many are not cited, and too young to be garbage.
    pub young: u64,
    /// How many are garbage and stay, because the store is small enough.
    pub spared: u64,
    /// How many were removed, or would be.
    pub removed: u64,
    /// How many bytes they took.
    pub removed_bytes: u64,
    /// Files of writers that were killed: how many were removed, or would be.
    pub leftovers: u64,
    /// How many bytes they took.
    pub leftover_bytes: u64,
    /// The objects that were removed, or would be; the first thousand.
    pub items: Vec<String>,
}
