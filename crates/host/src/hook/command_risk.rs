//! Commands and paths of agents that run outside our sandbox: the risks that `premath_shell` finds, as decisions of the hook.
//!
//! Rules of a policy count on our sandbox; these classes do not. They add refusals and take none away.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use premath_shell::{
    AgentSandbox, Decision, FileTouch, Judgement, ProtectedPath, RiskClass, Scene, judge_command, judge_path,
};
use premath_tusk::policy::{Effect, PolicyCode, PolicyError};
use premath_tusk::tools::{ProtectedName, ProtectedPaths};
use premath_tusk::turn_loop::Touch;
use premath_wire::v1::GuardFinding;

use super::translate::Translated;

/// Where the commands of another agent run.
#[derive(Debug)]
pub(super) struct CommandScene<'s> {
    pub(super) root: PathBuf,
    pub(super) own_folders: &'s [String],
    pub(super) sandbox: AgentSandbox,
}

impl CommandScene<'_> {
    fn scene(&self, folder: &str) -> Scene {
        let root = self.root.to_string_lossy().into_owned();
        let folder =
            if folder.is_empty() || folder == "." { root.clone() } else { format!("{root}/{folder}") };
        let own_folders = self.own_folders.to_vec();
        Scene { root, folder, own_folders, protected: protected_paths(), sandbox: self.sandbox }
    }
}

/// The protected names of every repository. Its data file is what tools and the sandbox of runs protect as well.
fn protected_paths() -> Vec<ProtectedPath> {
    let path = |name: &ProtectedName| ProtectedPath { path: name.path.to_owned(), has_hooks: name.has_hooks };
    ProtectedPaths::names().iter().map(path).collect()
}

/// Judges a call: its command, and every path it names.
pub(super) fn judge(scene: &CommandScene<'_>, call: &Translated, paths: &[(String, Touch)]) -> Judgement {
    let text = |key: &str| call.arguments.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let mut whole = Judgement::default();
    if call.is_ours && call.tool == "shell" {
        whole = judge_command(text("command"), &scene.scene(text("workdir")));
    }
    let is_folder = |path: &str| call.tool == "shell" && path == text("workdir");
    for (path, touch) in paths.iter().filter(|(path, _)| !is_folder(path)) {
        let touch = match touch {
            Touch::Look => FileTouch::Read,
            Touch::Change | Touch::Patch => FileTouch::Write,
        };
        whole.risks.extend(judge_path(path, touch, &scene.scene("")).risks);
    }
    whole.risks.sort_by_key(|risk| std::cmp::Reverse(risk.decision));
    whole
}

/// The risks as they are told, without secrets.
pub(super) fn findings(judgement: &Judgement, redact: &dyn Fn(&str) -> String) -> Vec<GuardFinding> {
    let finding = |risk: &premath_shell::Risk| GuardFinding {
        class: risk.class.token().to_owned(),
        effect: match risk.decision {
            Decision::Deny => Effect::Deny.token(),
            Decision::Ask | Decision::Allow => Effect::Ask.token(),
        }
        .to_owned(),
        part: redact(&risk.part),
        reason: risk.reason.clone(),
    };
    judgement.risks.iter().map(finding).collect()
}

/// What the findings come to: the effect of the severest, and the error that says why.
pub(super) fn decision(findings: &[GuardFinding]) -> Option<(Effect, PolicyError)> {
    let first = findings.first()?;
    let effect = if first.effect == Effect::Deny.token() { Effect::Deny } else { Effect::Ask };
    let code = if effect == Effect::Deny { PolicyCode::Denied } else { PolicyCode::RequiresApproval };
    let class = RiskClass::ALL.into_iter().find(|class| class.token() == first.class);
    let name = class.map_or("command.unreadable", RiskClass::policy_name);
    // The audit has the class and what happens; the words of the command stay out of it.
    let mut error = PolicyError::new(code, name, format!("{}: it {}", first.class, first.reason));
    let sentence = format!("`{}` {}", first.part, first.reason);
    error.hint = match effect {
        Effect::Deny => {
            format!("{sentence}; this does not run here: do it another way, or say what you need")
        }
        Effect::Allow | Effect::Ask => format!("{sentence}; a person has to agree first"),
    };
    error.human_message = sentence;
    Some((effect, error))
}
