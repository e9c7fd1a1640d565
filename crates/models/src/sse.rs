//! Server-sent events, decoded as they arrive: bytes in, events out, whatever the pieces they come in.
//!
//! Own code: the crate we had chosen ends a stream at the first byte that is not UTF-8 where the standard replaces it
//! (one of the 24 vectors), and has no bound on a line. It must not know what an event means, keep more than the event
//! at hand, or read a byte twice.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How much of an event is kept before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseLimits {
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
    /// The longest data of one event, in bytes.
    pub max_event_bytes: usize,
}

impl Default for SseLimits {
    fn default() -> Self {
        // The last event of a Responses stream repeats the whole answer and every tool that was offered.
        Self { max_line_bytes: 16 * 1024 * 1024, max_event_bytes: 16 * 1024 * 1024 }
    }
}

/// A stream that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// A line goes on beyond the limit.
    #[error("a line of the event stream is longer than {limit} bytes")]
    LineTooLong {
        /// The limit.
        limit: usize,
    },
    /// The data of an event goes on beyond the limit.
    #[error("an event of the stream is longer than {limit} bytes")]
    EventTooLong {
        /// The limit.
        limit: usize,
    },
}

/// One event, borrowed from the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Its type; `message` when it has none.
    pub name: &'a str,
    /// Its data, lines joined by line feeds.
    pub data: &'a str,
    /// The last id the stream gave, in this event or before.
    pub last_event_id: &'a str,
}

/// Decodes one stream. An event that no blank line ended when the stream ends was never there.
#[derive(Debug, Default)]
pub struct SseDecoder {
    limits: SseLimits,
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_carriage_return: bool,
    after_first_line: bool,
    name: String,
    data: String,
    has_data: bool,
    id: String,
    last_event_id: String,
    retry_millis: Option<u64>,
}

impl SseDecoder {
    /// A decoder at the beginning of a stream.
    #[must_use]
    pub fn new(limits: SseLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// How long a client should wait before it connects again, if the stream said.
    #[must_use]
    pub const fn retry_millis(&self) -> Option<u64> {
        self.retry_millis
    }

    /// The id of the last event that was complete.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// Reads the next bytes and hands over every event that they complete.
    ///
    /// # Errors
    /// The decoder's own, beyond its limits, or the first one that `take` returns. Nothing is read after it.
    pub fn push<E: From<SseError>>(
        &mut self,
        bytes: &[u8],
        take: &mut dyn FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut rest = bytes;
        if self.after_carriage_return && !rest.is_empty() {
            self.after_carriage_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some((line, after)) = split_line(rest) {
            if self.line.is_empty() {
                self.check_line(line.len())?;
                self.read_line(line, take)?;
            } else {
                self.keep(line)?;
                let mut whole = std::mem::take(&mut self.line);
                self.read_line(&whole, take)?;
                whole.clear();
                self.line = whole;
            }
            rest = match after {
                After::Nothing => {
                    self.after_carriage_return = true;
                    &[]
                }
                After::Rest(rest) => rest,
            };
        }
        Ok(self.keep(rest)?)
    }

    fn check_line(&self, length: usize) -> Result<(), SseError> {
        let limit = self.limits.max_line_bytes;
        if length > limit { Err(SseError::LineTooLong { limit }) } else { Ok(()) }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        self.check_line(self.line.len().saturating_add(bytes.len()))?;
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn read_line<E: From<SseError>>(
        &mut self,
        line: &[u8],
        take: &mut dyn FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut line = line;
        if !self.after_first_line {
            self.after_first_line = true;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(take);
        }
        let (field, value) = match memchr(b':', line) {
            Some(colon) => line.split_at_checked(colon).unwrap_or((line, &[])),
            None => (line, [].as_slice()),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        Ok(self.read_field(field, value)?)
    }

    /// A field nobody knows, a comment among them, says nothing.
    fn read_field(&mut self, field: &[u8], value: &[u8]) -> Result<(), SseError> {
        match field {
            b"data" => {
                let limit = self.limits.max_event_bytes;
                let length =
                    self.data.len().saturating_add(usize::from(self.has_data)).saturating_add(value.len());
                if length > limit {
                    return Err(SseError::EventTooLong { limit });
                }
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(&text_of(value));
            }
            b"event" => {
                self.name.clear();
                self.name.push_str(&text_of(value));
            }
            b"id" if memchr(0, value).is_none() => {
                self.id.clear();
                self.id.push_str(&text_of(value));
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry_millis = text_of(value).parse().ok().or(self.retry_millis);
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch<E: From<SseError>>(
        &mut self,
        take: &mut dyn FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.last_event_id != self.id {
            self.last_event_id.clone_from(&self.id);
        }
        let taken = if self.has_data {
            let name = if self.name.is_empty() { "message" } else { &self.name };
            take(SseEvent { name, data: &self.data, last_event_id: &self.last_event_id })
        } else {
            Ok(())
        };
        self.name.clear();
        self.data.clear();
        self.has_data = false;
        taken
    }
}

fn text_of(value: &[u8]) -> Cow<'_, str> {
    // Nearly all of it is valid, and seeing that takes many bytes at a time.
    std::str::from_utf8(value).map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed)
}

/// What follows a line.
enum After<'a> {
    /// The bytes after its end.
    Rest(&'a [u8]),
    /// Nothing yet, and it ended with a carriage return: whether the end is complete, the next byte tells.
    Nothing,
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], After<'_>)> {
    let end = memchr2(b'\n', b'\r', bytes)?;
    let (line, after) = bytes.split_at_checked(end)?;
    let after = match after {
        [b'\r'] => After::Nothing,
        [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => After::Rest(rest),
        [] => After::Rest(&[]),
    };
    Some((line, after))
}
