//! Time of one decision, for ordinary commands and for texts made to take long.

use premath_shell::{AgentSandbox, ProtectedPath, Scene, judge_command};

fn main() {
    divan::main();
}

/// The protected names of a repository, as the hook gets them.
fn protected() -> Vec<ProtectedPath> {
    let lines = include_str!("../../tusk/src/tools/protected_names.txt").lines();
    let path = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let path = words.next().filter(|path| !path.starts_with('#'))?.to_owned();
        Some(ProtectedPath { path, has_hooks: words.nth(2) == Some("hooks") })
    };
    lines.filter_map(path).collect()
}

fn scene() -> Scene {
    Scene {
        root: "/home/u/project".to_owned(),
        folder: "/home/u/project".to_owned(),
        own_folders: Vec::new(),
        protected: protected(),
        sandbox: AgentSandbox::None,
    }
}

#[divan::bench]
fn an_ordinary_command(bencher: divan::Bencher<'_, '_>) {
    let scene = scene();
    bencher.bench(|| judge_command("RUST_BACKTRACE=1 cargo test -p kernel 2>&1 | tail -40", &scene));
}

#[divan::bench]
fn a_disguised_command(bencher: divan::Bencher<'_, '_>) {
    let scene = scene();
    bencher.bench(|| judge_command("echo cm0gLXJmIC8= | base64 -d | xargs -I{} sh -c '{}'", &scene));
}

#[divan::bench(args = ["(", "$(", "\"$(", "a|", "{a,b}", "${x:-", "<<A ", "a;"])]
fn repeated_to_the_limit(bencher: divan::Bencher<'_, '_>, unit: &str) {
    let scene = scene();
    let text = unit.repeat(65_000 / unit.len());
    bencher.bench(|| judge_command(&text, &scene));
}
