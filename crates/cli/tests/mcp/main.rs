//! `premath mcp-serve` from outside: the real program over standard streams and HTTP.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test starts programs and reads what they say; what is missing fails it"
)]

#[path = "../folder/mod.rs"]
mod folder;

mod broken_input;
mod cancelling;
mod changes;
mod conformance_client;
mod conformance_suite;
mod everything;
mod guides;
mod http;
mod inspector;
mod malformed;
mod official_client;
mod outside;
mod parity;
mod peer;
mod pressure;
mod python_client;
mod real_agents;
mod several_servers;
mod written_elsewhere;
