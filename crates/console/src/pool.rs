//! The threads that call the host: a few for short calls, one for each run.
//!
//! Actions block, so whoever speaks HTTP never makes one. A call that nobody waits for any more is not begun. A panic is a
//! defect that takes one answer with it: the thread makes the next call, and the server lives. Panics unwind in every profile,
//! the release profile among them. It must not know what is called.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use std::thread::Scope;

use premath_host::Host;
use tokio::sync::{mpsc, oneshot};

use crate::failure::Failure;

/// How many short calls are made at the same time.
const WORKERS: usize = 8;
/// How many wait before whoever asks next is sent away.
const WAITING: usize = 256;

/// Something that is done with the host.
pub(crate) type Work = Box<dyn FnOnce(&Host<'_>) + Send>;

/// Where calls are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    short: mpsc::Sender<Job>,
    long: blocking::Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

enum Job {
    Work(Work),
    End,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Work(_) => "Work",
            Self::End => "End",
        })
    }
}

impl Calls {
    /// Does something short with the host and waits for what comes of it.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host<'_>) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (answer, answered) = oneshot::channel();
        let waiting = Arc::clone(&self.waiting);
        let job: Work = Box::new(move |host| {
            waiting.fetch_sub(1, Ordering::Relaxed);
            if answer.is_closed() {
                return;
            }
            // Whoever asked may be gone; what was done is done, and on record.
            drop(answer.send(work(host)));
        });
        self.short.try_send(Job::Work(job)).map_err(|_| Failure::overloaded())?;
        self.waiting.fetch_add(1, Ordering::Relaxed);
        answered.await.map_err(|_| Failure::broken())
    }

    /// Does something that may take long, on a thread of its own. Whether there is one to be had.
    pub(crate) fn spawn(&self, work: Work) -> Result<(), Failure> {
        self.long.send(Job::Work(work)).map_err(|_| Failure::ending())
    }

    /// How many short calls wait.
    pub(crate) fn waiting(&self) -> usize {
        // A call may be taken before it is counted.
        self.waiting.load(Ordering::Relaxed).min(WAITING + WORKERS)
    }
}

/// Runs `serve` with threads behind it that call `host`; everything they do ends with it.
pub(crate) fn with_workers<T>(host: &Host<'_>, serve: impl FnOnce(Calls) -> T) -> T {
    let (short, receiver) = mpsc::channel(WAITING);
    let (long, runs) = blocking::channel();
    let queue = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let begun = (0..WORKERS).filter(|_| begin(scope, host, &queue)).count();
        let spawner = std::thread::Builder::new().name("runs".to_owned());
        // Without threads there is nothing to serve; each call says so.
        drop(spawner.spawn_scoped(scope, move || spawn_each(scope, host, &runs)));
        let served = serve(Calls { short: short.clone(), long: long.clone(), waiting: Arc::default() });
        for _ in 0..begun {
            // The queue is there for as long as this function.
            drop(short.blocking_send(Job::End));
        }
        drop(long.send(Job::End));
        served
    })
}

/// Whether one more thread could be had.
fn begin<'scope>(
    scope: &'scope Scope<'scope, '_>,
    host: &'scope Host<'scope>,
    queue: &'scope Mutex<mpsc::Receiver<Job>>,
) -> bool {
    std::thread::Builder::new().name("call".to_owned()).spawn_scoped(scope, move || work(host, queue)).is_ok()
}

fn work(host: &Host<'_>, queue: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // Nothing is done under the lock but waiting, so nothing can have gone wrong under it.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        match job {
            None | Some(Job::End) => return,
            Some(Job::Work(work)) => done(host, work),
        }
    }
}

/// Whoever waits for what broke sees that nothing came.
fn done(host: &Host<'_>, work: Work) {
    drop(catch_unwind(AssertUnwindSafe(|| work(host))));
}

fn spawn_each<'scope>(
    scope: &'scope Scope<'scope, '_>,
    host: &'scope Host<'scope>,
    runs: &blocking::Receiver<Job>,
) {
    while let Ok(Job::Work(work)) = runs.recv() {
        let thread = std::thread::Builder::new().name("run".to_owned());
        // A run for which there is no thread never begins, and whoever waits for its beginning sees that.
        drop(thread.spawn_scoped(scope, move || done(host, work)));
    }
}

#[cfg(test)]
mod tests;
