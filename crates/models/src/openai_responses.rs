//! OpenAI Responses: `POST /v1/responses`, nothing stored at the provider, reasoning carried by us. What goes out is in
//! `request`, what comes back in `decoder`, its items in `item`, which of
//! them were said before in `listing`. It must not know a socket.

mod decoder;
mod item;
mod listing;
mod request;
#[cfg(test)]
mod tests;

pub(crate) use decoder::Decoder;
pub(crate) use request::body;

/// The name under which items of this protocol are carried.
pub const PROTOCOL: &str = "openai.responses";
