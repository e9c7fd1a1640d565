//! What `[loop]` comes to.

use premath_tusk::turn_loop::{ContextLimits, Limits};

use super::super::{Layer, Setting};
use super::{LoopSettings, dollars};

#[test]
fn without_a_word_a_run_has_the_standard_limits() {
    let settings = LoopSettings::default();
    assert_eq!(settings.limits(), Limits::standard());
    assert_eq!(settings.context(), ContextLimits::standard());
    assert!(settings.entries().iter().all(|(_, entry)| entry.layer == Layer::Default));
    assert!(settings.entries().is_sorted_by_key(|(key, _)| *key));
}

#[test]
fn a_file_that_gives_more_turns_gives_a_workflow_none() {
    let settings = LoopSettings { max_turns: Some(Setting::default_value(500)), ..LoopSettings::default() };
    let limits = settings.limits();
    assert_eq!((limits.turns, limits.workflow_turns), (Some(500), Limits::standard().workflow_turns));
}

#[test]
fn dollars_have_two_decimals_or_as_many_as_they_need() {
    let shown = [10_000_000, 2_500_000, 1_234_567, 100].map(dollars);
    assert_eq!(shown, ["10.00", "2.50", "1.234567", "0.0001"]);
}
