//! Time of one decision, for ordinary commands and for texts made to take long.

use premath_shell::{AgentSandbox, Scene, judge_command};

fn main() {
    divan::main();
}

fn scene() -> Scene {
    Scene {
        root: "/home/u/project".to_owned(),
        folder: "/home/u/project".to_owned(),
        own_folders: Vec::new(),
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
