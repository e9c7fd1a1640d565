//! What policy and people say in a run, as a person sees it while it happens.

use premath_tusk::policy::{CallJudgement, Effect};
use premath_tusk::turn_loop::{Confirmation, ConfirmationAnswer, PlanDecision};

use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;

/// A call that is not simply allowed: what it is about, which policy, why.
pub(super) fn judged(tool: &str, judgement: &CallJudgement) -> String {
    let Some(error) = &judgement.error else { return String::new() };
    let names: Vec<String> = judgement.targets.iter().map(|target| plain(&target.name)).collect();
    let about = if names.is_empty() { String::new() } else { format!(" {}", names.join(", ")) };
    let (tool, policy, why) = (plain(tool), plain(&error.policy_name), plain(&error.human_message));
    match judgement.effect {
        Effect::Allow => String::new(),
        Effect::Ask => {
            format!(
                "  {WARN}? {STRONG}{tool}{STRONG:#}{about} needs a person{WARN:#} {DIM}({policy}){DIM:#}: {why}\n"
            )
        }
        Effect::Deny => {
            let code = error.code.code();
            format!("  {BAD}✗ {STRONG}{tool}{STRONG:#}{about}{BAD:#} {code} {DIM}({policy}){DIM:#}: {why}\n")
        }
    }
}

/// What was said about each call, and how to say something where nobody has.
pub(super) fn confirmed(confirmations: &[Confirmation]) -> String {
    let line = |said: &Confirmation| {
        let id = plain(&said.approval_id);
        let by = said.decided_by.as_deref().map(|by| format!(" by {}", plain(by))).unwrap_or_default();
        match said.answer {
            ConfirmationAnswer::Approved => format!("  {GOOD}✓ approved{GOOD:#}{by} {DIM}{id}{DIM:#}\n"),
            ConfirmationAnswer::Denied => format!("  {BAD}✗ denied{BAD:#}{by} {DIM}{id}{DIM:#}\n"),
            ConfirmationAnswer::Expired => format!("  {BAD}✗ expired{BAD:#} {DIM}{id}{DIM:#}\n"),
            ConfirmationAnswer::Unanswered => {
                format!("  {WARN}expired without an answer{WARN:#} {DIM}{id}{DIM:#}\n")
            }
            ConfirmationAnswer::Stale => {
                format!("  {BAD}✗ not what was asked about any more{BAD:#} {DIM}{id}{DIM:#}\n")
            }
            ConfirmationAnswer::Forbidden => format!("  {BAD}✗ not allowed any more{BAD:#}\n"),
            ConfirmationAnswer::SecretGone => {
                format!("  {BAD}✗ its secret is gone{BAD:#} {DIM}{id}{DIM:#}\n")
            }
            ConfirmationAnswer::Pending => {
                format!("  {WARN}waits for a person{WARN:#}: {TIP}premath approvals show {id}{TIP:#}\n")
            }
        }
    };
    confirmations.iter().map(line).collect()
}

/// What became of a plan, step by step.
pub(super) fn planned(plan: &PlanDecision) -> String {
    let id = plain(&plan.proposal_id);
    if plan.is_open() {
        return format!(
            "  {WARN}the plan waits for a person{WARN:#}: {TIP}premath proposals show {id}{TIP:#}\n"
        );
    }
    let mut text = format!("  plan {STRONG}{id}{STRONG:#}: {}\n", plain(&plan.state));
    for (step, number) in plan.steps.iter().zip(1_u64..) {
        let (tool, about, state) = (plain(&step.tool), plain(&step.about), plain(&step.state));
        let style = if step.state == "ok" { GOOD } else { BAD };
        let detail =
            if step.detail.is_empty() { String::new() } else { format!(": {}", plain(&step.detail)) };
        text.push_str(&format!(
            "    {number}. {tool} {STRONG}{about}{STRONG:#} {style}{state}{style:#}{detail}\n"
        ));
    }
    text
}
