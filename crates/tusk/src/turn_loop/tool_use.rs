//! What became of each result inside its own turn: what rests on it there, or why nothing does.
//!
//! Computed from the calls, their outcomes and what the turn goes on to do; nothing is said that is not in them. What a
//! later turn rests on is evidence of that turn. It must not look at anything outside the turn.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Access, Digest, Disposition, Intent, Text, ToolCallId, ToolUse, VerificationRule};

use super::earlier_results::{ClosedCall, holds_behind};
use super::plan::{self, ANSWER_CUT_OFF, TURN_REFUSED};
use crate::context::HandoffPacket;
use crate::tools::{ToolArtifact, ToolKind};

/// The reason of a result that an earlier call of the turn gave already.
const DUPLICATE: &str = "duplicate";
/// The reason of a read whose file was changed or read again in the same turn.
const SUPERSEDED: &str = "superseded";
/// The reason of a result that went into a program which failed.
const PROGRAM_FAILED: &str = "program_failed";

/// What rests on a result.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    /// A mutation: the digest of an intent, or of the arguments of a patch.
    Mutation(String),
    /// A handoff.
    Handoff(String),
    /// A summary: the result of a program, or a judgement.
    Summary(String),
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Consumed(Rest),
    RetryScheduled,
    Discarded(String),
    ObservedOnly,
}

/// A turn whose results are accounted for.
#[derive(Debug)]
pub(crate) struct TurnResults<'t> {
    /// Its calls with what came of them, in order.
    pub(crate) calls: &'t [ClosedCall<'t>],
    /// The changes that its calls ask for, by call.
    pub(crate) intents: &'t [(String, Intent)],
    /// Which changes need a verification result.
    pub(crate) rule: Option<&'t VerificationRule>,
    /// What is handed over with it.
    pub(crate) handoff: Option<&'t HandoffPacket>,
    /// The digest of what the harness concludes from it.
    pub(crate) judgement: Option<Digest>,
    /// Whether a model is asked again behind it.
    pub(crate) goes_on: bool,
}

impl TurnResults<'_> {
    /// One row for each result.
    pub(crate) fn rows(&self) -> Option<Vec<ToolUse>> {
        let files = FileUses::of(self.calls);
        let verified = self.verified_intent();
        let mut seen = BTreeSet::new();
        let rows = self.calls.iter().enumerate().map(|(place, closed)| {
            let fate = self.fate(place, closed, &files, verified.as_ref(), &mut seen);
            row(closed, fate)
        });
        rows.collect()
    }

    fn fate(
        &self,
        place: usize,
        closed: &ClosedCall<'_>,
        files: &FileUses,
        verified: Option<&Digest>,
        seen: &mut BTreeSet<(String, Digest)>,
    ) -> Fate {
        let id = &closed.call.call.id;
        if let Some((_, intent)) = self.intents.iter().find(|(call, _)| call == id) {
            return Fate::Consumed(Rest::Mutation(intent.digest().as_str().to_owned()));
        }
        if let Some(failure) = closed.outcome.failure() {
            let is_held =
                !closed.call.runs() && [TURN_REFUSED, ANSWER_CUT_OFF].contains(&failure.error_code.as_str());
            return if is_held && failure.retryable && self.goes_on {
                Fate::RetryScheduled
            } else {
                Fate::Discarded(failure.error_code.clone())
            };
        }
        if let Some(rest) = self.rest(place, closed, files, verified) {
            return Fate::Consumed(rest);
        }
        if closed.call.caller.is_some() {
            return Fate::Discarded(PROGRAM_FAILED.to_owned());
        }
        let is_repeated = !seen.insert((plan::signature(&closed.call.call), closed.result_digest.clone()));
        if is_repeated && closed.call.kind == ToolKind::Read {
            return Fate::Discarded(DUPLICATE.to_owned());
        }
        if files.is_superseded(place, closed) {
            return Fate::Discarded(SUPERSEDED.to_owned());
        }
        Fate::ObservedOnly
    }

    /// What rests on a result that is good.
    fn rest(
        &self,
        place: usize,
        closed: &ClosedCall<'_>,
        files: &FileUses,
        verified: Option<&Digest>,
    ) -> Option<Rest> {
        let verifies = self.rule.is_some_and(|rule| closed.verifies(rule) && holds_behind(self.calls, place));
        if let Some(intent) = verified.filter(|_| verifies) {
            return Some(Rest::Mutation(intent.as_str().to_owned()));
        }
        if let Some(patch) = files.patches.get(&place).and_then(|patch| self.calls.get(*patch)) {
            return Some(Rest::Mutation(plan::arguments_digest(&patch.call.call).as_str().to_owned()));
        }
        if let Some(packet) = self.handoff.filter(|packet| carries(packet, closed)) {
            return Some(Rest::Handoff(packet.digest().as_str().to_owned()));
        }
        if let Some(caller) = &closed.call.caller {
            let program = self.calls.iter().find(|other| other.call.call.id.trim() == caller.parent)?;
            let has_ended = program.outcome.failure().is_none();
            return has_ended.then(|| Rest::Summary(program.result_digest.as_str().to_owned()));
        }
        self.judgement.as_ref().map(|judgement| Rest::Summary(judgement.as_str().to_owned()))
    }

    /// The first change of the turn that needs a verification result.
    fn verified_intent(&self) -> Option<Digest> {
        let rule = self.rule?;
        self.intents.iter().map(|(_, intent)| intent).find(|intent| rule.covers(intent)).map(Intent::digest)
    }
}

