//! The streams of runs: every chunk from the first on, for as long as somebody may want them.
//!
//! A stream is kept while its run goes on, and a minute behind that unless somebody has read it to its end. It is only in
//! memory: the journal has what counts. It must not hold a run up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use premath_host::{Chunker, DeskCards, EventRows, Workspace};
use premath_tusk::turn_loop::RunEvent;
use premath_wire::v1::{RunEventKind, UiChunk};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::runs::Watcher;

/// How long a stream that has ended waits for whoever was to read it.
const KEPT: Duration = Duration::from_secs(60);

/// The streams of this server.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    by_run: Mutex<BTreeMap<String, Arc<Stream>>>,
}

/// One stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(super) run_id: String,
    inner: Mutex<Inner>,
    /// How many chunks there are, and whether there will be more.
    news: watch::Sender<(usize, bool)>,
}

#[derive(Debug, Default)]
struct Inner {
    chunks: Vec<Bytes>,
    is_resumed: bool,
    is_read: bool,
    /// Whether a word was said, or a call made.
    is_answered: bool,
    error_kind: Option<String>,
    ended_at: Option<Instant>,
    conversation: Place,
}

/// Which conversation a stream belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Unknown,
    None,
    In(String),
}

impl Streams {
    fn by_run(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Stream>>> {
        // Whole entries go in and out under the lock.
        self.by_run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new stream of a run, which takes the place of an earlier one.
    pub(super) fn begin(&self, run_id: &str, conversation: Option<&str>) -> Arc<Stream> {
        let inner = Inner {
            conversation: conversation.map_or(Place::Unknown, |id| Place::In(id.to_owned())),
            ..Inner::default()
        };
        let news = watch::Sender::new((0, false));
        let stream = Arc::new(Stream { run_id: run_id.to_owned(), inner: Mutex::new(inner), news });
        let mut by_run = self.by_run();
        by_run.retain(|_, stream| !stream.is_old());
        by_run.insert(run_id.to_owned(), Arc::clone(&stream));
        stream
    }

    /// A stream that nobody is going to have.
    pub(super) fn forget(&self, run_id: &str) {
        self.by_run().remove(run_id);
    }

    /// The newest stream of a conversation that somebody may still want.
    pub(super) fn of(&self, conversation: &str) -> Option<Arc<Stream>> {
        let wanted = Place::In(conversation.to_owned());
        let by_run = self.by_run();
        let of_it =
            by_run.values().filter(|stream| stream.inner().conversation == wanted && !stream.is_old());
        // One that goes on comes before one that has ended.
        of_it.max_by_key(|stream| (!stream.news.borrow().1, stream.run_id.clone())).cloned()
    }

    /// Runs whose conversation nobody has looked up.
    pub(super) fn unplaced(&self) -> Vec<String> {
        let by_run = self.by_run();
        let unknown = by_run.values().filter(|stream| stream.inner().conversation == Place::Unknown);
        unknown.map(|stream| stream.run_id.clone()).collect()
    }

    pub(super) fn place(&self, run_id: &str, conversation: Option<String>) {
        if let Some(stream) = self.by_run().get(run_id) {
            stream.inner().conversation = conversation.map_or(Place::None, Place::In);
        }
    }
}

impl Stream {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_old(&self) -> bool {
        let inner = self.inner();
        inner.ended_at.is_some_and(|at| inner.is_read || at.elapsed() > KEPT)
    }

    /// What `conversation.show` leaves out, because it is still being said.
    pub(super) fn described(&self) -> Option<Value> {
        let inner = self.inner();
        let is_over = inner.ended_at.is_some();
        (!is_over).then(|| json!({ "runId": self.run_id, "resumed": inner.is_resumed }))
    }

    pub(super) fn news(&self) -> watch::Receiver<(usize, bool)> {
        self.news.subscribe()
    }

    /// The chunks behind so many.
    pub(super) fn behind(&self, count: usize) -> Vec<Bytes> {
        self.inner().chunks.get(count..).map(<[Bytes]>::to_vec).unwrap_or_default()
    }

    /// Somebody has read it to its end.
    pub(super) fn read(&self) {
        self.inner().is_read = true;
    }

    /// Waits until something is said, or is not going to be: the kind of the error of a model that said nothing at all.
    pub(super) async fn first_words(&self) -> Option<String> {
        let mut news = self.news();
        loop {
            {
                let inner = self.inner();
                if inner.is_answered || inner.ended_at.is_some() {
                    return inner.error_kind.clone().filter(|_| !inner.is_answered);
                }
            }
            if news.changed().await.is_err() {
                return None;
            }
        }
    }

    fn push(&self, chunks: &[UiChunk], is_over: bool) {
        let mut inner = self.inner();
        for chunk in chunks {
            let is_frame = matches!(
                chunk,
                UiChunk::Start { .. } | UiChunk::StartStep | UiChunk::FinishStep | UiChunk::Error { .. }
            );
            inner.is_answered |= !is_frame;
            if let Ok(text) = serde_json::to_string(chunk) {
                inner.chunks.push(Bytes::from(format!("data: {text}\n\n")));
            }
        }
        if is_over {
            inner.chunks.push(Bytes::from_static(b"data: [DONE]\n\n"));
            inner.ended_at = Some(Instant::now());
        }
        let count = inner.chunks.len();
        drop(inner);
        self.news.send_replace((count, is_over));
    }
}

/// What makes a stream of the events of a run.
pub(super) struct Feeding {
    stream: Arc<Stream>,
    workspace: Workspace,
    rows: EventRows,
    chunker: Chunker,
    is_ended: bool,
}

impl Feeding {
    pub(super) fn new(stream: Arc<Stream>, workspace: Workspace) -> Self {
        let first = stream.run_id.split_once(".s").map_or(stream.run_id.as_str(), |(first, _)| first);
        let chunker = Chunker::new(first);
        Self { stream, workspace, rows: EventRows::default(), chunker, is_ended: false }
    }

    /// Whoever watches the run for it.
    pub(super) fn watcher(mut self) -> Watcher {
        Box::new(move |event: &RunEvent<'_>| self.take(event))
    }

    fn take(&mut self, event: &RunEvent<'_>) {
        let Some(row) = self.rows.row(event) else { return };
        if let RunEventKind::RunStarted { resumed, depth: 0, .. } = &row.event
            && row.workers.is_empty()
        {
            self.stream.inner().is_resumed |= *resumed;
        }
        if let RunEventKind::RunStopped { error_kind, .. } = &row.event {
            self.stream.inner().error_kind.clone_from(error_kind);
        }
        let chunks = self.chunker.take(&row, &DeskCards::new(&self.workspace));
        let ends =
            |chunk: &UiChunk| matches!(chunk, UiChunk::Finish | UiChunk::Abort | UiChunk::Error { .. });
        self.is_ended |= chunks.iter().any(ends);
        if !chunks.is_empty() {
            self.stream.push(&chunks, false);
        }
    }
}

impl Drop for Feeding {
    /// The run is over, however it ended.
    fn drop(&mut self) {
        let broken = UiChunk::Error { error_text: "The answer broke off. What was done is kept.".to_owned() };
        let last = if self.is_ended { Vec::new() } else { vec![broken] };
        self.stream.push(&last, true);
    }
}
