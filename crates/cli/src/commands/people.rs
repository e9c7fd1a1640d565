//! `premath approvals`, `premath proposals` and `premath policy`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::{
    ApprovalAnswer, ApprovalPage, PolicyAnswer, PolicyExplained, ProposalAnswer, ProposalPage,
};

use super::dep::number;
use super::{answer, measure};
use crate::args::people::{
    ApprovalsArgs, ApprovalsCommand, ListedArgs, PolicyArgs, PolicyCommand, ProposalsArgs, ProposalsCommand,
    SaidArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::people::{approval, approvals, explained, policy, proposal, proposals};
use crate::system;

fn listed(args: &ListedArgs) -> Value<'_> {
    Object::fields()
        .optional("limit", args.limit.map(number))
        .optional("run", args.run.as_deref())
        .optional("state", args.state.as_deref())
        .finish()
}

fn one(id: &str) -> Value<'_> {
    Object::fields().field("id", id).finish()
}

fn said(args: &SaidArgs) -> Value<'_> {
    Object::fields().field("id", args.id.as_str()).optional("message", args.message.as_deref()).finish()
}

/// `premath approvals`
pub(crate) fn approvals_command(args: &ApprovalsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let width = system::terminal_width();
    match &args.command {
        ApprovalsCommand::List(args) => {
            answer(host, "approval.list", &listed(args), &args.format, |page: &ApprovalPage| {
                approvals(page, width)
            })
        }
        ApprovalsCommand::Show(args) => {
            answer(host, "approval.show", &one(&args.id), &args.format, |card: &ApprovalAnswer| {
                approval(card)
            })
        }
        ApprovalsCommand::Approve(args) => {
            let arguments = Object::fields()
                .field("id", args.id.as_str())
                .optional("message", args.message.as_deref())
                .optional("patternArgument", args.pattern_argument.as_deref())
                .optional("patternName", args.pattern_name.as_deref())
                .optional("scope", args.scope.as_deref())
                .finish();
            answer(host, "approval.approve", &arguments, &args.format, |card: &ApprovalAnswer| approval(card))
        }
        ApprovalsCommand::Deny(args) => {
            answer(host, "approval.deny", &said(args), &args.format, |card: &ApprovalAnswer| approval(card))
        }
    }
}

/// `premath proposals`
pub(crate) fn proposals_command(args: &ProposalsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let width = system::terminal_width();
    let render = |card: &ProposalAnswer| proposal(card);
    match &args.command {
        ProposalsCommand::List(args) => {
            answer(host, "proposal.list", &listed(args), &args.format, |page: &ProposalPage| {
                proposals(page, width)
            })
        }
        ProposalsCommand::Show(args) => answer(host, "proposal.show", &one(&args.id), &args.format, render),
        ProposalsCommand::Approve(args) => {
            answer(host, "proposal.approve", &said(args), &args.format, render)
        }
        ProposalsCommand::Reject(args) => answer(host, "proposal.reject", &said(args), &args.format, render),
        ProposalsCommand::Resume(args) => {
            answer(host, "proposal.resume", &one(&args.id), &args.format, render)
        }
    }
}

/// `premath policy`
pub(crate) fn policy_command(args: &PolicyArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        PolicyCommand::Show(args) => {
            let scopes = Value::text_list(args.scopes.iter().map(String::as_str));
            let arguments = Object::fields().field("scopes", scopes).finish();
            let width = system::terminal_width();
            answer(host, "policy.show", &arguments, &args.format, |found: &PolicyAnswer| policy(found, width))
        }
        PolicyCommand::Explain(args) => {
            let arguments = Object::fields()
                .optional("args", args.args.as_deref())
                .optional("role", args.role.as_deref())
                .field("tool", args.tool.as_str())
                .finish();
            answer(host, "policy.explain", &arguments, &args.format, |found: &PolicyExplained| {
                explained(found)
            })
        }
        PolicyCommand::Promote(args) => measure::promote(args, host),
        PolicyCommand::Rollback(args) => measure::rollback(args, host),
        PolicyCommand::History(args) => measure::history(args, host),
    }
}
