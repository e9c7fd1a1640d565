//! Putting a package into force: a turn of the harness's own, closed and admitted by the kernel like any other.
//!
//! Everything that the turn claims is counted here, from reports that this repository made: nothing comes from a flag. A
//! report that does not count leaves its place empty, and the kernel refuses what is empty.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{
    AuditFilter, PolicyApplied, PolicyChange, PolicyStore, StoreError, audit_id, fresh_audit_id,
};
use premath_kernel::Digest;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    AuditKind, AuditRow, ConfusionRow, GUARDRAILS_REPORT_KIND, GuardrailsResult, PromotionRow,
    RED_TEAM_REPORT_KIND, ReasonRow, RedTeamResult,
};

use super::gates::Gates;
use super::harness_turn::turn;
use super::measure::{Dataset, Measure};
use super::reports::{Vouched, objects, read, vouched};
use crate::recording::audit_log;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What the audit log says of a package that came into force.
const APPLIED: &str = "applied";
/// The most rows about one intent that are looked at.
const MANY: usize = 10_000;

/// Where the reports are.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub(crate) evaluation: Option<PathBuf>,
    pub(crate) red_team: Option<PathBuf>,
    /// Whether the data may be taken from what was kept: a package that comes back was measured with what there was then.
    pub(crate) kept_data: bool,
}

/// A change that is wanted.
#[derive(Debug)]
pub(crate) struct Promotion<'p> {
    pub(crate) change: PolicyChange,
    pub(crate) reports: Reports,
    pub(crate) gates: &'p Gates,
    pub(crate) measure: &'p dyn Measure,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Promoted {
    pub(crate) reasons: Vec<ReasonRow>,
    pub(crate) witness: Option<String>,
    pub(crate) row: Option<PromotionRow>,
}

/// Closes the turn, has the intent admitted, and puts the package into force.
pub(crate) fn promote(workspace: &Workspace, wanted: Promotion<'_>) -> Result<Promoted, ActionError> {
    let mut wanted = wanted;
    let evidence = Evidence::gather(workspace, &wanted)?;
    wanted.change.eval_report = evidence.evaluation.as_ref().map(|found| found.digest.as_str().to_owned());
    wanted.change.red_team_report = evidence.red_team.as_ref().map(|found| found.digest.as_str().to_owned());
    let turn = turn(&wanted, &evidence)?;
    let witness = turn.witness(workspace)?;
    let mut reasons = evidence.notes;
    let permit = match turn.permit() {
        Ok(permit) => permit,
        Err(more) => {
            reasons.extend(more);
            refused(workspace, &wanted.change, &reasons, &witness)?;
            return Ok(Promoted { reasons, witness: Some(witness), row: None });
        }
    };
    let store = PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone());
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    match store.apply(permit, &wanted.change, &actor, workspace.clock.as_ref())? {
        PolicyApplied::InForce(row) => {
            recorded(workspace, &row, &witness)?;
            Ok(Promoted { reasons: Vec::new(), witness: Some(witness), row: Some(*row) })
        }
        PolicyApplied::Moved(now) => {
            let detail = format!("{now} is in force by now");
            let reason = reason("mutation.policy_digest_mismatch", "policies", &detail);
            refused(workspace, &wanted.change, std::slice::from_ref(&reason), &witness)?;
            Ok(Promoted { reasons: vec![reason], witness: Some(witness), row: None })
        }
        PolicyApplied::Refused(refusal) => {
            let reason = reason("permit_mismatch", "policies", &refusal.detail);
            refused(workspace, &wanted.change, std::slice::from_ref(&reason), &witness)?;
            Ok(Promoted { reasons: vec![reason], witness: Some(witness), row: None })
        }
    }
}

pub(super) fn reason(class: &str, subject: &str, detail: &str) -> ReasonRow {
    ReasonRow { class: class.to_owned(), subject: subject.to_owned(), detail: detail.to_owned() }
}

/// What of the reports counts, and why the rest does not.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) evaluation: Option<Vouched<GuardrailsResult>>,
    pub(super) measured: Option<ConfusionRow>,
    pub(super) red_team: Option<Vouched<RedTeamResult>>,
    notes: Vec<ReasonRow>,
}

impl Evidence {
    fn gather(workspace: &Workspace, wanted: &Promotion<'_>) -> Result<Self, ActionError> {
        let mut evidence = Self::default();
        if let Some(path) = &wanted.reports.evaluation {
            let found =
                vouched::<GuardrailsResult>(workspace, path, GUARDRAILS_REPORT_KIND, "eval.guardrails")?;
            match found {
                Ok(found) => match counted(workspace, wanted, &found)? {
                    Ok(measured) => {
                        evidence.measured = Some(measured);
                        evidence.evaluation = Some(found);
                    }
                    Err(why) => evidence.note("governance.eval_lineage_missing", "evalReport", &why),
                },
                Err(why) => evidence.note("governance.eval_lineage_missing", "evalReport", &why),
            }
        }
        if let Some(path) = &wanted.reports.red_team {
            let found = vouched::<RedTeamResult>(workspace, path, RED_TEAM_REPORT_KIND, "redteam.run")?;
            match found {
                Ok(found) => match about(wanted, &found, wanted.gates.red_team_digest().as_str()) {
                    Ok(()) => evidence.red_team = Some(found),
                    Err(why) => evidence.note("governance.redteam_gate_unmet", "redTeamReport", &why),
                },
                Err(why) => evidence.note("governance.redteam_gate_unmet", "redTeamReport", &why),
            }
        }
        Ok(evidence)
    }

