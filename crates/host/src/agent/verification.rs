//! What verifies the work of a run: the commands of the configuration, of whoever starts it, and of its issue.
//!
//! Resolved once, before anything runs: nothing a run writes counts as verification of that run. It must not run a command.

use premath_bd::issues::IssueRow;
use premath_kernel::{IssueText, IssueType, Status, verification_commands};
use premath_tusk::turn_loop::Verification;

use crate::settings::{ClosingRule, Settings};

/// Where the rule of a run comes from.
#[derive(Debug, Clone)]
pub(super) enum VerificationSource {
    /// The configuration, the issue, and these commands of whoever starts it.
    Own(Vec<String>),
    /// The run that spawned it: a worker cannot choose what verifies its work.
    Parent(Option<Verification>),
}

impl VerificationSource {
    /// The rule of a run on an issue; none when the configuration asks for no verification.
    pub(super) fn resolve(&self, settings: &Settings, issue: Option<&IssueRow>) -> Option<Verification> {
        let named = match self {
            Self::Parent(rule) => return rule.clone(),
            Self::Own(named) => named,
        };
        if settings.closing.value == ClosingRule::Unverified {
            return None;
        }
        let own = issue.map(issue_commands).unwrap_or_default();
        let mut commands: Vec<String> = Vec::new();
        for command in named.iter().chain(&settings.verify.value).chain(&own) {
            let command = command.trim();
            if !command.is_empty() && !commands.iter().any(|known| known == command) {
                commands.push(command.to_owned());
            }
        }
        Some(Verification { commands, tools: settings.verify_tools.value.clone() })
    }
}

fn issue_commands(row: &IssueRow) -> Vec<String> {
    let issue = IssueText {
        id: row.id(),
        title: "",
        issue_type: IssueType::Task,
        status: Status::Open,
        ephemeral: false,
        description: row.text("description"),
        acceptance_criteria: row.text("acceptance_criteria"),
        notes: row.text("notes"),
    };
    verification_commands(&issue).into_iter().map(str::to_owned).collect()
}
