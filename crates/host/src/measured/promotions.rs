//! Promotions on record: each has one row of the audit log, which names its row in the log of promotions by digest.
//!
//! Whoever depends on a promotion that was asks the audit log, not the log of promotions alone. It must not put a package
//! into force.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

use premath_bd::{
    Access, AuditFilter, PermitLedger, PolicyChange, PolicyFiles, PolicyStore, ProblemClass, RecordedHere,
    StoreError, audit_id, fresh_audit_id, ledgers, promotion_args_digest,
};
use premath_kernel::{Digest, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    AuditKind, AuditRow, FindingState, PermitRow, PromotionRow, ReasonRow, Severity, StoreProblem,
};

use super::reports::objects;
use crate::actions::{finding_state, repository};
use crate::recording::audit_log;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// What the audit log says of a package that came into force.
const APPLIED: &str = "applied";
/// The most rows that are looked at.
const MANY: usize = 10_000;

fn packages(workspace: &Workspace) -> PolicyStore {
    PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone())
}

fn audit_row(workspace: &Workspace, effect: &str) -> AuditRow {
    let at = format_time(to_millis(workspace.clock.now()));
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    AuditRow::new(fresh_audit_id(workspace.ids.as_ref()), at, AuditKind::Policy, actor, effect)
}

/// Finishes what somebody began who died before its end: the files, and the row of the audit log. Whether there was anything.
pub(crate) fn settle(workspace: &Workspace) -> Result<bool, ActionError> {
    let store = packages(workspace);
    let was_left = store.settle()?;
    let Some(last) = store.history()?.pop() else { return Ok(was_left) };
    let id = promotion_audit_id(&last);
    let is_it = |row: &Value<'_>| text(row, "id").as_deref() == Some(&id);
    if audit_log(workspace).query(&applied(), MANY)?.rows.iter().any(is_it) {
        return Ok(was_left);
    }
    if !is_permitted(workspace, &last)? {
        return Ok(was_left);
    }
    recorded(workspace, &last, "whoever put it into force did not live to record it")?;
    Ok(true)
}

