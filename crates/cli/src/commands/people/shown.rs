//! What a person sees before their yes: the card as it is now, and its digest, which goes along with the yes. A card that
//! changed in between is refused.

use premath_host::Host;
use premath_wire::v1::{ApprovalAnswer, ProposalAnswer};
use serde::de::DeserializeOwned;

use super::one;
use crate::args::Format;
use crate::error::CliError;
use crate::output;
use crate::render::card;

/// Shows what is asked, and says what was shown; none for programs, and where there is nothing to show.
pub(super) fn approval(host: &Host<'_>, id: &str, format: &Format) -> Result<Option<String>, CliError> {
    shown(host, "approval.show", id, format, |answer: &ApprovalAnswer| {
        let row = &answer.approval;
        (row.state == "pending").then(|| (card::approval(row), row.card_digest.clone()))
    })
}

/// The same for a plan.
pub(super) fn plan(host: &Host<'_>, id: &str, format: &Format) -> Result<Option<String>, CliError> {
    shown(host, "proposal.show", id, format, |answer: &ProposalAnswer| {
        let row = &answer.proposal;
        (row.state == "pending").then(|| (card::proposal(row), row.plan_digest.clone()))
    })
}

fn shown<P: DeserializeOwned>(
    host: &Host<'_>,
    action: &str,
    id: &str,
    format: &Format,
    card: impl FnOnce(&P) -> Option<(String, String)>,
) -> Result<Option<String>, CliError> {
    if format.json || format.envelope {
        return Ok(None);
    }
    // What cannot be shown is refused by name in a moment.
    let Ok(effect) = host.call(action, &one(id)) else { return Ok(None) };
    let found = serde_json::from_str::<P>(effect.payload.get()).ok();
    let Some((text, digest)) = found.as_ref().and_then(card) else { return Ok(None) };
    output::text(&text)?;
    Ok(Some(digest))
}
