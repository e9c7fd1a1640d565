//! When failures are alike, and when they are not.

use premath_tusk::session::StepOutcome;

use super::Streak;

fn after(failures: &[&[&str]]) -> Option<Vec<String>> {
    let mut streak = Streak::default();
    for classes in failures {
        streak.failed(&classes.iter().map(|class| (*class).to_owned()).collect::<Vec<_>>());
    }
    streak.is_enough()
}

#[test]
fn three_steps_that_failed_alike_are_enough() {
    assert_eq!(after(&[&["a"], &["a"]]), None);
    assert_eq!(after(&[&["a"], &["a", "b"], &["a"]]), Some(vec!["a".to_owned()]));
    assert_eq!(after(&[&["a"], &["b"], &["a"]]), None);
    assert_eq!(after(&[&["b"], &["a"], &["a"], &["a"]]), Some(vec!["a".to_owned()]));
    assert_eq!(after(&[&[], &[], &[]]), None);
}

#[test]
fn a_success_begins_the_count_again() {
    let mut streak = Streak::default();
    let classes = ["a".to_owned()];
    for _ in 0..2 {
        streak.failed(&classes);
    }
    streak.take(&StepOutcome::Completed { issue_id: "bd-1".to_owned() }, &[]);
    streak.failed(&classes);
    assert_eq!(streak.is_enough(), None);
}
