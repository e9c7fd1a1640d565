//! Putting a package into force: a turn of the harness's own, closed and admitted by the kernel like any other.
//!
//! Everything that the turn claims is counted here, from reports that this repository made: nothing comes from a flag. A
//! report that does not count leaves its place empty, and the kernel refuses what is empty.

use std::sync::Arc;

use premath_bd::{
    Permit, PermitLedger, PolicyAction, PolicyApplied, PolicyChange, PolicyStore, Spend, StoreError,
    TurnGrant,
};
use premath_kernel::Digest;
use premath_wire::Json;
use premath_wire::v1::{
    ConfusionRow, GUARDRAILS_REPORT_KIND, GuardrailsResult, Lineage, PromotionEvaluation, PromotionEvidence,
    PromotionRedTeam, PromotionRow, RED_TEAM_REPORT_KIND, ReasonRow, RedTeamResult,
};

use super::gates::Gates;
use super::harness_turn::turn;
use super::measure::{Dataset, Measure};
use super::promotions::{recorded, refused};
use super::reports::{Made, ReportAt, Vouched, kept, read, vouched};
use crate::authority::{InstructionScope, Linked, NewInstruction, issue_instruction};
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

const EVALUATION_UNMET: &str = "governance.eval_gate_unmet";
const LINEAGE_MISSING: &str = "governance.eval_lineage_missing";
const RED_TEAM_UNMET: &str = "governance.redteam_gate_unmet";

/// Where the reports are.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    pub(crate) evaluation: Option<ReportAt>,
    pub(crate) red_team: Option<ReportAt>,
}

/// A change that is wanted.
#[derive(Debug)]
pub(crate) struct Promotion<'p> {
    pub(crate) change: PolicyChange,
    pub(crate) reports: Reports,
    pub(crate) gates: &'p Gates,
    /// The gates that the package brings along.
    pub(crate) brought: &'p Gates,
    pub(crate) measure: &'p dyn Measure,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Promoted {
    pub(crate) reasons: Vec<ReasonRow>,
    pub(crate) witness: Option<String>,
    pub(crate) row: Option<PromotionRow>,
}

impl Promoted {
    const fn refused(reasons: Vec<ReasonRow>, witness: Option<String>) -> Self {
        Self { reasons, witness, row: None }
    }
}

/// Closes the turn, has the intent admitted, and puts the package into force.
pub(crate) fn promote(host: &Host<'_>, wanted: Promotion<'_>) -> Result<Promoted, ActionError> {
    let (workspace, mut wanted) = (host.workspace, wanted);
    let evidence = Evidence::gather(workspace, &wanted)?;
    wanted.change.eval_report = evidence.evaluation.as_ref().map(|found| found.digest.as_str().to_owned());
    wanted.change.red_team_report = evidence.red_team.as_ref().map(|found| found.digest.as_str().to_owned());
    wanted.change.evidence = Some(evidence.recorded(wanted.gates));
    let action = wanted.change.action.name();
    let new = NewInstruction {
        name: action.to_owned(),
        intent: action.to_owned(),
        scope: InstructionScope::Repository,
        checks: vec!["store".to_owned()],
        claims: vec![action.to_owned()],
    };
    let linked = match issue_instruction(host, &new)? {
        Ok(linked) => linked,
        Err(why) => {
            let reasons = vec![reason(&why.class, "instruction", &why.detail)];
            return Ok(Promoted::refused(reasons, None));
        }
    };
    let turn = turn(&wanted, &evidence, &linked)?;
    let witness = turn.witness(workspace)?;
    let mut reasons = evidence.notes;
    let earned = match turn.grant() {
        Ok(grant) => spent(workspace, grant, &linked)?.map_err(|why| vec![why]),
        Err(more) => Err(more),
    };
    let permit = match earned {
        Ok(permit) => permit,
        Err(more) => {
            reasons.extend(more);
            refused(workspace, &wanted.change, &reasons, &witness)?;
            return Ok(Promoted::refused(reasons, Some(witness)));
        }
    };
    put(workspace, permit, &wanted.change, Some(witness))
}

/// Spends what the turn earned.
fn spent(
    workspace: &Workspace,
    grant: TurnGrant,
    linked: &Linked,
) -> Result<Result<Permit, ReasonRow>, ActionError> {
    let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, linked.id())?;
    let spend = Spend { door: "harness:promote", issue_id: None, again: false };
    Ok(ledger
        .spend(grant, &spend, workspace.clock.as_ref())?
        .map(Permit::Turn)
        .map_err(|why| reason("mutation.use_evidence_missing", "permit", &why.to_string())))
}

/// Goes back to what comes with premath, on the word of the person at the door: it is what would hold without any package,
/// so nothing has to be measured for it.
pub(crate) fn back_to_ours(
    workspace: &Workspace,
    permit: Permit,
    change: &PolicyChange,
) -> Result<Promoted, ActionError> {
    put(workspace, permit, change, None)
}

