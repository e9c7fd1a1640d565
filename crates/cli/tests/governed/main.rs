//! Policy through the command: what people are asked, what they can say, what a model cannot, and what everybody is told.
//!
//! Nothing here reaches into a store; what counts is what the command says and leaves.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "what cannot be done, or is not in an answer, fails the test; files and processes are the tests' own"
)]

mod answers;
mod cards;
mod doors;
mod examples;
mod guard_programs;
mod held_plans;
mod loading;
mod on_record;
mod plans;
mod policy;
mod protected_names;
mod reach;
mod resumed;
mod room;
mod secret_use;
mod terminal;
mod views;
mod waited;
