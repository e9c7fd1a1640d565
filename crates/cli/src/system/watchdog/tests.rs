//! A process that breaks, or takes too long, while it is watched: this very program, started again for one test.

use std::process::Command;

use super::*;

/// The end of the same test program when it runs one of the tests below, which nobody else runs.
fn ended(test: &str) -> (Option<i32>, String) {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = program.arg(format!("system::watchdog::tests::{test}")).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
#[ignore = "ends the process that runs it"]
fn breaking() {
    blocks_when_lost(Duration::from_secs(60)).unwrap();
    panic!("broken on purpose");
}

#[test]
#[ignore = "ends the process that runs it"]
fn hanging() {
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
