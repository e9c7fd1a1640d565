//! An answer from its first byte to its last: bytes in, events out, in whatever pieces they come. No sockets, no waiting.
//!
//! It must not emit anything after the first error or after the end, and must not take the end of the bytes for the end of
//! the answer.

use std::collections::VecDeque;
use std::fmt::Debug;

use premath_tusk::model::{Delivery, ModelError, ModelErrorKind, ModelEvent};

use super::Protocol;
use super::json::{malformed, stops_early};
use super::redaction::Redaction;
use crate::secret::ApiKey;
use crate::sse::{SseDecoder, SseError, SseLimits};
use crate::{anthropic, openai_chat, openai_responses};

/// How much of an answer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimits {
    /// The longest answer, in bytes on the wire.
    pub max_answer_bytes: usize,
    /// The longest line and event of a stream.
    pub sse: SseLimits,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self { max_answer_bytes: 64 * 1024 * 1024, sse: SseLimits::default() }
    }
}

/// Whether an answer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It does.
    More,
    /// This was its last event.
    Over,
}

/// What one protocol makes of what it is sent. After an error it is not asked again.
pub(crate) trait Dialect: Debug + Send {
    /// One event of a stream.
    fn event(&mut self, data: &str, events: &mut Events) -> Result<Flow, ModelError>;

    /// An answer in one piece.
    fn whole(&mut self, body: &str, events: &mut Events) -> Result<(), ModelError>;
}

/// The events of one answer, and the numbering of its parts: by first appearance, whatever a protocol counts.
#[derive(Debug, Default)]
pub(crate) struct Events {
    queue: VecDeque<ModelEvent>,
    request_id: Option<String>,
    is_started: bool,
    /// Something was said that a person may have seen, so that nobody else may answer instead.
    has_shown: bool,
    next_part: u64,
}

impl Events {
    /// Says once that the answer began.
    pub(crate) fn start(&mut self, response_id: Option<&str>, model: Option<&str>) {
        if !self.is_started {
            self.is_started = true;
            self.queue.push_back(ModelEvent::Started {
                request_id: self.request_id.clone(),
                response_id: response_id.map(str::to_owned),
                model: model.map(str::to_owned),
            });
        }
    }

    /// The number of the next part.
    pub(crate) const fn number_part(&mut self) -> u64 {
        let number = self.next_part;
        self.next_part += 1;
        number
    }

    /// Adds an event, the first one after a beginning.
    pub(crate) fn emit(&mut self, event: ModelEvent) {
        self.start(None, None);
        self.has_shown = true;
        self.queue.push_back(event);
    }
}

#[derive(Debug)]
enum Framing {
    Events(SseDecoder),
    Body(Vec<u8>),
}

#[derive(Debug)]
enum State {
    Reading,
    Failed(Box<ModelError>),
    Over,
}

/// Decodes one answer of one protocol.
#[derive(Debug)]
pub struct AnswerDecoder {
    framing: Framing,
    dialect: Box<dyn Dialect>,
    events: Events,
    state: State,
    bytes_left: usize,
    limit: usize,
    redaction: Redaction,
}

impl AnswerDecoder {
    /// A decoder at the beginning of an answer. `request_id` is what the provider's header says.
    #[must_use]
    pub fn new(
        protocol: Protocol,
        delivery: Delivery,
        request_id: Option<String>,
        limits: AnswerLimits,
    ) -> Self {
        let framing = match delivery {
            Delivery::Streamed => Framing::Events(SseDecoder::new(limits.sse)),
            Delivery::Whole => Framing::Body(Vec::new()),
        };
        let dialect: Box<dyn Dialect> = match protocol {
            Protocol::AnthropicMessages => Box::new(anthropic::Decoder::default()),
            Protocol::OpenaiResponses => Box::new(openai_responses::Decoder::default()),
            Protocol::OpenaiChat => Box::new(openai_chat::Decoder::default()),
        };
        let events = Events { request_id, ..Events::default() };
        let limit = limits.max_answer_bytes;
        let redaction = Redaction::default();
        Self { framing, dialect, events, state: State::Reading, bytes_left: limit, limit, redaction }
    }

