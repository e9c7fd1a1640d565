//! `approvals`, `proposals` and `policy`, as they are typed.

use clap::{Args, Subcommand};

use super::measure::{HistoryArgs, PromoteArgs, RollbackArgs};
use super::{Format, limit};

/// Arguments of `approvals`.
#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ApprovalsCommand,
}

/// What can be done about questions to people.
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List what people are asked, the newest first
    #[command(
        after_help = "Example:\n  premath approvals list --state pending\n  premath approvals list --active\n  \
                      premath approvals list --json"
    )]
    List(ListApprovalsArgs),
    /// Show everything about one question: the call, its arguments, what would change, why
    #[command(after_help = "Example:\n  premath approvals show apr_0123456789ab\n  \
                            premath approvals show apr_0123456789ab --pattern-name 'draft-*.md'")]
    Show(ShowApprovalArgs),
    /// Agree, once, for the rest of the run, or for a pattern
    #[command(after_help = "Example:\n  premath approvals approve apr_0123456789ab\n  \
                            premath approvals approve apr_0123456789ab --scope run\n  \
                            premath approvals approve apr_0123456789ab --pattern-name 'draft-*.md'\n\n\
                            Then `premath resume RUN` goes on. A yes counts for the very call that was shown. A pattern \
                            is shown first, with what it would have covered, and agreed to with the --digest of that.")]
    Approve(ApproveArgs),
    /// Do not agree
    #[command(after_help = "Example:\n  premath approvals deny apr_0123456789ab --message \"not this one\"")]
    Deny(SaidArgs),
    /// Take an approval back that calls can still use
    #[command(
        after_help = "Example:\n  premath approvals revoke apr_0123456789ab --message \"no more deletes\"\n\n\
                            Calls that used it already are not undone."
    )]
    Revoke(SaidArgs),
}

/// Arguments of `approvals list`.
#[derive(Debug, Args)]
pub(crate) struct ListApprovalsArgs {
    /// Only approvals that calls can still use, with what each covers
    #[arg(long, conflicts_with = "state")]
    pub(crate) active: bool,
    #[command(flatten)]
    pub(crate) listed: ListedArgs,
}

