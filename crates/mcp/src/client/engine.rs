//! The one thread on which conversations with other servers go on, while whoever called blocks.

use std::io;
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// A thread with a runtime on it.
#[derive(Debug)]
pub(super) struct Engine {
    handle: Handle,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("mcp client".to_owned()).spawn(move || {
            // A sender that is gone is an end as well.
            drop(runtime.block_on(ended));
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, end: Some(end), thread: Some(thread) })
    }

    /// Waits for a piece of work; none where it broke.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        drop(self.handle.spawn(async move {
            // Whoever asked waits for as long as there is a sender.
            drop(sender.send(work.await));
        }));
        receiver.recv().ok()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A thread that broke has told whoever waited for it.
            drop(thread.join());
        }
    }
}
