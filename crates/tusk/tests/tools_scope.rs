//! A role touches the files of its scope and no others, whatever tool it uses.

mod workbench;

use std::sync::Arc;

use premath_kernel::Access;
use premath_tusk::tools::files::{FileContent, FileError, MemoryFiles, ScopedFiles, WorkFiles};
use serde_json::{Value, json};
use workbench::Bench;

fn tree() -> Arc<MemoryFiles> {
    let files = MemoryFiles::new();
    for path in
        ["src/a.rs", "src/deep/b.rs", "srcs/c.rs", "docs/d.md", "docs/way/e.md", "secret", "other/deep/f"]
    {
        files.put(path, format!("needle in {path}\n"));
    }
    files.put_link("src/link");
    Arc::new(files)
}

/// The same tree, behind the port.
fn shared(files: &Arc<MemoryFiles>) -> Arc<dyn WorkFiles> {
    Arc::<MemoryFiles>::clone(files)
}

/// Seed: 001 §3/24, 001 §4.3/12, 001 §8/18
#[test]
fn what_is_out_of_scope_is_neither_read_nor_written() {
    let inner = tree();
    let files = ScopedFiles::new(shared(&inner), ["src/", "docs/d.md"], ["docs"]);
    let bench = Bench::new(&files);
    let code =
        |tool: &str, arguments: Value| bench.call(tool, &arguments).map_err(|failure| failure.error_code);
    let patch = |section: &str| json!({"patch": format!("*** Begin Patch\n{section}\n*** End Patch")});
    let before = inner.all();
    for (tool, arguments) in [
        ("fs_read", json!({"path": "secret"})),
        ("fs_read", json!({"path": "srcs/c.rs"})),
        ("fs_read", json!({"path": "docs/way/e.md"})),
        ("fs_read", json!({"path": "src/link"})),
        ("fs_read", json!({"path": "src/link/x"})),
        ("fs_list", json!({"path": "other"})),
        ("fs_search", json!({"pattern": "x", "path": "secret"})),
        ("apply_patch", patch("*** Add File: src/new.rs\n+x")),
        ("apply_patch", patch("*** Delete File: src/a.rs")),
        ("apply_patch", patch("*** Update File: src/a.rs\n*** Move to: docs/a.rs")),
        ("apply_patch", patch("*** Update File: docs/d.md\n*** Move to: srcs/d.md")),
        ("apply_patch", patch("*** Add File: new/x\n+x")),
        ("shell", json!({"command": "ls", "workdir": "other"})),
    ] {
        assert_eq!(code(tool, arguments.clone()), Err("context.scope_violation"), "{tool} {arguments}");
    }
    assert_eq!(inner.all(), before);
    assert_eq!(
        bench.call("fs_read", &json!({"path": "src/deep/b.rs"})).unwrap().content,
        "needle in src/deep/b.rs\n"
    );
    bench
        .call("apply_patch", &patch("*** Add File: docs/new/x\n+x\n*** Delete File: docs/way/e.md"))
        .unwrap();
    assert!(inner.all().contains_key("docs/new/x"));
}

#[test]
fn above_the_scope_only_the_way_into_it_is_seen() {
    let inner = tree();
    let files = ScopedFiles::new(shared(&inner), ["other/deep"], ["docs/way"]);
    let bench = Bench::new(&files);
    let listed = bench.call("fs_list", &json!({"depth": 5, "all": true})).unwrap();
    assert_eq!(
        listed.content,
        "docs/\ndocs/way/\ndocs/way/e.md\t24\nother/\nother/deep/\nother/deep/f\t23\n"
    );
    let found = bench.call("fs_search", &json!({"pattern": "needle"})).unwrap();
    assert_eq!(found.content, "other/deep/f:1:needle in other/deep/f\n");
}

#[test]
fn a_dot_is_everything_and_what_means_nothing_is_nothing() {
    let inner = tree();
    let content = FileContent { bytes: b"x".to_vec(), executable: false };
    let all = ScopedFiles::new(shared(&inner), ["."], ["."]);
    assert!(all.open("secret").is_ok() && all.list(".").unwrap().len() == 5);
    all.replace("src/link", &content).unwrap();
    for scope in ["..", "/", "/secret", "~", "C:/x", "", " "] {
        let inner = tree();
        let none = ScopedFiles::new(shared(&inner), [scope], [scope]);
        let refused = none.replace("secret", &content).unwrap_err();
        assert!(matches!(refused, FileError::OutOfScope { access: Access::Write, .. }), "{scope}: {refused}");
        let refused = none.read("secret", 100).unwrap_err();
        assert_eq!(refused.to_string(), "`secret` is not among what may be read", "{scope}");
    }
}
