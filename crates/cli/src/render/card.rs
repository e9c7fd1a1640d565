//! Cards: what a person is asked to agree to. Arguments are there whole; of what the step of a plan would change there is the
//! beginning, and how much more there is. Nothing on them can speak in our voice.

use std::borrow::Cow;

use anstyle::Style;
use premath_bd::desk::FOREIGN_TOOL;
use premath_kernel::{Value, encode};
use premath_wire::v1::{ApprovalRow, NamedTarget, ProposalRow, ProposalStepRow};

use super::run::changes;
use super::{lines, plain};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// How wide a diff is drawn.
const WIDTH: usize = 160;
/// The most bytes of the preview of a step.
const LONGEST_PREVIEW: usize = 4 * 1024;

/// A call that waits for a person: what, about what, with which arguments, why, until when.
pub(crate) fn approval(row: &ApprovalRow) -> String {
    let what = match (row.state.as_str(), row.kind.as_str()) {
        ("pending", "checkpoint") => "a run waits at a checkpoint".to_owned(),
        ("pending", _) => "a call needs you".to_owned(),
        (state, kind) => format!("{kind}: {state}"),
    };
    let mut text = format!("\n  {WARN}┌ {}{WARN:#}  {DIM}{}{DIM:#}\n", plain(&what), plain(&row.id));
    text.push_str(&line(&format!("{STRONG}{}{STRONG:#} {}", plain(&row.tool), named(&row.targets))));
    if let Some(folder) = &row.folder {
        text.push_str(&line(&format!("{DIM}folder:{DIM:#} {}", plain(folder))));
    }
    for argument in arguments(&row.arguments.0) {
        text.push_str(&line(&argument));
    }
    if let Some(diff) = &row.diff {
        text.push_str(&changes(diff, WIDTH));
    }
    let (reason, rule, tier) = (plain(&row.reason), plain(&row.rule), plain(&row.tier));
    text.push_str(&line(&format!("{DIM}why:{DIM:#} {reason} {DIM}({rule}, tier {tier}){DIM:#}")));
    text.push_str(&covered(row));
    let (run, expires, digest) = (plain(&row.run_id), plain(&row.expires_at), plain(&row.card_digest));
    text.push_str(&line(&format!("{DIM}run {run} · expires {expires} · {digest}{DIM:#}")));
    text.push_str(&decided(row.decided_by.as_deref(), row.decided_at.as_deref(), row.message.as_deref()));
    if let (Some(by), Some(at)) = (&row.revoked_by, &row.revoked_at) {
        text.push_str(&line(&format!("{DIM}revoked by{DIM:#} {} {DIM}{}{DIM:#}", plain(by), plain(at))));
    }
    text.push_str(&format!("  {WARN}└{WARN:#}\n"));
    text
}

/// What a yes would cover, scope by scope, or what the yes that was given covers.
fn covered(row: &ApprovalRow) -> String {
    let mut text = String::new();
    for offer in &row.offers {
        let (scope, covers) = (plain(&offer.scope), plain(&offer.covers));
        text.push_str(&line(&format!("{DIM}yes ({scope}) covers:{DIM:#} {covers}")));
    }
    let is_foreign = row.targets.iter().any(|target| target.kind == FOREIGN_TOOL);
    if is_foreign && !row.offers.is_empty() {
        let why = "no argument is declared as what this tool acts on, so a yes covers one call";
        text.push_str(&line(&format!("{DIM}{why}{DIM:#}")));
    }
    if let Some(reach) = &row.reach {
        text.push_str(&line(&format!("{DIM}covers:{DIM:#} {}", plain(reach))));
    }
    text
}

