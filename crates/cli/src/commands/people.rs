//! `premath approvals`, `premath proposals` and `premath policy`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::{
    ApprovalAnswer, ApprovalPage, PolicyAnswer, PolicyExplained, PolicyExport, ProposalAnswer, ProposalPage,
};

mod shown;

use super::dep::number;
use super::run::requested_scopes;
use super::{answer, measure, unwritable};
use crate::args::people::{
    ApprovalsArgs, ApprovalsCommand, ListedArgs, PolicyArgs, PolicyCommand, PolicyExportArgs, ProposalsArgs,
    ProposalsCommand, SaidArgs,
};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::people::{
    active_approvals, approval, approvals, decided, explained, exported, policy, proposal, proposals,
};
use crate::render::policy_package;
use crate::{output, system};

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
            let listed = &args.listed;
            let state = if args.active { Some("approved") } else { listed.state.as_deref() };
            let arguments = Object::fields()
                .optional("active", args.active.then_some(true))
                .optional("limit", listed.limit.map(number))
                .optional("run", listed.run.as_deref())
                .optional("state", state)
                .finish();
            let is_active = args.active;
            answer(host, "approval.list", &arguments, &listed.format, |page: &ApprovalPage| {
                if is_active { active_approvals(page, width) } else { approvals(page, width) }
            })
        }
        ApprovalsCommand::Show(args) => {
            let arguments = Object::fields()
                .field("id", args.id.as_str())
                .optional("patternArgument", args.pattern_argument.as_deref())
                .optional("patternName", args.pattern_name.as_deref())
                .finish();
            answer(host, "approval.show", &arguments, &args.format, approval)
        }
        ApprovalsCommand::Approve(args) => {
            let is_pattern = args.pattern_name.is_some()
                || args.pattern_argument.is_some()
                || args.scope.as_deref() == Some("pattern");
            let shown = if is_pattern { None } else { shown::approval(host, &args.id, &args.format)? };
            let arguments = Object::fields()
                .optional("digest", args.digest.as_deref().or(shown.as_deref()))
                .field("id", args.id.as_str())
                .optional("message", args.message.as_deref())
                .optional("patternArgument", args.pattern_argument.as_deref())
                .optional("patternName", args.pattern_name.as_deref())
                .optional("scope", args.scope.as_deref())
                .finish();
            answer(host, "approval.approve", &arguments, &args.format, decided)
        }
        ApprovalsCommand::Deny(args) => {
            answer(host, "approval.deny", &said(args), &args.format, |card: &ApprovalAnswer| approval(card))
        }
        ApprovalsCommand::Revoke(args) => {
            answer(host, "approval.revoke", &said(args), &args.format, |card: &ApprovalAnswer| approval(card))
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
            let shown = shown::plan(host, &args.id, &args.format)?;
            let arguments = Object::fields()
                .optional("digest", args.digest.as_deref().or(shown.as_deref()))
                .field("id", args.id.as_str())
                .optional("message", args.message.as_deref())
                .finish();
            answer(host, "proposal.approve", &arguments, &args.format, render)
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
            let arguments = Object::fields().optional("scopes", requested_scopes(&args.scopes)).finish();
            let width = system::terminal_width();
            answer(host, "policy.show", &arguments, &args.format, |found: &PolicyAnswer| policy(found, width))
        }
        PolicyCommand::Explain(args) => {
            let arguments = Object::fields()
                .optional("args", args.args.as_deref())
                .optional("role", args.role.as_deref())
                .optional("scopes", requested_scopes(&args.scopes))
                .field("tool", args.tool.as_str())
                .finish();
            answer(host, "policy.explain", &arguments, &args.format, |found: &PolicyExplained| {
                explained(found)
            })
        }
        PolicyCommand::Draft(args) => {
            let arguments = Object::fields().field("name", args.name.as_str()).finish();
            answer(host, "policy.draft", &arguments, &args.format, policy_package::draft)
        }
        PolicyCommand::Diff(args) => {
            let arguments = Object::fields().optional("name", args.name.as_deref()).finish();
            answer(host, "policy.diff", &arguments, &args.format, policy_package::diff)
        }
        PolicyCommand::Export(args) => export(args, host),
        PolicyCommand::Promote(args) => measure::promote(args, host),
        PolicyCommand::Rollback(args) => measure::rollback(args, host),
        PolicyCommand::History(args) => measure::history(args, host),
    }
}

/// Writes the policies in force into an empty folder.
fn export(args: &PolicyExportArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let folder = &args.folder;
    let name = folder.display();
    let unusable = |error: std::io::Error| {
        CliError::environment(
            format!("cannot write into `{name}`: {error}"),
            "name a folder that can be written",
        )
    };
    let effect = host.call("policy.export", &Object::fields().finish()).map_err(CliError::action)?;
    let found: PolicyExport = serde_json::from_str(effect.payload.get())
        .map_err(|source| unwritable(premath_host::ActionError::Unwritable { source }))?;
    // What decides about instructions, retries and required checks is no part of a package, and may be there.
    if !system::empty_folder(folder, &["control", "drafts", "instruction", "required"]).map_err(unusable)? {
        let hint = "name an empty folder, or one that is not there yet; nothing was written";
        return Err(CliError::usage(format!("`{name}` is not empty"), hint));
    }
    for file in &found.files {
        system::write_new(&folder.join(&file.path), &file.text).map_err(unusable)?;
    }
    if args.format.envelope {
        output::json(&effect)?;
    } else if args.format.json {
        output::json(&effect.payload)?;
    } else {
        output::text(&exported(&found, &name.to_string()))?;
    }
    Ok(Exit::Accepted)
}
