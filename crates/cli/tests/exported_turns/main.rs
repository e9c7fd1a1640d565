//! Live turns judged again: what `turn export` writes of real runs, what `harness-join-check` says of it, what may be taken from
//! it; the commands that the seeds name, as they are written there; and what envelopes cite.

#![expect(clippy::disallowed_methods, reason = "a process is what is tested")]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what is not there fails the test")]

mod envelopes;
mod judged_again;
mod live_run;
mod removal;
mod seed_commands;
mod trajectory_order;
mod witnesses;
