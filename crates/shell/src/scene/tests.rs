//! Where paths lie.

use super::*;

fn scene() -> Scene {
    Scene {
        root: "/home/dev/project".to_owned(),
        folder: "/home/dev/project/sub".to_owned(),
        own_folders: vec!["/data/state/of/premath".to_owned()],
        protected: vec![
            ProtectedPath { path: ".claude".to_owned(), has_hooks: true },
            ProtectedPath { path: ".git/hooks".to_owned(), has_hooks: true },
            ProtectedPath { path: ".github/workflows".to_owned(), has_hooks: false },
        ],
        sandbox: AgentSandbox::None,
    }
}

fn place(path: &str) -> Place {
    let scene = scene();
    scene.place(&Arg::known(path), Some(&scene.folder))
}

#[test]
fn paths_have_one_spelling() {
    assert_eq!(place("a.rs").inside.as_deref(), Some("sub/a.rs"));
    assert_eq!(place("../b/./c//d").inside.as_deref(), Some("b/c/d"));
    assert_eq!(place("/home/dev/project").inside.as_deref(), Some(""));
    assert_eq!(place("~/project/x").inside.as_deref(), Some("x"));
    assert_eq!(place("../../other").inside, None);
    assert_eq!(place("/root/.ssh").whole, "~/.ssh");
    assert_eq!(place("/../etc").whole, "/etc");
}

#[test]
fn zones_follow_from_names() {
    let scene = scene();
    for (path, zone) in [
        ("x", Zone::Workspace),
        ("/tmp/x", Zone::Temporary),
        ("/tmp", Zone::System),
        ("/dev/null", Zone::Sink),
        ("/dev/sda", Zone::Device),
        ("/etc/passwd", Zone::System),
        ("~/x", Zone::Outside),
        ("../../x", Zone::Outside),
    ] {
        assert_eq!(scene.zone(&place(path)), zone, "{path}");
    }
}

#[test]
fn protected_paths_are_those_of_the_repository_with_all_below_them() {
    let scene = scene();
    for path in ["../.github/workflows", "../.github/workflows/ci.yml", "../.GitHub/Workflows/ci.yml"] {
        assert!(scene.is_protected(&place(path)), "{path}");
    }
    for path in
        [".github/workflows/ci.yml", "../.github/dependabot.yml", "..", "/srv/.github/workflows/ci.yml"]
    {
        assert!(!scene.is_protected(&place(path)), "{path}");
    }
}

#[test]
fn own_files_and_credentials_are_known_by_name() {
    let scene = scene();
    for path in [
        "../.premath/x",
        "../policies/a",
        "../premath.toml",
        "../.git/hooks/x",
        "~/.claude/settings.json",
        "/data/state/of/premath/person.key",
        "~/.config/premath/config.toml",
        "/srv/rules/a.cedar",
    ] {
        assert!(scene.own(&place(path)).is_some(), "{path}");
    }
    for path in ["policies/a", "../src/x", "../.github/x", "../premath.md", "a.cedar"] {
        assert!(scene.own(&place(path)).is_none(), "{path}");
    }
    for path in [
        "~/.ssh/id_rsa",
        ".env",
        ".env.production",
        "~/.aws/credentials",
        "/etc/shadow",
        "/proc/1/environ",
        "server.pem",
        "secret.txt",
    ] {
        assert!(scene.is_secret(&place(path)), "{path}");
    }
    for path in [
        ".env.example",
        "~/.ssh/id_rsa.pub",
        "~/.ssh/config",
        "src/token.rs",
        "tokenizer.json",
        "README.md",
        "~/.config/nvim/init.lua",
    ] {
        assert!(!scene.is_secret(&place(path)), "{path}");
    }
}

#[test]
fn a_repository_in_a_temporary_folder_makes_its_surroundings_more_than_temporary() {
    let scene =
        Scene { root: "/tmp/work/project".to_owned(), folder: "/tmp/work/project".to_owned(), ..scene() };
    let place = |path: &str| scene.place(&Arg::known(path), Some("/tmp/work/project"));
    assert_eq!(scene.zone(&place("../other")), Zone::Outside);
    assert_eq!(scene.zone(&place("/tmp/scratch")), Zone::Temporary);
    for path in ["/tmp/work", "/", "..", "."] {
        assert!(scene.holds_root(&place(path)), "{path}");
    }
    assert!(!scene.holds_root(&place("../other")) && !scene.holds_root(&place("/tmp/wo")));
}
