//! The feature ledger: what is to be built and how far each piece is.

use anstyle::Style;
use premath_kernel::{FeatureStatus, Moment};
use premath_wire::v1::{
    FeatureAnswer, FeatureCheckAnswer, FeatureLedger, FeatureNextAnswer, FeatureReason, FeatureRow,
    FeatureWriteAnswer,
};

use super::counted;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use crate::render::table::{Cell, Table};
use crate::render::time::relative;

/// `harness-feature write`
pub(crate) fn feature_written(answer: &FeatureWriteAnswer<FeatureRow>) -> String {
    let name = plain(&answer.feature.feature_id);
    let status = &answer.feature.status;
    if answer.result == "accepted" {
        let style = style_of(status);
        let state =
            state(answer.feature_count, answer.next_feature_id.as_deref(), answer.feature_closure_complete);
        return format!("feature {STRONG}{name}{STRONG:#}: {style}{}{style:#}\n{state}", plain(status));
    }
    let mut text = format!("feature {STRONG}{name}{STRONG:#}: {BAD}not written{BAD:#}\n\n");
    reasons(&mut text, &answer.reasons);
    text
}

/// `harness-feature read`
pub(crate) fn ledger(answer: &FeatureAnswer<FeatureLedger>, now: Moment, width: Option<usize>) -> String {
    let mut table =
        Table::new(&["FEATURE", "STATUS", "ISSUE", "SESSION", "VERIFIED BY", "UPDATED", "SUMMARY"], 6);
    for row in &answer.ledger.features {
        let told = |text: Option<&String>| Cell::new(text.map(|text| plain(text)).unwrap_or_default());
        let updated = row.updated_at.as_ref().map(|time| relative(time, now)).unwrap_or_default();
        table.row(vec![
            Cell::styled(plain(&row.feature_id), STRONG),
            Cell::styled(plain(&row.status), style_of(&row.status)),
            told(row.issue_id.as_ref()),
            told(row.session_ref.as_ref()),
            Cell::new(verified_by(&row.verification_refs)),
            Cell::styled(updated, DIM),
            told(row.summary.as_ref()),
        ]);
    }
    let state =
        state(answer.feature_count, answer.next_feature_id.as_deref(), answer.feature_closure_complete);
    if answer.ledger.features.is_empty() { state } else { format!("{}\n{state}", table.render(width)) }
}

/// `harness-feature next`
pub(crate) fn next_feature(answer: &FeatureNextAnswer<FeatureRow>) -> String {
    let Some(row) = &answer.feature else {
        return state(answer.feature_count, None, answer.feature_closure_complete);
    };
    let style = style_of(&row.status);
    let summary = row.summary.as_ref().map(|summary| format!("  {}", plain(summary))).unwrap_or_default();
    format!("{STRONG}{}{STRONG:#}  {style}{}{style:#}{summary}\n", plain(&row.feature_id), plain(&row.status))
}

/// `harness-feature check`
pub(crate) fn ledger_checked(answer: &FeatureCheckAnswer) -> String {
    let state =
        state(answer.feature_count, answer.next_feature_id.as_deref(), answer.feature_closure_complete);
    if answer.reasons.is_empty() {
        return format!("feature ledger: {GOOD}accepted{GOOD:#}\n{state}");
    }
    let mut text = format!(
        "feature ledger: {BAD}rejected{BAD:#} {DIM}({}){DIM:#}\n\n",
        plain(&answer.feature_ledger_ref)
    );
    reasons(&mut text, &answer.reasons);
    text
}

fn state(count: u64, next: Option<&str>, is_closed: bool) -> String {
    let all = counted(count, "feature");
    match next {
        Some(next) => format!("{DIM}{all}, next:{DIM:#} {STRONG}{}{STRONG:#}\n", plain(next)),
        None if is_closed => format!("{DIM}{all},{DIM:#} {GOOD}all completed and verified{GOOD:#}\n"),
        None => format!("{DIM}{all}, none in progress or pending{DIM:#}\n"),
    }
}

fn verified_by(refs: &[String]) -> String {
    match refs {
        [] => String::new(),
        [one] => plain(one),
        [first, rest @ ..] => format!("{} +{}", plain(first), rest.len()),
    }
}

fn style_of(status: &str) -> Style {
    match FeatureStatus::from_token(status) {
        Some(FeatureStatus::Completed) => GOOD,
        Some(FeatureStatus::InProgress) => TIP,
        Some(FeatureStatus::Blocked) => WARN,
        Some(FeatureStatus::Pending) => DIM,
        None => BAD,
    }
}

/// Each class once, with what it is about and what to do.
fn reasons(text: &mut String, reasons: &[FeatureReason]) {
    let mut before = "";
    for reason in reasons {
        if reason.class != before {
            text.push_str(&format!("  {BAD}{}{BAD:#}\n", plain(&reason.class)));
            text.push_str(&format!("      {TIP}hint:{TIP:#} {}\n", hint(&reason.class)));
            before = &reason.class;
        }
        text.push_str(&format!("      {STRONG}{}{STRONG:#}\n", plain(&reason.subject)));
    }
}

fn hint(class: &str) -> &'static str {
    match class.strip_prefix("harness_feature_ledger.").unwrap_or(class) {
        "closure_incomplete" => "complete and verify these, or check without --require-closure",
        "completed_missing_verification_ref" => "name what shows that it works with --verification-ref",
        "empty" => "write the first feature with `premath harness-feature write`",
        "feature_id.duplicate" => "keep one of the rows: edit the ledger",
        "feature_id.empty" => "give the row an id: edit the ledger",
        "in_progress.non_contractible" => "one session works on one feature: complete or block one of these",
        "instruction_ref.empty" | "verification_ref.empty" => "write the feature again with the refs it has",
        "status.invalid" => "a status is pending, in_progress, blocked or completed",
        "feature.updated_at.empty" | "updated_at.empty" => {
            "write a feature: that stamps its row and the ledger"
        }
        _ => "look at the ledger",
    }
}