/// Whether a permit was spent on exactly this change. A row that somebody wrote by hand has none, and is not recorded; going
/// back to what comes with premath needs none.
fn is_permitted(workspace: &Workspace, promoted: &PromotionRow) -> Result<bool, StoreError> {
    if promoted.package_digest == PolicyFiles::default().digest().as_str() {
        return Ok(true);
    }
    let args = promotion_args_digest(promoted);
    let is_it = |row: &PermitRow| {
        row.event == "spent"
            && row.args_digest.as_deref() == Some(args.as_str())
            && row.turn_digest.as_deref() == Some(&promoted.turn_digest)
            && row.intent_digest.as_deref() == Some(&promoted.intent_digest)
    };
    for name in ledgers(workspace.disk.as_ref(), &workspace.root)? {
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, &name)?;
        if ledger.rows()?.iter().any(is_it) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn applied() -> AuditFilter {
    AuditFilter { kind: Some(AuditKind::Policy), effect: Some(APPLIED.to_owned()), ..AuditFilter::default() }
}

fn text(row: &Value<'_>, name: &str) -> Option<String> {
    row.as_object()?.get(name)?.as_text().map(str::to_owned)
}

/// One promotion has one row, whoever writes it.
fn promotion_audit_id(promoted: &PromotionRow) -> String {
    audit_id(&format!("promotion {} {}", promoted.number, promoted.intent_digest))
}

/// What the audit log knows a row by.
fn row_digest(promoted: &PromotionRow) -> String {
    let bytes = serde_json::to_vec(promoted).unwrap_or_default();
    Digest::of_bytes(&bytes).as_str().to_owned()
}

pub(super) fn recorded(
    workspace: &Workspace,
    promoted: &PromotionRow,
    witness: &str,
) -> Result<(), StoreError> {
    let mut row = audit_row(workspace, APPLIED);
    row.id = promotion_audit_id(promoted);
    row.tool = Some(promoted.action.clone());
    row.args_digest = Some(row_digest(promoted));
    row.policy_digest = Some(promoted.package_digest.clone());
    let told = |digest: &String| Some(digest.clone()).filter(|digest| !digest.is_empty());
    row.turn_digest = told(&promoted.turn_digest);
    row.intent_digest = told(&promoted.intent_digest);
    row.targets = vec![promoted.previous_digest.clone(), promoted.package_digest.clone()];
    row.reason = Some(witness.to_owned());
    audit_log(workspace).append(&[row]).map(drop)
}

pub(super) fn refused(
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

/// Audit rows of promotions: what each says of its row, by id.
fn said(rows: &[Value<'_>]) -> BTreeMap<String, (Option<String>, Option<String>)> {
    let one =
        |row: &Value<'_>| Some((text(row, "id")?, (text(row, "argsDigest"), text(row, "policyDigest"))));
    rows.iter().filter_map(one).collect()
}

fn is_told(promoted: &PromotionRow, said: &(Option<String>, Option<String>)) -> bool {
    let (row, package) = said;
    package.as_deref() == Some(&promoted.package_digest)
        && row.as_deref().is_none_or(|digest| digest == row_digest(promoted))
}

/// The promotions that the audit log or a commit vouches for, the oldest first; none where the audit log cannot be believed.
///
/// The audit log stays on its machine: a promotion that came with the clone has its record elsewhere.
pub(crate) fn recorded_promotions(workspace: &Workspace) -> Result<Vec<PromotionRow>, StoreError> {
    let witnesses = repository(workspace).witnesses();
    let Ok(rows) = audit_log(workspace).vouched(&applied(), &witnesses, &workspace.root)? else {
        return Ok(Vec::new());
    };
    let known = said(&rows);
    let committed = packages(workspace).committed_changes()?;
    let is_recorded = |row: &PromotionRow, line: u64| match known.get(&promotion_audit_id(row)) {
        Some(said) => is_told(row, said),
        None => line <= committed,
    };
    let history = packages(workspace).history()?;
    Ok(history
        .into_iter()
        .zip(1..)
        .filter(|(row, line)| is_recorded(row, *line))
        .map(|(row, _)| row)
        .collect())
}

/// Whether the audit log agrees with the log of promotions about the newest one.
#[derive(Debug)]
pub(crate) enum Recording {
    /// It does.
    Agrees,
    /// It does not, and what it says instead.
    Differs(String),
}

/// Holds the newest promotion against the audit log; `None` where the log of promotions has none.
pub(crate) fn promotion_recording(
    workspace: &Workspace,
    newest: Option<&PromotionRow>,
) -> Result<Recording, StoreError> {
    let Some(row) = newest else {
        // A log of promotions that was deleted is known by the rows about it.
        let found = audit_log(workspace).query(&applied(), 1)?;
        return Ok(if found.rows.is_empty() {
            Recording::Agrees
        } else {
            let detail = "the audit log records a promotion, and `.premath/policy/promotions.jsonl` has none";
            Recording::Differs(detail.to_owned())
        });
    };
    Ok(match recorded_promotions(workspace)?.last() {
        Some(recorded) if recorded == row => Recording::Agrees,
        Some(_) | None => {
            Recording::Differs(format!("the audit log does not vouch for promotion {}", row.number))
        }
    })
}

/// What the log of promotions says and the audit log does not, and the other way round.
pub(crate) fn promotion_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, StoreError> {
    let path = workspace.root.join(".premath").join("policy").join("promotions.jsonl");
    let problem = |class: &str, severity: Severity, line: Option<u64>, detail: String| {
        StoreProblem {
        class: class.to_owned(),
        severity,
        state: if severity == Severity::Error { FindingState::Damaged } else { FindingState::Notice },
        path: shown(&path),
        line,
        missing: None,
        detail,
        meaning: "every package that came into force is on record twice, and the two must agree".to_owned(),
        hint: "`premath policy history` shows the log, `premath audit query --kind policy --effect applied` the record"
            .to_owned(),
    }
    };
    let history = match packages(workspace).history() {
        Ok(history) => history,
        Err(StoreError::Corrupt { detail, .. }) => {
            return Ok(vec![problem("policy.promotion_unreadable", Severity::Error, None, detail)]);
        }
        Err(error) => return Err(error),
    };
    let mut known = said(&audit_log(workspace).query(&applied(), MANY)?.rows);
    let committed = packages(workspace).committed_changes()?;
    let mut problems = Vec::new();
    for (at, row) in history.iter().enumerate() {
        let line = u64::try_from(at).ok().and_then(|at| at.checked_add(1));
        match known.remove(&promotion_audit_id(row)) {
            Some(said) if is_told(row, &said) => {}
            Some(_) => {
                let detail = format!("promotion {} is not what was recorded", row.number);
                problems.push(problem("policy.promotion_changed", Severity::Error, line, detail));
            }
            // It came with the clone: its record is on the machine that made it.
            None if line.is_some_and(|line| line <= committed) => {}
            // Whoever wrote the last one may have died before its record: the next promotion or `doctor --fix` adds it.
            None => {
                let is_last = at + 1 == history.len();
                let severity = if is_last { Severity::Warning } else { Severity::Error };
                let detail = format!("promotion {} has no row in the audit log", row.number);
                problems.push(problem("policy.promotion_unrecorded", severity, line, detail));
            }
        }
    }
    for (id, (_, package)) in known {
        let package = package.unwrap_or_default();
        let detail = format!("the audit log has `{id}` about {package}, and this log has no such promotion");
        problems.push(problem("policy.promotion_missing", Severity::Error, None, detail));
    }
    Ok(problems)
}

/// Reports that promotions rest on and that are not among the objects, and those on record whose files are gone.
///
/// Objects stay on their machine: a promotion that came with the clone may rest on one that never was here.
pub(crate) fn report_problems(
    workspace: &Workspace,
    recorded: &RecordedHere,
) -> Result<Vec<StoreProblem>, StoreError> {
    let promotions = workspace.root.join(".premath").join("policy").join("promotions.jsonl");
    let objects = objects(workspace);
    let mut problems = Vec::new();
    let history = match packages(workspace).history() {
        // It is reported as what it is.
        Err(StoreError::Corrupt { .. }) => Vec::new(),
        history => history?,
    };
    for (row, line) in history.iter().zip(1_u64..) {
        let is_own = recorded.policy_rows.contains(&promotion_audit_id(row));
        for digest in [&row.eval_report, &row.red_team_report].into_iter().flatten() {
            let Ok(id) = digest.parse() else { continue };
            if !objects.contains(&id)? {
                let detail = format!("promotion {} rests on the report {digest}, which is gone", row.number);
                problems.push(unreported(is_own, shown(&promotions), line, digest.clone(), detail));
            }
        }
    }
    let audit = audit_log(workspace);
    for (report, line) in &recorded.reports {
        // A command in a subfolder noted the whole path, and the repository may have moved since.
        let Some((_, name)) = report.rsplit_once('/') else { continue };
        let path = workspace.root.join(".premath").join("reports").join(name);
        match workspace.disk.open(&path, Access::Read) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let detail = format!("the report {report} was written, and is gone");
                problems.push(unreported(true, shown(audit.path()), *line, shown(&path), detail));
            }
            Err(source) => return Err(StoreError::Io { doing: "open", path, source }),
        }
    }
    Ok(problems)
}

fn unreported(is_own: bool, path: String, line: u64, missing: String, detail: String) -> StoreProblem {
    let class = if is_own { ProblemClass::ReferenceMissing } else { ProblemClass::ReferenceNotHere };
    StoreProblem {
        class: class.code().to_owned(),
        severity: if is_own { Severity::Error } else { Severity::Warning },
        state: finding_state(class.state()),
        path,
        line: Some(line),
        missing: Some(missing),
        detail,
        meaning: class.meaning().to_owned(),
        hint: class.hint().to_owned(),
    }
}
