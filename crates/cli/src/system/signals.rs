//! What comes from outside while a run goes: the wish to end, and the passing of time.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use premath_tusk::sandbox::Interrupt;
use tokio::signal::unix::{SignalKind, signal};

/// How often somebody who watches is told that time has passed.
const TICK: Duration = Duration::from_millis(250);
/// The code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Asks for the end when the person presses Ctrl-C or the system says so. Asked twice, the process ends at once: the
/// journal has everything until then.
pub(crate) fn on_interrupt(interrupt: Interrupt) {
    let waiting = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let (Ok(mut typed), Ok(mut told)) =
                (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
            else {
                return;
            };
            loop {
                tokio::select! {
                    _ = typed.recv() => {}
                    _ = told.recv() => {}
                }
                if interrupt.is_requested() {
                    exit_now();
                }
                interrupt.request();
            }
        });
    };
    // Where there is no thread to be had, Ctrl-C does what it does to any program.
    drop(std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting));
}

/// Whatever is going on at a prompt, one thing after the other: Ctrl-C ends that, and not what asks for the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct CurrentWork(Arc<Mutex<Interrupt>>);

impl CurrentWork {
    /// Listens to Ctrl-C from now on. Pressed twice during the same thing, it ends the process.
    pub(crate) fn listening() -> Self {
        let current = Self::default();
        let heard = current.clone();
        let waiting = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            runtime.block_on(async {
                let Ok(mut typed) = signal(SignalKind::interrupt()) else { return };
                while typed.recv().await.is_some() {
                    let interrupt = heard.now();
                    if interrupt.is_requested() {
                        exit_now();
                    }
                    interrupt.request();
                }
            });
        };
        // Where there is no thread to be had, Ctrl-C does what it does to any program.
        drop(std::thread::Builder::new().name("interrupt".to_owned()).spawn(waiting));
        current
    }

    /// Begins the next thing, which nobody asked to end yet.
    pub(crate) fn next(&self) -> Interrupt {
        let fresh = Interrupt::default();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        fresh
    }

    fn now(&self) -> Interrupt {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Comes back when the person presses Ctrl-C or the system says that it is enough.
pub(crate) async fn told_to_end() {
    let (Ok(mut typed), Ok(mut told)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = typed.recv() => {}
        _ = told.recv() => {}
    }
}

#[expect(clippy::exit, reason = "the second wish to end is not argued with")]
fn exit_now() {
    std::process::exit(INTERRUPTED);
}

/// Asks for the end when standard input ends: whoever held the other end is gone.
pub(crate) fn on_stdin_end(interrupt: Interrupt) {
    let reading = move || {
        let mut nothing = [0_u8; 64];
        while std::io::Read::read(&mut std::io::stdin().lock(), &mut nothing).is_ok_and(|count| count > 0) {}
        interrupt.request();
    };
    // Where there is no thread to be had, the lease runs out by itself.
    drop(std::thread::Builder::new().name("lifeline".to_owned()).spawn(reading));
}

/// How often it is looked whether somebody wants the end of a wait.
const SLICE: Duration = Duration::from_millis(50);

/// Lets time pass, or less of it when somebody asks for the end.
pub(crate) fn pause(duration: Duration, interrupt: &Interrupt) {
    let mut left = duration;
    while !left.is_zero() && !interrupt.is_requested() {
        let slice = left.min(SLICE);
        std::thread::sleep(slice);
        left = left.saturating_sub(slice);
    }
}

/// Something that happens again and again until this is dropped.
#[derive(Debug)]
pub(crate) struct Ticking(Arc<AtomicBool>);

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Calls `tick` a few times a second.
pub(crate) fn every_tick(tick: impl Fn() + Send + 'static) -> Ticking {
    let is_over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_over);
    let ticking = move || {
        while !seen.load(Ordering::Relaxed) {
            std::thread::sleep(TICK);
            if !seen.load(Ordering::Relaxed) {
                tick();
            }
        }
    };
    drop(std::thread::Builder::new().name("tick".to_owned()).spawn(ticking));
    Ticking(is_over)
}
