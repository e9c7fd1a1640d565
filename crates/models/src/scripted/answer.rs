//! From a request over HTTP to an answer over HTTP, with everything the scenario does to it. It sends nothing itself:
//! the transport in memory and the server both take what is made here, so that they cannot differ.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::body::Frame;
use super::reply::{Failure, FailureKind, ReplyOutcome, ScriptedReply, Spoken};
use super::route::{Route, request_id_header};
use super::script::Script;
use super::shown::{AnswerForm, ShownRequest};
use super::{chat, messages, openai, responses};
use crate::provider::Protocol;
use crate::scenario::FaultKind;

/// A request as it came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HttpRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) caller: Caller,
    pub(crate) body: &'a [u8],
}

/// Whose client a request comes from, where the path does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// One that names a version of Anthropic's protocol.
    Anthropic,
    /// Any other.
    Other,
}

/// An answer as it is to be sent.
#[derive(Debug, Clone)]
pub(crate) struct HttpAnswer {
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The body, in the pieces in which it is sent; only what is to be sent.
    pub(crate) pieces: Vec<Bytes>,
    /// How long each piece waits.
    pub(crate) delay: Duration,
    pub(crate) ending: Ending,
    pub(crate) served: Served,
}

/// What comes after the last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The end.
    Complete,
    /// The connection breaks.
    Cut,
    /// Nothing, for ever.
    Stalled,
}

/// One request and what came of it, for a log. Of what the client sent it holds the name of the model, and in `problem` the
/// beginning of what was shown where something else was expected; never a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// The protocol; none where the path belongs to no protocol.
    pub protocol: Option<Protocol>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The turn that answered, counted from one.
    pub turn: Option<u64>,
    /// Whether the answer is a stream.
    pub streamed: bool,
    /// The name of the fault that happened.
    pub fault: Option<&'static str>,
    /// The status.
    pub status: u16,
    /// Why it is an error of the client's, on one line.
    pub problem: Option<String>,
}

/// The answer to a request.
pub(crate) fn answer(script: &Script, request: HttpRequest<'_>) -> HttpAnswer {
    match (Route::of(request.path), request.method) {
        (Route::Answer(protocol), "POST") => match read(protocol, request.body) {
            Ok(shown) => spoken_answer(&shown, &script.answer(&shown)),
            Err(failure) => failed(script, Some(protocol), &failure),
        },
        (Route::Models, "GET" | "HEAD") => models(script, request.caller),
        (Route::Answer(protocol), method) => failed(script, Some(protocol), &wrong_method(method)),
        (Route::Models, method) => failed(script, caller_protocol(request.caller), &wrong_method(method)),
        (Route::Nowhere, _) => {
            let message =
                "nothing is here; there are /v1/messages, /v1/responses, /v1/chat/completions, /v1/models";
            let failure = Failure { kind: FailureKind::NotFound, message: message.to_owned() };
            failed(script, caller_protocol(request.caller), &failure)
        }
    }
}

/// The answer to a request whose body is longer than anybody reads.
pub(crate) fn too_large(script: &Script, path: &str, caller: Caller, limit: usize) -> HttpAnswer {
    let protocol = match Route::of(path) {
        Route::Answer(protocol) => Some(protocol),
        Route::Models | Route::Nowhere => caller_protocol(caller),
    };
    let message = format!("the body is longer than {limit} bytes");
    failed(script, protocol, &Failure { kind: FailureKind::TooLarge, message })
}

fn wrong_method(method: &str) -> Failure {
    Failure { kind: FailureKind::MethodNotAllowed, message: format!("not with method `{method}`") }
}

fn caller_protocol(caller: Caller) -> Option<Protocol> {
    match caller {
        Caller::Anthropic => Some(Protocol::AnthropicMessages),
        Caller::Other => None,
    }
}

fn read(protocol: Protocol, body: &[u8]) -> Result<ShownRequest, Failure> {
    match protocol {
        Protocol::AnthropicMessages => messages::read(body),
        Protocol::OpenaiResponses => responses::read(body),
        Protocol::OpenaiChat => chat::read(body),
    }
}

fn failed(script: &Script, protocol: Option<Protocol>, failure: &Failure) -> HttpAnswer {
    let label = Label { model: None, turn: None, fault: None, identity: &script.identity(&failure.message) };
    failure_answer(protocol, label, failure)
}

fn spoken_answer(shown: &ShownRequest, reply: &ScriptedReply) -> HttpAnswer {
    let label =
        Label { model: Some(&shown.model), turn: reply.turn, fault: reply.fault, identity: &reply.identity };
    match &reply.outcome {
        ReplyOutcome::Failed(failure) => failure_answer(Some(shown.protocol), label, failure),
        ReplyOutcome::Spoken(spoken) => speech_answer(shown, label, spoken),
    }
}

/// What an answer is known by.
#[derive(Debug, Clone, Copy)]
struct Label<'a> {
    model: Option<&'a str>,
    turn: Option<u64>,
    fault: Option<FaultKind>,
    identity: &'a str,
}

impl Label<'_> {
    fn served(self, protocol: Option<Protocol>, status: u16) -> Served {
        Served {
            protocol,
            model: self.model.map(str::to_owned),
            turn: self.turn,
            streamed: false,
            fault: self.fault.map(FaultKind::name),
            status,
            problem: None,
        }
    }
}

