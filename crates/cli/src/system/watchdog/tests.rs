//! A process that breaks, or takes too long, while it is watched: this very program, started again for one test.

use std::process::Command;

use super::*;

/// Set in the process that is started for one test: it does there what nobody survives.
const STARTED: &str = "PREMATH_TEST_WATCHED";

fn is_started() -> bool {
    std::env::var_os(STARTED).is_some()
}

/// The end of the same test program when it runs this test by itself.
fn ended(test: &str) -> (Option<i32>, String) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "--nocapture", "--test-threads=1"]).env(STARTED, "1");
    let output = program.arg(format!("system::watchdog::tests::{test}")).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_panic_blocks() {
    if is_started() {
        blocks_when_lost(Duration::from_secs(60)).unwrap();
        panic!("broken on purpose");
    }
    let (code, words) = ended("a_panic_blocks");
    assert_eq!(code, Some(BLOCKS), "{words}");
    assert!(words.contains("it panicked"), "{words}");
}

#[test]
fn time_that_runs_out_blocks() {
    if is_started() {
        blocks_when_lost(Duration::from_millis(10)).unwrap();
        loop {
            std::thread::park();
        }
    }
    let (code, words) = ended("time_that_runs_out_blocks");
    assert_eq!(code, Some(BLOCKS), "{words}");
    assert!(words.contains("no decision within"), "{words}");
}
