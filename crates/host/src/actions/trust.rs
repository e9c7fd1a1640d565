//! `workspace.trust`: a person takes over logs that this clone did not write, with a reason, on record.
//!
//! For a repository that was copied, moved or restored, and for data from before logs were keyed. Each log is checked before
//! it is taken over, and the audit log says which, by whom and why; `verify` shows that for ever. It must not be reachable
//! for anything but a person at a terminal.

use premath_bd::{
    AuditLog, Distrust, DoctorError, JournalAnchor, Permit, PermitRefusal, TrustMode, Trusted, TrustedLog,
    audit_id, trust,
};
use premath_kernel::{Object, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    AuditKind, AuditRow, RefusedAnswer, RefusedBecause, TakenOver, TrustAnswer, TrustedLogRow, UntrustedLog,
};
use premath_wire::{InputClass, InputError, Json, JsonPath, UnknownFields, decode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::verify::{repository, row, shown_root};
use crate::agent::own_ledger;
use crate::recording::audit_log;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{DoorRefusal, Workspace, shown};

const ACTION: &str = "workspace.trust";
const DOCTOR: &str = "workspace.doctor";
/// Folders of logs that belong to a run, a door, a worker or an instruction.
const PRIVATE: [&str; 5] =
    [".premath/doors/", ".premath/permits/", ".premath/private/", ".premath/runs/", ".premath/workers/"];

/// What it takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TrustArgs {
    /// Why, in the person's words. Required.
    reason: Option<String>,
    /// Take over data from before logs were keyed, all of it.
    upgrade: bool,
    /// Also the journals and permits of these runs; the logs of the repository as a whole when absent.
    runs: Vec<String>,
    /// Everything.
    all: bool,
}

/// `workspace.trust`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: TrustArgs = decode(args, UnknownFields::Refuse)?;
    let workspace = host.workspace;
    let Some(reason) = args.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) else {
        let what = "say why you trust these logs, as `--reason TEXT`";
        let path = JsonPath::root().key("reason");
        return Err(InputError::new(InputClass::FieldMissing, what, path).into());
    };
    let permit: Permit = match workspace.door.permit(ACTION) {
        Ok(permit) => permit,
        Err(refusal) => return Answer::refused(refusal.class, &refused(workspace, &refusal)),
    };
    let mode = if args.upgrade { TrustMode::Upgrade } else { TrustMode::Copied };
    let selects = |log: &str| args.all || args.upgrade || selected(log, &args.runs);
    let mut audit_id = None;
    let trusted = trust(&repository(workspace), permit, mode, &selects, |logs| {
        audit_id = Some(record(workspace, logs, reason, mode)?);
        Ok::<(), TrustError>(())
    });
    let trusted = match trusted {
        Ok(trusted) => trusted,
        Err(TrustError::Doctor(DoctorError::Permit(refusal))) => {
            let refusal = shut(&refusal);
            return Answer::refused(refusal.class, &refused(workspace, &refusal));
        }
        Err(TrustError::Doctor(DoctorError::Store(error))) => return Err(error.into()),
        Err(TrustError::Record(error)) => return Err(error),
    };
    let answered = answer(workspace, &trusted, (reason, mode), audit_id);
    Answer::new(if answered.ok { "accepted" } else { "rejected" }, &answered)
}

/// Why logs were not taken over.
enum TrustError {
    Doctor(DoctorError),
    /// The record of it could not be written.
    Record(ActionError),
}

impl From<DoctorError> for TrustError {
    fn from(error: DoctorError) -> Self {
        Self::Doctor(error)
    }
}

impl From<ActionError> for TrustError {
    fn from(error: ActionError) -> Self {
        Self::Record(error)
    }
}

