//! Instructions, their witnesses and permits, as a person reads them.

use premath_wire::v1::{
    InstructionCheckAnswer, InstructionClassification, InstructionRunAnswer, InstructionWitness,
    InstructionWitnessAnswer, PermitPage,
};

use super::plain;
use super::table::{Cell, Table};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP};

fn line(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("  {DIM}{name:<12}{DIM:#}{value}\n"));
}

fn kind(classification: &InstructionClassification) -> String {
    match classification {
        InstructionClassification::Typed { kind } => format!("typed ({})", plain(kind)),
        InstructionClassification::Unknown { reason } => format!("unknown ({})", plain(reason)),
    }
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "none".to_owned() } else { plain(&items.join(", ")) }
}

/// `instruction-check`
pub(crate) fn checked(answer: &InstructionCheckAnswer) -> String {
    let style = if answer.decision == "execute" { GOOD } else { BAD };
    let mut text = format!(
        "{style}{}{style:#} {STRONG}{}{STRONG:#}\n",
        plain(&answer.decision),
        plain(&answer.instruction_id)
    );
    line(&mut text, "kind", &kind(&answer.classification));
    line(&mut text, "policy", &plain(answer.policy_id.as_deref().unwrap_or(&answer.policy_digest)));
    line(&mut text, "checks", &listed(&answer.required_checks));
    line(&mut text, "may change", &listed(&answer.granted_capabilities));
    for reason in &answer.reasons {
        text.push_str(&format!("  {BAD}{}{BAD:#} {}\n", plain(&reason.class), plain(&reason.detail)));
    }
    text
}

/// `instruction-run`
pub(crate) fn ran(answer: &InstructionRunAnswer) -> String {
    let mut text = shown(&answer.witness);
    line(&mut text, "witness", &plain(&answer.witness_path));
    if answer.witness.verdict_class == "accepted" {
        let id = plain(&answer.witness.instruction_id);
        text.push_str(&format!(
            "{TIP}hint:{TIP:#} `premath issue update ID --instruction {id} …` makes a change on its strength\n"
        ));
    }
    text
}

/// `instruction-witness`
pub(crate) fn witnessed(answer: &InstructionWitnessAnswer) -> String {
    let mut text = shown(&answer.witness);
    match &answer.refused {
        None => text.push_str(&format!("  {GOOD}permits changes{GOOD:#}\n")),
        Some(why) => {
            text.push_str(&format!(
                "  {BAD}permits nothing{BAD:#}: {}: {}\n",
                plain(&why.class),
                plain(&why.detail)
            ));
            text.push_str(&format!("{TIP}hint:{TIP:#} {}\n", plain(&why.hint)));
        }
    }
    text
}

fn shown(witness: &InstructionWitness) -> String {
    let style = if witness.verdict_class == "accepted" { GOOD } else { BAD };
    let mut text = format!(
        "{style}{}{style:#} {STRONG}{}{STRONG:#}\n",
        plain(&witness.verdict_class),
        plain(&witness.instruction_id)
    );
    line(&mut text, "kind", &kind(&witness.classification));
    line(&mut text, "policy", &plain(witness.policy_id.as_deref().unwrap_or(&witness.policy_digest)));
    line(&mut text, "may change", &listed(&witness.capability_claims));
    for result in &witness.results {
        let style = if result.status == "passed" { GOOD } else { BAD };
        let detail =
            result.detail.as_deref().map(|detail| format!(": {}", plain(detail))).unwrap_or_default();
        let (check, status) = (plain(&result.check_id), plain(&result.status));
        line(&mut text, "check", &format!("{check} {style}{status}{style:#}{detail}"));
    }
    for class in &witness.failure_classes {
        text.push_str(&format!("  {BAD}{}{BAD:#}\n", plain(class)));
    }
    line(&mut text, "until", &plain(&witness.expires_at));
    text
}

/// `permits list`
pub(crate) fn permits(page: &PermitPage, width: Option<usize>) -> String {
    if page.items.is_empty() && page.total.is_none() {
        return "no instruction was issued here\n".to_owned();
    }
    let mut table = Table::new(&["WHEN", "EVENT", "ACTION", "ISSUE", "DOOR", "INSTRUCTION", "PERMIT"], 6);
    for row in &page.items {
        let told = |text: &Option<String>| Cell::new(plain(text.as_deref().unwrap_or_default()));
        let style = if row.event == "issued" { DIM } else { GOOD };
        table.row(vec![
            Cell::new(plain(&row.at)),
            Cell::styled(plain(&row.event), style),
            told(&row.action),
            told(&row.issue_id),
            told(if row.door.is_some() { &row.door } else { &row.actor }),
            Cell::new(plain(&row.instruction_id)),
            told(&row.permit_id),
        ]);
    }
    let mut text = table.render(width);
    if let Some(total) = page.total {
        text.push_str(&format!("{DIM}{} of {total}{DIM:#}\n", page.count));
    }
    text
}
