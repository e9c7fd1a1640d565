//! `premath harness-feature`

use premath_host::Host;
use premath_kernel::Object;

use super::harness_session::refs;
use super::{answer, lane_path};
use crate::args::harness::{
    FeatureCheckArgs, FeatureCommand, FeatureReadArgs, FeatureWriteArgs, HarnessFeatureArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::harness;
use crate::system;

pub(crate) fn run(args: &HarnessFeatureArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        FeatureCommand::Write(args) => write(host, args),
        FeatureCommand::Read(args) => read(host, args),
        FeatureCommand::Next(args) => next(host, args),
        FeatureCommand::Check(args) => check(host, args),
    }
}

fn write(host: &Host<'_>, args: &FeatureWriteArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", lane_path(host, "harness.feature.write", args.path.as_deref())?)
        .field("featureId", args.feature_id.as_str())
        .field("status", args.status.as_str())
        .optional("issueId", args.issue_id.as_deref())
        .optional("summary", args.summary.as_deref())
        .optional("sessionRef", args.session_ref.as_deref())
        .optional("instructionRefs", refs(&args.instruction_ref))
        .optional("verificationRefs", refs(&args.verification_ref))
        .finish();
    answer(host, "harness.feature.write", &arguments, &args.format, harness::feature_written)
}

fn read(host: &Host<'_>, args: &FeatureReadArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("path", args.path.as_deref()).finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.feature.read", &arguments, &args.format, |payload| {
        harness::ledger(payload, now, system::terminal_width())
    })
}

fn next(host: &Host<'_>, args: &FeatureReadArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("path", args.path.as_deref()).finish();
    answer(host, "harness.feature.next", &arguments, &args.format, harness::next_feature)
}

fn check(host: &Host<'_>, args: &FeatureCheckArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", args.path.as_deref())
        .field("requireClosure", args.require_closure)
        .finish();
    let exit = answer(host, "harness.feature.check", &arguments, &args.format, harness::ledger_checked)?;
    Ok(if args.exit_zero { Exit::Accepted } else { exit })
}