/// Whether a log is of the repository as a whole, or of one of the runs.
fn selected(log: &str, runs: &[String]) -> bool {
    if !PRIVATE.iter().any(|folder| log.starts_with(folder)) {
        return true;
    }
    runs.iter().any(|run| {
        // Its own journal, and those in its private store.
        let journal = log.strip_prefix(".premath/runs/").and_then(|rest| rest.split('/').next());
        let is_own = |name: &str| {
            name == run || name.strip_prefix(run.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        journal.is_some_and(is_own) || log == format!(".premath/permits/{}.jsonl", own_ledger(run))
    })
}

/// Records what will be taken over, and returns the id of the audit row.
fn record(
    workspace: &Workspace,
    logs: &[TrustedLog],
    reason: &str,
    mode: TrustMode,
) -> Result<String, ActionError> {
    let at = format_time(to_millis(workspace.clock.now()));
    let id = audit_id(&format!("{ACTION} {at} {}", workspace.ids.fresh()));
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let mut audit = AuditRow::new(id.clone(), at, AuditKind::Mutation, actor, "trusted");
    audit.tool = Some(ACTION.to_owned());
    audit.reason = Some(reason.to_owned());
    let journals = logs.iter().filter(|log| log.is_journal);
    let anchors = journals.map(|log| JournalAnchor::new(log.log.clone(), log.last.as_ref()).value());
    let paths = logs.iter().map(|log| Value::from(log.log.clone())).collect();
    let rows = logs.iter().map(|log| {
        Object::fields()
            .field("digest", log.digest.clone())
            .field("path", log.log.clone())
            .field("rows", premath_kernel::Number::unsigned(log.rows).map_or(Value::Null, Value::Number))
            .field("was", why(log.reason))
            .finish()
    });
    audit.data = Some(Json(
        Object::fields()
            .field("authority", "maintenance")
            .non_empty("journals", anchors.collect())
            .non_empty("logs", rows.collect())
            .field("mode", mode_name(mode))
            .non_empty("paths", paths)
            .finish(),
    ));
    audit_log(workspace).append(&[audit])?;
    Ok(id)
}

fn answer(
    workspace: &Workspace,
    trusted: &Trusted,
    (reason, mode): (&str, TrustMode),
    audit_id: Option<String>,
) -> TrustAnswer {
    TrustAnswer {
        action: ACTION.to_owned(),
        root: shown_root(workspace),
        ok: trusted.refused.is_empty(),
        mode: mode_name(mode).to_owned(),
        reason: reason.to_owned(),
        audit_id,
        logs: trusted
            .logs
            .iter()
            .map(|log| TrustedLogRow {
                path: log.log.clone(),
                rows: log.rows,
                digest: log.digest.clone(),
                was: why(log.reason).to_owned(),
            })
            .collect(),
        refused: trusted.refused.iter().map(row).collect(),
        left: trusted
            .left
            .iter()
            .map(|(path, reason)| UntrustedLog { path: shown(path), why: why(*reason).to_owned() })
            .collect(),
    }
}

const fn mode_name(mode: TrustMode) -> &'static str {
    match mode {
        TrustMode::Copied => "copied",
        TrustMode::Upgrade => "upgrade",
    }
}

const fn why(reason: Distrust) -> &'static str {
    match reason {
        Distrust::Foreign => "foreign",
        Distrust::Unkeyed => "unkeyed",
        Distrust::RolledBack => "rolled_back",
        Distrust::NoKey => "not_verifiable_here",
        Distrust::Unmerged => "unmerged",
    }
}

/// What people took over, as the audit log has it.
pub(super) fn taken_over(log: &AuditLog) -> Result<Vec<TakenOver>, ActionError> {
    let mut found = Vec::new();
    log.each(|row| found.extend(taken_over_row(row)))?;
    Ok(found)
}

fn taken_over_row(row: &Value<'_>) -> Option<TakenOver> {
    let row = row.as_object()?;
    let text = |name: &str| row.get(name).and_then(Value::as_text).map(str::to_owned);
    let by = text("tool").filter(|tool| [ACTION, DOCTOR].contains(&tool.as_str()))?;
    let data = row.get("data")?.as_object()?;
    // The doctor also mends what nobody has to answer for.
    data.get("witnessRefs").filter(|_| by == DOCTOR).or_else(|| data.get("logs"))?;
    let paths = data.get("paths").and_then(Value::as_array).unwrap_or_default();
    Some(TakenOver {
        audit_id: text("id")?,
        at: text("at")?,
        actor: text("actor")?,
        by,
        reason: text("reason"),
        paths: paths.iter().filter_map(Value::as_text).map(str::to_owned).collect(),
    })
}

fn refused(workspace: &Workspace, refusal: &DoorRefusal) -> RefusedAnswer {
    RefusedAnswer {
        action: ACTION.to_owned(),
        issues_path: shown(&workspace.issues_path(None)),
        refused: RefusedBecause {
            class: refusal.class.to_owned(),
            detail: refusal.detail.clone(),
            hint: refusal.hint.clone(),
        },
    }
}

fn shut(refusal: &PermitRefusal) -> DoorRefusal {
    DoorRefusal {
        class: "permit_mismatch",
        detail: refusal.detail.clone(),
        hint: "only a person takes logs over; run the command from a terminal".to_owned(),
    }
}
