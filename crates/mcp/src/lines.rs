//! One message a line over a pair of streams, and an answer to whatever is none.
//!
//! A line that is too long is skipped without being kept, one that is no JSON or no message is answered with an error, and the
//! conversation goes on. Nothing more is read while too much is still to be answered. When the stream ends, what was asked for is still answered. It must not believe a length, and it
//! must not leave anything that was sent without an answer.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use premath_host::ACTIONS;
use premath_wire::InputError;
use premath_wire::strict::{Limits, parse};
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ContentBlock, ErrorData,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, watch};

use crate::answer::{Answered, Failure, Structure};
use crate::catalogue::tool_name;

/// The longest message.
pub(crate) const LONGEST: usize = 4 * 1024 * 1024;
/// How many answers may be owed before nothing more is read.
const OWED: usize = 128;
/// How many bytes of answers may wait to be written before nothing more is read.
const QUEUED: usize = 2 * LONGEST;
/// How long answers are waited for when the other end has said everything.
const PATIENCE: Duration = Duration::from_secs(10);

/// A pair of streams.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is being passed over.
    is_skipping: bool,
    /// Whether a request has come: what else comes before it opens nothing, and is passed over.
    is_open: bool,
    out: Out<W>,
}

/// The way out, and what is still to go there.
struct Out<W> {
    write: Arc<Mutex<Option<W>>>,
    owed: Arc<watch::Sender<Owed>>,
    faults: Arc<AtomicU64>,
}

impl<W> Clone for Out<W> {
    fn clone(&self) -> Self {
        Self {
            write: Arc::clone(&self.write),
            owed: Arc::clone(&self.owed),
            faults: Arc::clone(&self.faults),
        }
    }
}

/// What is still to go out: the answers by their names, and the bytes of those that are only to be written.
#[derive(Debug, Default)]
struct Owed {
    answers: BTreeSet<String>,
    bytes: usize,
}

/// What one look at the stream gave.
enum Found {
    Line,
    TooLong,
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> Self {
        let out = Out {
            write: Arc::new(Mutex::new(Some(write))),
            owed: Arc::new(watch::channel(Owed::default()).0),
            faults: Arc::default(),
        };
        Self { read: BufReader::new(read), line: Vec::new(), is_skipping: false, is_open: false, out }
    }

    /// The next line. Whoever stops waiting loses nothing: bytes are taken and kept in one go.
    async fn next(&mut self) -> Found {
        loop {
            let Ok(available) = self.read.fill_buf().await else { return Found::End };
            if available.is_empty() {
                return Found::End;
            }
            let (part, is_whole) = match available.iter().position(|byte| *byte == b'\n') {
                Some(end) => (available.get(..end).unwrap_or_default(), true),
                None => (available, false),
            };
            let taken = part.len() + usize::from(is_whole);
            let is_too_long = !self.is_skipping && self.line.len() + part.len() > LONGEST;
            if is_too_long {
                self.line = Vec::new();
            } else if !self.is_skipping {
                self.line.extend_from_slice(part);
            }
            let was_skipping = self.is_skipping;
            self.is_skipping = (was_skipping || is_too_long) && !is_whole;
            self.read.consume(taken);
            if is_too_long {
                return Found::TooLong;
            }
            if is_whole && !was_skipping {
                return Found::Line;
            }
        }
    }

