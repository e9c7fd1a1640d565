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
use crate::output::ErrorFormat;

#[expect(clippy::disallowed_methods, reason = "arguments are read here")]
fn main() -> std::process::ExitCode {
    // Whoever puts up a sandbox does so in a fresh process of this program, before anything else has happened in it.
    if let Some(exit) = premath_exec::helper_entry(std::env::args_os().nth(1).as_deref()) {
        return exit;
    }
    // Arguments that cannot be parsed may still ask for JSON.
    let mut arguments = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    let asks_json = arguments.any(|argument| argument == "--json" || argument == "--envelope");
    let format = if asks_json { ErrorFormat::Json } else { ErrorFormat::Text };
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli).unwrap_or_else(|error| output::error(&error, format)),
        Err(error) => output::usage(&error, format),
    };
    Exit::into(exit)
}
