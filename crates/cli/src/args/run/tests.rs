//! What can be typed after `run`, and what cannot.

use clap::Parser as _;

use super::{RunArgs, dollars};
use crate::args::{Cli, Command};

fn typed(words: &[&str]) -> Result<RunArgs, clap::Error> {
    let all = [&["premath", "run"], words].concat();
    Cli::try_parse_from(all).map(|cli| {
        let Command::Run(args) = cli.command else { panic!("{words:?} is no run") };
        *args
    })
}

#[test]
fn a_run_needs_a_task_an_issue_or_the_demo() {
    assert!(typed(&[]).is_err());
    assert_eq!(typed(&["mend it"]).unwrap().task.as_deref(), Some("mend it"));
    assert_eq!(typed(&["--issue", "bd-1"]).unwrap().issue.as_deref(), Some("bd-1"));
    assert!(typed(&["--demo"]).unwrap().demo);
    let both = typed(&["mend it", "--issue", "bd-1", "-m", "a:b", "-m", "c:d"]).unwrap();
    assert_eq!(both.model, ["a:b", "c:d"]);
}

#[test]
fn the_demo_takes_no_task_and_no_model() {
    assert!(typed(&["--demo", "mend it"]).is_err());
    assert!(typed(&["--demo", "--model", "a:b"]).is_err());
    assert!(typed(&["mend it", "--keep", "there"]).is_err(), "only a demo can be kept");
    assert!(typed(&["--demo", "--keep", "there", "--json"]).is_ok());
}

#[test]
fn patterns_are_typed_as_they_are_stored() {
    for token in ["single", "chain", "route", "parallel", "orchestrator_workers", "evaluator_optimizer"] {
        let args = typed(&["x", "--pattern", token]).unwrap();
        assert_eq!(args.pattern.unwrap().as_str(), token);
    }
    assert!(typed(&["x", "--pattern", "swarm"]).is_err());
}

#[test]
fn money_is_read_to_the_millionth_and_nothing_is_guessed() {
    assert_eq!(dollars("2"), Ok(2_000_000));
    assert_eq!(dollars("0.50"), Ok(500_000));
    assert_eq!(dollars("$0.000001"), Ok(1));
    for bad in ["", "0", "0.0000001", "1,50", "-1", "1e3", ".5", "1.", "99999999999999999999"] {
        assert!(dollars(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_limit_of_nothing_is_no_limit_anybody_means() {
    assert!(typed(&["x", "--max-turns", "0"]).is_err());
    assert_eq!(typed(&["x", "--max-workers", "0"]).unwrap().limits.max_workers, Some(0));
}
