//! The references that a step leaves: each a pure function of what it names, so that the same step gives the same text.
//!
//! `lease://handoff/<issue>/<state>/<digest>` names how an issue was handed on; `ctx://` the row that was worked on,
//! `cover://` what had to hold, `refinement://` from which evidence to which. Must not hold a payload or a time.

use premath_kernel::{Digest, Object, Value};

/// In which state an issue is handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HandoffState {
    /// Still held, for another attempt.
    Active,
    /// Given back.
    Released,
    /// Done.
    Closed,
    /// Set aside.
    Blocked,
    /// The lease had run out.
    Stale,
    /// Somebody else holds it.
    Contended,
    /// There is nothing left to hold.
    Missing,
}

impl HandoffState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Active,
        Self::Released,
        Self::Closed,
        Self::Blocked,
        Self::Stale,
        Self::Contended,
        Self::Missing,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Released => "released",
            Self::Closed => "closed",
            Self::Blocked => "blocked",
            Self::Stale => "stale",
            Self::Contended => "contended",
            Self::Missing => "missing",
        }
    }
}

/// How a step handed its issue on: of the issue, the state, the step and the fence it was held under.
#[must_use]
pub fn handoff_ref(issue_id: &str, state: HandoffState, step_id: &str, fence: u64) -> String {
    let fields = Object::fields()
        .field("fence", fence.to_string())
        .field("issueId", issue_id)
        .field("state", state.token())
        .field("stepId", step_id);
    format!("lease://handoff/{issue_id}/{}/{}", state.token(), short(&fields.finish()))
}

/// What was worked on: the issue as its row of that revision says it, in the session of that worker.
#[must_use]
pub fn context_ref(worker: &str, issue_id: &str, rev: u64) -> String {
    format!("ctx://{worker}/{issue_id}@{rev}")
}

/// What had to hold for the issue to be closed: the command that verifies, and the policies in force.
#[must_use]
pub fn cover_ref(issue_id: &str, verification: &str, policies: &[&str]) -> String {
    let fields = Object::fields()
        .field("policies", Value::text_list(policies.iter().copied()))
        .field("verification", verification);
    format!("cover://{issue_id}/{}", short(&fields.finish()))
}

/// From the evidence before to the evidence after; what is missing is `none`.
#[must_use]
pub fn refinement_ref(issue_id: &str, before: Option<&Digest>, after: Option<&Digest>) -> String {
    let end = |digest: Option<&Digest>| {
        digest.map_or_else(|| "none".to_owned(), |digest| abbreviated(digest.as_str()))
    };
    format!("refinement://{issue_id}/{}..{}", end(before), end(after))
}

fn short(value: &Value<'_>) -> String {
    abbreviated(Digest::of(value).as_str())
}

/// The first sixteen letters of the hexadecimal form.
fn abbreviated(digest: &str) -> String {
    digest.rsplit([':', '_']).next().unwrap_or_default().chars().take(16).collect()
}
