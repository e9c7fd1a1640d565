//! `premath harness-session`

use premath_host::Host;
use premath_kernel::{Object, Value};

use super::issues_place::check_named;
use super::{answer, lane_path};
use crate::args::harness::{
    BootstrapArgs, HarnessSessionArgs, SessionCommand, SessionReadArgs, SessionWriteArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::harness;
use crate::system;

pub(crate) fn run(args: &HarnessSessionArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        SessionCommand::Write(args) => write(host, args),
        SessionCommand::Read(args) => read(host, args),
        SessionCommand::Bootstrap(args) => bootstrap(host, args),
    }
}

/// Refs that were given; a flag that was not says nothing.
pub(super) fn refs(given: &[String]) -> Option<Value<'_>> {
    (!given.is_empty()).then(|| Value::text_list(given.iter().map(String::as_str)))
}

fn write(host: &Host<'_>, args: &SessionWriteArgs) -> Result<Exit, CliError> {
    let root = &host.workspace.root;
    if let Some(typed) = args.issues.as_deref() {
        check_named(root, typed, &host.workspace.settings)?;
    }
    let issues = args.issues.as_deref().map(|typed| system::noted_path(root, typed));
    let arguments = Object::fields()
        .optional("path", lane_path(host, "harness.session.write", args.path.as_deref())?)
        .optional("state", args.state.as_deref())
        .optional("sessionId", args.session_id.as_deref())
        .optional("issueId", args.issue_id.as_deref())
        .optional("summary", args.summary.as_deref())
        .optional("nextStep", args.next_step.as_deref())
        .optional("instructionRefs", refs(&args.instruction_ref))
        .optional("witnessRefs", refs(&args.witness_ref))
        .optional("lineageRefs", refs(&args.lineage_ref))
        .optional("issues", issues.as_deref())
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.session.write", &arguments, &args.format, |payload| harness::session(payload, now))
}

fn read(host: &Host<'_>, args: &SessionReadArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("path", args.path.as_deref()).finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.session.read", &arguments, &args.format, |payload| harness::session(payload, now))
}

fn bootstrap(host: &Host<'_>, args: &BootstrapArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", args.path.as_deref())
        .optional("featureLedger", args.feature_ledger.as_deref())
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "harness.session.bootstrap", &arguments, &args.format, |payload| {
        harness::bootstrap(payload, now)
    })
}
