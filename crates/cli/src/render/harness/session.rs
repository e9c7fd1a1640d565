//! The session handoff and how a fresh process goes on from it.

use premath_kernel::Moment;
use premath_wire::v1::{BootstrapAnswer, BootstrapMode, SessionAnswer, SessionDocument, SessionState};

use super::{counted, line, list, optional};
use crate::output::{DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use crate::render::time::relative;

/// `harness-session write` and `read`.
pub(crate) fn session(answer: &SessionAnswer<SessionDocument>, now: Moment) -> String {
    let session = &answer.session;
    let state = match session.state {
        SessionState::Active => format!("{GOOD}active{GOOD:#}"),
        SessionState::Stopped => format!("{WARN}stopped{WARN:#}"),
    };
    let name = plain(&session.session_id);
    let mut text =
        format!("session {STRONG}{name}{STRONG:#}: {state} {DIM}({}){DIM:#}\n\n", plain(&answer.session_ref));
    optional(&mut text, "issue", session.issue_id.as_ref());
    optional(&mut text, "summary", session.summary.as_ref());
    optional(&mut text, "next step", session.next_step.as_ref());
    list(&mut text, "instructions", &session.instruction_refs);
    list(&mut text, "witnesses", &session.witness_refs);
    list(&mut text, "lineage", &session.lineage_refs);
    optional(&mut text, "issues", session.issues_path.as_ref());
    optional(&mut text, "snapshot", session.issues_snapshot_ref.as_ref());
    line(&mut text, "started", &relative(&session.started_at, now));
    line(&mut text, "updated", &relative(&session.updated_at, now));
    if let Some(stopped_at) = &session.stopped_at {
        line(&mut text, "stopped", &relative(stopped_at, now));
    }
    text
}

/// `harness-session bootstrap`
pub(crate) fn bootstrap(answer: &BootstrapAnswer, now: Moment) -> String {
    let (verb, how) = match answer.mode {
        BootstrapMode::Resume => ("resume", "it was stopped"),
        BootstrapMode::Attach => ("attach to", "somebody works in it"),
    };
    let name = plain(&answer.session_id);
    let mut text = format!(
        "{TIP}{verb}{TIP:#} session {STRONG}{name}{STRONG:#} {DIM}({how}, updated {}){DIM:#}\n\n",
        relative(&answer.updated_at, now)
    );
    optional(&mut text, "issue", answer.resume_issue_id.as_ref());
    optional(&mut text, "summary", answer.summary.as_ref());
    optional(&mut text, "next step", answer.next_step.as_ref());
    if let Some(count) = answer.feature_count {
        line(&mut text, "features", &features(answer, count));
    }
    list(&mut text, "instructions", &answer.instruction_refs);
    list(&mut text, "witnesses", &answer.witness_refs);
    list(&mut text, "lineage", &answer.lineage_refs);
    if let Some(path) = &answer.issues_path {
        line(&mut text, "issues", &format!("{}{}", plain(path), snapshot(answer.snapshot_matches)));
    }
    text
}

fn features(answer: &BootstrapAnswer, count: u64) -> String {
    let all = counted(count, "feature");
    match &answer.next_feature_id {
        Some(next) => format!("{all}, next {STRONG}{}{STRONG:#}", plain(next)),
        None if answer.feature_closure_complete == Some(true) => {
            format!("{all}, {GOOD}all completed{GOOD:#}")
        }
        None => format!("{all}, none to work on"),
    }
}

fn snapshot(matches: Option<bool>) -> String {
    match matches {
        None => String::new(),
        Some(true) => format!(" {DIM}(unchanged since the session was written){DIM:#}"),
        Some(false) => format!(" {WARN}(changed since the session was written){WARN:#}"),
    }
}
