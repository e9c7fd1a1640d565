//! The throughput figure of several workers: `throughput per worker and day × gate pass rate`.
//!
//! Whole numbers only, in millionths, so that every machine prints the same. Must not look at a clock or a row: the
//! caller counts.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// Millionths in one.
const MICROS: u128 = 1_000_000;
const HOURS_PER_DAY: u128 = 24;

/// What was counted in the window, and the thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KpiInput {
    /// Rows that finished in the window.
    pub window_rows: u64,
    /// Those of them that succeeded at an issue.
    pub completed_rows: u64,
    /// Workers with a row in the window; none counts as one.
    pub active_workers: u64,
    /// How long the window is.
    pub window_hours: u64,
    /// The figure to reach.
    pub target_micros: u64,
    /// The figure below which expansion stops.
    pub rollback_micros: u64,
    /// Fewer rows decide nothing.
    pub min_rows: u64,
}

/// What follows from the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KpiDecision {
    /// The target is reached.
    Pass,
    /// Between the thresholds.
    Watch,
    /// Too low: no more workers until somebody has done something about it.
    Rollback,
    /// Too few rows to say.
    InsufficientData,
}

impl KpiDecision {
    /// Every decision.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Watch, Self::Rollback, Self::InsufficientData];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Watch => "watch",
            Self::Rollback => "rollback",
            Self::InsufficientData => "insufficient_data",
        }
    }
}

/// The figure and what follows from it. Ratios are in millionths, rounded half up; decisions fall before rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kpi {
    /// `completed_rows / window_rows`; 0 without rows.
    pub gate_pass_rate_micros: u64,
    /// `completed_rows_per_day / max(active_workers, 1)`.
    pub throughput_per_worker_per_day_micros: u64,
    /// `completed_rows * 24 / window_hours`.
    pub completed_rows_per_day_micros: u64,
    /// Throughput per worker and day, times the pass rate.
    pub kpi_micros: u64,
    /// What follows.
    pub decision: KpiDecision,
    /// Why, for a person.
    pub reason: String,
}

impl Kpi {
    /// The figure for these counts; none for a window of no hours or with more completed rows than rows.
    ///
    /// Exact below 2^51 completed rows. Beyond what can be written, a ratio stays at the greatest number.
    #[must_use]
    pub fn new(input: &KpiInput) -> Option<Self> {
        if input.window_hours == 0 || input.completed_rows > input.window_rows {
            return None;
        }
        let completed = u128::from(input.completed_rows);
        let rows = u128::from(input.window_rows).max(1);
        let hours = u128::from(input.window_hours);
        let worker_hours = u128::from(input.active_workers.max(1)).saturating_mul(hours);
        let per_day = Ratio { numerator: completed.saturating_mul(HOURS_PER_DAY), denominator: hours };
        let per_worker = Ratio { denominator: worker_hours, ..per_day };
        let kpi = Ratio {
            numerator: per_day.numerator.saturating_mul(completed),
            denominator: worker_hours.saturating_mul(rows),
        };
        let (decision, reason) = decide(input, kpi);
        Some(Self {
            gate_pass_rate_micros: Ratio { numerator: completed, denominator: rows }.micros(),
            throughput_per_worker_per_day_micros: per_worker.micros(),
            completed_rows_per_day_micros: per_day.micros(),
            kpi_micros: kpi.micros(),
            decision,
            reason,
        })
    }
}

/// A fraction that was not rounded. INVARIANT: the denominator is not 0.
#[derive(Debug, Clone, Copy)]
struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// In millionths, half up.
    fn micros(self) -> u64 {
        let half = self.denominator / 2;
        let scaled = self.numerator.saturating_mul(MICROS).saturating_add(half);
        u64::try_from(scaled / self.denominator.max(1)).unwrap_or(u64::MAX)
    }

    fn is_at_least(self, micros: u64) -> bool {
        let threshold = u128::from(micros).saturating_mul(self.denominator);
        self.numerator.saturating_mul(MICROS) >= threshold
    }
}

fn decide(input: &KpiInput, kpi: Ratio) -> (KpiDecision, String) {
    let (rows, least) = (input.window_rows, input.min_rows);
    let (target, rollback) = (Decimal(input.target_micros), Decimal(input.rollback_micros));
    let figure = Decimal(kpi.micros());
    if rows < least {
        let reason = format!("{rows} rows in the window are fewer than the {least} needed");
        (KpiDecision::InsufficientData, reason)
    } else if kpi.is_at_least(input.target_micros) {
        (KpiDecision::Pass, format!("kpi {figure} reaches the target {target}"))
    } else if kpi.is_at_least(input.rollback_micros) {
        (KpiDecision::Watch, format!("kpi {figure} is below the target {target}"))
    } else {
        (KpiDecision::Rollback, format!("kpi {figure} is below the rollback threshold {rollback}"))
    }
}

/// Millionths, written with six decimals.
struct Decimal(u64);

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// The worker of a step `<worker>.<issue id>.<n>`: all that stands before the last `.<issue id>.`.
///
/// None without an issue, for a step of another issue, and where nothing stands before.
#[must_use]
pub fn worker_of<'a>(step_id: &'a str, issue_id: Option<&str>) -> Option<&'a str> {
    let issue_id = issue_id.map(str::trim).filter(|id| !id.is_empty())?;
    let end = step_id.rfind(&format!(".{issue_id}."))?;
    step_id.get(..end).map(str::trim).filter(|worker| !worker.is_empty())
}

#[cfg(test)]
mod tests;
