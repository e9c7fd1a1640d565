//! `premath help` and `premath completions`

use clap::CommandFactory as _;
use serde_json::json;

use crate::args::{Cli, CompletionArgs, HelpArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, STRONG};

pub(crate) fn run(args: &HelpArgs) -> Result<Exit, CliError> {
    if args.topic == ["exit-codes"] {
        return exit_codes(args.json);
    }
    let mut command = Cli::command();
    let mut name = "premath".to_owned();
    for topic in &args.topic {
        let Some(found) = command.find_subcommand(topic) else {
            let what = format!("there is no command or topic `{}`", topic.escape_debug());
            return Err(CliError::usage(
                what,
                "`premath help` lists the commands; `premath help exit-codes` is a topic",
            ));
        };
        name = format!("{name} {topic}");
        command = found.clone();
    }
    let help = command.bin_name(name).render_long_help();
    if args.json {
        let topic = (!args.topic.is_empty()).then(|| args.topic.join(" "));
        output::json(&json!({ "action": "help", "topic": topic, "text": help.to_string() }))?;
    } else {
        output::text(&help.ansi().to_string())?;
    }
    Ok(Exit::Accepted)
}

fn exit_codes(as_json: bool) -> Result<Exit, CliError> {
    if as_json {
        let rows = Exit::ALL.map(|exit| json!({ "code": exit.code(), "meaning": exit.meaning() }));
        output::json(&json!({ "action": "help", "topic": "exit-codes", "items": rows }))?;
    } else {
        let rows =
            Exit::ALL.map(|exit| format!("{STRONG}{:>4}{STRONG:#}  {}\n", exit.code(), exit.meaning()));
        let end = "\nWith exit 2, 3 and 4 standard output is empty, also with --json.\n\
                   --exit-zero on a check reports a rejection without failing.\n";
        output::text(&format!("{}{end}", rows.concat()))?;
    }
    Ok(Exit::Accepted)
}

pub(crate) fn completions(args: &CompletionArgs) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "premath", &mut script);
    let script = String::from_utf8_lossy(&script);
    if args.json {
        output::json(&json!({ "action": "completions", "shell": args.shell.to_string(), "script": script }))?;
    } else {
        output::text(&script)?;
    }
    Ok(Exit::Accepted)
}
