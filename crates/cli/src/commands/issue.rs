//! `premath issue`: what is typed becomes the arguments of one action, and its answer is printed.

mod reading;
mod writing;

use premath_host::Host;

use crate::args::issue::{IssueArgs, IssueCommand};
use crate::error::CliError;
use crate::exit::Exit;

pub(crate) fn run(args: &IssueArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        IssueCommand::Add(args) => writing::add(args, host),
        IssueCommand::List(args) => reading::list("issue.list", args, host),
        IssueCommand::Show(args) => reading::show(args, host),
        IssueCommand::Ready(args) => reading::list("issue.ready", args, host),
        IssueCommand::Blocked(args) => reading::blocked(args, host),
        IssueCommand::Check(args) => reading::check(args, host),
        IssueCommand::Update(args) => writing::update(args, host),
        IssueCommand::Claim(args) => writing::claim(args, host),
        IssueCommand::ClaimNext(args) => writing::claim_next(args, host),
        IssueCommand::Discover(args) => writing::discover(args, host),
        IssueCommand::LeaseRenew(args) => writing::renew(args, host),
        IssueCommand::LeaseRelease(args) => writing::release(args, host),
        IssueCommand::Graph(args) => reading::graph(args, host),
        IssueCommand::LeaseProjection(args) => reading::leases(args, host),
        IssueCommand::BackendStatus(args) => reading::backend_status(args, host),
        IssueCommand::Compact(args) => writing::compact(args, host),
        IssueCommand::Import(args) => writing::import(args, host),
        IssueCommand::Export(args) => reading::export(args, host),
        IssueCommand::History(args) => reading::history(args, host),
    }
}
