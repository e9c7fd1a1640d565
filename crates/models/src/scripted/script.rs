//! The engine: which turn answers a request, and what happens to it. It does no I/O; only faults are counted.
//!
//! Which turn answers depends on nothing but the request, so that clients may come at the same time, and again after a
//! restart. It must not know a protocol.

use std::sync::atomic::{AtomicU64, Ordering};

use premath_kernel::{hex, sha256};

use super::expect;
use super::reply::{Failure, FailureKind, ReplyOutcome, ScriptedReply, Spoken, SpokenUsage};
use super::shown::ShownRequest;
use crate::scenario::{Call, Conversation, Fault, FaultKind, Scenario, Speech, Stop, Times, When};

/// A scenario that answers.
#[derive(Debug)]
pub struct Script {
    scenario: Scenario,
    attempts: Vec<Vec<AtomicU64>>,
}

impl Script {
    /// A script of which no turn was asked for yet.
    #[must_use]
    pub fn new(scenario: Scenario) -> Self {
        let counters =
            |conversation: &Conversation| conversation.turns.iter().map(|_| AtomicU64::new(0)).collect();
        let attempts = scenario.conversations.iter().map(counters).collect();
        Self { scenario, attempts }
    }

    /// What it answers from.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The answer to a request. Only a request that meets every expectation uses up a fault.
    #[must_use]
    pub fn answer(&self, shown: &ShownRequest) -> ScriptedReply {
        let conversations = self.scenario.conversations.iter().zip(&self.attempts).enumerate();
        let mut fitting = conversations.filter(|(_, (conversation, _))| fits(&conversation.when, shown));
        let Some((place, (conversation, attempts))) = fitting.next() else {
            let name = &self.scenario.name;
            let message = format!("no conversation of scenario `{name}` answers model `{}`", shown.model);
            return self.mismatch(None, message);
        };
        let index = match &conversation.when.asked {
            Some(_) => shown.answers_since_asked(),
            None => shown.answers(),
        };
        let (Some(turn), Some(counter)) = (conversation.turns.get(index), attempts.get(index)) else {
            let turns = conversation.turns.len();
            let message = format!("expected at most {turns} turns, was asked for turn {}", index + 1);
            return self.mismatch(None, message);
        };
        let number = to_u64(index) + 1;
        if let Err(message) = expect::check(&turn.expect, shown) {
            return self.mismatch(Some(number), format!("turn {number} {message}"));
        }
        let attempt = counter.fetch_add(1, Ordering::Relaxed);
        let fault = fault_of(&turn.faults, attempt);
        let identity = self.identity(&format!("{place}/{index}/{attempt}"));
        let outcome = outcome(&turn.speech, fault, shown);
        ScriptedReply { turn: Some(number), fault, identity, outcome }
    }

    fn mismatch(&self, turn: Option<u64>, message: String) -> ScriptedReply {
        let identity = self.identity(&message);
        let failure = Failure { kind: FailureKind::Mismatch, message };
        ScriptedReply { turn, fault: None, identity, outcome: ReplyOutcome::Failed(failure) }
    }

    /// What ids are made of: the same for the same scenario and place in it.
    pub(crate) fn identity(&self, place: &str) -> String {
        let digest = sha256(format!("{}\n{place}", self.scenario.name).as_bytes());
        hex(&digest).chars().take(24).collect()
    }
}

fn fits(when: &When, shown: &ShownRequest) -> bool {
    when.model.as_ref().is_none_or(|model| *model == shown.model)
        && when.system_contains.as_ref().is_none_or(|text| shown.system.contains(text.as_str()))
        && when.asked.as_ref().is_none_or(|pattern| shown.asked(pattern))
}

fn fault_of(faults: &[Fault], attempt: u64) -> Option<FaultKind> {
    let mut left = attempt;
    for fault in faults {
        match fault.times {
            Times::Always => return Some(fault.kind),
            Times::Count(times) if left < times => return Some(fault.kind),
            Times::Count(times) => left -= times,
        }
    }
    None
}

fn outcome(speech: &Speech, fault: Option<FaultKind>, shown: &ShownRequest) -> ReplyOutcome {
    let (kind, message) = match fault {
        Some(FaultKind::RateLimit { retry_after }) => {
            (FailureKind::RateLimit { retry_after }, "the scenario limits the rate")
        }
        Some(FaultKind::ServerError { status }) => {
            (FailureKind::ServerError { status }, "the scenario breaks the server")
        }
        Some(FaultKind::Overloaded) => (FailureKind::Overloaded, "the scenario overloads the server"),
        Some(FaultKind::Authentication) => (FailureKind::Authentication, "the scenario refuses the key"),
        Some(FaultKind::ContextLength) => {
            (FailureKind::ContextLength, "the scenario finds the conversation too long")
        }
        Some(FaultKind::WrongToolId) => {
            let spoken = spoken(speech, shown);
            return ReplyOutcome::Spoken(Spoken { calls: wrong_calls(&spoken.calls, shown), ..spoken });
        }
        Some(FaultKind::CutArguments) => {
            let spoken = spoken(speech, shown);
            let calls = cut_calls(&spoken.calls);
            return ReplyOutcome::Spoken(Spoken { calls, stop: Stop::MaxTokens, ..spoken });
        }
        Some(
            FaultKind::Cut { .. }
            | FaultKind::MalformedJson { .. }
            | FaultKind::Stall { .. }
            | FaultKind::Slow { .. },
        )
        | None => return ReplyOutcome::Spoken(spoken(speech, shown)),
    };
    ReplyOutcome::Failed(Failure { kind, message: message.to_owned() })
}

fn spoken(speech: &Speech, shown: &ShownRequest) -> Spoken {
    let usage = SpokenUsage {
        input: speech.usage.input.unwrap_or_else(|| tokens(shown.characters())),
        output: speech.usage.output.unwrap_or_else(|| tokens(said(speech))),
        cache_read: speech.usage.cache_read,
        cache_write: speech.usage.cache_write,
    };
    Spoken {
        reasoning: speech.reasoning.clone(),
        text: speech.text.clone(),
        refusal: speech.refusal.clone(),
        calls: speech.calls.clone(),
        stop: speech.stop.clone(),
        usage,
        chunk: speech.chunk,
    }
}

fn said(speech: &Speech) -> usize {
    let texts = [&speech.reasoning, &speech.text, &speech.refusal].into_iter().flatten();
    let texts: usize = texts.map(|text| text.chars().count()).sum();
    let calls: usize =
        speech.calls.iter().map(|call| call.tool.chars().count() + call.arguments.chars().count()).sum();
    texts + calls
}

/// Four characters are a token, and nothing is free.
fn tokens(characters: usize) -> u64 {
    to_u64(characters.div_ceil(4).max(1))
}

fn wrong_calls(calls: &[Call], shown: &ShownRequest) -> Vec<Call> {
    let earlier = shown.first_call_id().or_else(|| calls.first().map(|call| call.id.as_str()));
    let wrong = calls.iter().map(|call| {
        let mut tool = format!("{}_not_offered", call.tool);
        while shown.tools.contains(&tool) {
            tool.push_str("_not_offered");
        }
        Call { id: earlier.unwrap_or(&call.id).to_owned(), tool, arguments: call.arguments.clone() }
    });
    wrong.collect()
}

fn cut_calls(calls: &[Call]) -> Vec<Call> {
    let mut calls = calls.to_vec();
    if let Some(last) = calls.last_mut() {
        let half = last.arguments.chars().count() / 2;
        last.arguments = last.arguments.chars().take(half.max(1)).collect();
    }
    calls
}

fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
