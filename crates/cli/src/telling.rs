//! Who is told of a run beside whoever watches it: a collector of spans, as far as the mode of the repository lets them be.
//!
//! Without secrets that can be found, or not at all. It must not hold up a run or fail one.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use premath_bd::Clock;
use premath_host::Host;
use premath_telemetry::{Contents, Exporter, Target, Tracer};
use premath_tusk::policy::Observability;
use premath_tusk::turn_loop::RunEvent;

use crate::output;

/// How long the end of a run waits for spans to be taken.
const DEADLINE: Duration = Duration::from_secs(2);

/// Where the spans of runs may go, and with what.
pub(crate) fn destination(host: &Host<'_>) -> Option<(String, Contents)> {
    let settings = &host.workspace.settings;
    let named = match settings.policy.observability() {
        Observability::Dashboard => settings.telemetry.endpoint.as_ref(),
        // Nobody but that one processor.
        Observability::InternalProcessor => settings.telemetry.processor.as_ref(),
        Observability::Disabled => None,
    };
    let contents = if settings.telemetry.contents() { Contents::Told } else { Contents::Left };
    named.map(|named| (named.value.clone(), contents))
}

/// Somebody who is told.
pub(crate) struct Telling<'h> {
    tracer: Mutex<Option<Tracer<'h>>>,
    clock: &'h dyn Clock,
}

impl fmt::Debug for Telling<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Telling").finish_non_exhaustive()
    }
}

impl<'h> Telling<'h> {
    /// Whoever the configuration names; nobody when they cannot be reached at all, which is said.
    pub(crate) fn begin(host: &'h Host<'_>, redact: &'h (dyn Fn(&str) -> String + Sync)) -> Self {
        let begun = destination(host).and_then(|(address, contents)| {
            let started = Target::parse(&address)
                .and_then(|target| Exporter::start(&target, env!("CARGO_PKG_VERSION")));
            match started {
                Ok(exporter) => Some(Tracer::new(exporter, contents, redact)),
                Err(error) => {
                    output::warning(&format!("nobody is told of this run: {error}"));
                    None
                }
            }
        });
        Self { tracer: Mutex::new(begun), clock: host.workspace.clock.as_ref() }
    }

    /// The modes of the sinks that are open.
    pub(crate) fn sinks(&self, host: &Host<'_>) -> Vec<Observability> {
        let is_open = self.tracer.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        is_open.then(|| host.workspace.settings.policy.observability()).into_iter().collect()
    }

    /// Something happens.
    pub(crate) fn take(&self, event: &RunEvent<'_>) {
        let mut tracer = self.tracer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tracer) = tracer.as_mut() {
            tracer.take(event, self.clock.now());
        }
    }

    /// Nothing more will happen. What nobody took is said.
    pub(crate) fn finish(&self) {
        let tracer = self.tracer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(told) = tracer.map(|tracer| tracer.finish(self.clock.now(), DEADLINE)) else { return };
        if told.dropped + told.lost > 0 {
            let lost = told.dropped + told.lost;
            output::warning(&format!("telemetry: {lost} of {} spans were not taken", told.sent + lost));
        }
    }
}
