//! What the tests of several crates share. Must never be a normal dependency of product code.

mod broken_arguments;
mod clock;
mod data;
pub mod faulty_disk;
pub mod fuzz_bodies;
pub mod generate;
mod programs;
pub mod reference;
mod test_clones;

pub use broken_arguments::{BrokenArguments, broken_arguments};
pub use clock::{CountingIds, TestClock};
pub use data::{files_in, replay_corpus, test_data};
pub use programs::program;
pub use test_clones::TestClones;
