//! The measurements that a promotion was admitted on, from its record; for rows of earlier versions, from the reports that
//! were kept. It must not count a report again: a promotion did.

use premath_bd::{PolicyFiles, PolicyStore};
use premath_kernel::Digest;
use premath_wire::v1::{
    GuardrailsResult, MeasureReport, PromotionEvaluation, PromotionEvidence, PromotionRedTeam, PromotionRow,
    RedTeamResult,
};
use serde::de::DeserializeOwned;

use crate::measured::{Gates, evaluation_evidence, kept_report, red_team_evidence};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What a promotion was admitted on. What cannot be found any more is left out, and the kernel refuses what is left out.
pub(crate) fn promotion_evidence(
    workspace: &Workspace,
    store: &PolicyStore,
    row: &PromotionRow,
) -> Result<PromotionEvidence, ActionError> {
    if let Some(evidence) = &row.evidence {
        return Ok(evidence.clone());
    }
    let previous = Digest::claimed(&row.previous_digest);
    let before = match previous {
        Some(digest) => store.kept(&digest)?.unwrap_or_default(),
        None => PolicyFiles::default(),
    };
    let gates = Gates::of(&before)?;
    Ok(PromotionEvidence {
        evaluation: evaluation(workspace, row, &gates),
        red_team: red_team(workspace, row, &gates),
    })
}

fn evaluation(workspace: &Workspace, row: &PromotionRow, gates: &Gates) -> Option<PromotionEvaluation> {
    let digest = row.eval_report.as_ref()?;
    let report: MeasureReport<GuardrailsResult> = report(workspace, digest)?;
    Some(evaluation_evidence(&report.lineage, &report.result.overall, digest, gates))
}

fn red_team(workspace: &Workspace, row: &PromotionRow, gates: &Gates) -> Option<PromotionRedTeam> {
    let digest = row.red_team_report.as_ref()?;
    let report: MeasureReport<RedTeamResult> = report(workspace, digest)?;
    Some(red_team_evidence(&report.result, digest, gates))
}

fn report<R: DeserializeOwned>(workspace: &Workspace, digest: &str) -> Option<MeasureReport<R>> {
    let bytes = kept_report(workspace, digest).ok()?;
    serde_json::from_slice(&bytes).ok()
}
