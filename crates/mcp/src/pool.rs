//! The threads that call the host, and the queue before them.
//!
//! Actions block: they wait for locks, disks and checks. So each call is made by one of a few threads that only do that, and
//! whoever speaks the protocol does not wait. A look at issue memory that took next to no time when it was last made is the
//! exception: it is made by the thread of the conversation itself, since waking another one and being woken by it takes longer
//! than the look. A call that nobody waits for any more is not begun, and one that was begun is broken off where it can be.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

use premath_host::{ClientDoor, Host, Workspace};
use premath_wire::strict::{Limits, parse};
use tokio::sync::{mpsc, oneshot};

use crate::answer::{Answered, Failure};
use crate::pace::Pace;

/// How many calls are made at the same time.
pub(crate) const WORKERS: usize = 8;
/// How many calls wait before whoever asks has to wait as well.
const WAITING: usize = 64;

/// One call.
#[derive(Debug)]
struct Call {
    action: &'static str,
    arguments: String,
    door: ClientDoor,
    answer: oneshot::Sender<Answered>,
}

#[derive(Debug)]
enum Job {
    Call(Call),
    End,
}

/// The doors of the calls that are waited for, by number.
#[derive(Debug, Default)]
struct Waited {
    next: AtomicU64,
    doors: Mutex<BTreeMap<u64, ClientDoor>>,
}

impl Waited {
    /// Nobody waits for anything any more.
    fn break_off(&self) {
        let doors = std::mem::take(&mut *self.doors.lock().unwrap_or_else(PoisonError::into_inner));
        doors.values().for_each(|door| door.interrupted_by().request());
    }
}

/// Somebody waits for a call for as long as this is there.
struct Waiting {
    waited: Arc<Waited>,
    number: u64,
}

impl Waiting {
    fn new(waited: &Arc<Waited>, door: &ClientDoor) -> Self {
        let number = waited.next.fetch_add(1, Ordering::Relaxed);
        waited.doors.lock().unwrap_or_else(PoisonError::into_inner).insert(number, door.clone());
        Self { waited: Arc::clone(waited), number }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let door = self.waited.doors.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
        // A call that was answered has nothing left to break off.
        if let Some(door) = door {
            door.interrupted_by().request();
        }
    }
}

/// Where calls are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    queue: mpsc::Sender<Job>,
    quick: mpsc::Sender<Call>,
    pace: Arc<Pace>,
    waited: Arc<Waited>,
}

impl Calls {
    /// Makes one call and waits for what comes of it; none where the server is ending. Whoever stops waiting breaks it off.
    pub(crate) async fn call(
        &self,
        action: &'static str,
        arguments: String,
        door: ClientDoor,
    ) -> Option<Answered> {
        let (answer, answered) = oneshot::channel();
        let _waiting = Waiting::new(&self.waited, &door);
        let call = Call { action, arguments, door, answer };
        if self.pace.is_quick(action) {
            self.quick.send(call).await.ok()?;
        } else {
            self.queue.send(Job::Call(call)).await.ok()?;
        }
        answered.await.ok()
    }
}

/// The calls that are made beside the conversation, by the thread it is held in.
pub(crate) struct Beside<'h> {
    host: &'h Host<'h>,
    quick: mpsc::Receiver<Call>,
    pace: Arc<Pace>,
}

impl Beside<'_> {
    /// Waits for something, and makes quick calls in the meantime.
    pub(crate) async fn answering<T>(mut self, something: impl Future<Output = T>) -> T {
        let mut something = std::pin::pin!(something);
        loop {
            tokio::select! {
                done = &mut something => return done,
                Some(call) = self.quick.recv() => make(self.host, call, &self.pace),
            }
        }
    }
}

/// Runs `serve` with threads behind it that call `host`; they end with it.
pub(crate) fn with_workers<T>(host: &Host<'_>, serve: impl FnOnce(Calls, Beside<'_>) -> T) -> T {
    let (sender, receiver) = mpsc::channel(WAITING);
    let (quick_sender, quick) = mpsc::channel(WAITING);
    let (queue, pace) = (Mutex::new(receiver), Arc::new(Pace::default()));
    std::thread::scope(|scope| {
        let begun = (0..WORKERS).filter(|_| begin(scope, host, &queue, &pace)).count();
        let waited = Arc::new(Waited::default());
        let calls = Calls {
            queue: sender.clone(),
            quick: quick_sender,
            pace: Arc::clone(&pace),
            waited: Arc::clone(&waited),
        };
        let served = serve(calls, Beside { host, quick, pace: Arc::clone(&pace) });
        waited.break_off();
        for _ in 0..begun {
            // The queue is there for as long as this function.
            drop(sender.blocking_send(Job::End));
        }
        served
    })
}

/// Whether one more thread could be had.
fn begin<'scope>(
    scope: &'scope Scope<'scope, '_>,
    host: &'scope Host<'scope>,
    queue: &'scope Mutex<mpsc::Receiver<Job>>,
    pace: &'scope Pace,
) -> bool {
    let thread = std::thread::Builder::new().name("call".to_owned());
    thread.spawn_scoped(scope, move || work(host, queue, pace)).is_ok()
}

fn work(host: &Host<'_>, queue: &Mutex<mpsc::Receiver<Job>>, pace: &Pace) {
    loop {
        // Nothing is done under the lock but waiting, so nothing can have gone wrong under it.
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        match job {
            None | Some(Job::End) => return,
            Some(Job::Call(call)) => make(host, call, pace),
        }
    }
}

/// Makes a call, unless nobody waits for it.
fn make(host: &Host<'_>, call: Call, pace: &Pace) {
    if call.answer.is_closed() {
        return;
    }
    let (action, arguments, door) = (call.action, call.arguments, call.door);
    let answered = pace.timed(action, || contain_panic(action, || made(host, action, &arguments, door)));
    // Whoever asked may be gone; what was done is done, and on record.
    drop(call.answer.send(answered));
}

/// A panic is a defect: it takes one answer with it, and the thread makes the next call.
fn contain_panic(action: &'static str, call: impl FnOnce() -> Answered) -> Answered {
    if let Ok(answered) = catch_unwind(AssertUnwindSafe(call)) {
        return answered;
    }
    let failure = Failure {
        class: "server_fault".to_owned(),
        detail: "the call broke off; this is a fault of premath".to_owned(),
        hint: "`premath verify` says whether anything is damaged".to_owned(),
    };
    Answered::failed(action, "", failure)
}

fn made(host: &Host<'_>, action: &'static str, arguments: &str, door: ClientDoor) -> Answered {
    let read = match parse(arguments.as_bytes(), Limits::default()) {
        Ok(read) => read,
        Err(error) => {
            let failure = Failure {
                class: error.class.code().to_owned(),
                detail: error.to_string(),
                hint: "the tool's inputSchema says what it takes".to_owned(),
            };
            return Answered::failed(action, "", failure);
        }
    };
    let workspace = Workspace { door: Arc::new(door), ..host.workspace.clone() };
    let host = Host {
        vectors: host.vectors,
        workspace: &workspace,
        models: host.models,
        sandbox: host.sandbox,
        agent: host.agent,
    };
    match host.call(action, &read) {
        Ok(effect) => Answered::of(&effect),
        Err(error) => Answered::from_error(action, &read, &error),
    }
}

#[cfg(test)]
mod tests;