    /// The message that a line is; none where it was answered here.
    fn message(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        if let Err(error) = parse(line, Limits::default()) {
            self.out.tell(unreadable(line, &error));
            return None;
        }
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
            Ok(message) => message,
            Err(error) => {
                let why = format!("no message of the protocol: {error}");
                self.out.fault(ErrorData::invalid_request(why, None), id_in(line));
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                self.is_open = true;
                if !self.out.owe(&request.id) {
                    let why = "the id is in use: an earlier request with it was not answered yet";
                    let id = request.id.clone();
                    self.out.fault(ErrorData::invalid_request(why, None), Some(id));
                    return None;
                }
            }
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification {
                    let CancelledNotificationParam { request_id, .. } = &cancelled.params;
                    request_id.iter().for_each(|id| self.out.paid(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.is_open.then_some(message)
    }
}

/// What can be seen of a message without looking at most of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Glimpse<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(borrow)]
    method: Option<&'l RawValue>,
    #[serde(borrow)]
    params: Option<&'l RawValue>,
    #[serde(borrow)]
    name: Option<&'l RawValue>,
}

impl<'l> Glimpse<'l> {
    fn of(text: &'l [u8]) -> Self {
        serde_json::from_slice(text).unwrap_or_default()
    }

    fn id(&self) -> Option<RequestId> {
        serde_json::from_str(self.id?.get()).ok()
    }
}

/// The id of something that is no message, where it has one.
fn id_in(line: &[u8]) -> Option<RequestId> {
    Glimpse::of(line).id()
}

/// The answer to what is no JSON that we take: whoever waits for it under an id must get it. The arguments of a tool are a
/// model's, and it is told as it is told of others that the tool does not take.
fn unreadable(line: &[u8], error: &InputError) -> ServerJsonRpcMessage {
    let glimpse = Glimpse::of(line);
    let is_call = glimpse.method.is_some_and(|method| method.get() == "\"tools/call\"");
    let params = glimpse.params.filter(|_| is_call).map(|params| Glimpse::of(params.get().as_bytes()));
    let name = params.and_then(|params| serde_json::from_str::<String>(params.name?.get()).ok());
    let action = name.and_then(|name| ACTIONS.iter().find(|action| tool_name(action.name) == name));
    match (action, glimpse.id()) {
        (Some(action), Some(id)) => {
            let failure = Failure {
                class: error.class.code().to_owned(),
                detail: error.to_string(),
                hint: "the tool's inputSchema says what it takes".to_owned(),
            };
            let result = Answered::failed(action.name, "", failure).into_result(Structure::Spliced);
            ServerJsonRpcMessage::response(ServerResult::CallToolResult(result), id)
        }
        (_, id) => ServerJsonRpcMessage::error(ErrorData::parse_error(error.to_string(), None), id),
    }
}

/// Takes the envelope that a tool answered with out of its message, where it is still to become structured content.
fn envelope(message: &mut ServerJsonRpcMessage) -> Option<String> {
    let JsonRpcMessage::Response(response) = message else { return None };
    let ServerResult::CallToolResult(result) = &mut response.result else { return None };
    match (&result.structured_content, result.content.as_mut_slice()) {
        (None, [ContentBlock::Text(text)]) => Some(std::mem::take(&mut text.text)),
        _ => None,
    }
}

/// A message as a line. An envelope is written as text and again as structured content: it is JSON already, and to read it into
/// values, to write those, and to look at each of its letters would cost more than all the rest of an answer.
fn written(mut message: ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    const EMPTY: &[u8] = br#""text":"""#;
    let envelope = envelope(&mut message);
    let line = serde_json::to_vec(&message)?;
    let Some(text) = envelope else { return Ok(ended(line)) };
    let place = line.windows(EMPTY.len()).position(|part| part == EMPTY).map(|at| at + EMPTY.len() - 1);
    let parts = place.and_then(|at| Some((line.get(..at)?, line.get(at..)?.strip_suffix(b"}}")?)));
    match parts {
        Some((before, behind)) => {
            let mut whole = Vec::with_capacity(line.len() + text.len() * 5 / 2);
            whole.extend_from_slice(before);
            escape(text.as_bytes(), &mut whole);
            whole.extend_from_slice(behind);
            whole.extend_from_slice(b",\"structuredContent\":");
            whole.extend_from_slice(text.as_bytes());
            whole.extend_from_slice(b"}}");
            Ok(ended(whole))
        }
        // The SDK writes results in another way than this knows: then it writes this one as well.
        None => {
            let JsonRpcMessage::Response(response) = &mut message else { return Ok(ended(line)) };
            if let ServerResult::CallToolResult(result) = &mut response.result {
                result.structured_content = serde_json::from_str(&text).ok();
                result.content = vec![ContentBlock::text(text)];
            }
            serde_json::to_vec(&message).map(ended)
        }
    }
}

fn ended(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'\n');
    line
}

/// JSON as the inside of a text of JSON. In written JSON that has no line ends there is nothing else to be escaped.
fn escape(json: &[u8], into: &mut Vec<u8>) {
    let mut from = 0;
    for at in memchr::memchr2_iter(b'"', b'\\', json) {
        into.extend_from_slice(json.get(from..at).unwrap_or_default());
        into.push(b'\\');
        from = at;
    }
    into.extend_from_slice(json.get(from..).unwrap_or_default());
}

fn named(id: &RequestId) -> String {
    serde_json::to_string(id).unwrap_or_default()
}

impl<W: AsyncWrite + Send + Unpin + 'static> Out<W> {
    /// Whether an answer was not owed under this name already.
    fn owe(&self, id: &RequestId) -> bool {
        let mut is_new = false;
        self.owed.send_modify(|owed| is_new = owed.answers.insert(named(id)));
        is_new
    }

