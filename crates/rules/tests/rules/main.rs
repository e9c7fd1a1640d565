//! The rules from outside: what does not load, what is decided, what the shipped rules say, and that nothing fails open.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a bench that cannot be set up must fail the test"
)]

mod deciding;
mod loading;
mod never_open;
mod page;
mod shipped;
mod workbench;
