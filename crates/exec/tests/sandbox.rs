//! The sandbox from outside: what runs, what is refused, what is left. One program that is runner, helper and command.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test program that is its own harness"
)]

#[path = "sandbox/attempts.rs"]
mod attempts;
#[path = "sandbox/behaviour.rs"]
mod behaviour;
#[path = "sandbox/cases.rs"]
mod cases;
#[path = "sandbox/harness.rs"]
mod harness;
#[path = "sandbox/missing_layers.rs"]
mod missing_layers;
#[path = "sandbox/variant.rs"]
mod variant;
#[path = "sandbox/verify.rs"]
mod verify;
#[path = "sandbox/world.rs"]
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(code) = premath_exec::helper_entry(arguments.get(1).map(std::ffi::OsStr::new)) {
        return code;
    }
    match arguments.get(1).map(String::as_str) {
        Some("__attempt") => attempts::run(&arguments[2]),
        Some("__victim") => world::be_a_victim(),
        Some("__case") => variant::run_case(&arguments[2], &arguments[3]),
        Some(_) | None => harness::main(&arguments[1..]),
    }
}
