//! Traces and numbers of runs for those who watch them: OpenTelemetry spans over OTLP, and numbers as Prometheus reads them.
//!
//! A span is made from what a run tells its watchers and from the times that come with it. Nothing here may hold up or fail a
//! run: what does not fit the queue is dropped and counted. It must not read a clock or decide what may be told.

mod export;
mod prometheus;
mod run_spans;
mod spans;
mod target;

pub use export::{Exporter, Told};
pub use prometheus::prometheus_text;
pub use spans::{Contents, Tracer};
pub use target::{Target, TelemetryError};
