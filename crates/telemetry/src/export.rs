//! Sending spans, beside the run: a bounded queue, one thread that empties it, and what became of them.
//!
//! Handing over a span never waits. It must not be able to fail a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};

use crate::target::{Target, TelemetryError};

/// How many spans wait at most.
const QUEUE: usize = 2_048;
/// How many are sent at once.
const BATCH: usize = 256;

/// What became of the spans of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Told {
    /// Spans that somebody took.
    pub sent: u64,
    /// Spans that did not fit the queue.
    pub dropped: u64,
    /// Spans that nobody took, or that were still waiting when the time was over.
    pub lost: u64,
}

#[derive(Debug, Default)]
struct Counts {
    queued: AtomicU64,
    sent: AtomicU64,
    dropped: AtomicU64,
}

/// Sends spans to one target.
#[derive(Debug)]
pub struct Exporter {
    queue: SyncSender<SpanData>,
    counts: Arc<Counts>,
    done: Receiver<()>,
}

impl Exporter {
    /// Begins to send to a target, as a program of this name and version.
    ///
    /// # Errors
    /// Nothing can be sent from this machine.
    pub fn start(target: &Target, version: &str) -> Result<Self, TelemetryError> {
        let mut exporter = target.exporter()?;
        let service =
            [KeyValue::new("service.name", "premath"), KeyValue::new("service.version", version.to_owned())];
        exporter.set_resource(&Resource::builder_empty().with_attributes(service).build());
        let (queue, waiting) = sync_channel(QUEUE);
        let (finished, done) = sync_channel::<()>(1);
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(TelemetryError::Thread)?;
        let work = move || {
            while let Some(batch) = batch(&waiting) {
                let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
                if runtime.block_on(exporter.export(batch)).is_ok() {
                    counted.sent.fetch_add(count, Ordering::AcqRel);
                }
            }
            // Whoever waits is told by the channel's end.
            drop(finished);
        };
        Builder::new().name("spans".to_owned()).spawn(work).map_err(TelemetryError::Thread)?;
        Ok(Self { queue, counts, done })
    }

    /// Hands over a span, or drops it when too many wait.
    pub(crate) fn send(&self, span: SpanData) {
        let count =
            if self.queue.try_send(span).is_ok() { &self.counts.queued } else { &self.counts.dropped };
        count.fetch_add(1, Ordering::AcqRel);
    }

    /// Waits until everything is sent, for so long and no longer.
    #[must_use]
    pub fn finish(self, deadline: Duration) -> Told {
        let Self { queue, counts, done } = self;
        drop(queue);
        // Whether it was in time is in the numbers.
        let _in_time = done.recv_timeout(deadline).is_err();
        let sent = counts.sent.load(Ordering::Acquire);
        let lost = counts.queued.load(Ordering::Acquire).saturating_sub(sent);
        Told { sent, dropped: counts.dropped.load(Ordering::Acquire), lost }
    }
}

/// The next spans, as many as wait; none when nobody sends any more.
fn batch(waiting: &Receiver<SpanData>) -> Option<Vec<SpanData>> {
    let mut batch = vec![waiting.recv().ok()?];
    while batch.len() < BATCH {
        match waiting.try_recv() {
            Ok(span) => batch.push(span),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
        }
    }
    Some(batch)
}
