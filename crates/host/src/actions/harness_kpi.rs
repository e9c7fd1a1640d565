//! `harness.kpi.*`: the throughput figure of several workers, and what was done about it when it fell too low.

use std::path::Path;
use std::sync::Arc;

use premath_bd::{Grouping, Query, RemediationLog, StoreError, Trajectory, WindowCounts};
use premath_kernel::{Kpi, KpiInput, Moment, Value};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::{
    KPI_KIND, KpiAnswer, KpiCounts, KpiDecisionRow, KpiPoint, KpiRatios, KpiThresholds, KpiWindow, Micros,
    ProjectionMode, RemediateAnswer, RemediationRow,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::harness_feature::{from_store, shut};
use super::harness_trajectory::{trajectory, unless_new, warning};
use super::issue::{arguments, invalid, told};
use super::lane_path::lane_checked;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

const DEFAULT_HOURS: u64 = 24;
/// More than a century; no window needs more, and no time overflows.
const MOST_HOURS: u64 = 1_000_000;
const DEFAULT_TARGET: Micros = Micros(800_000);
const DEFAULT_ROLLBACK: Micros = Micros(400_000);
const DEFAULT_ROWS: u64 = 3;
/// The most windows before this one.
const MOST_POINTS: u64 = 366;

/// What `harness.kpi.report` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReportArgs {
    /// The trajectory; that of the repository when absent.
    path: Option<String>,
    /// How far back to look; 24 when absent.
    window_hours: Option<u64>,
    /// The ratio to reach, as a number from 0 to 1; 0.8 when absent.
    target: Option<Micros>,
    /// The ratio below which to roll back; 0.4 when absent.
    rollback: Option<Micros>,
    /// How many steps it takes to say anything; 3 when absent.
    min_rows: Option<u64>,
    /// The figures of so many windows before this one as well; none when absent.
    history: Option<u64>,
    /// When the window ends; the end of the newest row when absent, so that one file gives one answer.
    as_of: Option<String>,
}

/// What `harness.kpi.remediate` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemediateArgs {
    /// The trajectory whose figure it is about.
    path: Option<String>,
    /// What was done.
    note: String,
}

/// What is looked at, and what it is held against.
struct Asked {
    hours: u64,
    points: u64,
    thresholds: KpiThresholds,
}

impl Asked {
    fn new(args: &ReportArgs) -> Result<Self, ActionError> {
        let (hours, points) = (args.window_hours.unwrap_or(DEFAULT_HOURS), args.history.unwrap_or_default());
        let thresholds = KpiThresholds {
            target: args.target.unwrap_or(DEFAULT_TARGET),
            rollback: args.rollback.unwrap_or(DEFAULT_ROLLBACK),
            min_rows: args.min_rows.unwrap_or(DEFAULT_ROWS),
        };
        if !(1..=MOST_HOURS).contains(&hours) {
            return Err(invalid(format!("a window has 1 to {MOST_HOURS} hours"), "windowHours").into());
        }
        if points > MOST_POINTS || points.saturating_mul(hours) > MOST_HOURS {
            let what = format!("at most {MOST_POINTS} windows in {MOST_HOURS} hours");
            return Err(invalid(what, "history").into());
        }
        if thresholds.rollback > thresholds.target {
            return Err(invalid("the rollback threshold is above the target", "rollback").into());
        }
        Ok(Self { hours, points, thresholds })
    }

    /// What follows from what was counted in a window.
    fn figure(&self, counts: &WindowCounts) -> Result<Kpi, ActionError> {
        let figure = Kpi::new(&KpiInput {
            window_rows: counts.window_rows,
            completed_rows: counts.completed_rows,
            active_workers: counts.active_workers,
            window_hours: self.hours,
            target_micros: self.thresholds.target.0,
            rollback_micros: self.thresholds.rollback.0,
            min_rows: self.thresholds.min_rows,
        });
        figure.ok_or_else(|| invalid("there is no figure for such a window", "windowHours").into())
    }

    /// The figures of the windows before one that ends then, the oldest first.
    fn history(
        &self,
        end: Moment,
        counted: impl Fn(Moment, Moment) -> Result<WindowCounts, StoreError>,
    ) -> Result<Vec<KpiPoint>, ActionError> {
        let point = |windows: u64| {
            let end = before(end, windows * self.hours);
            let counts = counted(before(end, self.hours), end)?;
            let kpi = self.figure(&counts)?;
            Ok(KpiPoint {
                end: format_time(end),
                window_rows: counts.window_rows,
                completed_rows: counts.completed_rows,
                kpi: Micros(kpi.kpi_micros),
                state: kpi.decision.token().to_owned(),
            })
        };
        (1..=self.points).rev().map(point).collect()
    }
}

