//! OpenAI Chat Completions, and every server that speaks it more or less: `POST /v1/chat/completions`. What goes out is in
//! `request`, what comes back in `decoder`, tool calls on their way in `calls`. It must not know a socket.

mod calls;
mod decoder;
mod request;
#[cfg(test)]
mod tests;

pub(crate) use decoder::Decoder;
pub(crate) use request::{LengthField, body};

/// The name of the form in which this protocol writes what requests begin with.
const PROTOCOL: &str = "openai.chat";
