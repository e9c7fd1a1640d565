//! `premath metrics`

use premath_host::Host;
use premath_kernel::Object;
use premath_telemetry::prometheus_text;
use premath_wire::v1::MetricsAnswer;

use super::answer;
use crate::args::init::MetricsArgs;
use crate::error::CliError;
use crate::exit::Exit;

pub(crate) fn run(args: &MetricsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().finish();
    answer(host, "metrics.read", &arguments, &args.format, |metrics: &MetricsAnswer| {
        // Writing into memory does not fail.
        prometheus_text(metrics).unwrap_or_default()
    })
}
