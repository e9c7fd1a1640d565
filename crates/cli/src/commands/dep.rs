//! `premath dep`

use premath_host::Host;
use premath_kernel::{Fields, Number, Object, Value};

use super::answer;
use crate::args::dep::{DepArgs, DepChangeArgs, DepCommand, DepReplaceArgs, DiagnosticsArgs, ProjectArgs};
use crate::args::issue::HolderFlags;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{render, system};

pub(crate) fn run(args: &DepArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        DepCommand::Add(args) => change(host, "dep.add", args),
        DepCommand::Remove(args) => change(host, "dep.remove", args),
        DepCommand::Replace(args) => replace(host, args),
        DepCommand::Project(args) => project(host, args),
        DepCommand::Diagnostics(args) => diagnostics(host, args),
    }
}

fn holder<'a>(fields: Fields<'a>, holder: &'a HolderFlags) -> Fields<'a> {
    fields
        .optional("leaseOwner", holder.lease_owner.as_deref())
        .optional("leaseId", holder.lease_id.as_deref())
        .optional("fence", holder.fence.map(number))
}

/// A count; beyond what JSON holds exactly it is a text, which the action refuses.
pub(super) fn number(number: u64) -> Value<'static> {
    Number::unsigned(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
}

fn change(host: &Host<'_>, action: &str, args: &DepChangeArgs) -> Result<Exit, CliError> {
    let fields = Object::fields()
        .optional("issues", super::named_memory(host, &args.store)?)
        .field("id", args.issue.as_str())
        .field("dependsOn", args.depends_on.as_str())
        .optional("type", args.kind.as_deref());
    let arguments = holder(fields, &args.holder).finish();
    answer(host, action, &arguments, &args.format, render::issue::changed)
}

fn replace(host: &Host<'_>, args: &DepReplaceArgs) -> Result<Exit, CliError> {
    let fields = Object::fields()
        .optional("issues", super::named_memory(host, &args.store)?)
        .field("id", args.issue.as_str())
        .field("dependsOn", args.depends_on.as_str())
        .optional("type", args.kind.as_deref())
        .optional("fromType", args.from_type.as_deref());
    let arguments = holder(fields, &args.holder).finish();
    answer(host, "dep.replace", &arguments, &args.format, render::issue::changed)
}

fn project(host: &Host<'_>, args: &ProjectArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", super::named_memory(host, &args.store)?)
        .optional("root", args.root.as_deref())
        .optional("graphScope", args.graph_scope.as_deref())
        .optional("direction", args.direction.as_deref())
        .optional("limit", args.limit.map(number))
        .finish();
    let width = system::terminal_width();
    answer(host, "dep.project", &arguments, &args.format, |payload| render::dep::tree(payload, width))
}

fn diagnostics(host: &Host<'_>, args: &DiagnosticsArgs) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", super::named_memory(host, &args.store)?)
        .optional("graphScope", args.graph_scope.as_deref())
        .optional("limit", args.limit.map(number))
        .finish();
    let exit = answer(host, "dep.diagnostics", &arguments, &args.format, render::dep::diagnostics)?;
    Ok(if args.exit_zero { Exit::Accepted } else { exit })
}
