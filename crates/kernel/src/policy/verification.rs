//! The rule that some mutations need a verification result: which mutations, and what counts as verification.
//!
//! Terms and the reading of one intent or one result against them. Must not look for the results; `checks` does.

use alloc::vec::Vec;

use crate::digest::Digest;
use crate::evidence::{ResultStatus, Shell};
use crate::intent::{ActionName, Intent};
use crate::scalar::{Count, Text, TextSet, Token};

/// The folder in which a verification command has to run: the workdir of the run itself.
const WORKDIR: &str = ".";
/// What a judge says of work that is good.
const PASS: &str = "pass";

/// Which mutations need a verification result, and what is one.
#[derive(Debug, Clone, Default)]
pub struct VerificationRule {
    /// The mutations.
    pub actions: Vec<VerifiedAction>,
    /// Commands that verify when they end with code 0 in the workdir.
    pub commands: TextSet,
    /// Tools that verify when their call ends well.
    pub tools: TextSet,
    /// Whether the verdict `pass` of a judge verifies.
    pub verdicts: bool,
    /// Whether a person who agreed to the call itself is enough.
    pub approvals: bool,
}

/// One kind of mutation.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedAction {
    /// The action.
    pub action: ActionName,
    /// The status whose mutations are meant. Absent: every mutation of the action.
    pub target_status: Option<Token>,
}

/// What is known about a result that a mutation rests on.
#[derive(Debug, Clone)]
pub(crate) struct RestedOn {
    pub(crate) tool_name: Option<Text>,
    pub(crate) status: Option<ResultStatus>,
    pub(crate) shell: Option<Shell>,
    pub(crate) verdict: Option<Token>,
    pub(crate) is_approved: bool,
}

impl VerificationRule {
    /// Whether the intent needs a verification result. An intent that does not say what it does is not spared.
    #[must_use]
    pub fn covers(&self, intent: &Intent) -> bool {
        self.actions.iter().any(|one| one.covers(intent))
    }

    /// Whether a result is a verification result.
    pub(crate) fn is_met_by(&self, result: &RestedOn) -> bool {
        if self.approvals && result.is_approved {
            return true;
        }
        if result.status != Some(ResultStatus::Ok) {
            return false;
        }
        let by_tool = result.tool_name.as_ref().is_some_and(|tool| self.tools.contains(tool.as_str()));
        let by_verdict = self.verdicts && result.verdict.as_ref().is_some_and(|said| said.as_str() == PASS);
        by_tool || by_verdict || result.shell.as_ref().is_some_and(|shell| self.is_passed_command(shell))
    }

    /// Whether a command is one of those that verify, ran in the workdir and ended with code 0.
    #[must_use]
    pub fn is_passed_command(&self, shell: &Shell) -> bool {
        let is_here = shell.workdir.as_ref().is_some_and(|workdir| workdir.as_str() == WORKDIR);
        let has_passed = shell.exit_code.map(Count::get) == Some(0);
        let script = shell.script_digest.as_ref();
        let is_listed = || {
            let mut digests = self.commands.iter().map(|text| Digest::of_bytes(text.as_str().as_bytes()));
            script.is_some_and(|script| digests.any(|digest| digest == *script))
        };
        is_here && has_passed && is_listed()
    }
}

impl VerifiedAction {
    fn covers(&self, intent: &Intent) -> bool {
        let status = self.target_status.as_ref().zip(intent.target_status.as_ref());
        self.action == intent.action && status.is_none_or(|(wanted, said)| wanted == said)
    }
}

#[cfg(test)]
mod tests;
