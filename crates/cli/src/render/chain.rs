//! A checked turn: the six stages, where the chain broke, why, and what to do.

use std::collections::BTreeSet;

use premath_host::{GovernanceChecked, JoinChecked, hint};
use premath_kernel::{FailureClass, Outcome, Reason, Refusal, Stage};

use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP};

/// More reasons of one class than this are counted, not listed; `--json` has them all.
const LISTED: usize = 5;

/// How a stage looks.
pub(super) enum Mark {
    Held,
    Broken,
    NotAsked,
}

impl Mark {
    pub(super) fn render(&self, name: &str) -> String {
        match self {
            Self::Held => format!("{GOOD}✓ {name}{GOOD:#}"),
            Self::Broken => format!("{BAD}✗ {name}{BAD:#}"),
            Self::NotAsked => format!("{DIM}· {name}{DIM:#}"),
        }
    }
}

/// The answer of a join check.
pub(crate) fn join_check(checked: &JoinChecked) -> String {
    let spec = checked.turn.spec();
    let assessment = &checked.assessment;
    let verdict = match assessment.outcome() {
        Outcome::Accepted => format!("{GOOD}accepted{GOOD:#}"),
        Outcome::Rejected => format!("{BAD}rejected{BAD:#}"),
    };
    let mut text = format!(
        "turn {STRONG}{}{STRONG:#} {DIM}({}, {}, {}){DIM:#}: {verdict}\n\n  {}\n",
        plain(spec.call_id.as_str()),
        plain(spec.model_ref.as_str()),
        spec.action_mode.token(),
        spec.execution_pattern.token(),
        stages(checked),
    );
    if let Some(refusal) = assessment.refusal() {
        text.push('\n');
        reasons(&mut text, refusal);
    }
    let digest = &checked.turn.digests().turn;
    let witness = checked.witness();
    text.push_str(&format!("\n  {DIM}turn    {digest}\n  witness {}{DIM:#}\n", witness.id()));
    text
}

fn stages(checked: &JoinChecked) -> String {
    let assessment = &checked.assessment;
    let classes = assessment.refusal().map(Refusal::classes).unwrap_or_default();
    let broken: BTreeSet<Stage> = classes.into_iter().map(FailureClass::stage).collect();
    let holds = |stage: Stage| match stage {
        Stage::MutationReady => assessment.mutation_ready(),
        Stage::JoinClosed => Some(assessment.join_closed()),
        Stage::CallSpec | Stage::ToolRequests | Stage::ToolResults | Stage::ToolUse => {
            Some(!broken.contains(&stage))
        }
    };
    let mark = |stage: Stage| match holds(stage) {
        None => Mark::NotAsked,
        Some(true) => Mark::Held,
        Some(false) => Mark::Broken,
    };
    Stage::ALL.map(|stage| mark(stage).render(stage.name())).join(&format!(" {DIM}→{DIM:#} "))
}

/// The answer of a governance check.
pub(crate) fn governance(checked: &GovernanceChecked) -> String {
    let claim = if checked.is_claimed() { "claimed" } else { "not claimed" };
    let Some(refusal) = &checked.refusal else {
        return format!("governance profile {DIM}({claim}){DIM:#}: {GOOD}accepted{GOOD:#}\n");
    };
    let mut text = format!("governance profile {DIM}({claim}){DIM:#}: {BAD}rejected{BAD:#}\n\n");
    reasons(&mut text, refusal);
    text
}

fn reasons(text: &mut String, refusal: &Refusal) {
    // The consequence comes behind its causes.
    let mut classes = refusal.classes();
    classes.sort_by_key(|class| *class == FailureClass::JoinIncomplete);
    for class in classes {
        let found: Vec<&Reason> = refusal.reasons().iter().filter(|reason| reason.class == class).collect();
        text.push_str(&format!("  {BAD}{class}{BAD:#}\n"));
        for reason in found.iter().take(LISTED) {
            let (subject, detail) = (plain(&reason.subject), plain(&reason.detail));
            text.push_str(&format!("      {STRONG}{subject}{STRONG:#}: {detail}\n"));
        }
        if let Some(more) = found.len().checked_sub(LISTED).filter(|more| *more > 0) {
            text.push_str(&format!("      {DIM}and {more} more; --json lists them all{DIM:#}\n"));
        }
        text.push_str(&format!("      {TIP}hint:{TIP:#} {}\n", hint(class)));
    }
    text.push_str(&format!("\n  {DIM}`premath explain <class>` says more.{DIM:#}\n"));
}
