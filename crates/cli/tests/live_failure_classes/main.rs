//! Failure classes in live runs. Every class marked `live` on docs/reference/live-failure-classes.md is provoked here by a
//! scripted run of the real command; the page names for each other class the construct that keeps a run from it.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "the page and the example data are read as files")]

#[path = "../folder/mod.rs"]
#[expect(dead_code, reason = "other tests read what a command says to people")]
mod folder;

mod by_measurement;
mod by_model;
mod by_package;
mod page;
mod scenario;
