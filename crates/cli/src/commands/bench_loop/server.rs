//! The model server of the bench: over loopback, on a thread of its own, with the gaps it sees.
//!
//! A gap is what a loop costs: from the last byte of an answer to the head of the next request. It is seen here, so that
//! it is the same for every loop. It must not mix the gaps of two runs.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use premath_models::scripted::Script;
use premath_models::server::{Mark, serve_marked};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::workload::{Workload, scenario};
use crate::error::CliError;
use crate::models::runtime;
use crate::system;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    url: String,
    gaps: Arc<Mutex<Gaps>>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Gaps {
    answered: Option<Instant>,
    seen: Vec<Duration>,
}

impl Gaps {
    fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Answered => self.answered = Some(system::stopwatch()),
            Mark::Asked => self.seen.extend(self.answered.take().map(|since| since.elapsed())),
        }
    }
}

impl Server {
    pub(super) fn start(workloads: &[Workload]) -> Result<Self, CliError> {
        let script = Arc::new(Script::new(scenario(workloads)));
        let gaps = Arc::new(Mutex::new(Gaps::default()));
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = mpsc::channel();
        let seen = Arc::clone(&gaps);
        let thread = std::thread::Builder::new().name("server".to_owned());
        let thread = thread.spawn(move || {
            let Ok(runtime) = runtime() else { return };
            runtime.block_on(async {
                let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await else { return };
                let Ok(address) = listener.local_addr() else { return };
                if tell.send(address).is_err() {
                    return;
                }
                let shutdown = async move { drop(stopped.await) };
                let marks = Arc::new(move |mark| locked(&seen).mark(mark));
                // Whoever waits for an answer notices that the server is gone.
                drop(serve_marked(listener, script, shutdown, Arc::new(|_| {}), marks).await);
            });
        });
        let thread =
            thread.map_err(|error| CliError::environment(error, "is the machine out of threads?"))?;
        let address = told
            .recv()
            .map_err(|_| CliError::environment("no server on loopback", "is there a loopback device?"))?;
        Ok(Self { url: format!("http://{address}"), gaps, stop: Some(stop), thread: Some(thread) })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Does some work and says which gaps there were meanwhile.
    pub(super) fn watched<T>(
        &self,
        work: impl FnOnce() -> Result<T, CliError>,
    ) -> Result<(T, Vec<Duration>), CliError> {
        *locked(&self.gaps) = Gaps::default();
        let done = work()?;
        Ok((done, std::mem::take(&mut *locked(&self.gaps)).seen))
    }
}

fn locked(gaps: &Mutex<Gaps>) -> MutexGuard<'_, Gaps> {
    gaps.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
