//! `premath scheme-eval`

use std::path::Path;

use premath_host::{Host, scheme_wishes};
use premath_kernel::{Object, Value, encode};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{RefusedAnswer, SchemeEvalAnswer};

use super::dep::number;
use crate::args::scheme::SchemeEvalArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, DIM};
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
    let effect = host.call(ACTION, &arguments).map_err(|error| CliError::command(error, "scheme-eval"))?;
    let payload = effect.payload.get();
    if let Ok(refused) = serde_json::from_str::<RefusedAnswer>(payload) {
        return refuse(&refused);
    }
    let answer: SchemeEvalAnswer = serde_json::from_str(payload)
        .map_err(|source| CliError::action(premath_host::ActionError::Unwritable { source }))?;
    if let Some(path) = &args.trace {
        keep(path, payload)?;
    }
    if let Some(failure) = &answer.journal_failure {
        output::warning(&format!("the rows of this evaluation are not in the journal: {failure}"));
    }
    let is_no_program = answer.error.as_ref().is_some_and(|error| error.kind == "syntax");
    if is_no_program {
        // As for every input that cannot be read, standard output stays empty.
        told(&answer);
        return Ok(Exit::Invalid);
    }
    if args.format.envelope {
        output::json(&effect)?;
    } else if args.format.json {
        output::json(&effect.payload)?;
    } else {
        printed(&answer)?;
    }
    Ok(if answer.error.is_some() { Exit::Rejected } else { Exit::Accepted })
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

/// Writes the trace of an answer as it was made: in canonical bytes.
fn keep(path: &Path, payload: &str) -> Result<(), CliError> {
    let whole = parse(payload.as_bytes(), Limits::default())
        .map_err(|error| CliError::input(&error, "scheme-eval"))?;
    let trace = whole.as_object().and_then(|answer| answer.get("trace")).unwrap_or(&Value::Null);
    let mut bytes = encode(trace);
    bytes.push(b'\n');
    system::replace_file(path, &bytes).map_err(|error| {
        let what = format!("cannot write `{}`: {error}", path.display());
        CliError::environment(what, "--trace takes a file in a folder that exists")
    })
}

/// A trace that is none, or that comes out differently.
fn refuse(refused: &RefusedAnswer) -> Result<Exit, CliError> {
    let why = &refused.refused;
    let exit = if why.class == "scheme_trace_invalid" { Exit::Invalid } else { Exit::Rejected };
    Err(CliError { exit, message: format!("{}: {}", why.class, why.detail), hints: vec![why.hint.clone()] })
}

/// What the program wrote, then its value; what went wrong is told beside it.
fn printed(answer: &SchemeEvalAnswer) -> Result<(), CliError> {
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
        told(answer);
    }
    Ok(())
}

/// A failed program: its class and message, then where it happened.
fn told(answer: &SchemeEvalAnswer) {
    let Some(error) = &answer.error else { return };
    let message = render::plain(&format!("{}: {}", error.class, error.message));
    let mut lines = format!("{BAD}error:{BAD:#} {message}\n");
    for line in answer.pretty.iter().flat_map(|pretty| pretty.lines().skip(1)) {
        lines.push_str(&format!("{DIM}{}{DIM:#}\n", render::plain(line)));
    }
    output::note(&lines);
}
