//! From what a run tells its watchers to spans: which run an event belongs to, and what may be told of it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use premath_kernel::Moment;
use premath_tusk::turn_loop::RunEvent;

use crate::export::{Exporter, Told};
use crate::run_spans::{Place, RunSpans};

/// Whether spans carry what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// They do.
    Told,
    /// They carry names, counts, codes and digests.
    Left,
}

/// Takes secrets out of a text.
type Redact<'r> = &'r (dyn Fn(&str) -> String + Sync);

/// Makes the spans of a run and of those that work for it.
pub struct Tracer<'r> {
    exporter: Exporter,
    contents: Contents,
    redact: Redact<'r>,
    /// Runs that go on, by the issues of the workers that lead to them.
    runs: BTreeMap<Vec<String>, RunSpans>,
    /// How many runs have begun, so that a run that goes on has another span than before.
    begun: u64,
}

impl fmt::Debug for Tracer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tracer").field("contents", &self.contents).finish_non_exhaustive()
    }
}

impl<'r> Tracer<'r> {
    /// One that tells an exporter; every text of a run passes `redact` first.
    #[must_use]
    pub const fn new(exporter: Exporter, contents: Contents, redact: Redact<'r>) -> Self {
        Self { exporter, contents, redact, runs: BTreeMap::new(), begun: 0 }
    }

    /// Something happens, at a time.
    pub fn take(&mut self, event: &RunEvent<'_>, at: Moment) {
        let mut path = Vec::new();
        let mut event = event;
        while let RunEvent::Worker { issue_id, event: inner } = event {
            path.push((*issue_id).to_owned());
            event = inner;
        }
        let at = time(at);
        if let RunEvent::Started { .. } = event {
            self.begin(path, event, at);
            return;
        }
        let place = Place { exporter: &self.exporter, contents: self.contents, redact: self.redact, at };
        let Some(run) = self.runs.get_mut(&path) else { return };
        run.take(event, &place);
        if let RunEvent::Stopped(_) = event {
            self.runs.remove(&path);
        }
    }

    fn begin(&mut self, path: Vec<String>, event: &RunEvent<'_>, at: SystemTime) {
        self.begun += 1;
        let parent = path.split_last().and_then(|(_, outer)| self.runs.get(outer)).map(RunSpans::current);
        let place = Place { exporter: &self.exporter, contents: self.contents, redact: self.redact, at };
        if let Some(run) = RunSpans::begin(event, parent, self.begun, &place) {
            self.runs.insert(path, run);
        }
    }

    /// Ends what is still open and waits until everything is sent, for so long and no longer.
    #[must_use]
    pub fn finish(mut self, at: Moment, deadline: Duration) -> Told {
        let place =
            Place { exporter: &self.exporter, contents: self.contents, redact: self.redact, at: time(at) };
        // The innermost first: a span ends before the one around it.
        while let Some((_, run)) = self.runs.pop_last() {
            run.cut_off(&place);
        }
        self.exporter.finish(deadline)
    }
}

fn time(at: Moment) -> SystemTime {
    let seconds = u64::try_from(at.seconds()).unwrap_or_default();
    UNIX_EPOCH + Duration::new(seconds, at.nanos())
}
