//! `workspace.doctor`: what is wrong with the stores, in words, and mending it.

use std::collections::BTreeSet;

use premath_bd::{
    Diagnosis, Doctor, DoctorError, Finding, Permit, PermitRefusal, PrivateRun, Repair, RepairFailure,
    StoreError, ToolPinStore,
};
use premath_kernel::{Object, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    CheckedCounts, DoctorAnswer, DoctorFailure, DoctorFinding, DoctorRepair, FindingState, RefusedAnswer,
    RefusedBecause, Severity, StoreProblem, StoreState,
};
use premath_wire::{UnknownFields, decode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::count;
use super::measuring::store;
use super::verify::{counts, evidence_problems, finding_state, repository, shown_root};
use crate::agent::retention;
use crate::measured::settle;
use crate::recording::Recorder;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{DoorRefusal, Workspace, shown};

const ACTION: &str = "workspace.doctor";

/// What it takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DoctorArgs {
    /// Whether what can be mended is mended.
    fix: bool,
}

/// What a doctor answers.
#[derive(Debug)]
pub enum DoctorOutcome {
    /// What is wrong, and what was mended.
    Answered(Box<DoctorAnswer>),
    /// The door stayed shut, and nothing was touched.
    Shut(DoorRefusal),
}

/// `workspace.doctor`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DoctorArgs = decode(args, UnknownFields::Refuse)?;
    match run(host.workspace, args.fix, &mut |_| ())? {
        DoctorOutcome::Answered(answered) => {
            let is_damaged = answered.state == StoreState::Damaged;
            let mut answer = Answer::new(if is_damaged { "rejected" } else { "accepted" }, &answered)?;
            let errors = answered.findings.iter().filter(|one| one.problem.severity == Severity::Error);
            let classes: BTreeSet<&String> = errors.map(|one| &one.problem.class).collect();
            answer.failure_classes = classes.into_iter().cloned().collect();
            answer.witness_refs =
                answered.repairs.iter().flat_map(|repair| repair.witness_refs.clone()).collect();
            Ok(answer)
        }
        DoctorOutcome::Shut(refusal) => Answer::refused(refusal.class, &refused(host.workspace, &refusal)),
    }
}

