//! The language from outside: programs and what they come to, one file to an area.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod bombs;
mod bound;
mod broken_off;
mod calls;
mod documents;
mod errors;
mod failing;
mod forms;
mod library;
mod numbers;
mod reference;
mod repeat;
mod run;
mod sessions;
