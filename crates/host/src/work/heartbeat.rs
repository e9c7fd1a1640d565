//! The heartbeat of a step: while something runs, its lease is renewed, and what runs is ended when the lease is lost.
//!
//! A thread of its own, which renews with the fence that the step was given. A store that is busy is asked again with the
//! next beat; a refusal is the end of the lease. It must not take a lease, and never learns a fence from an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use premath_bd::issues::{Applied, FileIssues, Holder, Operation};
use premath_tusk::sandbox::Interrupt;

use crate::authority::Linked;
use crate::recording::{For, apply};
use crate::workspace::Workspace;

/// How often it is looked whether somebody wants the end.
const BEAT: Duration = Duration::from_millis(100);

/// What is renewed.
#[derive(Debug, Clone)]
pub(super) struct Pulse {
    pub(super) workspace: Workspace,
    pub(super) linked: Arc<Linked>,
    pub(super) issue_id: String,
    pub(super) holder: Holder,
    pub(super) ttl_seconds: u64,
    pub(super) worker: String,
    /// Asks for the end of everything.
    pub(super) abandon: Interrupt,
}

/// A heartbeat that goes until this is dropped.
#[derive(Debug)]
pub(super) struct Heartbeat {
    /// Ends what runs.
    pub(super) interrupt: Interrupt,
    is_lost: Arc<AtomicBool>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Begins to beat.
    pub(super) fn start(pulse: Pulse) -> Self {
        let (stop, stopped) = channel::<()>();
        let (interrupt, is_lost) = (Interrupt::default(), Arc::new(AtomicBool::new(false)));
        let (ending, lost) = (interrupt.clone(), Arc::clone(&is_lost));
        let beats = (u128::from(pulse.ttl_seconds) * 1000 / 3 / BEAT.as_millis()).max(1);
        let beating = move || {
            let mut since = 0_u128;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BEAT) {
                if pulse.abandon.is_requested() {
                    ending.request();
                }
                since += 1;
                if since < beats {
                    continue;
                }
                since = 0;
                if !pulse.renew() {
                    lost.store(true, Ordering::SeqCst);
                    ending.request();
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(beating).ok();
        if thread.is_none() {
            // Without a heartbeat nobody would notice that the lease is gone: nothing runs.
            is_lost.store(true, Ordering::SeqCst);
            interrupt.request();
        }
        Self { interrupt, is_lost, stop: Some(stop), thread }
    }

    /// Whether the lease was lost.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A heartbeat that broke has nothing more to say.
            drop(thread.join());
        }
    }
}

impl Pulse {
    /// Whether the lease is held still, as far as anybody can tell.
    fn renew(&self) -> bool {
        let store = FileIssues::new(Arc::clone(&self.workspace.disk), self.workspace.issues_path(None));
        let operation = Operation::LeaseRenew {
            id: self.issue_id.clone(),
            holder: self.holder.clone(),
            ttl_seconds: self.ttl_seconds,
        };
        let Ok(permit) = self.linked.lease_permit(&operation) else { return false };
        match apply(&self.workspace, &store, permit, &operation, For::Run(&self.worker)) {
            Ok(Applied::Written(_) | Applied::Nothing(_)) => true,
            Ok(Applied::Refused(_)) => false,
            // The lease lasts three beats: a store that gives no answer now may give one in time.
            Err(_) => true,
        }
    }
}
