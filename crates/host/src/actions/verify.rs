//! `workspace.verify`: everything durable against what vouches for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::{Checked, Problem, ProblemClass, ProblemState, RecordedHere, Repository, verify};
use premath_kernel::Value;
use premath_wire::v1::{CheckedCounts, FindingState, Severity, StoreProblem, StoreState, VerifyAnswer};
use premath_wire::{UnknownFields, decode};

use super::doctor::unreadable_pins;
use super::issue::count;
use super::trust::taken_over;
use crate::authority::{approval_problems, permit_problems};
use crate::governance::{kept_copy_problems, package_problems};
use crate::measured::{promotion_problems, report_problems};
use crate::recording::audit_log;
use crate::scheme::announcement_problems;
use crate::table::{ActionError, Answer, Host, Nothing};
use crate::workspace::{Workspace, shown};

const ACTION: &str = "workspace.verify";

/// `workspace.verify`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = decode(args, UnknownFields::Refuse)?;
    let answered = run(host.workspace, &mut |_| ())?;
    let is_damaged = answered.state == StoreState::Damaged;
    let mut answer = Answer::new(if is_damaged { "rejected" } else { "accepted" }, &answered)?;
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
    let mut more = evidence_problems(workspace, &verification.recorded)?;
    more.extend(announcement_problems(workspace)?);
    more.extend(unreadable_pins(workspace).map(|found| found.problem));
    let of = |state: &dyn Fn(&StoreProblem) -> bool| count(more.iter().filter(|one| state(one)).count());
    let wrong = of(&|one| one.severity == Severity::Error);
    let elsewhere = of(&|one| one.state == FindingState::NotHere);
    let errors = problems.failures() + wrong;
    let not_here = problems.elsewhere() + elsewhere;
    let all = problems.total() + count(more.len());
    let unverifiable = problems.kept().iter().any(|one| one.class == ProblemClass::NotVerifiableHere);
    let state = StoreState::of(errors, u64::from(unverifiable), not_here);
    Ok(VerifyAnswer {
        action: ACTION.to_owned(),
        root: shown_root(workspace),
        ok: state == StoreState::Ok,
        state,
        checked: counts(&verification.checked),
        error_count: errors,
        not_here_count: not_here,
        warning_count: all.saturating_sub(errors).saturating_sub(not_here),
        accepted_count: verification.accepted,
        omitted_count: problems.omitted(),
        problems: problems.kept().iter().map(row).chain(more).collect(),
        taken_over: taken_over(&audit_log(workspace))?,
    })
}

/// What is cited and not there, or not what it was, beyond what the stores know of each other: promotions and their reports,
/// permits with their instructions, witnesses and turns, approvals and their runs.
pub(crate) fn evidence_problems(
    workspace: &Workspace,
    recorded: &RecordedHere,
) -> Result<Vec<StoreProblem>, ActionError> {
    let mut problems = promotion_problems(workspace)?;
    problems.extend(package_problems(workspace)?);
    problems.extend(kept_copy_problems(workspace)?);
    problems.extend(report_problems(workspace, recorded)?);
    problems.extend(permit_problems(workspace, recorded)?);
    problems.extend(approval_problems(workspace)?);
    Ok(problems)
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
        state: finding_state(problem.class.state()),
        path: shown(&problem.path),
        line: problem.line,
        missing: problem.missing.clone(),
        detail: problem.detail.clone(),
        meaning: problem.class.meaning().to_owned(),
        hint: problem.class.hint().to_owned(),
    }
}

/// A state as answers say it.
pub(crate) const fn finding_state(state: ProblemState) -> FindingState {
    match state {
        ProblemState::Damaged => FindingState::Damaged,
        ProblemState::Missing => FindingState::Missing,
        ProblemState::NotHere => FindingState::NotHere,
        ProblemState::NotVerifiableHere => FindingState::NotVerifiableHere,
        ProblemState::Notice => FindingState::Notice,
    }
}
