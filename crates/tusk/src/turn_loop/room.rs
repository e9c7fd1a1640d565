//! What a machine does when the context is full: it hands over, compacts, or no longer shows the oldest turns.

use premath_kernel::{Digest, PolicyKind};

use super::limits::OnFull;
use super::machine::Machine;
use super::records;
use super::state::{Paused, Phase, Purpose};
use super::watch::StopCause;
use crate::context::{Carried, CompactionInput, compact, continuity, spans, window};
use crate::model::{History, Message};

/// How full a context is when something is done about it, in percent: an answer has to fit too.
const FULL: u64 = 85;
/// How full it is afterwards.
const HALF: u64 = 50;

const DESCENT: &str = "The context of this session is nearly full; a fresh session goes on from what you write now. Write \
a handoff: what was asked, what was done and checked, what is open, what comes next, and which files and references matter. \
Do not call tools.";

impl Machine {
    /// Makes room for the next request. None when something else has to happen first, or the run has ended.
    pub(super) fn make_room(&mut self, purpose: Purpose) -> Option<Purpose> {
        let most = self.config.context.max_tokens;
        let full = most.saturating_mul(FULL) / 100;
        if self.state.meter.context_tokens() <= full || purpose == Purpose::Descent {
            return Some(purpose);
        }
        match self.config.context.on_full {
            OnFull::Descend => {
                if self.state.meter.context_tokens() > most {
                    // One turn brought more than was left: what sums it up has to fit as well.
                    self.windowing(Purpose::Descent, most)?;
                }
                self.wait_with(DESCENT.to_owned());
                Some(Purpose::Descent)
            }
            OnFull::Compact => self.compacting(purpose, most),
            OnFull::Window => self.windowing(purpose, most),
        }
    }

    /// How many of the oldest turns go, and the messages that stay behind the opening.
    fn dropping(&self, most: u64) -> (usize, Vec<Message>) {
        let messages: Vec<Message> = self.state.history.iter().cloned().collect();
        let spans = spans(&messages);
        let fixed =
            self.state.meter.context_tokens().saturating_sub(spans.iter().map(|span| span.tokens).sum());
        let kept = window(&spans, fixed, most.saturating_mul(HALF) / 100);
        let first = spans.get(kept.first_span).map_or(messages.len(), |span| span.first_message);
        (kept.dropped, messages.into_iter().skip(first).collect())
    }

    fn compacting(&mut self, purpose: Purpose, most: u64) -> Option<Purpose> {
        let (dropped, kept) = self.dropping(most);
        if dropped == 0 {
            self.stop(StopCause::Limit("context".to_owned()), Some(Paused::Calling(purpose)));
            return None;
        }
        let gone: Vec<_> = self.state.turns.drain(..dropped.min(self.state.turns.len())).collect();
        let carried = Carried {
            prior_state_digest: self.state.context_digest.clone(),
            obligations: self.run_state().obligations,
            constraints: Vec::new(),
            open_calls: Vec::new(),
        };
        let digest = self.terms.binding(PolicyKind::Compaction).cloned();
        let artifact = compact(CompactionInput {
            policy_digest: digest.unwrap_or_else(|| Digest::of_array([])),
            carried: carried.clone(),
            must_keep: Vec::new(),
            kept_turns: self.state.turns.iter().map(|turn| turn.turn_id.clone()).collect(),
            dropped: gone,
        });
        if continuity(&carried, &artifact).is_err() {
            self.stop(StopCause::Limit("context".to_owned()), Some(Paused::Calling(purpose)));
            return None;
        }
        self.rebuild(Some(artifact.text()), kept);
        self.records.push(records::compacted(&artifact));
        self.state.phase = Phase::Compacting { artifact: Box::new(artifact), purpose };
        None
    }

    fn windowing(&mut self, purpose: Purpose, most: u64) -> Option<Purpose> {
        let (dropped, kept) = self.dropping(most);
        if dropped == 0 {
            self.stop(StopCause::Limit("context".to_owned()), Some(Paused::Calling(purpose)));
            return None;
        }
        self.state.turns.drain(..dropped.min(self.state.turns.len()));
        let text = format!("{dropped} older turns are no longer shown.");
        self.rebuild(Some(text), kept);
        self.records.push(records::windowed(dropped, &self.state.context_digest));
        Some(purpose)
    }

    /// A history of the opening, a word about what is gone, and what stays.
    fn rebuild(&mut self, word: Option<String>, kept: Vec<Message>) {
        let opening = self.state.history.iter().next().cloned();
        self.state.history = History::default();
        self.state.meter = crate::context::Meter::new();
        for message in opening.into_iter().chain(word.map(Message::user_text)).chain(kept) {
            self.state.push(message);
        }
    }
}
