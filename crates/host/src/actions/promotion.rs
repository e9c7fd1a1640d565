//! `policy.promote`, `policy.rollback` and `policy.history`: which package is in force, and how it came to be.

use premath_bd::{PolicyAction, PolicyChange, PolicyFiles};
use premath_kernel::{Digest, Value};
use premath_wire::v1::{PromotionAnswer, PromotionListing, PromotionRow, RefusedAnswer, RefusedBecause};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use super::measuring::{package, store};
use crate::measured::{Gates, Promotion, Reports, path_of, promote as put_into_force, settle};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{Workspace, shown};

/// What `policy.promote` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct PromoteArgs {
    /// The folder of the package.
    from: Option<String>,
    /// The report about its guards.
    eval: Option<String>,
    /// The report of the red team.
    redteam: Option<String>,
}

/// What `policy.rollback` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct RollbackArgs {
    /// The package; the one before the one in force when nobody says.
    digest: Option<String>,
    /// The report about its guards, where it was never promoted.
    eval: Option<String>,
    /// The report of the red team, where it was never promoted.
    redteam: Option<String>,
}

/// `policy.promote`
pub(crate) fn promote(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: PromoteArgs = arguments(args)?;
    let from = told(args.from.as_deref()).ok_or_else(|| invalid("missing field", "from"))?;
    if let Some(refused) = shut(host.workspace, PolicyAction::Promote)? {
        return Ok(refused);
    }
    settle(host.workspace)?;
    let candidate = package(host.workspace, Some(from))?;
    let reports = Reports {
        evaluation: told(args.eval.as_deref()).map(|path| host.workspace.root.join(path)),
        red_team: told(args.redteam.as_deref()).map(|path| host.workspace.root.join(path)),
        kept_data: false,
    };
    changed(host, PolicyAction::Promote, candidate, reports)
}

/// `policy.rollback`
pub(crate) fn rollback(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: RollbackArgs = arguments(args)?;
    if let Some(refused) = shut(host.workspace, PolicyAction::Rollback)? {
        return Ok(refused);
    }
    let (workspace, packages) = (host.workspace, store(host.workspace));
    settle(workspace)?;
    let history = packages.history()?;
    let wanted = match told(args.digest.as_deref()) {
        Some(digest) => digest.to_owned(),
        None => history
            .last()
            .map(|last| last.previous_digest.clone())
            .ok_or_else(|| invalid("nothing was promoted yet", "digest"))?,
    };
    let digest = Digest::claimed(&wanted).ok_or_else(|| invalid("expected a digest", "digest"))?;
    let Some(candidate) = packages.kept(&digest)? else {
        return Err(invalid(format!("no package `{wanted}` was ever in force here"), "digest").into());
    };
    let promoted = history.iter().rev().find(|row| row.package_digest == wanted);
    let known = |typed: Option<&str>, prefix: &str, kept: Option<&String>| {
        let typed = told(typed).map(|path| workspace.root.join(path));
        typed.or_else(|| {
            kept.and_then(|text| Digest::claimed(text)).map(|one| path_of(workspace, prefix, &one))
        })
    };
    let evaluation = promoted.and_then(|row| row.eval_report.as_ref());
    let red_team = promoted.and_then(|row| row.red_team_report.as_ref());
    let reports = Reports {
        evaluation: known(args.eval.as_deref(), "eval", evaluation),
        red_team: known(args.redteam.as_deref(), "redteam", red_team),
        kept_data: true,
    };
    changed(host, PolicyAction::Rollback, candidate, reports)
}

/// `policy.history`
pub(crate) fn history(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Nothing {}
    let Nothing {} = arguments(args)?;
    let packages = store(host.workspace);
    let mut items: Vec<PromotionRow> = packages.history()?;
    items.reverse();
    let in_force = packages.in_force()?.digest();
    Answer::new(
        "ok",
        &PromotionListing {
            action: "policy.history".to_owned(),
            as_promoted: items.first().is_none_or(|last| last.package_digest == in_force.as_str()),
            package_digest: in_force.as_str().to_owned(),
            count: count(items.len()),
            items,
        },
    )
}

/// The refusal of a door that stays shut.
fn shut(workspace: &Workspace, action: PolicyAction) -> Result<Option<Answer>, ActionError> {
    let Err(refusal) = workspace.door.permit(action.name()) else { return Ok(None) };
    let refused =
        RefusedBecause { class: refusal.class.to_owned(), detail: refusal.detail, hint: refusal.hint };
    let issues_path = shown(&workspace.issues_path(None));
    let answer = RefusedAnswer { action: action.name().to_owned(), issues_path, refused };
    Answer::refused(refusal.class, &answer).map(Some)
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
    let before = store(host.workspace).in_force()?;
    let gates = Gates::of(&before)?;
    Gates::of(&candidate)?;
    let digest = candidate.digest();
    let files = candidate.iter().map(|(name, _)| name.to_owned()).collect();
    let change = PolicyChange {
        action,
        package: candidate,
        previous: before.digest(),
        eval_report: None,
        red_team_report: None,
    };
    let promoted = put_into_force(host.workspace, Promotion { change, reports, gates: &gates, measure })?;
    let payload = PromotionAnswer {
        action: action.name().to_owned(),
        ok: promoted.row.is_some(),
        package_digest: digest.as_str().to_owned(),
        previous_digest: before.digest().as_str().to_owned(),
        files,
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
