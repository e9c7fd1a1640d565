//! What `verify` looks at among instructions and permits: every change that names a permit has it in the ledger, every permit
//! that was spent has its turn in a journal, every instruction that was issued has its witness and its envelope, and every
//! approval that was used has its run.
//!
//! Ledgers, envelopes, runs and the desk stay on their machine. A change that came with a clone may name a ledger that never
//! was here; what this clone recorded itself must be here. It must not change anything.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::issues::FileIssues;
use premath_bd::{
    Access, Journal, PermitLedger, ProblemClass, RecordedHere, StoreError, ledgers, runs_folder,
    witness_of_reference,
};
use premath_kernel::Value;
use premath_wire::v1::{FindingState, InstructionWitness, PermitRow, Severity, StoreProblem};

use super::spent_turns::without_turn;
use super::witness::{read_witness, witness_path};
use crate::actions::{finding_state, repository};
use crate::desk_store::existing_desk;
use crate::workspace::{Workspace, shown};

/// Where premath keeps the envelopes that it writes itself.
const ENVELOPES: &str = ".premath/instructions/";
/// Checks that premath does itself leave no output behind.
const BUILT_IN: &str = "premath:";

/// What does not fit.
///
/// # Errors
/// `Io` when a file cannot be read.
pub(crate) fn permit_problems(
    workspace: &Workspace,
    recorded: &RecordedHere,
) -> Result<Vec<StoreProblem>, StoreError> {
    let (mut problems, mut all) = (Vec::new(), Vec::new());
    let mut spent: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for id in ledgers(workspace.disk.as_ref(), &workspace.root)? {
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, &id)?;
        let rows = match ledger.rows() {
            Err(StoreError::Corrupt { path, detail }) => {
                let meaning = "who cannot tell what was spent spends nothing";
                problems.push(damaged("permit.ledger_damaged", shown(&path), detail, meaning));
                continue;
            }
            rows => rows?,
        };
        problems.extend(witness_problems(workspace, ledger.path(), &id, &rows)?);
        let permits = rows.iter().filter_map(|row| row.permit_id.clone()).collect();
        all.extend(rows.into_iter().filter(|row| row.permit_id.is_some()));
        spent.insert(PermitLedger::reference(&id), permits);
    }
    problems.extend(turn_problems(workspace, &all)?);
    problems.extend(change_problems(workspace, &spent, recorded)?);
    Ok(problems)
}

/// What issue memory says of permits, held against the ledgers.
fn change_problems(
    workspace: &Workspace,
    spent: &BTreeMap<String, BTreeSet<String>>,
    recorded: &RecordedHere,
) -> Result<Vec<StoreProblem>, StoreError> {
    let issues = workspace.issues_path(None);
    let mut problems = Vec::new();
    let mut seen: BTreeMap<String, (String, u64)> = BTreeMap::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    FileIssues::new(Arc::clone(&workspace.disk), issues.clone()).each_row(|row| {
        let witness = row.object().get("write_witness").and_then(Value::as_object);
        let says = |name: &str| witness.and_then(|witness| witness.get(name)).and_then(Value::as_text);
        let (Some(instruction), Some(permit)) = (says("instruction_ref"), says("permit_id")) else { return };
        let change = (row.id().to_owned(), row.rev());
        if let Some(other) = seen.insert(permit.to_owned(), change.clone())
            && other != change
        {
            let detail =
                format!("{permit} is behind `{}` and behind `{}`, revision {}", other.0, change.0, change.1);
            let meaning = "a permit is for one change";
            problems.push(damaged("permit.spent_twice", shown(&issues), detail, meaning));
        }
        let said = format!("revision {} of `{}` names the permit {permit}", row.rev(), row.id());
        match spent.get(instruction) {
            Some(known) if known.contains(permit) => {}
            Some(_) => {
                let meaning = "every change that a permit stands behind is in the ledger of its instruction";
                problems.push(damaged("permit.unrecorded", shown(&issues), said, meaning));
            }
            None if !unknown.insert(instruction.to_owned()) => {}
            None => {
                let id = instruction.strip_prefix("instruction://").unwrap_or(instruction);
                let is_own = recorded.instructions.contains(id)
                    || says("turn_digest").is_some_and(|turn| recorded.turns.contains(turn));
                let detail = format!("{said}, and there is no ledger of {instruction}");
                problems.push(cited(is_own, shown(&issues), instruction.to_owned(), detail));
            }
        }
    })?;
    Ok(problems)
}

/// What is wrong with the turns of permits: at most one problem for each ledger.
fn turn_problems(workspace: &Workspace, rows: &[PermitRow]) -> Result<Vec<StoreProblem>, StoreError> {
    let mut gone: BTreeMap<String, Vec<PermitRow>> = BTreeMap::new();
    for row in without_turn(workspace, rows)? {
        gone.entry(row.instruction_id.clone()).or_default().push(row);
    }
    let mut problems = Vec::new();
    for (id, rows) in gone {
        let Some(first) = rows.first() else { continue };
        let permit = first.permit_id.as_deref().unwrap_or_default();
        let door = first.door.as_deref().unwrap_or_default();
        let detail = match rows.len() {
            1 => format!("the turn that `{door}` spent {permit} for is in no journal"),
            count => {
                format!("the turns of {count} permits are in no journal, the first {permit} of `{door}`")
            }
        };
        let meaning = "what a permit was spent for is on this machine for as long as the permit is";
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, &id)?;
        let path = shown(ledger.path());
        problems.push(StoreProblem {
            missing: first.turn_digest.clone(),
            ..missing("permit.turn_missing", path, detail, meaning)
        });
    }
    Ok(problems)
}

