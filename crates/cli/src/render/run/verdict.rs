//! How a turn was judged: the stages it reached, why it was refused, and what became of the changes it asked for.

use std::collections::BTreeSet;

use premath_host::hint;
use premath_kernel::{FailureClass, Stage};
use premath_tusk::turn_loop::{AppliedIntent, IntentOutcome, Verdict};

use crate::output::{BAD, DIM, GOOD, STRONG, TIP};
use crate::render::chain::Mark;
use crate::render::plain;

/// More reasons than this are counted; `premath turn show` has them all.
const LISTED: usize = 5;

/// The stages of the chain that a check of evidence decides, in order.
const STAGES: [Stage; 5] =
    [Stage::CallSpec, Stage::ToolRequests, Stage::ToolResults, Stage::ToolUse, Stage::JoinClosed];

/// The chain's verdict on a turn, and what the turn used.
pub(super) fn verdict(verdict: &Verdict, used: &str) -> String {
    let used = if used.is_empty() { String::new() } else { format!("  {DIM}{used}{DIM:#}") };
    let mut text = format!("  {}{used}\n", stages(verdict));
    if !verdict.is_closed {
        text.push_str(&reasons(verdict));
    }
    text
}

fn stages(verdict: &Verdict) -> String {
    let classes = verdict.reasons.iter().filter_map(|(class, _, _)| FailureClass::from_code(class));
    let broken: BTreeSet<Stage> = classes.map(FailureClass::stage).collect();
    let mark = |stage: Stage| match stage {
        Stage::JoinClosed if verdict.is_closed => Mark::Held,
        Stage::JoinClosed => Mark::Broken,
        Stage::CallSpec
        | Stage::ToolRequests
        | Stage::ToolResults
        | Stage::ToolUse
        | Stage::MutationReady => {
            if broken.contains(&stage) {
                Mark::Broken
            } else {
                Mark::Held
            }
        }
    };
    STAGES.map(|stage| mark(stage).render(stage.name())).join(&format!(" {DIM}→{DIM:#} "))
}

fn reasons(verdict: &Verdict) -> String {
    let mut text = format!("      {BAD}refused{BAD:#}: nothing that this turn asked for was changed\n");
    let mut hinted = BTreeSet::new();
    for (class, subject, detail) in verdict.reasons.iter().take(LISTED) {
        text.push_str(&format!(
            "      {BAD}{}{BAD:#} {STRONG}{}{STRONG:#}: {}\n",
            plain(class),
            plain(subject),
            plain(detail)
        ));
        if let Some(known) = FailureClass::from_code(class).filter(|_| hinted.insert(class)) {
            text.push_str(&format!("        {TIP}hint:{TIP:#} {}\n", hint(known)));
        }
    }
    if let Some(more) = verdict.reasons.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let turn = plain(&verdict.call_id);
        text.push_str(&format!("      {DIM}and {more} more: premath turn show {turn}{DIM:#}\n"));
    }
    text
}

/// What became of an intent: the last stage, one line for each.
pub(super) fn applied(applied: &AppliedIntent) -> String {
    let (action, stage) = (plain(&applied.action), Stage::MutationReady.name());
    match &applied.outcome {
        IntentOutcome::Applied { issue_id, status } | IntentOutcome::Changed { id: issue_id, status } => {
            let held = Mark::Held.render(stage);
            let (issue, status) = (plain(issue_id), plain(status));
            format!(
                "    {DIM}→{DIM:#} {held} {action}: {STRONG}{issue}{STRONG:#} is {GOOD}{status}{GOOD:#}\n"
            )
        }
        IntentOutcome::Unchanged => {
            format!("    {DIM}→{DIM:#} {} {action}: nothing to change\n", Mark::Held.render(stage))
        }
        IntentOutcome::Refused { class, detail } => {
            let mut text = format!(
                "    {DIM}→{DIM:#} {} {action}: {BAD}{}{BAD:#}: {}\n",
                Mark::Broken.render(stage),
                plain(class),
                plain(detail)
            );
            if let Some(known) = FailureClass::from_code(class) {
                text.push_str(&format!("        {TIP}hint:{TIP:#} {}\n", hint(known)));
            }
            text
        }
    }
}