    fn note(&mut self, class: &str, subject: &str, detail: &str) {
        self.notes.push(reason(class, subject, detail));
    }
}

/// Whether a report is about this package and this gate.
fn about<R>(wanted: &Promotion<'_>, found: &Vouched<R>, thresholds: &str) -> Result<(), String> {
    let lineage = &found.report.lineage;
    let package = wanted.change.package.digest();
    if lineage.package_digest != package.as_str() {
        return Err(format!("it is about {}, and {package} is to come into force", lineage.package_digest));
    }
    if lineage.thresholds_digest != thresholds {
        return Err(format!(
            "it was held against {}, and {thresholds} is in force",
            lineage.thresholds_digest
        ));
    }
    Ok(())
}

/// The figures, counted again: the same data, the same guards, the same numbers, or nothing.
fn counted(
    workspace: &Workspace,
    wanted: &Promotion<'_>,
    found: &Vouched<GuardrailsResult>,
) -> Result<Result<ConfusionRow, String>, ActionError> {
    if let Err(why) = about(wanted, found, wanted.gates.evaluation_digest().as_str()) {
        return Ok(Err(why));
    }
    let lineage = &found.report.lineage;
    let name = lineage.dataset_path.clone().unwrap_or_default();
    let bytes = match data(workspace, wanted, &name, &lineage.dataset_digest) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(format!("the data set `{name}` cannot be read: {error}"))),
    };
    if Digest::of_bytes(&bytes).as_str() != lineage.dataset_digest {
        return Ok(Err(format!("the data set `{name}` is not the one that was measured with")));
    }
    let again = wanted.measure.guardrails(&wanted.change.package, Dataset { name: &name, bytes: &bytes })?;
    if again.grader_digest != lineage.grader_digest {
        return Ok(Err("the guards or their settings are not those that were measured".to_owned()));
    }
    if again.result.overall != found.report.result.overall {
        return Ok(Err("counted again, the figures are others".to_owned()));
    }
    Ok(Ok(again.result.overall))
}

fn data(
    workspace: &Workspace,
    wanted: &Promotion<'_>,
    name: &str,
    digest: &str,
) -> Result<Vec<u8>, StoreError> {
    if wanted.reports.kept_data
        && let Some(id) = digest.strip_prefix("sha256:").and_then(|_| digest.parse().ok())
    {
        return objects(workspace).read_range(&id, 0, usize::MAX);
    }
    read(workspace, &workspace.root.join(name))
}

fn audit_row(workspace: &Workspace, effect: &str) -> AuditRow {
    let at = format_time(to_millis(workspace.clock.now()));
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    AuditRow::new(fresh_audit_id(workspace.ids.as_ref()), at, AuditKind::Policy, actor, effect)
}

/// Finishes what somebody began who died before its end: the files, and the row of the audit log.
pub(crate) fn settle(workspace: &Workspace) -> Result<(), ActionError> {
    let store = PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone());
    store.settle()?;
    let Some(last) = store.history()?.pop() else { return Ok(()) };
    let filter = AuditFilter {
        kind: Some(AuditKind::Policy),
        effect: Some(APPLIED.to_owned()),
        digest: Some(last.intent_digest.clone()),
        ..AuditFilter::default()
    };
    let id = promotion_audit_id(&last);
    let is_it = |row: &premath_kernel::Value<'_>| {
        row.as_object().and_then(|row| row.get("id")).and_then(premath_kernel::Value::as_text) == Some(&id)
    };
    if !audit_log(workspace).query(&filter, MANY)?.rows.iter().any(is_it) {
        recorded(workspace, &last, "whoever put it into force did not live to record it")?;
    }
    Ok(())
}

/// One promotion has one row, whoever writes it.
fn promotion_audit_id(promoted: &PromotionRow) -> String {
    audit_id(&format!("promotion {} {}", promoted.number, promoted.intent_digest))
}

fn recorded(workspace: &Workspace, promoted: &PromotionRow, witness: &str) -> Result<(), StoreError> {
    let mut row = audit_row(workspace, APPLIED);
    row.id = promotion_audit_id(promoted);
    row.tool = Some(promoted.action.clone());
    row.policy_digest = Some(promoted.package_digest.clone());
    row.turn_digest = Some(promoted.turn_digest.clone());
    row.intent_digest = Some(promoted.intent_digest.clone());
    row.targets = vec![promoted.previous_digest.clone(), promoted.package_digest.clone()];
    row.reason = Some(witness.to_owned());
    audit_log(workspace).append(&[row]).map(drop)
}

fn refused(
    workspace: &Workspace,
    change: &PolicyChange,
    reasons: &[ReasonRow],
    witness: &str,
) -> Result<(), StoreError> {
    let mut row = audit_row(workspace, "deny");
    row.tool = Some(change.action.name().to_owned());
    row.policy_digest = Some(change.package.digest().as_str().to_owned());
    row.code = reasons.first().map(|reason| reason.class.clone());
    let classes: Vec<&str> = reasons.iter().map(|reason| reason.class.as_str()).collect();
    row.reason = Some(format!("{}; {witness}", classes.join(", ")));
    audit_log(workspace).append(&[row]).map(drop)
}
