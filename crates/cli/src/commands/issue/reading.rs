//! The commands that only read.

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::ExportAnswer;
use serde_json::value::RawValue;

use crate::args::issue::{
    ExportArgs, HistoryArgs, IssueCheckArgs, IssueGraphArgs, ListArgs, OneArgs, PlainListArgs, StoreArgs,
};
use crate::commands::dep::number;
use crate::commands::{answer, named_memory};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::issue as render;
use crate::system;

pub(super) fn list(action: &str, args: &ListArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let texts = |items: &'_ [String]| items.iter().map(|item| Value::from(item.clone())).collect::<Vec<_>>();
    let priorities = args.priority.iter().map(|priority| Value::from(u32::from(*priority))).collect();
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .optional("assignee", args.assignee.as_deref())
        .optional("limit", args.limit.map(number))
        .non_empty("label", texts(&args.label))
        .non_empty("priority", priorities)
        .non_empty("status", texts(&args.status))
        .non_empty("type", texts(&args.issue_type))
        .finish();
    let now = host.workspace.clock.now();
    let is_ready = action == "issue.ready";
    answer(host, action, &arguments, &args.format, |payload| {
        render::listing(payload, is_ready, now, system::terminal_width())
    })
}

pub(super) fn show(args: &OneArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .field("id", args.id.as_str())
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "issue.show", &arguments, &args.format, |payload| render::card::card(payload, now))
}

pub(super) fn blocked(args: &PlainListArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = plain(args, host)?;
    answer(host, "issue.blocked", &arguments, &args.format, |payload| {
        render::blocked(payload, system::terminal_width())
    })
}

pub(super) fn leases(args: &PlainListArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = plain(args, host)?;
    let now = host.workspace.clock.now();
    answer(host, "issue.lease_projection", &arguments, &args.format, |payload| {
        render::leases(payload, now, system::terminal_width())
    })
}

pub(super) fn graph(args: &IssueGraphArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("graphScope", args.graph_scope.as_deref())
        .optional("issues", named_memory(host, &args.list.store)?)
        .optional("limit", args.list.limit.map(number))
        .finish();
    answer(host, "issue.graph", &arguments, &args.list.format, |payload| {
        render::graph(payload, system::terminal_width())
    })
}

fn plain<'a>(args: &'a PlainListArgs, host: &Host<'_>) -> Result<Value<'a>, CliError> {
    Ok(Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .optional("limit", args.limit.map(number))
        .finish())
}

pub(super) fn check(args: &IssueCheckArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .optional("graphScope", args.graph_scope.as_deref())
        .optional("limit", args.limit.map(number))
        .finish();
    let exit = answer(host, "issue.check", &arguments, &args.format, render::check)?;
    Ok(if args.exit_zero { Exit::Accepted } else { exit })
}

pub(super) fn backend_status(args: &StoreArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("issues", named_memory(host, &args.store)?).finish();
    answer(host, "issue.backend_status", &arguments, &args.format, render::store::backend_status)
}

pub(super) fn export(args: &ExportArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .optional("output", args.output.as_deref())
        .finish();
    answer(host, "issue.export", &arguments, &args.format, |payload: &ExportAnswer<Vec<Box<RawValue>>>| {
        render::store::exported(payload)
    })
}

pub(super) fn history(args: &HistoryArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .field("id", args.id.as_str())
        .optional("limit", args.limit.map(number))
        .finish();
    let now = host.workspace.clock.now();
    answer(host, "issue.history", &arguments, &args.format, |payload| render::history::history(payload, now))
}
