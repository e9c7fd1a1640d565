//! Somebody who kills processes and makes them pause while they work.
//!
//! A process can only be meant while it is registered, and it is taken off the register before it is reaped: its number
//! never means another one.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Seeded;
use super::process::{Answer, Started};

/// How long a command may take in the middle of all this. The store itself gives up after thirty seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is to happen to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Kill,
    Stop { pause: Duration },
    Continue,
}

#[derive(Debug)]
struct Order {
    due: Instant,
    run: usize,
    deed: Deed,
}

/// What was done to whom.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    running: Mutex<BTreeMap<usize, (Pid, Instant)>>,
    runs: AtomicUsize,
    /// How long a run takes that is left alone, in microseconds.
    usual: AtomicU64,
    is_over: AtomicBool,
    pub(crate) stops: AtomicUsize,
    pub(crate) wedged: AtomicUsize,
}

/// The way to order trouble.
#[derive(Debug, Clone)]
pub(crate) struct Orders(mpsc::Sender<Order>);

impl Trouble {
    /// Runs `work`, which starts its processes through [`Self::run`], with somebody beside it who carries out the orders.
    pub(crate) fn beside(&self, work: impl FnOnce(Orders) + Send) {
        let (sender, orders) = mpsc::channel();
        self.usual.store(5_000, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(move || self.carry_out(&orders));
            work(Orders(sender));
            self.is_over.store(true, Ordering::Relaxed);
        });
    }

    /// One run. Three in ten are killed and two in ten made to pause, if they have not ended by then.
    pub(crate) fn run(&self, orders: &Orders, started: Started, seeded: &mut Seeded) -> Answer {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let since = started.since();
        self.running.lock().unwrap().insert(run, (started.pid(), since));
        let deed = match seeded.below(10) {
            0..3 => Some(Deed::Kill),
            3..5 => Some(Deed::Stop { pause: Duration::from_millis(seeded.next_number() % 60) }),
            _ => None,
        };
        let usual = self.usual.load(Ordering::Relaxed);
        let due = since + Duration::from_micros(seeded.next_number() % (usual + usual / 4));
        if let Some(deed) = deed {
            orders.0.send(Order { due, run, deed }).unwrap();
        }
        let answer = started.finish_after(|| self.running.lock().unwrap().retain(|other, _| *other != run));
        if deed.is_none() {
            let took = u64::try_from(since.elapsed().as_micros()).unwrap();
            self.usual.store((7 * usual + took) / 8 + 1, Ordering::Relaxed);
        }
        answer
    }

    fn carry_out(&self, orders: &mpsc::Receiver<Order>) {
        let mut waiting: Vec<Order> = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) || !waiting.is_empty() {
            let now = Instant::now();
            let (due, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|order| order.due <= now);
            waiting = later;
            waiting.extend(due.into_iter().filter_map(|order| self.obey(&order, now)));
            self.end_the_wedged(now);
            let soonest = waiting.iter().map(|order| order.due).min();
            let pause = soonest.map_or(Duration::from_millis(5), |due| due.saturating_duration_since(now));
            waiting.extend(orders.recv_timeout(pause.min(Duration::from_millis(5))));
            waiting.extend(orders.try_iter());
        }
    }

    /// Does it, if the run has not ended; what must follow.
    fn obey(&self, order: &Order, now: Instant) -> Option<Order> {
        let running = self.running.lock().unwrap();
        let (process, _) = running.get(&order.run)?;
        match order.deed {
            Deed::Kill => kill(*process, Signal::SIGKILL).unwrap(),
            Deed::Stop { .. } => kill(*process, Signal::SIGSTOP).unwrap(),
            Deed::Continue => {
                self.stops.fetch_add(usize::from(is_stopped(*process)), Ordering::Relaxed);
                kill(*process, Signal::SIGCONT).unwrap();
            }
        }
        match order.deed {
            Deed::Stop { pause } => Some(Order { due: now + pause, run: order.run, deed: Deed::Continue }),
            Deed::Kill | Deed::Continue => None,
        }
    }

    fn end_the_wedged(&self, now: Instant) {
        for (process, since) in self.running.lock().unwrap().values() {
            if now.saturating_duration_since(*since) > PATIENCE {
                self.wedged.fetch_add(1, Ordering::Relaxed);
                kill(*process, Signal::SIGKILL).unwrap();
            }
        }
    }
}

/// Whether it really stands still: its state, behind the name in parentheses, is `T`.
fn is_stopped(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}
