//! A process that breaks, or takes too long, while it is watched: this very program, started again for one test.

use std::process::Command;

use super::*;

/// Set for the process that is to end.
const WATCHED: &str = "PREMATH_TEST_WATCHED";

/// The end of the same test program when it runs one of the tests below.
fn ended(test: &str) -> (Option<i32>, String) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "--nocapture", "--test-threads=1"]).env(WATCHED, "1");
    let output = program.arg(format!("system::watchdog::tests::{test}")).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn breaking() {
    if std::env::var_os(WATCHED).is_none() {
        return;
    }
    blocks_when_lost(Duration::from_secs(60)).unwrap();
    panic!("broken on purpose");
}

#[test]
fn hanging() {
    if std::env::var_os(WATCHED).is_none() {
        return;
    }
    blocks_when_lost(Duration::from_millis(10)).unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_panic_blocks() {
    let (code, words) = ended("breaking");
    assert_eq!(code, Some(BLOCKS), "{words}");
    assert!(words.contains("it panicked"), "{words}");
}

#[test]
fn time_that_runs_out_blocks() {
    let (code, words) = ended("hanging");
    assert_eq!(code, Some(BLOCKS), "{words}");
    assert!(words.contains("no decision within"), "{words}");
}
