//! `premath sandbox check|run`

use premath_host::{ActionError, Host};
use premath_kernel::{Object, Value};
use premath_wire::v1::{SandboxCheckAnswer, SandboxOutcome};

use super::dep::number;
use super::{answer, verdict};
use crate::args::sandbox::{SandboxArgs, SandboxCheckArgs, SandboxRunArgs, SandboxVerb};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

pub(crate) fn run(args: &SandboxArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.verb {
        SandboxVerb::Check(args) => check(args, host),
        SandboxVerb::Run(args) => run_command(args, host),
    }
}

fn check(args: &SandboxCheckArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let nothing = Object::fields().finish();
    let exit = answer(host, "sandbox.check", &nothing, &args.format, |answer: &SandboxCheckAnswer| {
        render::sandbox::checked(answer, system::terminal_width())
    })?;
    Ok(verdict(exit == Exit::Accepted, args.exit_zero))
}

fn run_command(args: &SandboxRunArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let stdin = args.stdin.as_deref().map(|path| {
        let bytes = system::read_named(path, "--stdin takes a readable file, or - for standard input")?;
        String::from_utf8(bytes)
            .map_err(|_| CliError::usage("what --stdin names is not UTF-8", "pass text to the command"))
    });
    let stdin = stdin.transpose()?;
    let workdir = system::absolute(args.workdir.as_deref())?;
    let words = args.command.iter().map(|word| Value::from(word.as_str())).collect::<Vec<_>>();
    let variables = args.env.iter().map(|(name, value)| (name.clone().into(), value.as_str().into()));
    let variables = Object::from_members(variables.collect::<Vec<_>>())
        .map_err(|_| CliError::usage("--env names a variable twice", "name each variable once"))?;
    let arguments = Object::fields()
        .field("command", Value::Array(words))
        .field("profile", args.profile.as_str())
        .field("workdir", workdir.as_str())
        .field("env", Value::Object(variables))
        .optional("stdin", stdin.as_deref())
        .optional("timeoutMs", args.timeout.map(number))
        .optional("outputBytes", args.output_bytes.map(number))
        .optional("memoryBytes", args.memory_bytes.map(number))
        .optional("processes", args.processes.map(number))
        .optional("diskBytes", args.disk_bytes.map(number))
        .finish();
    let effect =
        host.call("sandbox.run", &arguments).map_err(|error| CliError::command(error, "sandbox run"))?;
    let is_refused = effect.result_class == "rejected";
    if args.format.envelope {
        output::json(&effect)?;
    } else if args.format.json {
        output::json(&effect.payload)?;
    } else {
        show(effect.payload.get())?;
    }
    Ok(if is_refused { Exit::Rejected } else { Exit::Accepted })
}

/// What the command wrote goes where it wrote it; what is known of the run goes to standard error.
fn show(payload: &str) -> Result<(), CliError> {
    let outcome: SandboxOutcome = serde_json::from_str(payload)
        .map_err(|source| super::unwritable(ActionError::Unwritable { source }))?;
    match outcome {
        SandboxOutcome::Ran(ran) => {
            match ran.stdout.hex.as_deref().and_then(bytes) {
                Some(bytes) => output::said_bytes(&bytes)?,
                None => output::said(&ran.stdout.text)?,
            }
            output::said_to_errors(&ran.stderr.text);
            output::note(&render::sandbox::footer(&ran));
        }
        SandboxOutcome::Refused(refusal) => output::text(&render::sandbox::refused(&refusal))?,
    }
    Ok(())
}

/// The bytes that a command wrote when they are no text.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    digits.collect()
}
