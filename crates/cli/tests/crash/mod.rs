//! What the tests share that kill, stop and race the real command: a folder per store, commands with a deadline, a
//! tracer, shifted clocks, and figures. It must not judge: what is right is said by each test.

#![expect(
    clippy::disallowed_methods,
    reason = "processes, files and the clock are what these tests are about"
)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot do its work fails")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are there to be read")]
#![allow(dead_code, unused_imports, reason = "each test uses what it needs of this module")]

pub(crate) mod cases;
mod figures;
mod holder;
mod process;
mod rekeying;
mod rows;
mod shifted;
pub(crate) mod state;
mod tracer;
mod trouble;
#[path = "../unkeyed/mod.rs"]
mod unkeyed;
mod workplace;

pub(crate) use figures::{amount, figures, is_there, is_whole, patience};
pub(crate) use holder::{ANCHOR, Holding, Shows, Write};
pub(crate) use premath_testkit::faulty_disk::Seeded;
pub(crate) use process::{Answer, Started};
pub(crate) use rows::{items, lines, text};
pub(crate) use shifted::Shifted;
pub(crate) use tracer::{Call, Stopped, Tracer};
pub(crate) use trouble::{Orders, Trouble};
pub(crate) use workplace::Workplace;
