//! Facts about the throughput figure.

use super::{Kpi, KpiDecision, KpiInput, worker_of};

/// The default thresholds over a window of a day.
fn input(window_rows: u64, completed_rows: u64, active_workers: u64) -> KpiInput {
    KpiInput {
        window_rows,
        completed_rows,
        active_workers,
        window_hours: 24,
        target_micros: 800_000,
        rollback_micros: 400_000,
        min_rows: 3,
    }
}

fn kpi(input: KpiInput) -> Kpi {
    Kpi::new(&input).unwrap()
}

/// Seed: 002 §13/1
#[test]
fn the_figure_is_throughput_per_worker_times_pass_rate() {
    let kpi = kpi(KpiInput { window_hours: 12, ..input(8, 6, 3) });
    assert_eq!(kpi.completed_rows_per_day_micros, 12_000_000);
    assert_eq!(kpi.throughput_per_worker_per_day_micros, 4_000_000);
    assert_eq!(kpi.gate_pass_rate_micros, 750_000);
    assert_eq!(kpi.kpi_micros, 3_000_000);
    assert_eq!(kpi.decision, KpiDecision::Pass);
    assert_eq!(kpi.reason, "kpi 3.000000 reaches the target 0.800000");
}

#[test]
fn ratios_are_rounded_half_up() {
    assert_eq!(kpi(input(3, 2, 1)).gate_pass_rate_micros, 666_667);
    assert_eq!(kpi(input(3, 1, 1)).gate_pass_rate_micros, 333_333);
    assert_eq!(kpi(input(2_000_000, 1, 1)).gate_pass_rate_micros, 1);
    assert_eq!(kpi(input(2_000_001, 1, 1)).gate_pass_rate_micros, 0);
}

#[test]
fn a_threshold_is_reached_exactly_and_missed_before_rounding() {
    let decide = |input: KpiInput| kpi(input).decision;
    // 16 completed of 20 by 16 workers in a day: 1 * 0.8.
    let exact = input(20, 16, 16);
    assert_eq!(decide(exact), KpiDecision::Pass);
    assert_eq!(decide(KpiInput { target_micros: 800_001, ..exact }), KpiDecision::Watch);
    assert_eq!(
        decide(KpiInput { target_micros: 900_000, rollback_micros: 800_000, ..exact }),
        KpiDecision::Watch
    );
    assert_eq!(
        decide(KpiInput { target_micros: 900_000, rollback_micros: 800_001, ..exact }),
        KpiDecision::Rollback
    );
    // 2/3 rounds up to 0.666667 and is still below it.
    let two_thirds = KpiInput { target_micros: 666_667, ..input(3, 2, 2) };
    assert_eq!(kpi(two_thirds).kpi_micros, 666_667);
    assert_eq!(decide(two_thirds), KpiDecision::Watch);
}

#[test]
fn few_rows_decide_nothing_however_good_they_are() {
    let kpi = kpi(input(2, 2, 1));
    assert_eq!(kpi.decision, KpiDecision::InsufficientData);
    assert_eq!(kpi.reason, "2 rows in the window are fewer than the 3 needed");
    assert_eq!(kpi.kpi_micros, 2_000_000);
}

#[test]
fn no_workers_count_as_one_and_no_rows_as_nothing_done() {
    assert_eq!(kpi(input(4, 4, 0)), kpi(input(4, 4, 1)));
    let idle = kpi(KpiInput { min_rows: 0, ..input(0, 0, 0) });
    assert_eq!((idle.kpi_micros, idle.gate_pass_rate_micros), (0, 0));
    assert_eq!(idle.decision, KpiDecision::Rollback);
    assert_eq!(idle.reason, "kpi 0.000000 is below the rollback threshold 0.400000");
}

#[test]
fn an_impossible_window_has_no_figure() {
    assert_eq!(Kpi::new(&KpiInput { window_hours: 0, ..input(4, 4, 1) }), None);
    assert_eq!(Kpi::new(&input(4, 5, 1)), None);
}

#[test]
fn the_greatest_numbers_do_not_overflow() {
    let most = u64::MAX;
    let crowded = kpi(KpiInput { window_hours: 1, target_micros: most, ..input(most, most, 1) });
    assert_eq!(crowded.completed_rows_per_day_micros, most);
    assert_eq!(crowded.gate_pass_rate_micros, 1_000_000);
    let endless = kpi(KpiInput { window_hours: most, target_micros: most, ..input(most, 5, most) });
    assert_eq!((endless.kpi_micros, endless.decision), (0, KpiDecision::Rollback));
}

/// Seed: 002 §13/4
#[test]
fn decisions_have_their_tokens() {
    assert_eq!(KpiDecision::ALL.map(KpiDecision::token), ["pass", "watch", "rollback", "insufficient_data"]);
}

#[test]
fn the_worker_stands_before_the_issue() {
    assert_eq!(worker_of("worker.bd-1.7", Some("bd-1")), Some("worker"));
    assert_eq!(worker_of("worker.3.bd-1.7", Some("bd-1")), Some("worker.3"));
    assert_eq!(worker_of("w.bd-1.2.7", Some("bd-1.2")), Some("w"));
    assert_eq!(worker_of("w.1.1.1", Some("1")), Some("w.1"));
}

#[test]
fn a_step_without_its_issue_or_a_worker_belongs_to_nobody() {
    assert_eq!(worker_of("worker.bd-1.7", None), None);
    assert_eq!(worker_of("worker.bd-1.7", Some(" ")), None);
    assert_eq!(worker_of("worker.bd-1.7", Some("bd-2")), None);
    assert_eq!(worker_of("worker.bd-10.7", Some("bd-1")), None);
    assert_eq!(worker_of("worker.bd-1", Some("bd-1")), None);
    assert_eq!(worker_of("bd-1.7", Some("bd-1")), None);
    assert_eq!(worker_of(".bd-1.7", Some("bd-1")), None);
}
