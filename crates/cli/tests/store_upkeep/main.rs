//! Evidence that is missing, garbage, issue memory outside of its repository, and rows of older files and of beads.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests delete and look at the files that the command leaves"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

#[path = "../folder/mod.rs"]
mod folder;

mod beads_rows;
mod garbage;
mod issues_outside;
mod missing_evidence;
mod worked;
