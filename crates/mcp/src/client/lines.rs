//! One message a line over the pipes of a server, in bounded memory.
//!
//! What is no JSON is noise and is passed over, up to a limit; what is longer than a message may be, or is JSON that is no
//! message, ends the conversation and says why; so does a server that wants more of us than is answered. It must not believe a length.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use premath_tusk::tools::foreign::ForeignError;
use premath_wire::strict::{Limits, parse};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use super::connection::most;
use super::listener::Trouble;
pub(super) use crate::lines::LONGEST;

/// How many lines of noise are passed over.
const NOISE: usize = 1000;
/// How many requests of a server may wait for our answer.
pub(super) const UNANSWERED: usize = 64;
/// How many requests a server may make between two answers of its own.
pub(super) const UNASKED: usize = 1000;

/// A pair of pipes.
pub(super) struct ServerLines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    noise: usize,
    /// What the server wanted of us since it answered last.
    unasked: usize,
    /// How much of it our answer to is still to be written.
    unanswered: Arc<AtomicUsize>,
    write: Arc<Mutex<Option<W>>>,
    trouble: Arc<Trouble>,
}

enum Found {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Send + Unpin, W> ServerLines<R, W> {
    pub(super) fn new(read: R, write: W, trouble: Arc<Trouble>) -> Self {
        let write = Arc::new(Mutex::new(Some(write)));
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            noise: 0,
            unasked: 0,
            unanswered: Arc::default(),
            write,
            trouble,
        }
    }

    /// The next line. Whoever stops waiting loses nothing: bytes are taken and kept in one go.
    async fn next(&mut self) -> Found {
        loop {
            let Ok(available) = self.read.fill_buf().await else { return Found::End };
            if available.is_empty() {
                return Found::End;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            if self.line.len() + part.len() > LONGEST {
                return Found::TooLong;
            }
            self.line.extend_from_slice(part);
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                return Found::Line;
            }
        }
    }

    /// The message that a line is; none for noise.
    fn message(&mut self, line: &[u8]) -> Result<Option<ServerJsonRpcMessage>, String> {
        if !line.starts_with(b"{") {
            self.noise += usize::from(!line.is_empty());
            return if self.noise > NOISE {
                Err("it says too much that is no message".to_owned())
            } else {
                Ok(None)
            };
        }
        parse(line, Limits::default()).map_err(|error| format!("a message cannot be read: {error}"))?;
        let message =
            serde_json::from_slice(line).map_err(|error| format!("a line is no message: {error}"))?;
        self.count(&message)?;
        Ok(Some(message))
    }

    /// Counts what the server wants of us: each of it is answered, and the answers wait while it does not read.
    fn count(&mut self, message: &ServerJsonRpcMessage) -> Result<(), String> {
        match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => self.unasked = 0,
            JsonRpcMessage::Notification(_) => {}
            JsonRpcMessage::Request(_) => {
                self.unasked += 1;
                if self.unasked > UNASKED || self.unanswered.fetch_add(1, Ordering::SeqCst) >= UNANSWERED {
                    return Err("it asks for more than anybody answers".to_owned());
                }
            }
        }
        Ok(())
    }
}

impl<R, W> Transport<RoleClient> for ServerLines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (write, unanswered) = (Arc::clone(&self.write), Arc::clone(&self.unanswered));
        async move {
            let mut line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            write.write_all(&line).await?;
            write.flush().await?;
            if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
                unanswered.fetch_sub(1, Ordering::SeqCst);
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let error = match self.next().await {
                Found::End => return None,
                Found::TooLong => ForeignError::TooLarge { most: most() },
                Found::Line => {
                    let line = std::mem::take(&mut self.line);
                    match self.message(line.trim_ascii()) {
                        Ok(None) => continue,
                        Ok(Some(message)) => return Some(message),
                        Err(why) => ForeignError::Protocol { why },
                    }
                }
            };
            self.trouble.end(error);
            return None;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        match self.write.lock().await.take() {
            Some(mut write) => write.shutdown().await,
            None => Ok(()),
        }
    }
}
