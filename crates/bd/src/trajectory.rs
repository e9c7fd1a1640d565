//! The trajectory `.premath/harness_trajectory.jsonl`: one row per step, appended, chained, and asked for the latest,
//! the failed and those worth another try.
//!
//! Rows are evidence of what happened and nobody's authority. A line that is no row is reported and passed over: a
//! reader never fails because of it. It must not let the cost of an append grow with the history, and reads no clock.

mod groups;
mod index;
mod order;
mod query;
mod remediation;
mod step;
mod tally;
mod view;
mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};

use crate::clock::Clock;
use crate::disk::Disk;
use crate::document::{settle_folders, writing};
use crate::error::StoreError;
use crate::log::{Log, RowForm, folder_of};
use crate::verify::{Chaining, Link, LogReport, seal_for, verify_log};

pub use self::groups::FailureCluster;
pub use self::query::{Grouping, Projection, Query};
pub use self::remediation::{Remediation, RemediationLog};
pub use self::step::NewStep;
pub use self::tally::Warning;
pub use self::window::WindowCounts;

/// Actions that end a stretch of work: with them the head of the log is made durable too.
const CLOSING_ACTIONS: [&str; 2] = ["stop", "handoff"];

/// The trajectory in one file.
#[derive(Debug, Clone)]
pub struct Trajectory {
    log: Log,
}

impl Trajectory {
    /// The trajectory in this file.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { log: Log::new(disk, path).tracked(RowForm::Chained) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Appends one row behind the last one and returns it as it was written.
    ///
    /// # Errors
    /// `Input` for a blank name or a malformed time, with its path; `Busy`, `Missing` without a folder, `Io`.
    pub fn append(&self, step: &NewStep, clock: &dyn Clock) -> Result<Value<'static>, StoreError> {
        // What cannot be recorded does not begin a log.
        step.row(clock.now())?;
        let mut writer = writing(&self.log)?;
        let row = step.row(clock.now())?;
        let (row, is_closing) = (row.as_object().cloned().unwrap_or_default(), is_closing(&step.action));
        let link = Link::last(writer.reader())?;
        let (line, _) = seal_for(writer.reader().log(), &row, link.as_ref())?;
        writer.append(&line)?;
        if link.is_none() {
            settle_folders(self.log.disk().as_ref(), folder_of(self.path()))?;
        }
        if is_closing {
            // The row is safe without it: a head that is not durable only knows of less.
            drop(writer.sync_head());
        }
        let row = parse(&line, Limits::default())?;
        Ok(row.into_owned())
    }

    /// Follows the chain from the first row to the last, and holds the log against its head.
    ///
    /// # Errors
    /// `Missing` when there is no such file; `Io` when it cannot be read.
    pub fn verify(&self) -> Result<LogReport, StoreError> {
        verify_log(&self.log, Chaining::Chained)
    }
}

fn is_closing(action: &str) -> bool {
    let last = action.trim().rsplit(['.', '_', '-', ' ']).next().unwrap_or_default();
    CLOSING_ACTIONS.iter().any(|closing| last.eq_ignore_ascii_case(closing))
}
