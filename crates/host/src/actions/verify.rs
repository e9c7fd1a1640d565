//! `workspace.verify`: everything durable against what vouches for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::{Checked, Problem, ProblemClass, Repository, verify};
use premath_kernel::Value;
use premath_wire::v1::{CheckedCounts, Severity, StoreProblem, VerifyAnswer, VerifyState};
use premath_wire::{UnknownFields, decode};

use super::doctor::unreadable_pins;
use super::issue::count;
use super::trust::taken_over;
use crate::authority::permit_problems;
use crate::measured::promotion_problems;
use crate::recording::audit_log;
use crate::scheme::announcement_problems;
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::{Workspace, shown};

const ACTION: &str = "workspace.verify";

/// `workspace.verify`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = decode(args, UnknownFields::Refuse)?;
    let answered = run(host.workspace, &mut |_| ())?;
    let mut answer = Answer::new(if answered.ok { "accepted" } else { "rejected" }, &answered)?;
    let errors = answered.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let classes: BTreeSet<&String> = errors.map(|problem| &problem.class).collect();
    answer.failure_classes = classes.into_iter().cloned().collect();
    Ok(answer)
}

/// Verifies a repository; `progress` hears how far it is.
///
/// # Errors
/// A folder without `.premath`, or one that cannot be listed.
pub fn run(
    workspace: &Workspace,
    progress: &mut dyn FnMut(&CheckedCounts),
) -> Result<VerifyAnswer, ActionError> {
    let verification = verify(&repository(workspace), &mut |checked| progress(&counts(checked)))?;
    let problems = &verification.problems;
    let mut more = promotion_problems(workspace)?;
    more.extend(permit_problems(workspace)?);
    more.extend(announcement_problems(workspace)?);
    more.extend(unreadable_pins(workspace).map(|found| found.problem));
    let wrong = more.iter().filter(|problem| problem.severity == Severity::Error).count();
    let (wrong, doubtful) = (count(wrong), count(more.len().saturating_sub(wrong)));
    let is_sound = problems.is_sound() && wrong == 0;
    let is_unknown = problems.kept().iter().any(|one| one.class == ProblemClass::NotVerifiableHere);
    let state = match (is_sound, is_unknown) {
        (false, _) => VerifyState::Damaged,
        (true, true) => VerifyState::NotVerifiableHere,
        (true, false) => VerifyState::Ok,
    };
    Ok(VerifyAnswer {
        action: ACTION.to_owned(),
        root: shown_root(workspace),
        ok: state == VerifyState::Ok,
        checked: counts(&verification.checked),
        error_count: problems.failures() + wrong,
        warning_count: problems.total().saturating_sub(problems.failures()) + doubtful,
        accepted_count: verification.accepted,
        omitted_count: problems.omitted(),
        problems: problems.kept().iter().map(row).chain(more).collect(),
        state,
        taken_over: taken_over(&audit_log(workspace))?,
    })
}

/// The workspace as its stores see it.
pub(crate) fn repository(workspace: &Workspace) -> Repository {
    Repository {
        disk: Arc::clone(&workspace.disk),
        clock: Arc::clone(&workspace.clock),
        ids: Arc::clone(&workspace.ids),
        root: workspace.root.clone(),
        issues: workspace.issues_path(None),
    }
}

/// The root as a person would write it.
pub(crate) fn shown_root(workspace: &Workspace) -> String {
    if workspace.root.as_os_str().is_empty() { ".".to_owned() } else { shown(&workspace.root) }
}

pub(crate) fn counts(checked: &Checked) -> CheckedCounts {
    CheckedCounts {
        logs: checked.logs,
        journals: checked.journals,
        rows: checked.rows,
        chained_rows: checked.chained_rows,
        unverified_rows: checked.unverified_rows,
        documents: checked.documents,
        objects: checked.objects,
        object_bytes: checked.object_bytes,
        witnesses: checked.witnesses,
        references: checked.references,
    }
}

pub(crate) fn row(problem: &Problem) -> StoreProblem {
    StoreProblem {
        class: problem.class.code().to_owned(),
        severity: if problem.class.is_warning() { Severity::Warning } else { Severity::Error },
        path: shown(&problem.path),
        line: problem.line,
        detail: problem.detail.clone(),
        meaning: problem.class.meaning().to_owned(),
        hint: problem.class.hint().to_owned(),
    }
}
