//! Facts about commands that run at the same time.

use super::ActiveCommands;

#[test]
fn commands_that_follow_one_another_do_not_overlap() {
    let active = ActiveCommands::default();
    let first = active.enter("run", "a");
    assert!(active.leave(first, "run").is_empty());
    let second = active.enter("run", "b");
    assert!(active.leave(second, "run").is_empty());
}

#[test]
fn both_of_two_overlapping_commands_name_the_other_even_when_it_ended_first() {
    let active = ActiveCommands::default();
    let first = active.enter("run", "a");
    let second = active.enter("run", "b");
    assert_eq!(active.leave(second, "run"), ["a"]);
    assert_eq!(active.leave(first, "run"), ["b"]);
}

#[test]
fn a_command_of_another_run_is_named_with_its_run() {
    let active = ActiveCommands::default();
    let first = active.enter("run.bd-1", "a");
    let second = active.enter("run.bd-2", "a");
    assert_eq!(active.leave(second, "run.bd-2"), ["run.bd-1/a"]);
    assert_eq!(active.leave(first, "run.bd-1"), ["run.bd-2/a"]);
}
