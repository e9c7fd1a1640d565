//! `git push`: by force, of deletions, and to places that the repository does not know.

use crate::arg::Arg;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};
use crate::rules::Call;

pub(super) fn push(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    if call.has('n', "--dry-run") {
        return;
    }
    let words = call.positionals(&["-o", "--push-option", "--repo", "--receive-pack"]);
    let refs = words.get(1..).unwrap_or_default();
    let forces = call.has('f', "--force")
        || call
            .args
            .iter()
            .any(|arg| arg.text.starts_with("--force-with-lease") || arg.text.starts_with("--force-if"))
        || refs.iter().any(|arg| arg.text.starts_with('+'));
    let deletes = call.has('d', "--delete") || refs.iter().any(|arg| arg.text.starts_with(':'));
    let replaces = call.mentions("--mirror") || call.mentions("--prune");
    if forces || replaces {
        interpreter.ask(RiskClass::History, Reach::Network, "overwrites published history");
    }
    if deletes {
        interpreter.ask(RiskClass::History, Reach::Network, "deletes a published branch or tag");
    }
    for text in call.values(&["--receive-pack", "--exec"]) {
        interpreter.run_argument(&text, &[], crate::flow::Flow::output());
    }
    let target = call.value(&["--repo"]).or_else(|| words.first().map(|arg| (*arg).clone()));
    let Some(target) = target else { return };
    let is_new = interpreter.state.values(&format!("git remote {}", target.text)).is_some();
    if is_new || is_address(&target) {
        let reason = "sends commits to a place that the repository does not know";
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, reason);
    }
}

/// Whether a target is an address and not the name of a remote.
fn is_address(target: &Arg) -> bool {
    let text = target.shown();
    text.contains("://")
        || text.contains('@')
        || (text.contains(':') && !text.starts_with(['.', '/']))
        || target.has_unknown()
}