    /// The same decoder, which lets nothing through that holds this key.
    #[must_use]
    pub fn hiding(self, key: Option<ApiKey>) -> Self {
        Self { redaction: Redaction::new(key), ..self }
    }

    /// Whether anything of the answer itself was read: a comment and a ping are none.
    pub(super) const fn has_begun(&self) -> bool {
        self.events.is_started || !self.is_reading()
    }

    /// Takes the next bytes. After the end or an error they are ignored.
    pub fn push(&mut self, bytes: &[u8]) {
        let (allowed, beyond) = bytes.split_at_checked(self.bytes_left).unwrap_or((bytes, &[]));
        if self.is_reading() {
            self.bytes_left = self.bytes_left.saturating_sub(allowed.len());
            self.read(allowed);
        }
        if self.is_reading() && !beyond.is_empty() {
            let message = format!("the answer is longer than {} bytes", self.limit);
            self.fail(ModelError::new(ModelErrorKind::Unknown, "too_large", message));
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        let Self { framing, dialect, events, .. } = self;
        let decoder = match framing {
            Framing::Events(decoder) => decoder,
            Framing::Body(body) => return body.extend_from_slice(bytes),
        };
        let mut flow = Flow::More;
        let pushed = decoder.push(bytes, &mut |event| {
            if flow == Flow::More {
                flow = dialect.event(event.data, events)?;
            }
            Ok::<(), ModelError>(())
        });
        // What goes wrong behind the last event of an answer is no longer about the answer.
        match (pushed, flow) {
            (_, Flow::Over) => self.state = State::Over,
            (Err(error), Flow::More) => self.fail(error),
            (Ok(()), Flow::More) => {}
        }
    }

    /// Takes the end of the bytes.
    pub fn end(&mut self) {
        if !self.is_reading() {
            return;
        }
        let ended = match &mut self.framing {
            Framing::Events(_) => Err(stream_cut("the stream ended before the answer did")),
            Framing::Body(body) => {
                let body = std::mem::take(body);
                whole(self.dialect.as_mut(), &body, &mut self.events)
            }
        };
        match ended {
            Ok(()) => self.state = State::Over,
            Err(error) => self.fail(error),
        }
    }

    /// Takes an accident of whoever brought the bytes.
    pub fn fail(&mut self, error: ModelError) {
        if self.is_reading() {
            let mut error = if self.events.has_shown { error.mid_answer() } else { error };
            error.request_id = error.request_id.or_else(|| self.events.request_id.clone());
            self.state = State::Failed(Box::new(error));
        }
    }

    /// Whether more bytes could change anything.
    #[must_use]
    pub const fn is_reading(&self) -> bool {
        matches!(self.state, State::Reading)
    }

    /// The next thing that happened, if anything has; after the end, and after the one error, nothing.
    pub fn next_event(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.redaction.pop() {
                return Some(Ok(event));
            }
            let Some(event) = self.events.queue.pop_front() else { break };
            if let Err(error) = self.redaction.push(event) {
                self.events.queue.clear();
                self.state = State::Failed(Box::new(error.mid_answer()));
            }
        }
        match std::mem::replace(&mut self.state, State::Over) {
            State::Failed(error) => Some(Err(self.redaction.error(*error))),
            reading @ State::Reading => {
                self.state = reading;
                None
            }
            State::Over => None,
        }
    }
}

fn whole(dialect: &mut dyn Dialect, body: &[u8], events: &mut Events) -> Result<(), ModelError> {
    let body = match std::str::from_utf8(body) {
        Ok(body) => body.strip_prefix('\u{feff}').unwrap_or(body),
        Err(error) if error.error_len().is_none() => {
            return Err(stream_cut("the answer stops in the middle"));
        }
        Err(_) => return Err(malformed("the answer is not UTF-8")),
    };
    dialect
        .whole(body, events)
        .map_err(|error| if stops_early(body) { stream_cut("the answer stops in the middle") } else { error })
}

#[cold]
fn stream_cut(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Unavailable, "stream_cut", message)
}

impl From<SseError> for ModelError {
    fn from(error: SseError) -> Self {
        Self::new(ModelErrorKind::Unknown, "too_large", error.to_string())
    }
}
