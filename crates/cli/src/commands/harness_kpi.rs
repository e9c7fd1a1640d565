//! `premath harness-kpi`

use premath_host::Host;
use premath_kernel::{Number, Object, Value};
use premath_wire::v1::Micros;

use super::dep::number;
use super::{answer, lane_path};
use crate::args::harness::{HarnessKpiArgs, KpiCommand, KpiReportArgs, RemediateArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::harness;

pub(crate) fn run(args: &HarnessKpiArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Some(KpiCommand::Remediate(args)) => remediate(host, args),
        None => report(host, &args.report),
    }
}

fn report(host: &Host<'_>, args: &KpiReportArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("asOf", args.as_of.as_deref())
        .optional("path", args.path.as_deref())
        .field("windowHours", number(args.window_hours))
        .field("target", decimal(&args.target, "--target")?)
        .field("rollback", decimal(&args.rollback, "--rollback")?)
        .field("minRows", number(args.min_rows))
        .optional("history", (args.history > 0).then(|| number(args.history)))
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.kpi.report", &arguments, &args.format, |payload| harness::kpi(payload, now))
}

fn remediate(host: &Host<'_>, args: &RemediateArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", lane_path(host, "harness.kpi.remediate", args.path.as_deref())?)
        .field("note", args.note.as_str())
        .finish();
    answer(host, "harness.kpi.remediate", &arguments, &args.format, harness::remediated)
}

/// A threshold as it was typed, with no more digits than are compared.
fn decimal(text: &str, flag: &str) -> Result<Value<'static>, CliError> {
    Micros::parse(text)
        .and_then(|micros| micros.to_string().parse().ok())
        .and_then(Number::float)
        .map(Value::Number)
        .ok_or_else(|| {
            let what = format!("{flag} takes a number such as 0.8, not `{}`", text.escape_debug());
            CliError::usage(what, "at least 0, at most six decimals")
        })
}
