//! Results of closed turns that later turns may rest on: what supplied the bytes of a file, what verified the work, what
//! is kept as an object.
//!
//! A function of the journal, so that replay finds the same. It must not keep what nothing can rest on, or a long run
//! would carry every result it ever had.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_kernel::{
    Access, Digest, PriorResult, PriorUse, ResultStatus, Shell, Text, Token, ToolCallId, VerificationRule,
};

use crate::evidence::{CallOutcome, Payload};
use crate::turn_loop::step::PlannedCall;

/// One result of a closed turn.
#[derive(Debug, PartialEq)]
pub(crate) struct EarlierResult {
    turn_digest: Digest,
    tool_call_id: String,
    tool_name: String,
    result_digest: Digest,
    shell: Option<Shell>,
    verdict: Option<Token>,
}

impl EarlierResult {
    /// The row of a turn in which `reference` rests on it.
    pub(crate) fn used_by(&self, reference: &str) -> Option<PriorUse> {
        Some(PriorUse {
            turn_digest: self.turn_digest.clone(),
            tool_call_id: ToolCallId::new(&self.tool_call_id)?,
            result_digest: self.result_digest.clone(),
            reference: Text::new(reference)?,
        })
    }

    /// What is observed when it is looked up.
    pub(crate) fn observed(&self) -> Option<PriorResult> {
        Some(PriorResult {
            turn_digest: self.turn_digest.clone(),
            tool_call_id: ToolCallId::new(&self.tool_call_id)?,
            tool_name: Text::new(&self.tool_name),
            status: Some(ResultStatus::Ok),
            result_digest: Some(self.result_digest.clone()),
            shell: self.shell.clone(),
            verdict: self.verdict.clone(),
        })
    }
}

/// A call of a turn that has closed.
#[derive(Debug)]
pub(crate) struct ClosedCall<'c> {
    pub(crate) call: &'c PlannedCall,
    pub(crate) outcome: &'c CallOutcome,
    pub(crate) result_digest: &'c Digest,
    pub(crate) shell: Option<Shell>,
    pub(crate) verdict: Option<Token>,
}

impl ClosedCall<'_> {
    fn is_ok(&self) -> bool {
        self.outcome.failure().is_none()
    }

    /// Whether it changed a file, whether or not it did all that was asked.
    fn writes(&self) -> bool {
        self.outcome.artifacts.iter().any(|artifact| artifact.access == Access::Write)
    }

    /// Whether it verifies the work.
    pub(crate) fn verifies(&self, rule: &VerificationRule) -> bool {
        let by_tool = rule.tools.contains(&self.call.call.name);
        let by_verdict =
            rule.verdicts && self.verdict.as_ref().is_some_and(|verdict| verdict.as_str() == PASS);
        let by_command = self.shell.as_ref().is_some_and(|shell| rule.is_passed_command(shell));
        self.is_ok() && (by_tool || by_verdict || by_command)
    }
}

/// What a judge says of work that is good, and of work that is not.
pub(crate) const PASS: &str = "pass";
pub(crate) const FAIL: &str = "fail";

/// Results of closed turns that later turns may rest on.
#[derive(Debug, Default)]
pub(crate) struct EarlierResults {
    /// By path: the newest result that says what the whole file holds, and that.
    suppliers: BTreeMap<String, (Digest, Arc<EarlierResult>)>,
    /// The newest result that verified the work, unless a file was changed after it.
    verified: Option<Arc<EarlierResult>>,
    /// Results that are kept as objects, by reference.
    stored: BTreeMap<String, Arc<EarlierResult>>,
}

impl EarlierResults {
    /// Takes the results of a turn that has closed, in the order of its calls.
    pub(crate) fn take(
        &mut self,
        turn_digest: &Digest,
        calls: &[ClosedCall<'_>],
        rule: Option<&VerificationRule>,
    ) {
        for (place, closed) in calls.iter().enumerate() {
            if closed.writes() {
                self.verified = None;
            }
            if closed.is_ok() {
                let verifies = rule.is_some_and(|rule| closed.verifies(rule) && holds_behind(calls, place));
                self.keep(turn_digest, closed, verifies);
            }
        }
    }

    fn keep(&mut self, turn_digest: &Digest, closed: &ClosedCall<'_>, verifies: bool) {
        let known: Vec<(&str, &Digest)> = closed
            .outcome
            .artifacts
            .iter()
            .filter_map(|artifact| Some((artifact.path.as_str(), artifact.digest.as_ref()?)))
            .collect();
        let stored = match &closed.outcome.payload {
            Payload::Stored { reference, .. } => Some(reference),
            Payload::Inline(_) => None,
        };
        if known.is_empty() && stored.is_none() && !verifies {
            return;
        }
        let result = Arc::new(EarlierResult {
            turn_digest: turn_digest.clone(),
            tool_call_id: closed.call.call.id.clone(),
            tool_name: closed.call.call.name.clone(),
            result_digest: closed.result_digest.clone(),
            shell: closed.shell.clone(),
            verdict: closed.verdict.clone(),
        });
        for (path, digest) in known {
            self.suppliers.insert(path.to_owned(), (digest.clone(), Arc::clone(&result)));
        }
        if let Some(reference) = stored {
            self.stored.insert(reference.clone(), Arc::clone(&result));
        }
        if verifies {
            self.verified = Some(result);
        }
    }

    /// The result that said that a file holds exactly these bytes.
    pub(crate) fn supplier(&self, path: &str, digest: &Digest) -> Option<&Arc<EarlierResult>> {
        self.suppliers.get(path).filter(|(known, _)| known == digest).map(|(_, result)| result)
    }

    /// The result that verified the work as it is.
    pub(crate) const fn verified(&self) -> Option<&Arc<EarlierResult>> {
        self.verified.as_ref()
    }

    /// The results that a text names by the reference of their object, in the order of the references.
    pub(crate) fn cited(&self, text: &str) -> Vec<&Arc<EarlierResult>> {
        if self.stored.is_empty() {
            return Vec::new();
        }
        let is_part = |one: char| one.is_ascii_alphanumeric() || one == ':';
        let words: std::collections::BTreeSet<&str> = text.split(|one| !is_part(one)).collect();
        words.into_iter().filter_map(|word| self.stored.get(word)).collect()
    }
}

/// Whether no other call of the turn changed a file beside this one or after it.
pub(crate) fn holds_behind(calls: &[ClosedCall<'_>], place: usize) -> bool {
    let group = |closed: &ClosedCall<'_>| closed.call.caller.as_ref().map(|caller| caller.group.clone());
    let own = calls.get(place).map(group);
    let others = calls.iter().enumerate().filter(|(other, _)| *other != place);
    !others
        .filter(|(_, closed)| closed.writes())
        .any(|(other, closed)| other > place || Some(group(closed)) == own)
}
