//! Tools of other servers, through the command: real servers over real pipes, which lie, change, hang, die and flood.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test starts programs and reads what they say; what is missing fails it"
)]

#[path = "../folder/mod.rs"]
mod folder;

mod approving;
mod calling;
mod guarding;
mod our_own_server;
mod over_http;
mod place;
mod reach;
mod server;
mod turned_against_us;
