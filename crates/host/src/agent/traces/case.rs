//! A judged turn as a document that anyone can check again, and what the card of a turn says of it.
//!
//! The case comes from the machine that is run again over the journal; a verdict that was written down is never copied.

use premath_kernel::{DuplicateRow, Refusal, Value, call_spec_witness, tool_use_witness};
use premath_tusk::turn_loop::TurnCase;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{JudgedIntent, TurnCard, TurnInput};
use premath_wire::{InputClass, InputError, Json, JsonPath};

use super::turn::redrive_turn;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// Why there is no case of a turn.
#[derive(Debug)]
pub(crate) enum NoCase {
    /// The turn has not been judged.
    Open,
}

/// The document of a judged turn, alone or with one of the changes it asks for (from 1).
pub(crate) fn export_turn(
    workspace: &Workspace,
    call_id: &str,
    intent: Option<u64>,
) -> Result<Result<TurnInput, NoCase>, ActionError> {
    let (_, case) = redrive_turn(workspace, call_id)?;
    let Some(case) = case else { return Ok(Err(NoCase::Open)) };
    let Some(wanted) = intent else { return Ok(Ok(case.document(None))) };
    let chosen = usize::try_from(wanted).ok().and_then(|wanted| wanted.checked_sub(1));
    match chosen.and_then(|at| case.intents.get(at)) {
        Some((_, intent)) => Ok(Ok(case.document(Some(intent)))),
        None => {
            let what =
                format!("turn `{call_id}` asks for {} changes, there is no {wanted}", case.intents.len());
            Err(InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("intent")).into())
        }
    }
}

/// Adds to the card what the case says: the evidence, each intent as it is judged, the witnesses.
pub(super) fn describe_case(card: &mut TurnCard, case: &TurnCase) -> Result<(), ActionError> {
    let turn = case.normalized().map_err(|twin| contradicting(&twin))?;
    card.evidence = Some(evidence_json(&case.document(None))?);
    for (number, (tool_call_id, intent)) in (1_u64..).zip(&case.intents) {
        let verdict = case.judge(&turn, Some(intent));
        let classes = verdict.assessment.refusal().map(Refusal::classes).unwrap_or_default();
        card.intents.push(JudgedIntent {
            intent: number,
            tool_call_id: tool_call_id.clone(),
            action: intent.action.as_str().to_owned(),
            intent_digest: intent.digest().as_str().to_owned(),
            mutation_ready: verdict.assessment.mutation_ready() == Some(true),
            failure_classes: classes.into_iter().map(|class| class.code().to_owned()).collect(),
            witness_id: verdict.witness_id,
        });
    }
    let parts = [call_spec_witness(&turn), tool_use_witness(&turn)];
    card.witness_ids = parts.iter().filter_map(witness_id).chain(card.witness_id.clone()).collect();
    Ok(())
}

fn witness_id(record: &Value<'_>) -> Option<String> {
    record.as_object()?.get("witnessId")?.as_text().map(str::to_owned)
}

fn evidence_json(case: &TurnInput) -> Result<Json, ActionError> {
    let unwritable = |source| ActionError::Unwritable { source };
    let bytes = serde_json::to_vec(case.evidence()).map_err(unwritable)?;
    Ok(Json(parse(&bytes, Limits::default())?.into_owned()))
}

fn contradicting(twin: &DuplicateRow) -> InputError {
    let what = format!("two rows of `{}` have one key", twin.list.name());
    InputError::new(InputClass::DuplicateRow, what, JsonPath::root())
}