fn row(closed: &ClosedCall<'_>, fate: Fate) -> Option<ToolUse> {
    let mut row = ToolUse {
        tool_call_id: ToolCallId::new(&closed.call.call.id)?,
        disposition: Disposition::ObservedOnly,
        result_digest: Some(closed.result_digest.clone()),
        reason: None,
        summary_ref: None,
        handoff_ref: None,
        mutation_input_ref: None,
    };
    match fate {
        Fate::ObservedOnly => {}
        Fate::RetryScheduled => row.disposition = Disposition::RetryScheduled,
        Fate::Discarded(reason) => {
            row.disposition = Disposition::DiscardedWithReason;
            row.reason = Text::new(&reason);
        }
        Fate::Consumed(rest) => {
            row.disposition = Disposition::Consumed;
            match rest {
                Rest::Mutation(digest) => row.mutation_input_ref = Text::new(&digest),
                Rest::Handoff(digest) => row.handoff_ref = Text::new(&digest),
                Rest::Summary(digest) => row.summary_ref = Text::new(&digest),
            }
        }
    }
    Some(row)
}

/// Whether a packet carries a file exactly as the call left it.
fn carries(packet: &HandoffPacket, closed: &ClosedCall<'_>) -> bool {
    let is_left = |path: &str, digest: &Digest| {
        closed.outcome.artifacts.iter().any(|artifact| {
            artifact.access == Access::Write
                && artifact.path == path
                && artifact.digest.as_ref() == Some(digest)
        })
    };
    packet.artifacts.iter().any(|artifact| is_left(&artifact.reference, &artifact.digest))
}

/// Which calls of a turn touched the same files, by their place in it.
struct FileUses {
    /// A call that said what a file holds, and the patch behind it that was made from exactly that.
    patches: BTreeMap<usize, usize>,
    /// By file: every call that read it or changed it, with what it held then.
    touched: BTreeMap<String, Vec<(usize, Access, Option<Digest>)>>,
}

impl FileUses {
    fn of(calls: &[ClosedCall<'_>]) -> Self {
        let mut uses = Self { patches: BTreeMap::new(), touched: BTreeMap::new() };
        for (place, closed) in
            calls.iter().enumerate().filter(|(_, closed)| closed.outcome.failure().is_none())
        {
            for base in &closed.outcome.bases {
                if let Some(supplier) = uses.supplier(calls, place, &base.path, &base.digest) {
                    uses.patches.entry(supplier).or_insert(place);
                }
            }
            for artifact in &closed.outcome.artifacts {
                let touch = (place, artifact.access, artifact.digest.clone());
                uses.touched.entry(artifact.path.clone()).or_default().push(touch);
            }
        }
        uses
    }

    /// The newest call before a patch that said that a file holds these bytes. Calls of one group do not see each other.
    fn supplier(&self, calls: &[ClosedCall<'_>], patch: usize, path: &str, digest: &Digest) -> Option<usize> {
        let group = |place: usize| {
            calls.get(place).and_then(|closed| closed.call.caller.as_ref()).map(|by| &by.group)
        };
        let touches = self.touched.get(path)?.iter().rev();
        let mut known =
            touches.filter(|(place, _, held)| held.as_ref() == Some(digest) && group(*place) != group(patch));
        known.next().map(|(place, ..)| *place)
    }

    /// Whether every file that a call read was changed, or read with other bytes, by a call behind it.
    fn is_superseded(&self, place: usize, closed: &ClosedCall<'_>) -> bool {
        let is_replaced = |artifact: &ToolArtifact| {
            let has_other = |other: &Option<Digest>| {
                other.is_some() && artifact.digest.is_some() && *other != artifact.digest
            };
            let behind = |(at, access, held): &(usize, Access, Option<Digest>)| {
                *at > place && (*access == Access::Write || has_other(held))
            };
            let touches = self.touched.get(&artifact.path);
            artifact.access == Access::Read && touches.is_some_and(|touches| touches.iter().any(behind))
        };
        let artifacts = &closed.outcome.artifacts;
        !artifacts.is_empty() && artifacts.iter().all(is_replaced)
    }
}

#[cfg(test)]
mod tests;
