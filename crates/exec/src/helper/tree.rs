//! The processes below this one, as /proc tells them, and how they are ended without a namespace to end them with.

#![expect(clippy::disallowed_methods, reason = "processes are listed by the folders below /proc")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid};

/// How many processes a user has.
pub(super) fn processes_of(user: u32) -> u64 {
    let count = numbered().filter(|(_, entry)| entry.metadata().is_ok_and(|of| of.uid() == user)).count();
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn numbered() -> impl Iterator<Item = (i32, fs::DirEntry)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry)))
}

/// Every process below this one.
fn descendants() -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (process, entry) in numbered() {
        if let Some(parent) =
            fs::read_to_string(entry.path().join("stat")).ok().and_then(|text| parent(&text))
        {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut found = BTreeSet::new();
    let mut open = vec![getpid().as_raw()];
    while let Some(process) = open.pop() {
        for child in children.get(&process).into_iter().flatten() {
            if found.insert(*child) {
                open.push(*child);
            }
        }
    }
    found
}

/// The parent in a line of `stat`. The name before it may hold anything, brackets and spaces too.
fn parent(stat: &str) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Ends every process below this one. Orphans become our children, so nobody gets out of reach.
///
/// All of them are stopped first: a stopped process cannot start another, and still counts against the limit of those
/// that try.
pub(super) fn end_descendants() {
    let mut stopped = BTreeSet::new();
    loop {
        let found = descendants();
        let fresh: Vec<i32> = found.difference(&stopped).copied().collect();
        for process in &fresh {
            send(*process, Signal::SIGSTOP);
        }
        stopped.extend(&fresh);
        if fresh.is_empty() {
            break;
        }
        reap();
    }
    // A process number can come back as another process, but only below us: everything here is ours to end.
    while !is_childless() {
        for process in descendants() {
            send(process, Signal::SIGKILL);
        }
        reap();
        std::thread::yield_now();
    }
}

/// Sends a signal to every process below this one.
pub(super) fn signal_descendants(signal: Signal) {
    for process in descendants() {
        send(process, signal);
    }
}

/// The files that processes below this one hold open.
pub(super) fn open_files() -> Vec<fs::Metadata> {
    let below = descendants();
    let folders = below.iter().map(|process| format!("/proc/{process}/fd"));
    let entries = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    // The entries are links; what they lead to is asked for.
    entries.filter_map(|entry| fs::metadata(entry.path()).ok()).collect()
}

fn send(process: i32, signal: Signal) {
    match kill(Pid::from_raw(process), signal) {
        Ok(()) | Err(_) => {}
    }
}

fn is_childless() -> bool {
    waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) == Err(Errno::ECHILD)
}

fn reap() {
    while let Ok(status) = waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
        if status == WaitStatus::StillAlive {
            break;
        }
    }
}
