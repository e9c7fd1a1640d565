//! The coordinator's decisions, case by case.

use super::*;

fn work(claimable: usize, held: usize) -> Work {
    Work { claimable, held, is_broken: false }
}

#[test]
fn a_slot_starts_while_there_is_work_and_room() {
    assert_eq!(slot_next(work(3, 0), 0, 2), SlotNext::Start);
    assert_eq!(slot_next(work(3, 1), 1, 2), SlotNext::Start);
    assert_eq!(slot_next(work(3, 2), 2, 2), SlotNext::Wait);
}

#[test]
fn work_that_others_hold_is_waited_for() {
    assert_eq!(slot_next(work(0, 1), 0, 2), SlotNext::Wait);
    assert_eq!(slot_next(work(0, 0), 1, 2), SlotNext::Wait);
}

#[test]
fn nothing_ready_and_nothing_in_progress_is_done() {
    assert_eq!(slot_next(work(0, 0), 0, 2), SlotNext::Done);
}

#[test]
fn a_graph_that_contradicts_itself_starts_nothing() {
    let broken = Work { is_broken: true, ..work(5, 0) };
    assert_eq!(slot_next(broken, 0, 2), SlotNext::Refuse);
}

#[test]
fn under_a_rollback_no_more_run_than_before() {
    assert_eq!(allowed_workers(KpiStanding::Free, 8, Some(2)), 8);
    assert_eq!(allowed_workers(KpiStanding::Rollback, 8, Some(2)), 2);
    assert_eq!(allowed_workers(KpiStanding::Rollback, 8, None), 1);
    assert_eq!(allowed_workers(KpiStanding::Rollback, 1, Some(4)), 1);
    assert_eq!(allowed_workers(KpiStanding::Rollback, 4, Some(0)), 1);
}
