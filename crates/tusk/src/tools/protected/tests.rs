//! The standard names and who may change them.

use std::path::Path;

use super::{ChangeRule, DATA, ProtectedKind, ProtectedPaths};
use crate::tools::WorkPath;

fn rule(protected: &ProtectedPaths, path: &str) -> Option<ChangeRule> {
    protected.rule(&WorkPath::read(path, Path::new("/w")).unwrap())
}

#[test]
fn every_line_of_the_data_file_has_known_words_only_and_the_file_is_sorted() {
    let lines: Vec<&str> = DATA.lines().filter(|line| !line.starts_with('#')).collect();
    for line in &lines {
        let mut words = line.split_ascii_whitespace().skip(1);
        assert!(words.next().is_some_and(|kind| ["file", "folder"].contains(&kind)), "{line}");
        assert!(words.next().is_some_and(|rule| ["ask", "never"].contains(&rule)), "{line}");
        assert!(words.next().is_none_or(|word| word == "hooks"), "{line}");
        assert_eq!(words.next(), None, "{line}");
    }
    assert!(lines.is_sorted_by_key(|line| line.split_ascii_whitespace().next()));
    assert_eq!(lines.len(), ProtectedPaths::names().len());
}

#[test]
fn files_that_other_agents_editors_and_git_obey_are_asked_about() {
    let protected = ProtectedPaths::standard();
    for path in [
        ".claude/settings.json",
        ".codex/config.toml",
        ".mcp.json",
        ".husky/pre-commit",
        ".cursor/mcp.json",
        ".github/workflows/ci.yml",
        ".devcontainer/devcontainer.json",
        ".zed/tasks.json",
        ".gemini/settings.json",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".pre-commit-config.yaml",
        ".cargo/config.toml",
        ".envrc",
        "AGENTS.md",
        "agents.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        ".windsurfrules",
        ".clinerules",
        ".github/copilot-instructions.md",
        ".git/hooks/pre-commit",
        ".git/config",
    ] {
        assert_eq!(rule(&protected, path), Some(ChangeRule::Ask), "{path}");
    }
}

#[test]
fn records_of_premath_and_the_rest_of_the_repository_are_never_changed() {
    let protected = ProtectedPaths::standard();
    for path in [".git", ".git/HEAD", ".git/commondir", ".premath/desk.db", "premath.toml", "policies/x"] {
        assert_eq!(rule(&protected, path), Some(ChangeRule::Never), "{path}");
    }
    for path in ["sub/.git/hooks/x", "sub/.premath", ".github/workflows/.git/config"] {
        assert_eq!(rule(&protected, path), Some(ChangeRule::Never), "{path}");
    }
    for path in [".github/dependabot.yml", ".cargo/bin", "src/lib.rs", "docs/AGENTS.md"] {
        assert_eq!(rule(&protected, path), None, "{path}");
    }
}

#[test]
fn a_folder_above_a_protected_path_is_known() {
    let below =
        |path: &str| ProtectedPaths::standard().first_below(&WorkPath::read(path, Path::new("/w")).unwrap());
    assert_eq!(below(".github").as_deref(), Some(".github/copilot-instructions.md"));
    assert_eq!(below(".CARGO").as_deref(), Some(".cargo/config"));
    assert_eq!((below("."), below("src"), below(".github/workflows")), (None, None, None));
}

#[test]
fn a_further_path_is_never_changed_and_a_standard_one_keeps_its_rule() {
    let protected = ProtectedPaths::standard().with_paths(["kept/file", ".vscode", ""]);
    assert_eq!(rule(&protected, "kept/file"), Some(ChangeRule::Never));
    assert_eq!(rule(&protected, ".vscode/x"), Some(ChangeRule::Ask));
    assert_eq!(rule(&protected, "kept/other"), None);
    let hooks = ProtectedPaths::names().iter().find(|name| name.path == ".git/hooks").map(|name| name.kind);
    assert_eq!(hooks, Some(ProtectedKind::Folder));
}
