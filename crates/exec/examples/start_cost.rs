//! What it costs to start `true` in the sandbox, beside what it costs bubblewrap and nobody, in one run:
//! `cargo run --release -p premath-exec --example start_cost [ROUNDS]`. Numbers of two machines or two moments do not compare.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement starts processes, times them and prints"
)]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use premath_exec::{OsSandbox, SandboxConfig, helper_entry};
use premath_tusk::sandbox::{
    Ending, ExecutionLimits, Interrupt, Profile, Sandbox as _, SandboxCommand, StateAccess,
};

fn main() -> ExitCode {
    let first = std::env::args_os().nth(1);
    if let Some(code) = helper_entry(first.as_deref()) {
        return code;
    }
    let rounds: usize = first.and_then(|text| text.to_str()?.parse().ok()).unwrap_or(100);
    let workdir = tempfile::tempdir_in("/var/tmp").expect("no folder to work in");
    let helper = std::env::current_exe().expect("no program to start again");
    let sandbox = OsSandbox::new(SandboxConfig { helper, ..SandboxConfig::default() });
    let mut bare = Vec::new();
    let mut bubblewrap = Vec::new();
    let mut ours = Profile::ALL.map(|profile| (profile, Vec::new()));
    // Each round tries everybody once, so that whatever else the machine does, it does to all of them.
    for _ in 0..rounds {
        bare.push(timed(|| start("true", &[])));
        bubblewrap.push(timed(|| start("bwrap", &["--unshare-all", "--ro-bind", "/", "/", "true"])));
        for (profile, times) in &mut ours {
            times.push(timed(|| run(&sandbox, *profile, workdir.path())));
        }
    }
    let reference = middle(&mut bubblewrap);
    println!("{:<16} {:>8.2?}", "true", middle(&mut bare));
    println!("{:<16} {reference:>8.2?}", "bubblewrap");
    for (profile, times) in &mut ours {
        let middle = middle(times);
        let ratio = middle.as_secs_f64() / reference.as_secs_f64();
        println!("{:<16} {middle:>8.2?}  {ratio:.2} of bubblewrap", profile.as_str());
    }
    ExitCode::SUCCESS
}

fn timed(act: impl FnOnce()) -> Duration {
    let started = Instant::now();
    act();
    started.elapsed()
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn start(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(done.is_ok_and(|status| status.success()), "{program} did not run");
}

fn run(sandbox: &OsSandbox, profile: Profile, workdir: &Path) {
    let command = SandboxCommand {
        program: "true".to_owned(),
        arguments: Vec::new(),
        workdir: workdir.to_path_buf(),
        profile,
        environment: Vec::new(),
        stdin: Vec::new(),
        limits: ExecutionLimits::default(),
        state: StateAccess::default(),
    };
    let done = sandbox.run(&command, &Interrupt::default()).expect("it was refused");
    assert_eq!(done.ending, Ending::Exited(0));
}