/// The refusal as it is answered.
#[must_use]
pub fn refused(workspace: &Workspace, refusal: &DoorRefusal) -> RefusedAnswer {
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

/// Examines a repository and mends it when asked; `progress` hears how far it is.
///
/// # Errors
/// A folder without `.premath`, or one that cannot be listed; another doctor at work.
pub fn run(
    workspace: &Workspace,
    fix: bool,
    progress: &mut dyn FnMut(&CheckedCounts),
) -> Result<DoctorOutcome, ActionError> {
    let doctor = Doctor::new(repository(workspace));
    let progress = &mut |checked: &premath_bd::Checked| progress(&counts(checked));
    if !fix {
        let mut answered = answer(workspace, &doctor.examine(progress)?)?;
        answered.findings.extend(left_behind(workspace)?.iter().map(|(_, finding)| finding.clone()));
        answered.findings.extend(cut_off(workspace)?);
        answered.findings.extend(unreadable_pins(workspace));
        return Ok(DoctorOutcome::Answered(Box::new(settled(answered))));
    }
    let permit: Permit = match workspace.door.permit(ACTION) {
        Ok(permit) => permit,
        Err(refusal) => return Ok(DoctorOutcome::Shut(refusal)),
    };
    match doctor.repair(permit, progress) {
        Ok(treatment) => {
            if !treatment.repairs.is_empty() {
                record(workspace, &treatment.repairs)?;
            }
            let mut deleted = delete_left_behind(workspace)?;
            deleted.extend(finish_cut_off(workspace)?);
            deleted.extend(move_damaged_pins(workspace)?);
            let mut diagnosed = answer(workspace, &treatment.remaining)?;
            diagnosed.findings.extend(unreadable_pins(workspace));
            let diagnosed = settled(diagnosed);
            let is_mended = treatment.failures.is_empty();
            Ok(DoctorOutcome::Answered(Box::new(DoctorAnswer {
                ok: diagnosed.ok && is_mended,
                state: if is_mended { diagnosed.state } else { StoreState::Damaged },
                fix,
                repairs: treatment.repairs.iter().map(repair).chain(deleted).collect(),
                failures: treatment.failures.iter().map(failure).collect(),
                ..diagnosed
            })))
        }
        Err(DoctorError::Permit(refusal)) => Ok(DoctorOutcome::Shut(shut(&refusal))),
        Err(DoctorError::Store(error)) => Err(error.into()),
    }
}

/// The private stores of runs that are over, as findings.
fn left_behind(workspace: &Workspace) -> Result<Vec<(String, DoctorFinding)>, ActionError> {
    let finding = |(owner, store): (String, PrivateRun)| {
        let problem = StoreProblem {
            class: "doctor.private_left".to_owned(),
            severity: Severity::Warning,
            state: FindingState::Notice,
            path: shown(store.folder()),
            line: None,
            missing: None,
            detail: "the run is over".to_owned(),
            meaning: "a process died before it deleted what its run was not to keep".to_owned(),
            hint: "let `premath doctor --fix` do it".to_owned(),
        };
        (owner, DoctorFinding { problem, remedy: Some("delete it; no copy is kept".to_owned()) })
    };
    Ok(retention::left_behind(workspace)?.into_iter().map(finding).collect())
}

/// A promotion that was cut off, as a finding.
fn cut_off(workspace: &Workspace) -> Result<Option<DoctorFinding>, ActionError> {
    let store = store(workspace);
    if matches!(store.is_under_way(), Ok(false)) {
        return Ok(None);
    }
    let problem = StoreProblem {
        class: "doctor.promotion_cut_off".to_owned(),
        severity: Severity::Error,
        state: FindingState::Damaged,
        path: shown(&store.marker()),
        line: None,
        missing: None,
        detail: "every call of every run is denied until it is finished".to_owned(),
        meaning: "a process died while it put a policy package into place".to_owned(),
        hint:
            "`premath doctor --fix` finishes it, and so does the next `premath policy promote` or `rollback`"
                .to_owned(),
    };
    Ok(Some(DoctorFinding { problem, remedy: Some("put the rest of the package into place".to_owned()) }))
}

/// Finishes it.
fn finish_cut_off(workspace: &Workspace) -> Result<Option<DoctorRepair>, ActionError> {
    let Some(found) = cut_off(workspace)? else { return Ok(None) };
    settle(workspace)?;
    let (path, what) = (found.problem.path, "finished a promotion that was cut off".to_owned());
    Ok(Some(DoctorRepair { path, what, backups: Vec::new(), witness_refs: Vec::new() }))
}

/// What was approved of other servers, where it cannot be read: then no run with such tools begins.
pub(super) fn unreadable_pins(workspace: &Workspace) -> Option<DoctorFinding> {
    let error = crate::foreign::store(workspace).read().err()?;
    let (hint, remedy) = match &error {
        // A file that cannot be had now is not a damaged one.
        StoreError::Io { .. } | StoreError::Busy { .. } | StoreError::Poisoned { .. } => return None,
        StoreError::Newer { .. } => ("use the version of premath that wrote it, or a newer one", None),
        StoreError::Missing { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Untrusted { .. }
        | StoreError::DerivedDamaged { .. }
        | StoreError::Input(_) => (
            "let `premath doctor --fix` move it aside; then approve again with `premath tools approve`",
            Some("move it aside; everything is asked for again".to_owned()),
        ),
    };
    let problem = StoreProblem {
        class: "doctor.tool_pins_damaged".to_owned(),
        severity: Severity::Error,
        state: FindingState::Damaged,
        path: shown(&workspace.lane(None, ToolPinStore::FILE_NAME)),
        line: None,
        missing: None,
        detail: error.to_string(),
        meaning: "nobody knows what was approved of other servers".to_owned(),
        hint: hint.to_owned(),
    };
    Some(DoctorFinding { problem, remedy })
}

/// Moves it aside, under a name that nothing has yet.
fn move_damaged_pins(workspace: &Workspace) -> Result<Option<DoctorRepair>, ActionError> {
    let Some(found) = unreadable_pins(workspace).filter(|found| found.remedy.is_some()) else {
        return Ok(None);
    };
    let path = workspace.lane(None, ToolPinStore::FILE_NAME);
    let at = format_time(to_millis(workspace.clock.now())).replace(':', "");
    let folder = workspace.lane(None, "backup");
    let kept = folder.join(format!("{at}-{}-{}", workspace.ids.fresh(), ToolPinStore::FILE_NAME));
    let unmoved = |source| StoreError::Io { doing: "move", path: path.clone(), source };
    workspace.disk.create_folder(&folder).map_err(unmoved)?;
    workspace.disk.rename(&path, &kept).map_err(unmoved)?;
    let (path, what) = (found.problem.path, "moved aside what was approved of other servers".to_owned());
    Ok(Some(DoctorRepair { path, what, backups: vec![shown(&kept)], witness_refs: Vec::new() }))
}

/// Deletes them.
fn delete_left_behind(workspace: &Workspace) -> Result<Vec<DoctorRepair>, ActionError> {
    let mut repairs = Vec::new();
    for (owner, finding) in left_behind(workspace)? {
        retention::delete_left(workspace, &owner)?;
        let what = "deleted".to_owned();
        let path = finding.problem.path;
        repairs.push(DoctorRepair { path, what, backups: Vec::new(), witness_refs: Vec::new() });
    }
    Ok(repairs)
}

/// What was mended, and where the record of what was accepted is.
fn record(workspace: &Workspace, repairs: &[Repair]) -> Result<(), StoreError> {
    let paths: Vec<Value<'_>> = repairs.iter().map(|repair| Value::from(shown(&repair.path))).collect();
    let witnesses = repairs.iter().flat_map(|repair| &repair.witnesses).cloned().map(Value::from).collect();
    let data = Object::fields()
        .field("authority", "maintenance")
        .non_empty("paths", paths)
        .non_empty("witnessRefs", witnesses)
        .finish();
    Recorder::open(workspace, &workspace.issues_path(None))?.upkeep(workspace, ACTION, data.into_owned())
}

fn shut(refusal: &PermitRefusal) -> DoorRefusal {
    DoorRefusal {
        class: "permit_mismatch",
        detail: refusal.detail.clone(),
        hint: "this door has no permit for repairs; run the command from a terminal".to_owned(),
    }
}

/// The diagnosis of the stores, and what is cited and not there beyond them.
fn answer(workspace: &Workspace, diagnosis: &Diagnosis) -> Result<DoctorAnswer, ActionError> {
    let evidence = evidence_problems(workspace, &diagnosis.recorded)?;
    let evidence = evidence.into_iter().map(|problem| DoctorFinding { problem, remedy: None });
    Ok(DoctorAnswer {
        action: ACTION.to_owned(),
        root: shown_root(workspace),
        ok: diagnosis.is_sound,
        state: if diagnosis.is_sound { StoreState::Ok } else { StoreState::Damaged },
        fix: false,
        checked: counts(&diagnosis.checked),
        accepted_count: diagnosis.accepted,
        omitted_count: diagnosis.omitted,
        findings: diagnosis.findings.iter().map(finding).chain(evidence).collect(),
        repairs: Vec::new(),
        failures: Vec::new(),
    })
}

/// The same with what all of its findings come to. Findings that are not listed count too.
fn settled(answered: DoctorAnswer) -> DoctorAnswer {
    let of = |is_one: &dyn Fn(&StoreProblem) -> bool| {
        count(answered.findings.iter().filter(|finding| is_one(&finding.problem)).count())
    };
    let errors = of(&|one| one.severity == Severity::Error);
    let not_here = of(&|one| one.state == FindingState::NotHere);
    let unverifiable = of(&|one| one.state == FindingState::NotVerifiableHere);
    let state = StoreState::of(errors, unverifiable, not_here).max(answered.state);
    DoctorAnswer { ok: state == StoreState::Ok, state, ..answered }
}

fn finding(finding: &Finding) -> DoctorFinding {
    DoctorFinding {
        problem: StoreProblem {
            class: finding.class.to_owned(),
            severity: if finding.is_warning { Severity::Warning } else { Severity::Error },
            state: finding_state(finding.state),
            path: shown(&finding.path),
            line: finding.line,
            missing: finding.missing.clone(),
            detail: finding.detail.clone(),
            meaning: finding.meaning.to_owned(),
            hint: finding.hint.to_owned(),
        },
        remedy: finding.remedy.map(str::to_owned),
    }
}

fn repair(repair: &Repair) -> DoctorRepair {
    DoctorRepair {
        path: shown(&repair.path),
        what: repair.what.clone(),
        backups: repair.backups.iter().map(|path| shown(path)).collect(),
        witness_refs: repair.witnesses.clone(),
    }
}

fn failure(failure: &RepairFailure) -> DoctorFailure {
    let detail = if let StoreError::Io { source, .. } = &failure.error {
        format!("{}: {source}", failure.error)
    } else {
        failure.error.to_string()
    };
    DoctorFailure { path: shown(&failure.path), detail }
}