fn put(
    workspace: &Workspace,
    permit: Permit,
    change: &PolicyChange,
    witness: Option<String>,
) -> Result<Promoted, ActionError> {
    let store = PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone());
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let said = witness.clone().unwrap_or_else(|| "what comes with premath".to_owned());
    let reason = match store.apply(permit, change, &actor, workspace.clock.as_ref())? {
        PolicyApplied::InForce(row) => {
            recorded(workspace, &row, &said)?;
            return Ok(Promoted { reasons: Vec::new(), witness, row: Some(*row) });
        }
        PolicyApplied::Moved(now) => {
            let detail = format!("{now} is in force by now");
            reason("mutation.policy_digest_mismatch", "policies", &detail)
        }
        PolicyApplied::Refused(refusal) => reason("permit_mismatch", "policies", &refusal.detail),
    };
    refused(workspace, change, std::slice::from_ref(&reason), &said)?;
    Ok(Promoted::refused(vec![reason], witness))
}

pub(super) fn reason(class: &str, subject: &str, detail: &str) -> ReasonRow {
    ReasonRow { class: class.to_owned(), subject: subject.to_owned(), detail: detail.to_owned() }
}

/// What of the reports counts, and why the rest does not.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) evaluation: Option<Vouched<GuardrailsResult>>,
    pub(super) measured: Option<GuardrailsResult>,
    pub(super) red_team: Option<Vouched<RedTeamResult>>,
    notes: Vec<ReasonRow>,
}

impl Evidence {
    fn gather(workspace: &Workspace, wanted: &Promotion<'_>) -> Result<Self, ActionError> {
        let mut evidence = Self::default();
        evidence.evaluated(workspace, wanted)?;
        evidence.attacked(workspace, wanted)?;
        evidence.hold_gates(wanted)?;
        Ok(evidence)
    }

    fn evaluated(&mut self, workspace: &Workspace, wanted: &Promotion<'_>) -> Result<(), ActionError> {
        let Some(at) = &wanted.reports.evaluation else { return Ok(()) };
        let made = Made::by(workspace, "eval.guardrails")?;
        let counted = match vouched::<GuardrailsResult>(workspace, at, GUARDRAILS_REPORT_KIND, &made) {
            Ok(found) => counted(workspace, wanted, at, &found)?.map(|measured| (found, measured)),
            Err(why) => Err(why),
        };
        match counted {
            Ok((found, measured)) => {
                for unmet in wanted.gates.unmet_by_data(&measured) {
                    self.note(EVALUATION_UNMET, "evalReport", &unmet);
                }
                self.measured = Some(measured);
                self.evaluation = Some(found);
            }
            Err(why) => self.note(LINEAGE_MISSING, "evalReport", &why),
        }
        Ok(())
    }

    fn attacked(&mut self, workspace: &Workspace, wanted: &Promotion<'_>) -> Result<(), ActionError> {
        let Some(at) = &wanted.reports.red_team else { return Ok(()) };
        let made = Made::by(workspace, "redteam.run")?;
        let held = match vouched::<RedTeamResult>(workspace, at, RED_TEAM_REPORT_KIND, &made) {
            Ok(found) => whole(wanted, at, &found)?.map(|()| found),
            Err(why) => Err(why),
        };
        match held {
            Ok(found) => self.red_team = Some(found),
            Err(why) => self.note(RED_TEAM_UNMET, "redTeamReport", &why),
        }
        Ok(())
    }

    /// A package that brings milder gates than it may does not count as measured by either of them.
    fn hold_gates(&mut self, wanted: &Promotion<'_>) -> Result<(), ActionError> {
        let mut milder = wanted.brought.milder_than(&Gates::ours()?, "comes with premath");
        if wanted.change.action == PolicyAction::Promote {
            milder.extend(wanted.brought.milder_than(wanted.gates, "is in force"));
        }
        for one in milder {
            if one.is_about_red_team() {
                self.red_team = None;
                self.note(RED_TEAM_UNMET, one.gate, &one.detail);
            } else {
                self.measured = None;
                self.note(EVALUATION_UNMET, one.gate, &one.detail);
            }
        }
        Ok(())
    }

    /// What of it is put on record with the promotion.
    fn recorded(&self, gates: &Gates) -> PromotionEvidence {
        let evaluation = self.evaluation.as_ref().zip(self.measured.as_ref()).map(|(found, measured)| {
            evaluation_evidence(&found.report.lineage, &measured.overall, found.digest.as_str(), gates)
        });
        let red_team = self.red_team.as_ref();
        let red_team =
            red_team.map(|found| red_team_evidence(&found.report.result, found.digest.as_str(), gates));
        PromotionEvidence { evaluation, red_team }
    }

    fn note(&mut self, class: &str, subject: &str, detail: &str) {
        self.notes.push(reason(class, subject, detail));
    }
}

