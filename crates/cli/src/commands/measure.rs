//! `premath eval`, `premath redteam` and `premath policy promote|rollback|history`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::{
    GuardrailsResult, MeasureAnswer, PromotionAnswer, PromotionListing, RedTeamResult, ToolsResult,
};

use super::answer;
use crate::args::measure::{
    EvalArgs, EvalCommand, GuardrailsArgs, HistoryArgs, PromoteArgs, RedTeamArgs, RedTeamCommand,
    RedTeamRunArgs, RollbackArgs, ToolsArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::measure;
use crate::system;

pub(super) fn eval(args: &EvalArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        EvalCommand::Guardrails(args) => guardrails(args, host),
        EvalCommand::Tools(args) => tools(args, host),
    }
}

pub(super) fn red_team(args: &RedTeamArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        RedTeamCommand::Run(args) => probes(args, host),
    }
}

fn noted(host: &Host<'_>, typed: &str) -> String {
    system::noted_path(&host.workspace.root, typed)
}

/// What is measured is an answer either way; the exit says whether the gate in force is met.
fn measured<R: serde::de::DeserializeOwned>(
    host: &Host<'_>,
    action: &str,
    arguments: &Value<'_>,
    format: &crate::args::Format,
    shown: impl FnOnce(&MeasureAnswer<R>) -> String,
) -> Result<(Exit, Option<String>), CliError> {
    let effect =
        host.call(action, arguments).map_err(|error| CliError::command(error, &action.replace('.', " ")))?;
    let answered: MeasureAnswer<R> = serde_json::from_str(effect.payload.get())
        .map_err(|source| super::unwritable(premath_host::ActionError::Unwritable { source }))?;
    let text = shown(&answered);
    if format.envelope {
        crate::output::json(&effect)?;
    } else if format.json {
        crate::output::json(&effect.payload)?;
    } else {
        crate::output::text(&text)?;
    }
    Ok((if answered.gate_met { Exit::Accepted } else { Exit::Rejected }, Some(answered.report_path)))
}

fn guardrails(args: &GuardrailsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let (dataset, package) =
        (noted(host, &args.dataset), args.package.as_deref().map(|typed| noted(host, typed)));
    let arguments =
        Object::fields().field("dataset", dataset.as_str()).optional("draft", args.draft.as_deref());
    let arguments = arguments.optional("package", package.as_deref()).finish();
    let (exit, report) = measured(
        host,
        "eval.guardrails",
        &arguments,
        &args.format,
        |found: &MeasureAnswer<GuardrailsResult>| measure::guardrails(found),
    )?;
    if let (Some(output), Some(report)) = (&args.output, report) {
        let failed =
            |what: String| CliError::environment(what, "--output takes a place that can be written to");
        let bytes = system::read_bytes(std::path::Path::new(&report)).ok().flatten();
        let bytes = bytes.ok_or_else(|| failed(format!("cannot read `{report}`")))?;
        system::replace_file(output, &bytes)
            .map_err(|error| failed(format!("cannot write `{}`: {error}", output.display())))?;
    }
    Ok(exit)
}

fn tools(args: &ToolsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let scenarios = args.scenarios.as_deref().map(|typed| noted(host, typed));
    let arguments = Object::fields()
        .field("profile", args.profile.as_str())
        .optional("scenarios", scenarios.as_deref())
        .finish();
    let shown = |found: &MeasureAnswer<ToolsResult>| measure::tools(found);
    let (exit, _) = measured(host, "eval.tools", &arguments, &args.format, shown)?;
    Ok(exit)
}

fn probes(args: &RedTeamRunArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let package = args.package.as_deref().map(|typed| noted(host, typed));
    let texts =
        |list: &'_ [String]| -> Vec<Value<'static>> { list.iter().cloned().map(Value::from).collect() };
    let arguments = Object::fields()
        .field("plugins", texts(&args.plugin))
        .field("strategies", texts(&args.strategy))
        .optional("draft", args.draft.as_deref())
        .optional("package", package.as_deref())
        .finish();
    let mut failures = 0;
    let shown = |found: &MeasureAnswer<RedTeamResult>| {
        failures = found.report.result.failures();
        measure::red_team(found)
    };
    let (exit, _) = measured(host, "redteam.run", &arguments, &args.format, shown)?;
    // A part is asked for to see what gets through, not to meet a gate.
    let is_part = !args.plugin.is_empty() || !args.strategy.is_empty();
    Ok(if is_part && failures == 0 { Exit::Accepted } else { exit })
}

pub(super) fn promote(args: &PromoteArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let path = |typed: &Option<String>| typed.as_deref().map(|typed| noted(host, typed));
    let (from, eval, redteam) = (path(&args.from), path(&args.reports.eval), path(&args.reports.redteam));
    let arguments = Object::fields()
        .optional("draft", args.draft.as_deref())
        .optional("from", from.as_deref())
        .optional("eval", eval.as_deref())
        .optional("redteam", redteam.as_deref())
        .finish();
    answer(host, "policy.promote", &arguments, &args.format, |found: &PromotionAnswer| {
        measure::promotion(found)
    })
}

pub(super) fn rollback(args: &RollbackArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let path = |typed: &Option<String>| typed.as_deref().map(|typed| noted(host, typed));
    let (eval, redteam) = (path(&args.reports.eval), path(&args.reports.redteam));
    let arguments = Object::fields()
        .optional("digest", args.digest.as_deref())
        .optional("eval", eval.as_deref())
        .optional("redteam", redteam.as_deref())
        .finish();
    answer(host, "policy.rollback", &arguments, &args.format, |found: &PromotionAnswer| {
        measure::promotion(found)
    })
}

pub(super) fn history(args: &HistoryArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().finish();
    answer(host, "policy.history", &arguments, &args.format, |found: &PromotionListing| {
        measure::history(found)
    })
}