/// A plan that waits for a person: what it is for, every step with the names it is about, how it is taken back.
pub(crate) fn proposal(row: &ProposalRow) -> String {
    let steps = row.steps.len();
    let what = if row.state == "pending" { "needs you".to_owned() } else { plain(&row.state) };
    let mut text = format!(
        "\n  {WARN}┌ a plan of {steps} step{} {what}{WARN:#}  {DIM}{}{DIM:#}\n",
        if steps == 1 { "" } else { "s" },
        plain(&row.id)
    );
    text.push_str(&line(&format!("{STRONG}{}{STRONG:#}", plain(&row.goal))));
    for step in &row.steps {
        text.push_str(&step_lines(step));
    }
    if !row.rollback.trim().is_empty() {
        text.push_str(&line(&format!("{TIP}to take it back:{TIP:#} {}", plain(&row.rollback))));
    }
    let (expires, digest) = (plain(&row.expires_at), plain(&row.plan_digest));
    text.push_str(&line(&format!("{DIM}expires {expires} · {digest}{DIM:#}")));
    text.push_str(&decided(row.decided_by.as_deref(), row.decided_at.as_deref(), row.message.as_deref()));
    text.push_str(&format!("  {WARN}└{WARN:#}\n"));
    text
}

fn decided(by: Option<&str>, at: Option<&str>, message: Option<&str>) -> String {
    let Some(by) = by else { return String::new() };
    let at = at.map(plain).unwrap_or_default();
    let said = message.map(|message| format!(": {}", plain(message))).unwrap_or_default();
    line(&format!("{DIM}decided by{DIM:#} {} {DIM}{at}{DIM:#}{said}", plain(by)))
}

/// As much of a preview as a card in a terminal has, in whole lines. The arguments of its step are there whole.
fn cut(preview: &str) -> Cow<'_, str> {
    if preview.len() <= LONGEST_PREVIEW {
        return Cow::Borrowed(preview);
    }
    let mut kept = String::new();
    for line in preview.split_inclusive('\n') {
        if kept.len() + line.len() > LONGEST_PREVIEW {
            break;
        }
        kept.push_str(line);
    }
    let left_out = preview.len() - kept.len();
    kept.push_str(&format!("[… {left_out} bytes left out; --json has all of it …]\n"));
    Cow::Owned(kept)
}

fn step_lines(step: &ProposalStepRow) -> String {
    let state = step.state.as_deref().map(|state| {
        let style: Style = if state == "ok" { GOOD } else { BAD };
        format!("  {style}{}{style:#}", plain(state))
    });
    let (tool, names, state) = (plain(&step.tool), named(&step.targets), state.unwrap_or_default());
    let mut text = line(&format!("{}. {STRONG}{tool}{STRONG:#} {names}{state}", step.n));
    for argument in arguments(&step.arguments.0) {
        text.push_str(&line(&format!("   {argument}")));
    }
    if let Some(preview) = &step.preview {
        text.push_str(&changes(&cut(preview), WIDTH));
    }
    for said in [Some(step.rationale.as_str()), step.detail.as_deref()].into_iter().flatten() {
        if !said.trim().is_empty() {
            text.push_str(&line(&format!("   {DIM}{}{DIM:#}", plain(said))));
        }
    }
    text
}

/// Every argument, whole: a long one takes as many lines as it has.
fn arguments(arguments: &Value<'_>) -> Vec<String> {
    let json = |value: &Value<'_>| plain(&String::from_utf8_lossy(&encode(value)));
    let Some(members) = arguments.as_object() else { return vec![json(arguments)] };
    let mut shown = Vec::new();
    for (name, value) in members.iter() {
        match value.as_text() {
            Some(text) if text.contains('\n') => {
                shown.push(format!("{DIM}{}:{DIM:#}", plain(name)));
                shown.extend(lines(text).lines().map(|line| format!("  {line}")));
            }
            Some(text) => shown.push(format!("{DIM}{}:{DIM:#} {}", plain(name), plain(text))),
            None => shown.push(format!("{DIM}{}:{DIM:#} {}", plain(name), json(value))),
        }
    }
    shown
}

fn named(targets: &[NamedTarget]) -> String {
    targets.iter().map(|target| plain(&target.name)).collect::<Vec<_>>().join(", ")
}

fn line(text: &str) -> String {
    format!("  {WARN}│{WARN:#} {text}\n")
}
