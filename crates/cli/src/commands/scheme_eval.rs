//! `premath scheme-eval`

use std::path::Path;

use premath_host::{Host, scheme_wishes};
use premath_kernel::Object;
use premath_wire::v1::{HostEffect, RefusedAnswer, SchemeError};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::dep::number;
use crate::args::scheme::SchemeEvalArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, DIM};
use crate::system::{AwaitedFile, Purpose};
use crate::{output, render, system};

const ACTION: &str = "scheme.eval";
const NO_PROGRAM: &str =
    "write one with -e '(map issue-id (issue-ready))', or name a file with --program, - for standard input";

/// `premath scheme-eval`
pub(crate) fn run(args: &SchemeEvalArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let program = program(args)?;
    let is_prompt = program.is_none() && args.replay.is_none();
    if is_prompt && (!system::is_attended() || args.format.json || args.trace.is_some()) {
        return Err(CliError::usage("there is no program", NO_PROGRAM));
    }
    let hint = "--replay takes a file that --trace wrote";
    let replay = args.replay.as_deref().map(|path| text(path, hint)).transpose()?;
    let arguments = Object::fields()
        .optional("program", program.as_deref())
        .field("readOnly", args.read_only)
        .optional("maxCalls", args.max_calls.map(number))
        .optional("fuel", args.fuel.map(number))
        .optional("instruction", args.instruction.as_deref())
        .field("trace", args.trace.is_some())
        .optional("replay", replay.as_deref())
        .finish();
    if is_prompt {
        let wishes = scheme_wishes(&arguments).map_err(|error| CliError::command(error, "scheme-eval"))?;
        return super::scheme_repl::at_terminal(host, wishes);
    }
    let file = args.trace.as_deref().map(|path| AwaitedFile::new(path, TRACE)).transpose()?;
    let interrupt = host.agent.interrupt();
    if replay.is_none() {
        system::on_interrupt(interrupt.clone());
    }
    let effect = host.call(ACTION, &arguments).map_err(|error| CliError::command(error, "scheme-eval"))?;
    let payload = effect.payload.get();
    if let Ok(refused) = serde_json::from_str::<RefusedAnswer>(payload) {
        return refuse(&refused, args, &effect);
    }
    let told: Told<'_> = serde_json::from_str(payload)
        .map_err(|source| CliError::action(premath_host::ActionError::Unwritable { source }))?;
    if let (Some(file), Some(trace)) = (file, told.trace) {
        keep(file, trace, &told)?;
    }
    if let Some(failure) = &told.journal_failure {
        output::warning(&format!("the rows of this evaluation are not in the journal: {failure}"));
    }
    if told.error.as_ref().is_some_and(|error| error.kind == "syntax") {
        // As for every input that cannot be read, standard output stays empty.
        tell(&told);
        return Ok(Exit::Invalid);
    }
    if args.format.envelope {
        output::json(&effect)?;
    } else if args.format.json {
        output::json(&effect.payload)?;
    } else {
        printed(&told)?;
    }
    Ok(exit_of(&told, interrupt.is_requested()))
}

fn exit_of(told: &Told<'_>, is_interrupted: bool) -> Exit {
    match &told.error {
        _ if is_interrupted => Exit::Interrupted,
        None => Exit::Accepted,
        // Nothing was done, and the same may be done later.
        Some(error) if error.retryable && told.change_count == 0 && !told.replayed => Exit::Busy,
        Some(_) => Exit::Rejected,
    }
}

/// What of an answer is looked at here. Values and envelopes are only passed on, however deep they nest.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    replayed: bool,
    text: Option<String>,
    output: String,
    error: Option<SchemeError>,
    pretty: Option<String>,
    change_count: u64,
    journal_failure: Option<String>,
    #[serde(borrow)]
    trace: Option<&'a RawValue>,
}

/// The program that was named; none where the terminal or a trace has it.
fn program(args: &SchemeEvalArgs) -> Result<Option<String>, CliError> {
    let hint = "--program takes a readable file, or - for standard input";
    match (&args.expression, &args.program) {
        (Some(expression), _) => Ok(Some(expression.clone())),
        (None, Some(path)) => text(path, hint).map(Some),
        (None, None) => Ok(None),
    }
}

fn text(path: &Path, hint: &str) -> Result<String, CliError> {
    let bytes = system::read_named(path, hint)?;
    String::from_utf8(bytes).map_err(|_| {
        CliError::usage(format!("`{}` is not UTF-8", path.display()), "programs and traces are UTF-8 text")
    })
}

const TRACE: Purpose = Purpose { flag: "--trace", what: "a trace", is_one: is_trace };

/// Whether a file with these ends is a trace, as it was written.
fn is_trace(first: &[u8], last: &[u8]) -> bool {
    let stated = b"\"schema\":1,\"traceDigest\":\"st1_";
    first.starts_with(b"{\"actor\":") && last.windows(stated.len()).any(|here| here == stated)
}

/// Writes the trace of an answer as it was made. What the program changed stays changed, so then it is only told when that
/// does not succeed.
fn keep(file: AwaitedFile, trace: &RawValue, told: &Told<'_>) -> Result<(), CliError> {
    let Err(error) = file.fill(&[trace.get().as_bytes(), b"\n"]) else { return Ok(()) };
    let what = format!("the trace cannot be written: {error}");
    if told.change_count == 0 {
        return Err(CliError::environment(what, "nothing was changed; run it again with room for the trace"));
    }
    output::warning(&format!("{what}; what the program did is in the journal"));
    Ok(())
}

/// A trace that is none, or that comes out differently.
fn refuse(
    refused: &RefusedAnswer,
    args: &SchemeEvalArgs,
    effect: &HostEffect<Box<RawValue>>,
) -> Result<Exit, CliError> {
    let why = &refused.refused;
    let exit = if why.class == "scheme_trace_invalid" { Exit::Invalid } else { Exit::Rejected };
    if exit == Exit::Rejected && args.format.envelope {
        output::json(effect)?;
    } else if exit == Exit::Rejected && args.format.json {
        output::json(&effect.payload)?;
    }
    Err(CliError { exit, message: format!("{}: {}", why.class, why.detail), hints: vec![why.hint.clone()] })
}

/// What the program wrote, then its value; what went wrong is told beside it.
fn printed(answer: &Told<'_>) -> Result<(), CliError> {
    let mut shown = answer.output.clone();
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push('\n');
    }
    if let Some(text) = answer.text.as_deref().filter(|text| !text.is_empty()) {
        shown.push_str(text);
        shown.push('\n');
    }
    output::said(&shown)?;
    if answer.error.is_some() {
        tell(answer);
    }
    Ok(())
}

/// A failed program: its class and message, then where it happened.
fn tell(answer: &Told<'_>) {
    let Some(error) = &answer.error else { return };
    let message = render::plain(&format!("{}: {}", error.class, error.message));
    let mut lines = format!("{BAD}error:{BAD:#} {message}\n");
    for line in answer.pretty.iter().flat_map(|pretty| pretty.lines().skip(1)) {
        lines.push_str(&format!("{DIM}{}{DIM:#}\n", render::plain(line)));
    }
    output::note(&lines);
}

#[cfg(test)]
mod tests;
