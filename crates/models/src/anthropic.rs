//! Anthropic Messages: `POST /v1/messages`. What goes out is in `request`, which prefixes of it are marked in
//! `marks`, what comes back in `decoder`, its blocks in `block`. It must not know a socket.

mod block;
mod decoder;
mod marks;
mod request;
#[cfg(test)]
mod tests;

pub(crate) use decoder::Decoder;
pub(crate) use request::body;

/// The name under which blocks of this protocol are carried.
pub const PROTOCOL: &str = "anthropic.messages";

/// The version of the protocol, sent with every request.
pub(crate) const VERSION: &str = "2023-06-01";
