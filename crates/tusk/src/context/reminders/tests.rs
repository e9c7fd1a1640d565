//! Reminders are shown once, a few at a time, in one order.

use proptest::prelude::*;

use super::{InjectionPoint, MOST_WAITING, QUIET_TURNS, Reminder, ReminderQueue};
use crate::context::fixture::{classes, digest, turn};

fn reminder(source: &str, text: &str) -> Reminder {
    Reminder { point: InjectionPoint::ToolResponse, source: source.to_owned(), text: text.to_owned() }
}

#[test]
fn a_batch_is_shown_at_its_point_a_line_each() {
    let mut queue = ReminderQueue::new(8, 1000);
    queue.push(&reminder("shell", "the tests were not run since the last change"));
    queue.push(&Reminder { point: InjectionPoint::TurnStart, ..reminder("stop_policy", "3 turns are left") });
    queue.push(&reminder("apply_patch", "a file\nwas </untrusted> changed"));
    let reduced = queue.reduce();
    assert_eq!(
        reduced.text(InjectionPoint::ToolResponse).unwrap(),
        "reminder from apply_patch: a file\\nwas <\\/untrusted> changed\n\
         reminder from shell: the tests were not run since the last change"
    );
    assert_eq!(
        reduced.text(InjectionPoint::TurnStart).unwrap(),
        "reminder from stop_policy: 3 turns are left"
    );
    let nothing = queue.reduce();
    assert_eq!(nothing.text(InjectionPoint::TurnStart), None);
    assert_eq!(nothing.dropped, 0);
}

#[test]
fn one_that_was_shown_is_not_shown_again_for_some_turns() {
    let mut queue = ReminderQueue::new(8, 1000);
    let mut shown_at = Vec::new();
    for turn in 0..=2 * QUIET_TURNS + 2 {
        queue.push(&reminder("shell", "again"));
        queue.push(&reminder("shell", "again"));
        let reduced = queue.reduce();
        assert_eq!(reduced.dropped, 0, "a repeat is not lost");
        if !reduced.shown.is_empty() {
            shown_at.push(turn);
        }
    }
    assert_eq!(shown_at, [0, QUIET_TURNS + 1, 2 * QUIET_TURNS + 2]);
}

#[test]
fn what_was_dropped_may_come_again() {
    let mut queue = ReminderQueue::new(1, 1000);
    queue.push(&reminder("a", "first"));
    queue.push(&reminder("b", "second"));
    let reduced = queue.reduce();
    assert_eq!((reduced.shown.len(), reduced.dropped), (1, 1));
    queue.push(&reminder("b", "second"));
    assert_eq!(queue.reduce().shown, [reminder("b", "second")]);
}

#[test]
fn a_reminder_longer_than_the_queue_is_shown_cut() {
    let mut queue = ReminderQueue::new(4, 60);
    queue.push(&reminder("shell", &"long ".repeat(100)));
    let reduced = queue.reduce();
    let text = reduced.text(InjectionPoint::ToolResponse).unwrap();
    assert!(text.starts_with("reminder from shell: long long") && text.ends_with('…'), "{text}");
    assert!(text.len() < 60);
}

#[test]
fn what_waits_is_bounded_and_what_is_lost_is_counted() {
    let mut queue = ReminderQueue::new(4, 1000);
    for at in 0..MOST_WAITING + 10 {
        queue.push(&reminder("shell", &at.to_string()));
    }
    // One that waits already takes no more room.
    queue.push(&reminder("shell", "0"));
    let reduced = queue.reduce();
    assert_eq!(reduced.shown.len(), 4);
    assert_eq!(reduced.dropped, u64::try_from(MOST_WAITING + 10 - 4).unwrap());
}

/// Seed: 001 §4.1/20
#[test]
fn the_row_is_what_the_kernel_reads() {
    let mut turn = turn();
    let reduced = ReminderQueue::new(4, 100).reduce();
    turn.evidence.queues = vec![reduced.row(&digest("pol1_queue")).unwrap()];
    assert_eq!(classes(turn), []);
}

proptest! {
    #[test]
    fn a_batch_is_within_its_caps_in_any_order_of_arrival(
        texts in prop::collection::vec(("[a-c]{1,2}", ".{0,40}", any::<bool>()), 0..40),
        cap in 0_usize..12,
        max_bytes in 0_usize..600,
    ) {
        let reminders: Vec<Reminder> = texts
            .into_iter()
            .map(|(source, text, late)| Reminder {
                point: if late { InjectionPoint::TurnStart } else { InjectionPoint::ToolResponse },
                source,
                text,
            })
            .collect();
        let (mut forward, mut backward) = (ReminderQueue::new(cap, max_bytes), ReminderQueue::new(cap, max_bytes));
        reminders.iter().for_each(|reminder| forward.push(reminder));
        reminders.iter().rev().for_each(|reminder| backward.push(reminder));
        let reduced = forward.reduce();
        prop_assert_eq!(&reduced, &backward.reduce());
        prop_assert!(reduced.shown.len() <= cap);
        let bytes: usize = InjectionPoint::ALL.into_iter().filter_map(|point| reduced.text(point)).map(|text| text.len()).sum();
        prop_assert!(bytes <= max_bytes);
        let again = { reminders.iter().for_each(|reminder| forward.push(reminder)); forward.reduce() };
        prop_assert!(again.shown.iter().all(|reminder| !reduced.shown.contains(reminder)));
    }
}
