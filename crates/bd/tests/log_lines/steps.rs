//! What a process does with a log, step by step, and what the log may hold meanwhile.

#![allow(dead_code, reason = "each test uses what it needs of this module")]

use premath_bd::{Log, LogWriter, StoreError};
use premath_testkit::faulty_disk::Seeded;

use super::{Lines, line};

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Append(Vec<u8>),
    AppendAll(Lines),
    Replace(Lines),
    SyncHead,
    /// The writer is dropped; the next step opens another.
    Reopen,
}

impl Step {
    pub(crate) fn choose(seeded: &mut Seeded, numbers: &mut usize, before: &Lines) -> Self {
        let mut fresh = |seeded: &mut Seeded| {
            *numbers += 1;
            line(seeded, *numbers)
        };
        match seeded.below(12) {
            0..6 => Self::Append(fresh(seeded)),
            6 | 7 => {
                let count = 1 + seeded.below(4);
                Self::AppendAll((0..count).map(|_| fresh(seeded)).collect())
            }
            8 | 9 => {
                let mut kept: Lines = before.iter().filter(|_| seeded.below(2) == 1).cloned().collect();
                kept.push(fresh(seeded));
                Self::Replace(kept)
            }
            10 => Self::SyncHead,
            _ => Self::Reopen,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Append(_) => "append",
            Self::AppendAll(_) => "append all",
            Self::Replace(_) => "replace",
            Self::SyncHead => "sync head",
            Self::Reopen => "reopen",
        }
    }

    /// Whether its acknowledgement means that something is on the disk.
    pub(crate) fn promises(&self) -> bool {
        !matches!(self, Self::Reopen)
    }

    /// What the log may hold when this was begun and not acknowledged, besides `before`; last what it holds when it was.
    pub(crate) fn outcomes(&self, before: &Lines) -> Vec<Lines> {
        let with = |lines: &[Vec<u8>]| before.iter().chain(lines).cloned().collect();
        match self {
            Self::Append(line) => vec![with(std::slice::from_ref(line))],
            Self::AppendAll(lines) => {
                (1..=lines.len()).map(|count| with(lines.get(..count).unwrap_or_default())).collect()
            }
            Self::Replace(lines) => vec![lines.clone()],
            Self::SyncHead | Self::Reopen => vec![before.clone()],
        }
    }

    pub(crate) fn run(&self, log: &Log, writer: &mut Option<LogWriter>) -> Result<(), StoreError> {
        if matches!(self, Self::Reopen) {
            *writer = None;
            return Ok(());
        }
        let writer = match writer {
            Some(writer) => writer,
            None => writer.insert(log.write()?),
        };
        match self {
            Self::Append(line) => writer.append(line).map(drop),
            Self::AppendAll(lines) => {
                writer.append_all(&lines.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            }
            Self::Replace(lines) => writer
                .replace(|_, replacement| lines.iter().try_for_each(|line| replacement.line(line).map(drop))),
            Self::SyncHead => writer.sync_head(),
            Self::Reopen => Ok(()),
        }
    }
}
