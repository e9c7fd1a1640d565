//! What `verify` looks at among instructions and permits: every change that names a permit has it in the ledger, every
//! permit that a door spent has its turn in a journal, and every witness that was issued is still what it was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use premath_bd::issues::FileIssues;
use premath_bd::{PermitLedger, StoreError, ledgers};
use premath_kernel::Value;
use premath_wire::v1::{PermitRow, Severity, StoreProblem};

use super::spent_turns::without_turn;
use super::witness::{read_witness, witness_path};
use crate::workspace::{Workspace, shown};

/// What does not fit.
///
/// # Errors
/// `Io` when a file cannot be read.
pub(crate) fn permit_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, StoreError> {
    let (mut problems, mut all) = (Vec::new(), Vec::new());
    let mut spent: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for id in ledgers(workspace.disk.as_ref(), &workspace.root)? {
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, &id)?;
        let rows = match ledger.rows() {
            Err(StoreError::Corrupt { path, detail }) => {
                let meaning = "who cannot tell what was spent spends nothing";
                problems.push(problem(
                    "permit.ledger_damaged",
                    Severity::Error,
                    shown(&path),
                    detail,
                    meaning,
                ));
                continue;
            }
            rows => rows?,
        };
        problems.extend(witness_problem(workspace, &id, &rows)?);
        let permits = rows.iter().filter_map(|row| row.permit_id.clone()).collect();
        all.extend(rows.into_iter().filter(|row| row.permit_id.is_some()));
        spent.insert(PermitLedger::reference(&id), permits);
    }
    problems.extend(turn_problems(workspace, &all)?);
    let issues = workspace.issues_path(None);
    let mut seen: BTreeMap<String, (String, u64)> = BTreeMap::new();
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
            problems.push(problem("permit.spent_twice", Severity::Error, shown(&issues), detail, meaning));
        }
        // A clone of the repository has the issues and not the ledgers, which belong to one machine.
        let Some(known) = spent.get(instruction) else { return };
        if !known.contains(permit) {
            let detail = format!("revision {} of `{}` names the permit {permit}", row.rev(), row.id());
            problems.push(problem(
                "permit.unrecorded",
                Severity::Error,
                shown(&issues),
                detail,
                "every change that a permit stands behind is in the ledger of its instruction",
            ));
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
        problems.push(problem("permit.turn_missing", Severity::Error, path, detail, meaning));
    }
    Ok(problems)
}

fn witness_problem(
    workspace: &Workspace,
    id: &str,
    rows: &[PermitRow],
) -> Result<Option<StoreProblem>, StoreError> {
    let issued = rows.iter().rfind(|row| row.event == "issued" || row.event == "rejected");
    let Some(issued) = issued.and_then(|row| row.witness_digest.as_deref()) else { return Ok(None) };
    let path = shown(&witness_path(&workspace.root, id));
    let meaning = "changes are linked to a witness as it was when it was issued";
    Ok(match read_witness(workspace, id)? {
        Some((_, digest)) if digest == issued => None,
        Some(_) => {
            let detail = "it is not what was issued".to_owned();
            Some(problem("instruction.witness_changed", Severity::Error, path, detail, meaning))
        }
        None => {
            let detail = "it is gone, or no witness any more".to_owned();
            Some(problem("instruction.witness_missing", Severity::Warning, path, detail, meaning))
        }
    })
}

fn problem(class: &str, severity: Severity, path: String, detail: String, meaning: &str) -> StoreProblem {
    StoreProblem {
        class: class.to_owned(),
        severity,
        path,
        line: None,
        detail,
        meaning: meaning.to_owned(),
        hint: "`premath permits list` shows the ledgers, `premath audit query` what was decided".to_owned(),
    }
}
