//! `audit.query` and `audit.verify`: what was decided and done, and whether the log still says so.

use premath_bd::issues::FileIssues;
use premath_bd::{AuditFilter, AuditLog, Cursor, LogReport, Problem, Unrecorded, unrecorded};
use premath_kernel::{Moment, Value};
use premath_wire::time::parse_time;
use premath_wire::v1::{
    AuditKind, AuditPage, AuditVerified, RefusedAnswer, RefusedBecause, Severity, StoreProblem,
    UnrecordedChange,
};
use premath_wire::{Canonical, InputError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, token, told};
use super::verify::{repository, row};
use crate::recording::audit_log;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// How many rows are listed when nobody says.
const LISTED: u64 = 50;
/// So many changes without a row are named; all of them are counted.
const NAMED: usize = 100;
const VERIFY: &str = "audit.verify";

/// What `audit.query` takes. Everything that is said must fit.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct QueryArgs {
    /// Only rows of this kind.
    kind: Option<String>,
    /// Only what came to this effect, such as `allow`, `deny` or `applied`.
    effect: Option<String>,
    /// Only what belongs to this run.
    run: Option<String>,
    /// Only what is about this issue.
    issue: Option<String>,
    /// Only this tool or action.
    tool: Option<String>,
    /// Only what is about this path.
    path: Option<String>,
    /// Only what this actor did.
    actor: Option<String>,
    /// Only refusals of this class.
    code: Option<String>,
    /// Only rows that name this digest.
    digest: Option<String>,
    /// Not before this time (RFC 3339).
    since: Option<String>,
    /// Before this time (RFC 3339).
    until: Option<String>,
    /// Only rows that say this somewhere, in capitals or not.
    q: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
    /// Where an earlier answer stopped.
    cursor: Option<String>,
}

/// `audit.query`
pub(crate) fn query(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: QueryArgs = arguments(args)?;
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let log = audit_log(host.workspace);
    let found = log.query(&filter(&args)?, limit)?;
    let items: Vec<Canonical<'_>> = found.rows.into_iter().map(Canonical).collect();
    Answer::new(
        "ok",
        &AuditPage {
            action: "audit.query".to_owned(),
            audit_path: shown(log.path()),
            count: count(items.len()),
            items,
            next_cursor: found.next.map(|cursor| cursor.to_string()),
            unreadable: found.unreadable,
        },
    )
}

fn filter(args: &QueryArgs) -> Result<AuditFilter, InputError> {
    let text = |text: &Option<String>| told(text.as_deref()).map(str::to_owned);
    let kind = told(args.kind.as_deref());
    Ok(AuditFilter {
        kind: kind.map(|kind| token(kind, "kind", &AuditKind::ALL, AuditKind::token)).transpose()?,
        effect: text(&args.effect),
        run: text(&args.run),
        call: None,
        issue: text(&args.issue),
        tool: text(&args.tool),
        about: None,
        path: text(&args.path),
        actor: text(&args.actor),
        code: text(&args.code),
        digest: text(&args.digest),
        since: time(args.since.as_deref(), "since")?,
        until: time(args.until.as_deref(), "until")?,
        text: text(&args.q),
        before: told(args.cursor.as_deref()).map(str::parse::<Cursor>).transpose()?,
    })
}

fn time(text: Option<&str>, key: &str) -> Result<Option<Moment>, InputError> {
    let read =
        |text| parse_time(text).ok_or_else(|| invalid("expected a time such as 2026-11-15T07:12:52Z", key));
    told(text).map(read).transpose()
}

/// What `audit.verify` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct VerifyArgs {
    /// Whether changes without a row get one.
    reconcile: bool,
}

/// `audit.verify`
pub(crate) fn verify(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let VerifyArgs { reconcile } = arguments(args)?;
    let workspace = host.workspace;
    if reconcile && let Err(refusal) = workspace.door.permit(VERIFY) {
        let refused =
            RefusedBecause { class: refusal.class.to_owned(), detail: refusal.detail, hint: refusal.hint };
        let issues_path = shown(&workspace.issues_path(None));
        let answer = RefusedAnswer { action: VERIFY.to_owned(), issues_path, refused };
        return Answer::refused(refusal.class, &answer);
    }
    let log = audit_log(workspace);
    let issues = FileIssues::new(std::sync::Arc::clone(&workspace.disk), workspace.issues_path(None));
    let lost = unrecorded(&log, &issues)?;
    let rows: Vec<_> = lost.iter().map(|lost| lost.row.clone()).collect();
    let added = if reconcile { log.append(&rows)? } else { 0 };
    let report = log.verify(&repository(workspace).witnesses(), &workspace.root)?;
    let answered = verified(&log, &report, &lost, added);
    if answered.ok {
        return Answer::new("accepted", &answered);
    }
    let mut answer = Answer::new("rejected", &answered)?;
    let errors = answered.problems.iter().filter(|problem| problem.severity == Severity::Error);
    answer.failure_classes = errors.map(|problem| problem.class.clone()).collect();
    answer.failure_classes.sort();
    answer.failure_classes.dedup();
    Ok(answer)
}

fn verified(log: &AuditLog, report: &LogReport, lost: &[Unrecorded], added: u64) -> AuditVerified {
    let problems = &report.problems;
    let first_bad = |problem: &&Problem| !problem.class.is_warning() && problem.line.is_some();
    let at = |problem: &Problem| -> StoreProblem { row(problem) };
    AuditVerified {
        action: VERIFY.to_owned(),
        audit_path: shown(log.path()),
        ok: problems.is_sound(),
        rows: report.rows,
        chained_rows: report.chained,
        head: report.last.as_ref().map(|link| link.digest.clone()),
        first_bad: problems.kept().iter().find(first_bad).map(at),
        error_count: problems.failures(),
        warning_count: problems.total().saturating_sub(problems.failures()),
        accepted_count: report.accepted,
        problems: problems.kept().iter().map(at).collect(),
        unrecorded_count: count(lost.len()),
        unrecorded: lost.iter().take(NAMED).map(change).collect(),
        added,
    }
}

fn change(lost: &Unrecorded) -> UnrecordedChange {
    UnrecordedChange {
        issue_id: lost.row.issue_id.clone(),
        rev: lost.rev,
        changed_by: lost.row.tool.clone().unwrap_or_default(),
        authority: lost.authority.clone(),
        at: lost.row.at.clone(),
    }
}
