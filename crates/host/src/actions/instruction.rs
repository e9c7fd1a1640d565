//! `instruction.check`, `instruction.run`, `instruction.witness` and `permit.list`: what an instruction is, what came of it,
//! and what was changed on its strength.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{PermitLedger, StoreError, ledgers};
use premath_kernel::Value;
use premath_wire::time::parse_time;
use premath_wire::v1::{
    InstructionCheckAnswer, InstructionRunAnswer, InstructionWitnessAnswer, PermitPage, RefusedAnswer,
    RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use super::issue_read::wanted;
use crate::authority::{
    Denied, Envelope, Policies, checked_id, decide, denied, evidence_missing, instruction_id_of, link,
    read_file, read_witness, run_envelope, standing_witness, witness_path,
};
use crate::table::{ActionError, Answer, Host, Link};
use crate::workspace::shown;

/// What an action takes that is about the envelope in a file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvelopeArgs {
    /// The file `<time>-<id>.json`.
    #[schemars(required)]
    path: Option<String>,
}

/// What `instruction.witness` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WitnessArgs {
    /// The instruction, by name.
    #[schemars(required)]
    instruction: Option<String>,
}

/// What `permit.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Only those of one instruction.
    instruction: Option<String>,
    /// Only those about one issue.
    issue: Option<String>,
    /// At most so many.
    limit: Option<u64>,
}

/// The file that is named, from the root of the repository.
fn file(host: &Host<'_>, args: &EnvelopeArgs) -> Result<PathBuf, ActionError> {
    let path = told(args.path.as_deref());
    let path = path.ok_or_else(|| invalid("name the file of an instruction", "path"))?;
    Ok(host.workspace.root.join(path))
}

/// `instruction.check`
pub(crate) fn check(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let path = file(host, &arguments(args)?)?;
    let id = instruction_id_of(&path)?;
    let envelope = Envelope::read(&read_file(host.workspace.disk.as_ref(), &path)?)?;
    let policies = Policies::load(host.workspace)?;
    let decision = decide(&envelope, &policies, host.workspace.instruction_author());
    let is_rejected = !decision.reasons.is_empty();
    let answer = InstructionCheckAnswer {
        action: "instruction.check".to_owned(),
        instruction_id: id,
        instruction_digest: envelope.digest.as_str().to_owned(),
        classification: decision.classification.clone(),
        decision: if is_rejected { "reject" } else { "execute" }.to_owned(),
        policy_id: decision.policy.map(|policy| policy.id.clone()),
        policy_digest: envelope.policy_digest.clone(),
        required_checks: envelope.requested_checks.clone(),
        granted_capabilities: decision.granted.clone(),
        failure_classes: decision.classes(),
        reasons: decision.reasons,
    };
    let mut effect = Answer::new(if is_rejected { "rejected" } else { "accepted" }, &answer)?;
    effect.failure_classes = answer.failure_classes;
    Ok(effect)
}

/// `instruction.run`
pub(crate) fn run(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let path = file(host, &arguments(args)?)?;
    // Whoever is refused at the door runs nothing; the policy decides about everybody else.
    if let Err(refusal) = host.workspace.door.permit("instruction.run") {
        let refused = RefusedAnswer {
            action: "instruction.run".to_owned(),
            issues_path: String::new(),
            refused: RefusedBecause {
                class: refusal.class.to_owned(),
                detail: refusal.detail.clone(),
                hint: refusal.hint.clone(),
            },
        };
        return Answer::refused(refusal.class, &refused);
    }
    let ran = match standing_witness(host, &path)? {
        Some(ran) => ran,
        None => run_envelope(host, &path)?,
    };
    let witness = ran.witness;
    let mut effect = Answer::new(
        &witness.verdict_class,
        &InstructionRunAnswer {
            action: "instruction.run".to_owned(),
            witness_path: shown(&witness_path(Path::new(""), &witness.instruction_id)),
            witness_digest: ran.witness_digest,
            witness: witness.clone(),
        },
    )?;
    effect.witness_refs.extend(witness.join_witness_ref);
    effect.failure_classes = witness.failure_classes;
    Ok(effect.linked(Some(Link {
        instruction_ref: PermitLedger::reference(&witness.instruction_id),
        policy_digest: witness.policy_digest,
        witness_ref: None,
    })))
}

/// `instruction.witness`
pub(crate) fn witness(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WitnessArgs = arguments(args)?;
    let named = told(args.instruction.as_deref());
    let named = named.ok_or_else(|| invalid("name an instruction", "instruction"))?;
    let id = named.strip_prefix("instruction://").unwrap_or(named);
    let workspace = host.workspace;
    if let Err(fault) = checked_id(id) {
        let why = evidence_missing(fault.what.clone(), "name the instruction, not a path");
        let door = workspace.door.name().unwrap_or("terminal");
        let what = Denied { action: "instruction.witness", issue_id: None, instruction: Some(id), door };
        denied(workspace, &what, &crate::agent::RunRefused { class: fault.class.to_owned(), ..why })?;
        return Err(fault.into());
    }
    let path = witness_path(&workspace.root, id);
    let Some((witness, witness_digest)) = read_witness(workspace, id)? else {
        return Err(StoreError::Missing { path }.into());
    };
    let refused = link(workspace, id)?.err();
    let mut effect = Answer::new(
        if refused.is_none() { "accepted" } else { "rejected" },
        &InstructionWitnessAnswer {
            action: "instruction.witness".to_owned(),
            witness_path: shown(&witness_path(Path::new(""), id)),
            witness_digest,
            is_valid: refused.is_none(),
            refused: refused.as_ref().map(|why| RefusedBecause {
                class: why.class.clone(),
                detail: why.detail.clone(),
                hint: why.hint.clone(),
            }),
            witness,
        },
    )?;
    effect.failure_classes.extend(refused.map(|why| why.class));
    Ok(effect)
}

/// `permit.list`
pub(crate) fn permits(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let (disk, root) = (&host.workspace.disk, &host.workspace.root);
    let limit = wanted(args.limit).unwrap_or(usize::MAX);
    let issue = told(args.issue.as_deref());
    let names = match told(args.instruction.as_deref()) {
        Some(named) => {
            let id = named.strip_prefix("instruction://").unwrap_or(named);
            checked_id(id)?;
            vec![id.to_owned()]
        }
        None => ledgers(disk.as_ref(), root)?,
    };
    let mut items = Vec::new();
    for name in names {
        let mut rows = PermitLedger::open(Arc::clone(disk), root, &name)?.rows()?;
        rows.retain(|row| issue.is_none_or(|issue| row.issue_id.as_deref() == Some(issue)));
        items.extend(rows.into_iter().rev());
    }
    // What was written at the same moment stays in its order.
    items.sort_by_cached_key(|row| std::cmp::Reverse(parse_time(&row.at)));
    let total = items.len();
    items.truncate(limit);
    Answer::new(
        "ok",
        &PermitPage {
            action: "permit.list".to_owned(),
            count: count(items.len()),
            total: (items.len() < total).then(|| count(total)),
            items,
        },
    )
}
