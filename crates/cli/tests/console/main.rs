//! `premath serve` from outside: the real program over real sockets.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test starts programs and reads what they say; what is missing fails it"
)]

#[path = "../folder/mod.rs"]
mod folder;

mod closed_doors;
mod crowds;
mod decisions;
mod followed_runs;
mod pages;
mod roots;
mod secret_use;
mod server;
mod shutdown;
