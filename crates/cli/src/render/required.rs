//! Required checks as a person reads them: what changed, what that asks for, what came of it, what follows.

use premath_wire::v1::{
    CheckStatus, DeltaStatus, GateRow, RequiredDecision, RequiredDecisionAnswer, RequiredDeltaAnswer,
    RequiredGateAnswer, RequiredProjection, RequiredProjectionAnswer, RequiredReason, RequiredRunAnswer,
    RequiredVerdict, RequiredVerified, RequiredWitnessAnswer,
};

use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// `required-delta`
pub(crate) fn delta(answer: &RequiredDeltaAnswer) -> String {
    let delta = &answer.delta;
    let mut text = String::new();
    for entry in &delta.entries {
        let what = match entry.status {
            DeltaStatus::Added => "added   ",
            DeltaStatus::Modified => "modified",
            DeltaStatus::Deleted => "deleted ",
            DeltaStatus::Renamed => "renamed ",
            DeltaStatus::Copied => "copied  ",
            DeltaStatus::TypeChanged => "retyped ",
        };
        let from =
            entry.previous_path.as_deref().map(|from| format!("{} → ", plain(from))).unwrap_or_default();
        text.push_str(&format!("{DIM}{what}{DIM:#} {from}{}\n", plain(&entry.path)));
    }
    let (from, to) = (plain(&delta.from.name), plain(&delta.to.name));
    let count = delta.changed_paths.len();
    text.push_str(&format!("{count} paths between {STRONG}{from}{STRONG:#} and {STRONG}{to}{STRONG:#}\n"));
    text
}

/// `required-projection`
pub(crate) fn projection(answer: &RequiredProjectionAnswer) -> String {
    projected(&answer.projection)
}

fn projected(projection: &RequiredProjection) -> String {
    let mut text = String::new();
    for selected in &projection.because {
        let first = selected.paths.first().map(|path| plain(path)).unwrap_or_default();
        let more = match selected.path_count {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        text.push_str(&format!(
            "{STRONG}{}{STRONG:#}  {DIM}for {first}{more}{DIM:#}\n",
            plain(&selected.check_id)
        ));
    }
    if let Some(path) = projection.unknown_paths.first() {
        let count = projection.unknown_paths.len();
        text.push_str(&format!("{WARN}{count} paths ask for every check{WARN:#}, such as {}\n", plain(path)));
    }
    if projection.because.is_empty() {
        text.push_str("nothing is required\n");
    }
    text
}

/// `required-witness`
pub(crate) fn witness(answer: &RequiredWitnessAnswer) -> String {
    let mut text = gates(&answer.witness.results);
    text.push_str(&format!(
        "{DIM}witness{DIM:#} {} {}\n",
        plain(&answer.witness_path),
        plain(&answer.witness_digest)
    ));
    text
}

fn gates(rows: &[GateRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let (id, ms) = (plain(&row.check_id), row.duration_ms);
        let why = row.failure_class.as_deref().map(plain).unwrap_or_default();
        text.push_str(&match row.status {
            CheckStatus::Passed => format!("{GOOD}✓{GOOD:#} {id} {DIM}{ms} ms{DIM:#}\n"),
            CheckStatus::Failed => {
                format!(
                    "{BAD}✗{BAD:#} {id} {BAD}{why}{BAD:#} {DIM}{ms} ms, {}{DIM:#}\n",
                    plain(&row.gate_ref)
                )
            }
        });
    }
    text
}

/// `required-gate-ref`
pub(crate) fn gate_ref(answer: &RequiredGateAnswer) -> String {
    format!("{}\n", plain(&answer.gate_ref))
}

/// `required-witness-verify` and `required-decision-verify`
pub(crate) fn verified(answer: &RequiredVerified) -> String {
    let path = plain(&answer.path);
    if answer.ok {
        let said = match answer.decision {
            Some(RequiredVerdict::Accept) => ", and accepts",
            Some(RequiredVerdict::Reject) => ", and rejects",
            None => "",
        };
        return format!("{GOOD}✓ comes out again:{GOOD:#} {path}{said}\n");
    }
    format!("{BAD}✗ does not stand:{BAD:#} {path}\n{}", reasons(&answer.reasons))
}

fn reasons(reasons: &[RequiredReason]) -> String {
    let one = |reason: &RequiredReason| {
        let (class, subject) = (plain(&reason.class), plain(&reason.subject));
        format!("  {BAD}{class}{BAD:#} {STRONG}{subject}{STRONG:#}: {}\n", plain(&reason.detail))
    };
    reasons.iter().map(one).collect()
}

/// `required-witness-decide`
pub(crate) fn decided(answer: &RequiredDecisionAnswer) -> String {
    decision(&answer.decision)
}

fn decision(decision: &RequiredDecision) -> String {
    match decision.decision {
        RequiredVerdict::Accept => format!("{GOOD}✓ accept{GOOD:#}\n"),
        RequiredVerdict::Reject => format!(
            "{BAD}✗ reject{BAD:#}\n{}{TIP}hint:{TIP:#} mend what failed and run `premath ci-required` again\n",
            reasons(&decision.reasons)
        ),
    }
}

/// `ci-required`
pub(crate) fn run(answer: &RequiredRunAnswer) -> String {
    format!(
        "{}{}{}",
        projected(&answer.projection),
        gates(&answer.witness.results),
        decision(&answer.decision)
    )
}
