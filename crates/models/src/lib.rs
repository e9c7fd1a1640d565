//! Language models over their real protocols, scripted ones, recorded ones, and a server that speaks as they do.
//!
//! An adapter turns a request into HTTP and HTTP back into events; a transport carries HTTP. It must not decide policy,
//! and must not read the environment: keys and addresses are given to it.

pub mod anthropic;
pub mod cassette;
pub mod error_kinds;
mod openai_chat;
pub mod openai_responses;
pub mod price;
pub mod provider;
pub mod scenario;
pub mod scripted;
pub mod secret;
pub mod server;
pub mod sse;
pub mod transport;
