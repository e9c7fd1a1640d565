//! Risks of commands and paths as decisions.

use serde_json::json;

use super::*;

fn scene(sandbox: AgentSandbox) -> CommandScene<'static> {
    CommandScene { root: PathBuf::from("/home/dev/project"), own_folders: &[], sandbox }
}

fn command(text: &str) -> Translated {
    Translated {
        tool: "shell".to_owned(),
        arguments: json!({ "command": text, "workdir": "." }),
        touched: Vec::new(),
        is_ours: true,
    }
}

fn decided(text: &str, sandbox: AgentSandbox) -> Option<(Effect, PolicyError)> {
    let judgement = judge(&scene(sandbox), &command(text), &[]);
    decision(&findings(&judgement, &str::to_owned))
}

#[test]
fn a_denial_names_its_class_and_the_part_of_the_command() {
    let (effect, error) = decided("cargo build && rm -rf ~/code", AgentSandbox::None).unwrap();
    assert_eq!((effect, error.policy_name.as_str()), (Effect::Deny, "command.destructive"));
    assert_eq!(error.human_message, "`rm -rf ~/code` deletes folders outside of the repository");
    assert!(!error.reason.contains("code"), "{}", error.reason);
}

#[test]
fn what_a_sandbox_stops_is_not_asked_about() {
    assert!(decided("sudo apt-get update", AgentSandbox::Files).is_none());
    assert!(decided("npm publish", AgentSandbox::Files).is_some());
    assert!(decided("npm publish", AgentSandbox::Full).is_none());
    for sandbox in AgentSandbox::ALL {
        assert!(decided("rm -rf .premath", sandbox).is_some(), "{sandbox}");
        assert!(decided("git push --force", AgentSandbox::Files).is_some());
    }
}

#[test]
fn a_path_of_a_file_tool_has_the_classes_of_commands() {
    let call = Translated {
        tool: "apply_patch".to_owned(),
        arguments: json!({}),
        touched: Vec::new(),
        is_ours: true,
    };
    for path in
        [".claude/settings.json", "policies/governor/a.cedar", "premath.toml", ".git/hooks/pre-commit"]
    {
        let paths = [(path.to_owned(), Touch::Change)];
        let judgement = judge(&scene(AgentSandbox::Full), &call, &paths);
        let (effect, error) = decision(&findings(&judgement, &str::to_owned)).unwrap();
        assert_eq!((effect, error.policy_name.as_str()), (Effect::Deny, "command.self"), "{path}");
    }
}
