//! Counters of this server, as Prometheus reads them. Labels are words of ours, never what somebody sent.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Seconds that answers take, in steps.
const STEPS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Way {
    route: &'static str,
}

/// The counters.
#[derive(Debug)]
pub(crate) struct Measures {
    requests: Family<Answered, Counter>,
    seconds: Family<Way, Histogram>,
    streams: Gauge,
    connections: Gauge,
    events: Counter,
}

impl Default for Measures {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(STEPS)),
            streams: Gauge::default(),
            connections: Gauge::default(),
            events: Counter::default(),
        }
    }
}

/// Something that is counted for as long as it is there.
#[derive(Debug)]
pub(crate) struct Counted(Gauge<i64, AtomicI64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Measures {
    /// A request was answered.
    pub(crate) fn answered(&self, method: &'static str, route: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Answered { method, route, status }).inc();
        self.seconds.get_or_create(&Way { route }).observe(took.as_secs_f64());
    }

    /// A stream is open for as long as this is held.
    pub(crate) fn streaming(&self) -> Counted {
        self.streams.inc();
        Counted(self.streams.clone())
    }

    /// A connection is open for as long as this is held.
    pub(crate) fn connected(&self) -> Counted {
        self.connections.inc();
        Counted(self.connections.clone())
    }

    /// Rows of runs that were read for clients.
    pub(crate) fn events(&self, count: u64) {
        self.events.inc_by(count);
    }

    /// The text that a scraper reads, without its last line.
    pub(crate) fn text(&self, runs: usize, waiting: usize) -> String {
        let mut registry = Registry::with_prefix("premath_console");
        let number = |count: usize| {
            let gauge: Gauge = Gauge::default();
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
            gauge
        };
        registry.register("requests", "Requests by route and status", self.requests.clone());
        registry.register("request_seconds", "Seconds until an answer began", self.seconds.clone());
        registry.register("streams_open", "Streams that are open", self.streams.clone());
        registry.register("connections_open", "Connections that are open", self.connections.clone());
        registry.register("run_events_read", "Rows of runs that were read for streams", self.events.clone());
        registry.register("runs_here", "Runs that this server drives", number(runs));
        registry.register("calls_waiting", "Calls of the host that wait for a thread", number(waiting));
        let mut text = String::new();
        // Writing into memory does not fail.
        encode(&mut text, &registry)
            .map_or_else(|_| String::new(), |()| text.trim_end_matches("# EOF\n").to_owned())
    }
}
