//! The `premath` command: reads arguments, calls the host, renders the answer, picks the exit code. No logic here.

mod agent;
mod args;
mod commands;
mod demo;
mod door;
mod error;
mod exit;
mod models;
mod output;
mod outside;
mod render;
mod settings;
mod system;
mod telling;

use clap::Parser as _;

use crate::args::Cli;
use crate::exit::Exit;

#[expect(clippy::disallowed_methods, reason = "arguments are read here")]
fn main() -> std::process::ExitCode {
    // Whoever puts up a sandbox does so in a fresh process of this program, before anything else has happened in it.
    if let Some(exit) = premath_exec::helper_entry(std::env::args_os().nth(1).as_deref()) {
        return exit;
    }
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli).unwrap_or_else(|error| output::error(&error)),
        Err(error) => output::usage(&error),
    };
    Exit::into(exit)
}
