//! `policy.export`: the policies in force as the files they would be, so that they can be edited and put into a repository.
//!
//! It must not write anything: whoever asks has a place for them.

use premath_kernel::Value;
use premath_tusk::policy::RiskTier;
use premath_wire::v1::{PolicyExport, PolicyFile};

use super::issue::arguments;
use crate::agent::{controls, governed_tools};
use crate::governance::control_text;
use crate::table::{ActionError, Answer, Host, Nothing};

/// `policy.export`
pub(crate) fn export(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let ground = governed_tools(host.workspace, host.agent)?;
    let mut files: Vec<PolicyFile> =
        host.agent.rule_files()?.into_iter().map(|(path, text)| PolicyFile { path, text }).collect();
    for tier in RiskTier::ALL {
        let profile = controls(host.workspace, tier)?;
        let (path, text) = control_text(&profile);
        files.push(PolicyFile { path, text });
    }
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let rules_digest = ground.governor.rules().digest().as_str().to_owned();
    Answer::new("ok", &PolicyExport { action: "policy.export".to_owned(), rules_digest, files })
}