/// The witness that a ledger says was issued, and what that rests on.
fn witness_problems(
    workspace: &Workspace,
    ledger: &Path,
    id: &str,
    rows: &[PermitRow],
) -> Result<Vec<StoreProblem>, StoreError> {
    let issued = rows.iter().rfind(|row| row.event == "issued" || row.event == "rejected");
    let Some(issued) = issued.and_then(|row| row.witness_digest.as_deref()) else { return Ok(Vec::new()) };
    let path = shown(&witness_path(&workspace.root, id));
    let meaning = "changes are linked to a witness as it was when it was issued";
    Ok(match read_witness(workspace, id)? {
        Some((witness, digest)) if digest == issued => rests_on(workspace, &path, &witness)?,
        Some(_) => {
            let detail = "it is not what was issued".to_owned();
            vec![damaged("instruction.witness_changed", path, detail, meaning)]
        }
        None => {
            let detail = format!("the witness {path} that was issued is gone, or no witness any more");
            vec![StoreProblem {
                missing: Some(path),
                ..missing("instruction.witness_missing", shown(ledger), detail, meaning)
            }]
        }
    })
}

/// What a witness cites and is not there: its envelope, the record of its turn, and what its checks left behind.
fn rests_on(
    workspace: &Workspace,
    path: &str,
    witness: &InstructionWitness,
) -> Result<Vec<StoreProblem>, StoreError> {
    let stores = repository(workspace);
    let (objects, witnesses) = (stores.objects(), stores.witnesses());
    let mut gone = Vec::new();
    if witness.envelope_path.starts_with(ENVELOPES)
        && !exists(workspace, &workspace.root.join(&witness.envelope_path))?
    {
        gone.push(("the envelope", witness.envelope_path.clone()));
    }
    let join = witness.join_witness_ref.as_deref().and_then(witness_of_reference);
    if let Some(id) = join
        && !witnesses.contains(id)?
    {
        gone.push(("the witness of its turn", id.to_owned()));
    }
    for result in witness.results.iter().filter(|result| !result.command.starts_with(BUILT_IN)) {
        let Ok(id) = result.outcome_digest.parse() else { continue };
        if !objects.contains(&id)? {
            gone.push(("the outcome of a check", result.outcome_digest.clone()));
        }
    }
    let cited = |(what, name): (&str, String)| {
        let detail = format!("{what}, {name}, is not there");
        self::cited(true, path.to_owned(), name, detail)
    };
    Ok(gone.into_iter().map(cited).collect())
}

/// Approvals that runs used and whose runs have no journal any more.
///
/// # Errors
/// `Io`, `Corrupt` when the desk cannot be read.
pub(crate) fn approval_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, StoreError> {
    let desk = match existing_desk(workspace) {
        Ok(Some(desk)) => desk,
        // The check of the stores says what is wrong with it.
        Ok(None) | Err(StoreError::Corrupt { .. } | StoreError::Newer { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut problems = Vec::new();
    for (approval, run) in desk.used_approvals()? {
        // Hooks of other agents have sessions, and no journals.
        if run.contains(':') {
            continue;
        }
        let journal = Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), &run)?;
        if !exists(workspace, journal.path())? {
            let detail = format!("approval {approval} was used in run {run}, whose journal is gone");
            problems.push(cited(true, shown(desk.path()), format!("run://{run}"), detail));
        }
    }
    Ok(problems)
}

fn exists(workspace: &Workspace, path: &Path) -> Result<bool, StoreError> {
    match workspace.disk.open(path, Access::Read) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(StoreError::Io { doing: "open", path: PathBuf::from(path), source }),
    }
}

/// A citation of something that is gone, or that never was here.
fn cited(is_own: bool, path: String, missing: String, detail: String) -> StoreProblem {
    let class = if is_own { ProblemClass::ReferenceMissing } else { ProblemClass::ReferenceNotHere };
    StoreProblem {
        class: class.code().to_owned(),
        severity: if is_own { Severity::Error } else { Severity::Warning },
        state: finding_state(class.state()),
        path,
        line: None,
        missing: Some(missing),
        detail,
        meaning: class.meaning().to_owned(),
        hint: class.hint().to_owned(),
    }
}

fn missing(class: &str, path: String, detail: String, meaning: &str) -> StoreProblem {
    StoreProblem { state: FindingState::Missing, ..damaged(class, path, detail, meaning) }
}

fn damaged(class: &str, path: String, detail: String, meaning: &str) -> StoreProblem {
    StoreProblem {
        class: class.to_owned(),
        severity: Severity::Error,
        state: FindingState::Damaged,
        path,
        line: None,
        missing: None,
        detail,
        meaning: meaning.to_owned(),
        hint: "`premath permits list` shows the ledgers, `premath audit query` what was decided".to_owned(),
    }
}