/// Arguments of `approvals list` and `proposals list`.
#[derive(Debug, Args)]
pub(crate) struct ListedArgs {
    /// Only in this state, such as pending
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// Only of this run
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The most rows; 50 when nobody says
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `show` and `resume`.
#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    /// Which
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `approvals show`.
#[derive(Debug, Args)]
pub(crate) struct ShowApprovalArgs {
    /// Which
    pub(crate) id: String,
    /// Show what a yes for targets called like this would have covered
    #[arg(long, value_name = "GLOB")]
    pub(crate) pattern_name: Option<String>,
    /// Show what a yes for this very argument would have covered
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) pattern_argument: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `proposals approve`.
#[derive(Debug, Args)]
pub(crate) struct ApprovePlanArgs {
    /// Which
    pub(crate) id: String,
    /// The digest of the plan that you were shown; another one is refused
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    /// What the model and the audit are told
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `approvals deny`, `approvals revoke` and `proposals reject`.
#[derive(Debug, Args)]
pub(crate) struct SaidArgs {
    /// Which
    pub(crate) id: String,
    /// What the model and the audit are told
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `approvals approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// Which
    pub(crate) id: String,
    /// How far the yes goes: once, run or pattern
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
    /// The yes covers calls of the tool whose every target is called like this
    #[arg(long, value_name = "GLOB")]
    pub(crate) pattern_name: Option<String>,
    /// The yes covers calls of the tool with this very argument
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) pattern_argument: Option<String>,
    /// The digest of what you were shown; anything else is refused
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
    /// What the audit is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `proposals`.
#[derive(Debug, Args)]
pub(crate) struct ProposalsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: ProposalsCommand,
}

/// What can be done about plans.
#[derive(Debug, Subcommand)]
pub(crate) enum ProposalsCommand {
    /// List plans, the newest first
    #[command(after_help = "Example:\n  premath proposals list --state pending")]
    List(ListedArgs),
    /// Show a plan with every step and what became of it
    #[command(after_help = "Example:\n  premath proposals show prp_0123456789ab")]
    Show(OneArgs),
    /// Agree to a plan and have it carried out as it was shown
    #[command(after_help = "Example:\n  premath proposals approve prp_0123456789ab\n\n\
                            Ends with 1 when a step failed; nothing comes behind a step that failed.")]
    Approve(ApprovePlanArgs),
    /// Do not agree
    #[command(after_help = "Example:\n  premath proposals reject prp_0123456789ab --message \"keep them\"")]
    Reject(SaidArgs),
    /// Go on with a plan that was cut off
    #[command(after_help = "Example:\n  premath proposals resume prp_0123456789ab\n\n\
                            What was done is found and not done again. Ends with 3 while somebody else is at it.")]
    Resume(OneArgs),
}

/// Arguments of `policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

/// What can be asked of policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show what a run may do at most, layer by layer, with rules and guards
    #[command(
        after_help = "Example:\n  premath policy show\n  premath policy show --scope desk:delete --json"
    )]
    Show(PolicyShowArgs),
    /// Say what would become of a call, which rule decides and why
    #[command(
        after_help = "Example:\n  premath policy explain --tool fs_read --args '{\"path\": \".env\"}'\n  \
                            premath policy explain --tool shell --args '{\"command\": \"make\", \"workdir\": \".\"}' --json\n  \
                            premath policy explain --tool fs_list --scope files:read --role clerk"
    )]
    Explain(ExplainCallArgs),
    /// Copy the policy package in force into a draft to edit: policies/drafts/NAME
    #[command(after_help = "Example:\n  premath policy draft stricter\n  premath policy diff stricter\n  \
                            premath eval guardrails --dataset rows.jsonl --draft stricter\n\n\
                            A draft is no part of the package in force. More: docs/reference/promotion.md.")]
    Draft(PolicyDraftArgs),
    /// Show how a draft, or the files under policies/, differ from the policy package in force
    #[command(after_help = "Example:\n  premath policy diff stricter\n  premath policy diff --json")]
    Diff(PolicyDiffArgs),
    /// Write out the policies in force as files that can be edited and put into `policies`
    #[command(after_help = "Example:\n  premath policy export policies\n  \
                            premath policy export /tmp/policies --json")]
    Export(PolicyExportArgs),
    /// Put a policy package into force that was measured and attacked
    #[command(
        after_help = "Example:\n  premath policy promote --from candidate --eval .premath/reports/eval-5f70.json \
                            --redteam .premath/reports/redteam-a0b1.json\n\n\
                            Ends with 1 when a gate is not met. More: docs/reference/promotion.md."
    )]
    Promote(PromoteArgs),
    /// Go back to a policy package that was in force before
    #[command(after_help = "Example:\n  premath policy rollback")]
    Rollback(RollbackArgs),
    /// List the policy packages that were put into force, the newest first
    #[command(after_help = "Example:\n  premath policy history --json")]
    History(HistoryArgs),
}

/// Arguments of `policy draft`.
#[derive(Debug, Args)]
pub(crate) struct PolicyDraftArgs {
    /// Name of the draft: letters, digits, `-`, `_` and `.`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy diff`.
#[derive(Debug, Args)]
pub(crate) struct PolicyDiffArgs {
    /// Name of a draft [default: the files under policies/]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy export`.
#[derive(Debug, Args)]
pub(crate) struct PolicyExportArgs {
    /// The folder they are written into; it must be empty, or not be there
    #[arg(value_name = "DIR")]
    pub(crate) folder: std::path::PathBuf,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy show`.
#[derive(Debug, Args)]
pub(crate) struct PolicyShowArgs {
    /// Scope the run would request; may be repeated. `none` requests no scope [default: all]
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainCallArgs {
    /// The tool
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: String,
    /// Its arguments
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
    /// The role to explain it for
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Scope the run would request; may be repeated. `none` requests no scope [default: all]
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}