/// `harness.kpi.report`
pub(crate) fn report(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ReportArgs = arguments(args)?;
    let asked = Asked::new(&args)?;
    let trajectory = trajectory(host, args.path.as_deref());
    let remediations = RemediationLog::beside(Arc::clone(&host.workspace.disk), trajectory.path());
    let end = match told(args.as_of.as_deref()) {
        Some(text) => parse_time(text).ok_or_else(|| invalid("expected an RFC 3339 time", "asOf"))?,
        None => newest_end(host, &trajectory, args.path.as_deref())?,
    };
    let start = before(end, asked.hours);
    let counted = |start, end| {
        let counts = trajectory.window(start, end);
        unless_new(host, args.path.as_deref(), counts, WindowCounts::default)
    };
    let counts = counted(start, end)?;
    let kpi = asked.figure(&counts)?;
    let latest_remediation = remediations.latest()?;
    let newest_failed_at = counts.newest_failed_at;
    let answer = KpiAnswer {
        action: "harness.kpi.report".to_owned(),
        kpi_kind: KPI_KIND.to_owned(),
        trajectory_path: shown(trajectory.path()),
        window: KpiWindow { hours: asked.hours, start: format_time(start), end: format_time(end) },
        counts: KpiCounts {
            total_rows: counts.total_rows,
            window_rows: counts.window_rows,
            completed_rows: counts.completed_rows,
            active_workers: counts.active_workers,
            future_rows: counts.future_rows,
        },
        ratios: ratios(&kpi),
        history: asked.history(end, counted)?,
        thresholds: asked.thresholds,
        decision: KpiDecisionRow { state: kpi.decision.token().to_owned(), reason: kpi.reason },
        remediations_path: shown(remediations.path()),
        remedied: is_remedied(latest_remediation.as_ref(), newest_failed_at, start),
        newest_failed_at: newest_failed_at.map(format_time),
        latest_remediation,
        warning_count: counts.warning_count,
        warnings: counts.warnings.into_iter().map(warning).collect(),
    };
    Answer::new("ok", &answer)
}

/// The end of the newest row, in whole milliseconds from above; now where there is no row.
fn newest_end(host: &Host<'_>, trajectory: &Trajectory, path: Option<&str>) -> Result<Moment, ActionError> {
    let query = Query { mode: ProjectionMode::Latest, limit: 1, grouping: Grouping::None };
    let items = trajectory.query(&query).map(|projection| projection.items);
    let items = unless_new(host, path, items, Vec::new)?;
    let finished = items.first().and_then(|row| row.as_object()?.get("finishedAt")?.as_text());
    let newest = finished.and_then(parse_time);
    Ok(newest.map_or_else(|| to_millis(host.workspace.clock.now()), whole_millis_from_above))
}

/// The first whole millisecond that is not before a moment: times are printed in milliseconds.
fn whole_millis_from_above(moment: Moment) -> Moment {
    let below = to_millis(moment);
    if below == moment {
        return below;
    }
    let within = Moment::new(below.seconds(), below.nanos().saturating_add(1_000_000));
    within.or_else(|| Moment::new(below.seconds().saturating_add(1), 0)).unwrap_or(below)
}

fn ratios(kpi: &Kpi) -> KpiRatios {
    KpiRatios {
        gate_pass_rate: Micros(kpi.gate_pass_rate_micros),
        completed_rows_per_day: Micros(kpi.completed_rows_per_day_micros),
        throughput_per_worker_per_day: Micros(kpi.throughput_per_worker_per_day_micros),
        kpi: Micros(kpi.kpi_micros),
    }
}

/// So many hours before a moment.
fn before(end: Moment, hours: u64) -> Moment {
    end.plus_seconds(-i64::try_from(hours.saturating_mul(3600)).unwrap_or(i64::MAX))
}

/// Whether something was done about what failed: later than the newest of it, for what was said before is about something else.
fn is_remedied(latest: Option<&RemediationRow>, newest_failed_at: Option<Moment>, start: Moment) -> bool {
    let recorded = latest.and_then(|row| parse_time(&row.recorded_at));
    recorded.is_some_and(|recorded| newest_failed_at.map_or(recorded >= start, |failed| recorded > failed))
}

/// `harness.kpi.remediate`
pub(crate) fn remediate(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: RemediateArgs = arguments(args)?;
    if let Some(path) = told(args.path.as_deref()) {
        lane_checked(host.workspace, "harness.kpi.remediate", Path::new(path))?;
    }
    if let Some(refused) = shut(host, "harness.kpi.remediate")? {
        return Ok(refused);
    }
    let trajectory = trajectory(host, args.path.as_deref());
    let remediations = RemediationLog::beside(Arc::clone(&host.workspace.disk), trajectory.path());
    let remediation = remediations.append(&args.note, host.workspace.clock.as_ref()).map_err(from_store)?;
    Answer::new(
        "accepted",
        &RemediateAnswer {
            action: "harness.kpi.remediate".to_owned(),
            remediations_path: shown(remediations.path()),
            remediation,
        },
    )
}
