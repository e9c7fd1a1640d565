//! `premath audit`

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::{AuditPage, AuditRow, AuditVerified, AuditWhy};

use super::dep::number;
use super::{answer, verdict};
use crate::args::audit::{AuditArgs, AuditCommand, AuditVerifyArgs, QueryArgs, WhyArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::audit::{page, verified, way_back};
use crate::system;

pub(crate) fn run(args: &AuditArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        AuditCommand::Query(args) => query(args, host),
        AuditCommand::Verify(args) => verify(args, host),
        AuditCommand::Why(args) => why(args, host),
    }
}

fn query(args: &QueryArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("kind", args.kind.as_deref())
        .optional("effect", args.effect.as_deref())
        .optional("run", args.run.as_deref())
        .optional("issue", args.issue.as_deref())
        .optional("tool", args.tool.as_deref())
        .optional("path", args.path.as_deref())
        .optional("actor", args.actor.as_deref())
        .optional("code", args.code.as_deref())
        .optional("digest", args.digest.as_deref())
        .optional("since", args.since.as_deref())
        .optional("until", args.until.as_deref())
        .optional("q", args.query.as_deref())
        .optional("limit", args.limit.map(number))
        .optional("cursor", args.cursor.as_deref())
        .finish();
    answer(host, "audit.query", &arguments, &args.format, |found: &AuditPage<AuditRow>| {
        page(found, host.workspace.clock.now(), system::terminal_width())
    })
}

fn verify(args: &AuditVerifyArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("reconcile", args.reconcile).finish();
    let exit =
        answer(host, "audit.verify", &arguments, &args.format, |found: &AuditVerified| verified(found))?;
    Ok(verdict(exit == Exit::Accepted, args.exit_zero))
}

fn why(args: &WhyArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .field("subject", args.subject.as_str())
        .optional("kind", args.kind.as_deref())
        .optional("limit", args.limit.map(number))
        .finish();
    answer(host, "audit.why", &arguments, &args.format, |found: &AuditWhy| way_back(found))
}
