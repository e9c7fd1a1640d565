//! `premath ask`: one question, its answer as it comes or as a whole.

use std::collections::BTreeSet;
use std::path::Path;

use premath_host::{ActionError, Host};
use premath_kernel::{Object, Value};
use premath_tusk::model::{AssistantPart, ModelEvent, StopReason};
use premath_wire::v1::AskAnswer;

use super::dep::number;
use crate::args::model::AskArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

pub(crate) fn run(args: &AskArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let prompt = question(args)?;
    let models = args.model.iter().map(|model| Value::from(model.as_str())).collect::<Vec<_>>();
    let mut arguments =
        Object::fields().field("prompt", prompt.as_str()).field("models", Value::Array(models));
    arguments = arguments
        .optional("system", args.system.as_deref())
        .optional("maxTokens", args.max_tokens.map(number))
        .optional("reasoning", args.reasoning.map(crate::args::model::Effort::as_str));
    let is_whole = !args.stream;
    let arguments = arguments.field("whole", is_whole).finish();
    if args.format.envelope {
        let effect = host.call("model.ask", &arguments).map_err(CliError::action)?;
        output::json(&effect)?;
        return Ok(if effect.result_class == "rejected" { Exit::Rejected } else { Exit::Accepted });
    }
    let mut shown = Shown { args, streamed: BTreeSet::new(), failure: None };
    let asked = premath_host::ask(host, &arguments, &mut |event| shown.take(event));
    shown.end_line();
    if let Some(failure) = shown.failure.take() {
        return Err(failure);
    }
    let answer = asked.map_err(|error| broken(args, error))?;
    print(args, &answer)?;
    let is_refusal = answer.stop == StopReason::Refusal.to_string();
    Ok(if is_refusal { Exit::Rejected } else { Exit::Accepted })
}

fn question(args: &AskArgs) -> Result<String, CliError> {
    if args.prompt != "-" {
        return Ok(args.prompt.clone());
    }
    let bytes = system::read_named(Path::new("-"), "pipe the question in")?;
    String::from_utf8(bytes)
        .map_err(|_| CliError::usage("the question on standard input is not UTF-8", "write it as UTF-8 text"))
}

/// Whoever reads events is told as an event that no more will come.
fn broken(args: &AskArgs, error: ActionError) -> CliError {
    let mut told = Ok(());
    if let ActionError::Model(failure) = &error
        && args.stream
        && args.format.json
    {
        told = output::json(&render::model::failure(failure));
    }
    told.err().unwrap_or_else(|| CliError::command(error, "ask"))
}

/// What has been printed while the answer comes.
struct Shown<'a> {
    args: &'a AskArgs,
    /// The parts of which something was printed.
    streamed: BTreeSet<u64>,
    failure: Option<CliError>,
}

impl Shown<'_> {
    fn take(&mut self, event: &ModelEvent) {
        if !self.args.stream || self.failure.is_some() {
            return;
        }
        let printed =
            if self.args.format.json { output::json(&render::model::event(event)) } else { self.text(event) };
        self.failure = printed.err();
    }

    /// A server may send a part in one piece where we asked for a stream.
    fn text(&mut self, event: &ModelEvent) -> Result<(), CliError> {
        let (index, text) = match event {
            ModelEvent::TextDelta { index, text } | ModelEvent::RefusalDelta { index, text } => (index, text),
            ModelEvent::PartDone {
                index,
                part: AssistantPart::Text(text) | AssistantPart::Refusal(text),
            } if !self.streamed.contains(index) => (index, text),
            ModelEvent::Started { .. }
            | ModelEvent::ReasoningDelta { .. }
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ArgumentsDelta { .. }
            | ModelEvent::PartDone { .. }
            | ModelEvent::Finished { .. } => return Ok(()),
        };
        self.streamed.insert(*index);
        output::said(text)
    }

    /// What was streamed ends its line before anything else is printed.
    fn end_line(&mut self) {
        if !self.streamed.is_empty() && self.failure.is_none() {
            self.failure = output::said("\n").err();
        }
    }
}

fn print(args: &AskArgs, answer: &AskAnswer) -> Result<(), CliError> {
    if args.format.json {
        return output::json(answer);
    }
    if !args.stream {
        let text = answer.refusal.as_deref().filter(|_| answer.text.is_empty()).unwrap_or(&answer.text);
        output::said(text)?;
        output::said("\n")?;
    }
    output::note(&render::model::footer(answer));
    Ok(())
}