    fn paid(&self, id: &RequestId) {
        self.owed.send_modify(|owed| {
            owed.answers.remove(&named(id));
        });
    }

    /// Waits until there is room for one more answer. A client that does not read is not read from.
    async fn room(&self) {
        let mut owed = self.owed.subscribe();
        let has_room = |owed: &Owed| owed.answers.len() < OWED && owed.bytes < QUEUED;
        // It fails only when nobody can owe anything any more.
        drop(owed.wait_for(has_room).await);
    }

    /// Answers what is no message with an error.
    fn fault(&self, error: ErrorData, id: Option<RequestId>) {
        self.tell(ServerJsonRpcMessage::error(error, id));
    }

    /// Answers at once. Nobody waits for it, so that nobody who stops waiting cuts it in two.
    fn tell(&self, message: ServerJsonRpcMessage) {
        let (out, note) = (self.clone(), format!("fault {}", self.faults.fetch_add(1, Ordering::Relaxed)));
        self.owed.send_modify(|owed| {
            owed.answers.insert(note.clone());
        });
        drop(tokio::spawn(async move {
            // A stream that takes nothing any more is noticed by whoever answers next.
            drop(out.put(message).await);
            out.owed.send_modify(|owed| {
                owed.answers.remove(&note);
            });
        }));
    }

    async fn put(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        let line = written(message).map_err(io::Error::other)?;
        self.owed.send_modify(|owed| owed.bytes += line.len());
        let written = self.write(&line).await;
        self.owed.send_modify(|owed| owed.bytes = owed.bytes.saturating_sub(line.len()));
        written
    }

    async fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut write = self.write.lock().await;
        let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        write.write_all(line).await?;
        write.flush().await
    }

    /// Waits until everything that was asked for is answered, but not for ever.
    async fn settled(&self) {
        let mut owed = self.owed.subscribe();
        drop(tokio::time::timeout(PATIENCE, owed.wait_for(|owed| owed.answers.is_empty())).await);
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let out = self.out.clone();
        async move {
            let paid = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let sent = out.put(message).await;
            paid.iter().for_each(|id| out.paid(id));
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.out.room().await;
            match self.next().await {
                Found::Line => {
                    let line = std::mem::take(&mut self.line);
                    let line = line.trim_ascii();
                    if !line.is_empty()
                        && let Some(message) = self.message(line)
                    {
                        return Some(message);
                    }
                }
                Found::TooLong => {
                    let why = format!("input.too_large: a message has at most {LONGEST} bytes");
                    self.out.fault(ErrorData::invalid_request(why, None), None);
                }
                Found::End => {
                    if !std::mem::take(&mut self.line).is_empty() {
                        let why = "the stream ended within a message";
                        self.out.fault(ErrorData::parse_error(why, None), None);
                    }
                    self.out.settled().await;
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        match self.out.write.lock().await.take() {
            Some(mut write) => write.shutdown().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