fn failure_answer(protocol: Option<Protocol>, label: Label<'_>, failure: &Failure) -> HttpAnswer {
    let request_id = format!("req_{}", label.identity);
    let (form, body) = match protocol {
        Some(Protocol::AnthropicMessages) => {
            let form = messages::failure_form(failure.kind);
            (form, messages::failure_body(form, &failure.message, &request_id))
        }
        Some(Protocol::OpenaiResponses | Protocol::OpenaiChat) | None => {
            let form = openai::failure_form(failure.kind);
            (form, openai::failure_body(form, &failure.message))
        }
    };
    let id_header = request_id_header(protocol.unwrap_or(Protocol::OpenaiChat));
    let mut headers = vec![("content-type", "application/json".to_owned()), (id_header, request_id)];
    if let FailureKind::RateLimit { retry_after: Some(seconds) } = failure.kind {
        headers.push(("retry-after", seconds.to_string()));
    }
    let problem = label.fault.is_none().then(|| failure.message.clone());
    let served = Served { problem, ..label.served(protocol, form.status) };
    let pieces = vec![Bytes::from(body)];
    HttpAnswer { headers, pieces, delay: Duration::ZERO, ending: Ending::Complete, served }
}

fn speech_answer(shown: &ShownRequest, label: Label<'_>, spoken: &Spoken) -> HttpAnswer {
    let streamed = shown.form != AnswerForm::Whole;
    let mut body = if streamed { frames(shown, spoken, label.identity) } else { Vec::new() };
    let mut whole = if streamed { String::new() } else { whole(shown, spoken, label.identity) };
    if let Some(FaultKind::MalformedJson { at_event }) = label.fault {
        break_json(&mut body, at_event);
        whole.pop();
    }
    let pieces = if streamed { body.iter().map(Frame::text).collect() } else { vec![whole] };
    let mut pieces: Vec<Bytes> = pieces.into_iter().map(Bytes::from).collect();
    let (ending, delay) = shape(&mut pieces, label.fault);
    let kind = if streamed { "text/event-stream; charset=utf-8" } else { "application/json" };
    let mut headers = vec![
        ("content-type", kind.to_owned()),
        (request_id_header(shown.protocol), format!("req_{}", label.identity)),
    ];
    if streamed {
        headers.push(("cache-control", "no-cache".to_owned()));
    }
    let served = Served { streamed, ..label.served(Some(shown.protocol), 200) };
    HttpAnswer { headers, pieces, delay, ending, served }
}

fn frames(shown: &ShownRequest, spoken: &Spoken, identity: &str) -> Vec<Frame> {
    match shown.protocol {
        Protocol::AnthropicMessages => messages::frames(spoken, &shown.model, identity),
        Protocol::OpenaiResponses => responses::frames(spoken, shown, identity),
        Protocol::OpenaiChat => chat::frames(spoken, &shown.model, identity, shown.form),
    }
}

fn whole(shown: &ShownRequest, spoken: &Spoken, identity: &str) -> String {
    match shown.protocol {
        Protocol::AnthropicMessages => messages::whole(spoken, &shown.model, identity),
        Protocol::OpenaiResponses => responses::whole(spoken, shown, identity),
        Protocol::OpenaiChat => chat::whole(spoken, &shown.model, identity),
    }
}

fn break_json(frames: &mut [Frame], at_event: u64) {
    let last = frames.iter().rposition(Frame::is_json).unwrap_or_default();
    let asked = usize::try_from(at_event.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(frame) = frames.get_mut(asked.min(last)) {
        frame.break_json();
    }
}

/// Leaves only what is sent, and says what comes after it.
fn shape(pieces: &mut Vec<Bytes>, fault: Option<FaultKind>) -> (Ending, Duration) {
    let Some(fault) = fault else { return (Ending::Complete, Duration::ZERO) };
    match fault {
        FaultKind::Cut { at_byte } => {
            keep(pieces, at_byte);
            (Ending::Cut, Duration::ZERO)
        }
        FaultKind::Stall { after_byte } => {
            keep(pieces, after_byte);
            (Ending::Stalled, Duration::ZERO)
        }
        FaultKind::Slow { delay } => (Ending::Complete, delay),
        FaultKind::RateLimit { .. }
        | FaultKind::ServerError { .. }
        | FaultKind::Overloaded
        | FaultKind::Authentication
        | FaultKind::ContextLength
        | FaultKind::MalformedJson { .. }
        | FaultKind::WrongToolId
        | FaultKind::CutArguments => (Ending::Complete, Duration::ZERO),
    }
}

/// Keeps so many bytes, and never all of them.
fn keep(pieces: &mut Vec<Bytes>, bytes: u64) {
    let total: usize = pieces.iter().map(Bytes::len).sum();
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX).min(total.saturating_sub(1));
    for piece in pieces.iter_mut() {
        piece.truncate(left);
        left -= piece.len();
    }
    pieces.retain(|piece| !piece.is_empty());
}

fn models(script: &Script, caller: Caller) -> HttpAnswer {
    let mut names = script.scenario().models();
    if names.is_empty() {
        names.push("scripted");
    }
    let body = match caller {
        Caller::Anthropic => {
            let entry = |name: &&str| {
                let created = "2023-11-14T22:13:20Z";
                json!({ "type": "model", "id": name, "display_name": name, "created_at": created })
            };
            let entries: Vec<Value> = names.iter().map(entry).collect();
            let (first, last) = (names.first(), names.last());
            json!({ "data": entries, "has_more": false, "first_id": first, "last_id": last })
        }
        Caller::Other => {
            let entry = |name: &&str| json!({ "id": name, "object": "model", "created": openai::CREATED, "owned_by": "premath" });
            let entries: Vec<Value> = names.iter().map(entry).collect();
            json!({ "object": "list", "data": entries })
        }
    };
    let label = Label { model: None, turn: None, fault: None, identity: "" };
    HttpAnswer {
        headers: vec![("content-type", "application/json".to_owned())],
        pieces: vec![Bytes::from(body.to_string())],
        delay: Duration::ZERO,
        ending: Ending::Complete,
        served: label.served(caller_protocol(caller), 200),
    }
}
