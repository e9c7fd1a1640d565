//! `policy.promote`, `policy.rollback` and `policy.history`: which package is in force, and how it came to be.

use premath_bd::{Permit, PolicyAction, PolicyChange, PolicyFiles};
use premath_kernel::{Digest, Value};
use premath_wire::v1::{PromotionAnswer, PromotionListing, PromotionRow, RefusedAnswer, RefusedBecause};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use super::measuring::{gates_in_force, package, store};
use crate::governance::PackageStanding;
use crate::measured::{
    Gates, Promoted, Promotion, ReportAt, Reports, back_to_ours, promote as put_into_force,
    recorded_promotions, settle,
};
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::{Workspace, shown};

/// What `policy.promote` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromoteArgs {
    /// The folder of the package; `draft` instead names a draft.
    from: Option<String>,
    /// The draft of the package, by name.
    draft: Option<String>,
    /// The report about its guards.
    eval: Option<String>,
    /// The report of the red team.
    redteam: Option<String>,
}

/// What `policy.rollback` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RollbackArgs {
    /// The package, or `defaults` for what comes with premath; the one before the one in force when nobody says.
    digest: Option<String>,
    /// The report about its guards, where it was never promoted.
    eval: Option<String>,
    /// The report of the red team, where it was never promoted.
    redteam: Option<String>,
}

/// `policy.promote`
pub(crate) fn promote(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: PromoteArgs = arguments(args)?;
    if let Err(refused) = permit(host.workspace, PolicyAction::Promote)? {
        return Ok(refused);
    }
    settle(host.workspace)?;
    if told(args.from.as_deref()).is_none() && told(args.draft.as_deref()).is_none() {
        return Err(invalid("name the folder of a package, or a draft", "from").into());
    }
    let candidate = package(host.workspace, args.from.as_deref(), args.draft.as_deref(), "from")?;
    let named = |path: &Option<String>| told(path.as_deref()).map(|path| named(host.workspace, path));
    let reports = Reports { evaluation: named(&args.eval), red_team: named(&args.redteam) };
    changed(host, PolicyAction::Promote, candidate, reports)
}

/// `policy.rollback`
pub(crate) fn rollback(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: RollbackArgs = arguments(args)?;
    let permit = match permit(host.workspace, PolicyAction::Rollback)? {
        Ok(permit) => permit,
        Err(refused) => return Ok(refused),
    };
    let (workspace, packages) = (host.workspace, store(host.workspace));
    settle(workspace)?;
    let wanted = match told(args.digest.as_deref()) {
        Some(DEFAULTS) => PolicyFiles::default().digest().as_str().to_owned(),
        Some(digest) => digest.to_owned(),
        None => packages
            .history()?
            .pop()
            .map(|last| last.previous_digest)
            .ok_or_else(|| invalid("nothing was promoted yet", "digest"))?,
    };
    let digest = Digest::claimed(&wanted).ok_or_else(|| invalid("expected a digest", "digest"))?;
    if digest == PolicyFiles::default().digest() {
        return ours(host, permit);
    }
    let Some(candidate) = packages.kept(&digest)? else {
        return Err(invalid(format!("no package `{wanted}` was ever in force here"), "digest").into());
    };
    let promoted = recorded_promotions(workspace)?.into_iter().rfind(|row| row.package_digest == wanted);
    let at = |typed: &Option<String>, kept: Option<&String>| {
        let typed = told(typed.as_deref()).map(|path| named(workspace, path));
        typed.or_else(|| kept.and_then(|text| Digest::claimed(text)).map(ReportAt::Kept))
    };
    let evaluation = promoted.as_ref().and_then(|row| row.eval_report.as_ref());
    let red_team = promoted.as_ref().and_then(|row| row.red_team_report.as_ref());
    let reports = Reports { evaluation: at(&args.eval, evaluation), red_team: at(&args.redteam, red_team) };
    changed(host, PolicyAction::Rollback, candidate, reports)
}

/// What `rollback` calls the package that holds nothing: what comes with premath.
const DEFAULTS: &str = "defaults";

fn named(workspace: &Workspace, path: &str) -> ReportAt {
    ReportAt::Named(workspace.root.join(path))
}

/// Goes back to what comes with premath. Whoever could take the files away may do it in good order.
fn ours(host: &Host<'_>, permit: Permit) -> Result<Answer, ActionError> {
    let before = store(host.workspace).working_files()?;
    let change = PolicyChange {
        action: PolicyAction::Rollback,
        package: PolicyFiles::default(),
        previous: before.digest(),
        eval_report: None,
        red_team_report: None,
        evidence: None,
    };
    let promoted = back_to_ours(host.workspace, permit, &change)?;
    answered(&change, promoted)
}

/// `policy.history`
pub(crate) fn history(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let packages = store(host.workspace);
    let mut items: Vec<PromotionRow> = packages.history()?;
    let in_force = packages.working_files()?.digest();
    let as_promoted = PackageStanding::read(host.workspace)?.is_sound();
    items.reverse();
    Answer::new(
        "ok",
        &PromotionListing {
            action: "policy.history".to_owned(),
            as_promoted,
            package_digest: in_force.as_str().to_owned(),
            count: count(items.len()),
            items,
        },
    )
}

/// What the door gives, or its refusal.
fn permit(workspace: &Workspace, action: PolicyAction) -> Result<Result<Permit, Answer>, ActionError> {
    let refusal = match workspace.door.permit(action.name()) {
        Ok(permit) => return Ok(Ok(permit)),
        Err(refusal) => refusal,
    };
    let refused =
        RefusedBecause { class: refusal.class.to_owned(), detail: refusal.detail, hint: refusal.hint };
    let issues_path = shown(&workspace.issues_path(None));
    let answer = RefusedAnswer { action: action.name().to_owned(), issues_path, refused };
    Answer::refused(refusal.class, &answer).map(Err)
}

fn changed(
    host: &Host<'_>,
    action: PolicyAction,
    candidate: PolicyFiles,
    reports: Reports,
) -> Result<Answer, ActionError> {
    let measure = host.agent.measure();
    // Rules that do not load deny everything; such a package is not worth a gate.
    measure.check(&candidate)?;
    // What lies there now may have been edited: the gates that count are those of the package that was promoted.
    let before = store(host.workspace).working_files()?;
    let (gates, brought) = (gates_in_force(host.workspace)?, Gates::of(&candidate)?);
    let change = PolicyChange {
        action,
        package: candidate,
        previous: before.digest(),
        eval_report: None,
        red_team_report: None,
        evidence: None,
    };
    let wanted = Promotion { change: change.clone(), reports, gates: &gates, brought: &brought, measure };
    let promoted = put_into_force(host, wanted)?;
    answered(&change, promoted)
}

fn answered(change: &PolicyChange, promoted: Promoted) -> Result<Answer, ActionError> {
    let payload = PromotionAnswer {
        action: change.action.name().to_owned(),
        ok: promoted.row.is_some(),
        package_digest: change.package.digest().as_str().to_owned(),
        previous_digest: change.previous.as_str().to_owned(),
        files: change.package.iter().map(|(name, _)| name.to_owned()).collect(),
        reasons: promoted.reasons,
        witness_ref: promoted.witness.clone(),
        promotion: promoted.row,
    };
    let mut answer = Answer::new(if payload.ok { "accepted" } else { "rejected" }, &payload)?;
    answer.witness_refs = promoted.witness.into_iter().collect();
    answer.failure_classes = payload.reasons.iter().map(|reason| reason.class.clone()).collect();
    answer.failure_classes.sort();
    answer.failure_classes.dedup();
    Ok(answer)
}
