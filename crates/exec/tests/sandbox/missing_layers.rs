//! Systems that lack a layer, made by a filter over the whole process: what is required refuses and names it.

use std::process::Command;

use premath_exec::{OsSandbox, SandboxConfig};
use premath_tusk::sandbox::{Ending, Interrupt, LayerState, Profile, Sandbox as _, SandboxError};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::behaviour::{command, workdir};
use crate::harness::Test;

/// Makes these calls fail for this process and whatever it starts, as if the system did not let us.
pub(crate) fn block_calls(calls: &[i64]) {
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, architecture).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
}

fn sandbox() -> OsSandbox {
    OsSandbox::new(SandboxConfig { helper: std::env::current_exe().unwrap(), ..SandboxConfig::default() })
}

/// Tests that block calls run in a process of their own.
pub(crate) fn tests() -> Vec<Test> {
    let inner: [(&str, fn()); 4] = [
        ("without_landlock_every_profile_refuses_and_says_so", without_landlock),
        ("without_namespaces_only_the_isolated_profile_refuses", without_namespaces),
        ("without_seccomp_every_profile_refuses_and_says_so", without_seccomp),
        ("the_self_test_says_which_layer_is_missing", self_test),
    ];
    inner
        .into_iter()
        .map(|(name, run)| {
            Test::new(name, move || {
                // A filter cannot be taken off again.
                if std::env::var_os("BLOCKED").is_some() {
                    return run();
                }
                let own = std::env::current_exe().unwrap();
                let done = Command::new(own).args(["--exact", name]).env("BLOCKED", "1").output().unwrap();
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(done.status.success(), "{said}");
            })
        })
        .collect()
}

fn refused_layer(profile: Profile) -> String {
    let folder = workdir();
    match sandbox().run(&command(&folder, profile, "echo ran > sub/ran"), &Interrupt::default()) {
        Err(SandboxError::LayerUnavailable { profile: named, layer, .. }) => {
            assert_eq!(named, profile.as_str());
            assert!(!folder.path().join("sub/ran").exists(), "it ran all the same");
            layer
        }
        other => panic!("it was not refused: {other:?}"),
    }
}

fn without_landlock() {
    block_calls(&[libc::SYS_landlock_create_ruleset]);
    for profile in Profile::ALL {
        assert_eq!(refused_layer(profile), "landlock");
    }
}

fn without_seccomp() {
    block_calls(&[libc::SYS_seccomp]);
    for profile in Profile::ALL {
        assert_eq!(refused_layer(profile), "seccomp");
    }
}

fn without_namespaces() {
    block_calls(&[libc::SYS_unshare]);
    assert_eq!(refused_layer(Profile::Isolated), "user-namespace");
    for profile in [Profile::ReadOnly, Profile::WorkspaceWrite, Profile::Network] {
        let folder = workdir();
        let run = sandbox().run(&command(&folder, profile, "cat sub/file"), &Interrupt::default()).unwrap();
        assert_eq!(run.ending, Ending::Exited(0), "{run:?}");
        assert!(!run.evidence.layers.iter().any(|layer| layer.ends_with("-namespace")), "{run:?}");
    }
}

fn self_test() {
    block_calls(&[libc::SYS_unshare]);
    let report = sandbox().check().unwrap();
    let state = |name: &str| report.layers.iter().find(|layer| layer.layer == name).unwrap().state;
    assert_eq!(state("user-namespace"), LayerState::Unavailable);
    assert_eq!(state("landlock"), LayerState::Enforced, "{report:?}");
    assert_eq!(report.usable, [Profile::ReadOnly, Profile::WorkspaceWrite, Profile::Network]);
}
