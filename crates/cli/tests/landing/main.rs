//! Landing over real git repositories: one commit per issue, where the mode wants it, once, whoever is killed.

#![expect(clippy::disallowed_methods, reason = "repositories and processes are what these tests are about")]
#![expect(clippy::unwrap_used, reason = "what cannot be prepared or read fails the test")]

#[path = "../crash/mod.rs"]
mod crash;

mod kills;
mod modes;
mod refusals;
mod repository;
