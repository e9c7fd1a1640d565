//! How version answers are read and what is suggested when a tool is missing.

use super::{ANY, DENY, FAKETIME, Gap, STRACE, Source, Tool, VALGRIND, Version, gap_in, version_in};

#[test]
fn versions_are_found_in_the_answers_of_real_tools() {
    assert_eq!(version_in("cargo-nextest 0.9.143 (60fa45f63 2026-08-04)\n"), Some(Version(0, 9, 143)));
    assert_eq!(version_in("cargo-deny 0.20.2"), Some(Version(0, 20, 2)));
    assert_eq!(version_in("valgrind-3.19.0"), Some(Version(3, 19, 0)));
    assert_eq!(version_in("rustfmt 1.9.0-stable (59807616e1 2026-04-14)"), Some(Version(1, 9, 0)));
    assert_eq!(version_in("no number here, only 12 of something"), None);
}

#[test]
fn an_old_version_is_a_gap_and_a_newer_one_is_not() {
    assert_eq!(gap_in("cargo-deny 0.19.9", DENY.minimum), Some(Gap::TooOld(Version(0, 19, 9))));
    assert_eq!(gap_in("cargo-deny 0.20.0", DENY.minimum), None);
    assert_eq!(gap_in("cargo-deny 1.0.0", DENY.minimum), None);
    assert_eq!(gap_in("a tool that answers in prose", ANY), None);
}

#[test]
fn tracer_and_clock_answer_in_prose_and_are_good_enough() {
    assert_eq!(gap_in("strace -- version 6.1\nCopyright (c) 1991-2022", STRACE.minimum), None);
    assert_eq!(gap_in("\nfaketime: Version 0.9.10\n", FAKETIME.minimum), None);
}

#[test]
fn what_kills_and_what_shifts_clocks_come_from_packages() {
    for (tool, package) in [(STRACE, "strace"), (FAKETIME, "faketime")] {
        let problem = tool.problem(&Gap::Missing);
        assert!(problem.ends_with(&format!("apt-get install -y {package}")), "{problem}");
    }
}

#[test]
fn a_problem_names_the_tool_and_a_command_for_a_shell() {
    assert_eq!(
        DENY.problem(&Gap::TooOld(Version(0, 19, 9))),
        "  cargo-deny 0.19.9 is too old; install it with: cargo install --locked --force cargo-deny@0.20.2"
    );
    assert_eq!(
        VALGRIND.problem(&Gap::Missing),
        "  valgrind is not installed; install it with: \
         apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y valgrind"
    );
}

#[test]
fn a_program_that_does_not_start_is_missing() {
    let tool = Tool {
        name: "no-such-tool",
        probe: &["no-such-tool-anywhere", "--version"],
        minimum: ANY,
        source: Source::Component("no-such-component"),
    };
    assert_eq!(tool.gap(), Some(Gap::Missing));
}