/// An evaluation as a promotion records it.
pub(crate) fn evaluation_evidence(
    lineage: &Lineage,
    figures: &ConfusionRow,
    report: &str,
    gates: &Gates,
) -> PromotionEvaluation {
    PromotionEvaluation {
        precision: figures.precision,
        recall: figures.recall,
        f1: figures.f1,
        gate: Json(gates.thresholds()),
        report_ref: report.to_owned(),
        dataset_lineage_ref: lineage.dataset_digest.clone(),
        grader_config_lineage_ref: lineage.grader_digest.clone(),
        metric_thresholds_ref: gates.evaluation_digest().as_str().to_owned(),
    }
}

/// A red team as a promotion records it.
pub(crate) fn red_team_evidence(result: &RedTeamResult, report: &str, gates: &Gates) -> PromotionRedTeam {
    PromotionRedTeam {
        probes: u64::try_from(result.probes.len()).unwrap_or(u64::MAX),
        failures: result.failures(),
        gate: Json(gates.red_team.clone()),
        report_ref: report.to_owned(),
    }
}

/// Whether a report is about this package and this gate. One on whose strength the package was in force before is held
/// against the gate of today by its figures.
fn about<R>(
    wanted: &Promotion<'_>,
    at: &ReportAt,
    found: &Vouched<R>,
    thresholds: &str,
) -> Result<(), String> {
    let lineage = &found.report.lineage;
    let package = wanted.change.package.digest();
    if lineage.package_digest != package.as_str() {
        return Err(format!("it is about {}, and {package} is to come into force", lineage.package_digest));
    }
    if matches!(at, ReportAt::Kept(_)) {
        return Ok(());
    }
    if lineage.thresholds_digest != thresholds {
        return Err(format!(
            "it was held against {}, and {thresholds} is in force",
            lineage.thresholds_digest
        ));
    }
    let (then, now) = (&found.report.tool_version, wanted.measure.version());
    if *then != now {
        return Err(format!("premath {then} measured it, and this is {now}: measure again"));
    }
    Ok(())
}

/// Whether a red team left nothing out of what there is now.
fn whole(
    wanted: &Promotion<'_>,
    at: &ReportAt,
    found: &Vouched<RedTeamResult>,
) -> Result<Result<(), String>, ActionError> {
    if let Err(why) = about(wanted, at, found, wanted.gates.red_team_digest().as_str()) {
        return Ok(Err(why));
    }
    if matches!(at, ReportAt::Kept(_)) {
        return Ok(Ok(()));
    }
    let (lineage, now) = (&found.report.lineage, wanted.measure.whole_red_team(&wanted.change.package)?);
    if lineage.dataset_digest != now.probes_digest {
        let detail = "it was made with some of the probes, or with others than there are: only \
                      `premath redteam run` without --plugin and --strategy counts";
        return Ok(Err(detail.to_owned()));
    }
    if lineage.grader_digest != now.grader_digest {
        return Ok(Err("the guards or their settings are not those that were attacked".to_owned()));
    }
    Ok(Ok(()))
}

/// The figures, counted again: the same data, the same guards, the same numbers, or nothing. For a package that comes back,
/// what its own data make of it with the guards of today.
fn counted(
    workspace: &Workspace,
    wanted: &Promotion<'_>,
    at: &ReportAt,
    found: &Vouched<GuardrailsResult>,
) -> Result<Result<GuardrailsResult, String>, ActionError> {
    if let Err(why) = about(wanted, at, found, wanted.gates.evaluation_digest().as_str()) {
        return Ok(Err(why));
    }
    let lineage = &found.report.lineage;
    let name = lineage.dataset_path.clone().unwrap_or_default();
    let bytes = match data(workspace, at, &name, &lineage.dataset_digest) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(format!("the data set `{name}` cannot be read: {error}"))),
    };
    if Digest::of_bytes(&bytes).as_str() != lineage.dataset_digest {
        return Ok(Err(format!("the data set `{name}` is not the one that was measured with")));
    }
    let again = wanted.measure.guardrails(&wanted.change.package, Dataset { name: &name, bytes: &bytes })?;
    if matches!(at, ReportAt::Kept(_)) {
        return Ok(Ok(again.result));
    }
    if again.grader_digest != lineage.grader_digest {
        return Ok(Err("the guards or their settings are not those that were measured".to_owned()));
    }
    if again.result.overall != found.report.result.overall {
        return Ok(Err("counted again, the figures are others".to_owned()));
    }
    Ok(Ok(again.result))
}

fn data(workspace: &Workspace, at: &ReportAt, name: &str, digest: &str) -> Result<Vec<u8>, StoreError> {
    match at {
        ReportAt::Named(_) => read(workspace, &workspace.root.join(name)),
        ReportAt::Kept(_) => kept(workspace, digest),
    }
}
