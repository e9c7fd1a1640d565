//! The `premath` command: reads arguments, calls the host, renders the answer, picks the exit code. No logic here.

mod args;
mod commands;
mod door;
mod error;
mod exit;
mod output;
mod render;
mod settings;
mod system;

use clap::Parser as _;

use crate::args::Cli;
use crate::exit::Exit;

fn main() -> std::process::ExitCode {
    let exit = match Cli::try_parse() {
        Ok(cli) => commands::run(&cli).unwrap_or_else(|error| output::error(&error)),
        Err(error) => output::usage(&error),
    };
    Exit::into(exit)
}
