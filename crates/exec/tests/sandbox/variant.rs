//! The same attempt by different people on different systems: as user 0, as nobody, as user 0 for nobody's folder; with
//! namespaces, and where the system has none. Each in a process of its own.

use std::process::{Command, ExitCode};

use premath_exec::{OsSandbox, SandboxConfig};
use premath_tusk::sandbox::{Interrupt, Sandbox as _};

use crate::cases::{self, Case};
use crate::harness::Test;
use crate::missing_layers::block_calls;
use crate::verify;
use crate::world::{NOBODY, World};

/// Who tries, and on what system.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) who: Who,
    has_namespaces: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Root,
    Nobody,
    RootForNobody,
}

const VARIANTS: [Variant; 6] = [
    Variant { name: "as_root", who: Who::Root, has_namespaces: true },
    Variant { name: "as_nobody", who: Who::Nobody, has_namespaces: true },
    Variant { name: "as_root_for_nobody", who: Who::RootForNobody, has_namespaces: true },
    Variant { name: "as_root_without_namespaces", who: Who::Root, has_namespaces: false },
    Variant { name: "as_nobody_without_namespaces", who: Who::Nobody, has_namespaces: false },
    Variant { name: "as_root_for_nobody_without_namespaces", who: Who::RootForNobody, has_namespaces: false },
];

/// The long form repeats every attempt.
fn repeats() -> usize {
    if is_proof() { 20 } else { 1 }
}

pub(crate) fn is_proof() -> bool {
    std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1")
}

pub(crate) fn tests(cases: &[Case]) -> Vec<Test> {
    let mut tests = Vec::new();
    for case in cases {
        for variant in VARIANTS {
            // Without namespaces the profile that requires them does not run at all; that is tested elsewhere.
            if !variant.has_namespaces && case.needs_namespaces() {
                continue;
            }
            let name = case.name;
            tests
                .push(Test::new(format!("escape::{name}::{}", variant.name), move || attempt(name, variant)));
        }
    }
    tests.push(Test::new("what_gets_out_without_a_sandbox_is_noticed", || {
        for case in cases::all().iter().filter(|case| case.is_harmless_outside) {
            let arguments = ["__case", case.name, "bare"];
            let done = Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
            assert!(done.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&done.stdout));
        }
    }));
    tests
}

fn attempt(case: &str, variant: Variant) {
    let is_root = nix::unistd::geteuid().is_root();
    if !is_root && variant.who != Who::Nobody {
        eprintln!("SKIPPED escape::{case}::{}: only user 0 can try as user 0", variant.name);
        return;
    }
    let is_contagious = cases::all().iter().any(|known| known.name == case && known.is_contagious);
    for _ in 0..repeats() {
        let own = std::env::current_exe().unwrap();
        let mut command = if is_contagious && is_root {
            // Should it get out, it finds itself among processes that were started for it, and nobody else's.
            let mut command = Command::new("unshare");
            command.args(["--pid", "--fork", "--mount-proc", "--kill-child"]).arg(own);
            command
        } else {
            Command::new(own)
        };
        let done = command.args(["__case", case, variant.name]).current_dir("/").output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    }
}

/// Stops being user 0, for good.
fn become_nobody() {
    use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    setgroups(&[]).unwrap();
    setresgid(group, group, group).unwrap();
    setresuid(user, user, user).unwrap();
}

/// One attempt, in the process that was started for it.
pub(crate) fn run_case(name: &str, variant: &str) -> ExitCode {
    let cases = cases::all();
    let case = cases.iter().find(|case| case.name == name).expect("no such case");
    if variant == "bare" {
        let world = World::make(Who::Root);
        let found = verify::bare(&world, case);
        return report(!found.is_empty(), &["nothing was noticed".to_owned()]);
    }
    let variant = VARIANTS.into_iter().find(|known| known.name == variant).expect("no such variant");
    if case.is_contagious && !backstop() {
        println!("SKIPPED {name}: nothing would stop it, should it get out");
        return ExitCode::SUCCESS;
    }
    if variant.who == Who::Nobody && nix::unistd::geteuid().is_root() {
        become_nobody();
    }
    let world = World::make(variant.who);
    if !variant.has_namespaces {
        block_calls(&[libc::SYS_unshare]);
    }
    let sandbox = OsSandbox::new(SandboxConfig {
        helper: std::env::current_exe().unwrap(),
        readable: vec![std::env::current_exe().unwrap()],
        ..SandboxConfig::default()
    });
    let started = std::time::Instant::now();
    let run = sandbox.run(&world.command(case), &Interrupt::default());
    let breaches = verify::breaches(&world, case, &run, started.elapsed());
    report(breaches.is_empty(), &breaches)
}

/// Bounds the processes of this very process, so that a bomb that gets out does not take the machine with it: the test
/// fails then, which is all it should do.
fn backstop() -> bool {
    const MOST: u64 = 1000;
    if !nix::unistd::geteuid().is_root() {
        use nix::sys::resource::{Resource, setrlimit};
        return setrlimit(Resource::RLIMIT_NPROC, MOST, MOST).is_ok();
    }
    ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].into_iter().any(|place| {
        let group = std::path::Path::new(place).join("premath-test-backstop");
        drop(std::fs::create_dir(&group));
        std::fs::write(group.join("pids.max"), MOST.to_string()).is_ok()
            && std::fs::write(group.join("cgroup.procs"), std::process::id().to_string()).is_ok()
    })
}

fn report(is_good: bool, breaches: &[String]) -> ExitCode {
    if is_good {
        return ExitCode::SUCCESS;
    }
    breaches.iter().for_each(|breach| println!("{breach}"));
    ExitCode::FAILURE
}
