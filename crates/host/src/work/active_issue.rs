//! Which issue a failure belongs to, when nobody said: from the environment, the session, or the only one that is ready.
//!
//! In that order, and the first that says something decides. Two that contradict each other decide nothing. It must not
//! guess: what stays open is refused by class.

use premath_bd::{SessionStore, StoreError};

use crate::agent::RunRefused as Refused;

/// What was said where.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said<'s> {
    /// `PREMATH_ACTIVE_ISSUE_ID`
    pub(crate) active: Option<&'s str>,
    /// `PREMATH_ISSUE_ID`
    pub(crate) issue: Option<&'s str>,
}

/// Two variables that name different issues.
pub(crate) fn contradiction(said: Said<'_>) -> Option<Refused> {
    match (told(said.active), told(said.issue)) {
        (Some(active), Some(issue)) if active != issue => Some(refused(
            "escalation_issue_context_ambiguous",
            &format!("PREMATH_ACTIVE_ISSUE_ID says `{active}`, and PREMATH_ISSUE_ID `{issue}`"),
        )),
        _agreed => None,
    }
}

/// The issue that the environment names.
pub(crate) fn named(said: Said<'_>) -> Option<String> {
    told(said.active).or_else(|| told(said.issue))
}

/// The environment names an issue that is not in issue memory.
pub(crate) fn unknown(id: &str) -> Refused {
    Refused {
        class: "escalation_issue_context_unknown".to_owned(),
        detail: format!("the environment names issue `{id}`, which does not exist"),
        hint: "`premath issue list` shows the issues; correct PREMATH_ACTIVE_ISSUE_ID or unset it".to_owned(),
    }
}

fn told(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The issue, and where it was said; none where only the ready ones can tell.
pub(crate) fn bound(said: Said<'_>, session: &SessionStore) -> Result<Option<String>, Refused> {
    if let Some(refused) = contradiction(said) {
        return Err(refused);
    }
    told(said.active)
        .or_else(|| told(said.issue))
        .map_or_else(|| in_session(session), |issue| Ok(Some(issue)))
}

fn in_session(session: &SessionStore) -> Result<Option<String>, Refused> {
    match session.read() {
        Ok(session) => Ok(session.document.issue_id.filter(|id| !id.trim().is_empty())),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error @ (StoreError::Corrupt { .. } | StoreError::Input(_))) => {
            Err(refused("escalation_session_invalid", &error.to_string()))
        }
        Err(error) => Err(refused("escalation_session_read_failed", &error.to_string())),
    }
}

/// The issue that a failure belongs to: what was said, else the only one that is ready.
pub(crate) fn active_issue(said: Option<String>, ready: &[String]) -> Result<String, Refused> {
    match (said, ready) {
        (Some(issue), _) => Ok(issue),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(refused(
            "escalation_issue_context_unbound",
            "neither the environment nor the session names an issue, and none is ready",
        )),
        (None, _several) => Err(refused(
            "escalation_issue_context_ambiguous",
            "neither the environment nor the session names an issue, and several are ready",
        )),
    }
}

fn refused(class: &str, detail: &str) -> Refused {
    Refused {
        class: class.to_owned(),
        detail: detail.to_owned(),
        hint: "name the issue with PREMATH_ACTIVE_ISSUE_ID".to_owned(),
    }
}

#[cfg(test)]
mod tests;
