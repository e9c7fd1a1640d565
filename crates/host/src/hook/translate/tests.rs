//! Calls of others as calls of ours.

use std::path::PathBuf;

use super::*;

const CLAUDE: HookFormat = HookFormat::ClaudeCode;

fn places() -> Places {
    Places::new(PathBuf::from("/r"), &[], Some("/r/sub"))
}

fn called(format: HookFormat, tool: &str, input: &Value) -> Translated {
    translate(format, tool, input, &places()).unwrap()
}

#[test]
fn a_command_keeps_its_text_and_its_folder() {
    let call = called(CLAUDE, "Bash", &json!({"command": "ls -la", "description": "List", "timeout": 5}));
    assert_eq!(
        (call.tool.as_str(), &call.arguments),
        ("shell", &json!({"command": "ls -la", "workdir": "sub"}))
    );
}

#[test]
fn looks_become_reads_and_searches_with_their_paths() {
    let read = called(CLAUDE, "Read", &json!({"file_path": "/r/.env", "limit": 5, "offset": 0}));
    assert_eq!((read.tool.as_str(), &read.arguments), ("fs_read", &json!({"path": ".env", "limit": 5})));
    let grep = called(CLAUDE, "Grep", &json!({"pattern": "key", "path": "/r", "glob": "*.pem"}));
    assert_eq!(grep.arguments, json!({"pattern": "key", "path": ".", "glob": "*.pem"}));
    let glob = called(CLAUDE, "Glob", &json!({"pattern": "**/.env"}));
    assert_eq!((glob.tool.as_str(), &glob.arguments["glob"]), ("fs_search", &json!("**/.env")));
    assert_eq!(called(CLAUDE, "LS", &json!({"path": "/r"})).tool, "fs_list");
    assert_eq!(
        called(HookFormat::Codex, "view_image", &json!({"path": "a.png"})).arguments["path"],
        "sub/a.png"
    );
}

#[test]
fn every_edit_is_a_patch_of_its_file() {
    let one = json!({"old_string": "a", "new_string": "b"});
    for (tool, input) in [
        ("Write", json!({"file_path": "/r/x.rs", "content": "text"})),
        ("Edit", json!({"file_path": "/r/x.rs", "old_string": "a", "new_string": "b"})),
        ("MultiEdit", json!({"file_path": "/r/x.rs", "edits": [one, one]})),
        ("NotebookEdit", json!({"notebook_path": "/r/x.rs", "new_source": "text"})),
    ] {
        let call = called(CLAUDE, tool, &input);
        assert!(call.arguments["patch"].as_str().unwrap().contains(" File: x.rs\n"), "{tool}");
        assert_eq!(
            (call.tool.as_str(), call.touched),
            ("apply_patch", vec![("x.rs".to_owned(), Touch::Patch)]),
            "{tool}"
        );
    }
}

#[test]
fn a_patch_keeps_everything_but_the_spelling_of_its_paths() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: /r/b.rs\n@@\n-x\n+*** Add File: /etc/c\n*** End Patch";
    let call = called(HookFormat::Codex, "apply_patch", &json!({ "command": patch }));
    let expected = "*** Begin Patch\n*** Update File: sub/a.rs\n*** Move to: b.rs\n@@\n-x\n+*** Add File: /etc/c\n*** End Patch";
    assert_eq!(call.arguments["patch"], expected);
}

#[test]
fn a_patch_inside_of_a_command_is_seen() {
    let command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.md\n+a\n*** End Patch\nEOF";
    let call = called(HookFormat::Codex, "Bash", &json!({ "command": command }));
    assert_eq!(call.touched.first(), Some(&("sub/a.md".to_owned(), Touch::Change)));
    let outside = command.replace("a.md", "/etc/a.md");
    assert!(translate(HookFormat::Codex, "Bash", &json!({ "command": outside }), &places()).is_err());
}

#[test]
fn what_is_missing_or_elsewhere_is_denied() {
    let outside = "*** Begin Patch\n*** Delete File: /etc/passwd\n*** End Patch";
    for (format, tool, input) in [
        (CLAUDE, "Bash", json!({})),
        (CLAUDE, "Bash", json!({"command": ["ls"]})),
        (CLAUDE, "Bash", json!({"command": "ls", "workdir": "/etc"})),
        (CLAUDE, "Read", json!({"file_path": "/etc/passwd"})),
        (CLAUDE, "Read", json!({})),
        (CLAUDE, "Write", json!({"file_path": "/r/x"})),
        (CLAUDE, "Edit", json!({"file_path": "/r/x", "old_string": "a"})),
        (CLAUDE, "MultiEdit", json!({"file_path": "/r/x", "edits": []})),
        (CLAUDE, "Glob", json!({"pattern": "/etc/*"})),
        (CLAUDE, "Grep", json!({"pattern": "x", "glob": ["*.rs"]})),
        (HookFormat::Codex, "apply_patch", json!({ "command": outside })),
        (HookFormat::Codex, "apply_patch", json!({"command": ["apply_patch", outside]})),
    ] {
        assert!(translate(format, tool, &input, &places()).is_err(), "{tool} {input}");
    }
}

#[test]
fn a_tool_that_is_none_of_ours_keeps_its_name_and_arguments() {
    let call = called(CLAUDE, "mcp__github__get", &json!({"id": 7}));
    assert_eq!(
        (call.is_ours, call.tool.as_str(), &call.arguments),
        (false, "mcp__github__get", &json!({"id": 7}))
    );
    // The same word of another agent is another tool.
    assert!(!called(CLAUDE, "apply_patch", &json!({"command": "x"})).is_ours);
    assert!(!called(HookFormat::Codex, "Read", &json!({"file_path": "/r/a"})).is_ours);
}
