//! What the tests of several crates share. Must never be a normal dependency of product code.

mod data;
pub mod fuzz_bodies;
pub mod generate;
pub mod reference;

pub use data::test_data;
