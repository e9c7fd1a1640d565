//! Sorting more steps than should be held in memory: sorted runs go to a file of their own and are merged from there.
//!
//! The order is total, so how the steps were cut into runs leaves no trace in what comes out. It must not keep more than
//! one run, or one block of each, in memory.

use std::io;
use std::path::{Path, PathBuf};

use super::format::{Bytes, ENTRY, decode_entry, encode_entry};
use crate::disk::{Access, Disk, DiskFile, read_exactly, write_all_at};
use crate::trajectory::order::Keyed;

/// Steps of a run.
const RUN: usize = 32 * 1024;
/// What is read of a run at once.
const BLOCK: usize = 32 * 1024;

/// Steps that are being collected.
#[derive(Debug)]
pub(super) struct Runs<'d> {
    disk: &'d dyn Disk,
    path: PathBuf,
    current: Vec<Keyed>,
    file: Option<Box<dyn DiskFile>>,
    /// Where each run that went to the file begins and ends.
    spilled: Vec<(u64, u64)>,
}

impl<'d> Runs<'d> {
    pub(super) fn new(disk: &'d dyn Disk, path: PathBuf) -> Self {
        Self { disk, path, current: Vec::new(), file: None, spilled: Vec::new() }
    }

    pub(super) fn take(&mut self, keyed: Keyed) -> io::Result<()> {
        self.current.push(keyed);
        if self.current.len() < RUN { Ok(()) } else { self.spill() }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.current.sort_unstable_by(Keyed::order);
        let mut bytes = Vec::new();
        for keyed in self.current.drain(..) {
            encode(&keyed, &mut bytes);
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(self.disk.open(&self.path, Access::Replace)?),
        };
        let start = self.spilled.last().map_or(0, |(_, end)| *end);
        write_all_at(file.as_mut(), &bytes, start)?;
        self.spilled.push((start, start + u64::try_from(bytes.len()).unwrap_or(u64::MAX)));
        Ok(())
    }

    /// Everything that was taken, in order.
    pub(super) fn merged(mut self) -> io::Result<Merged> {
        self.current.sort_unstable_by(Keyed::order);
        let spilled = std::mem::take(&mut self.spilled);
        let mut runs: Vec<Run> = spilled
            .into_iter()
            .map(|(at, end)| Run::Spilled { at, end, block: Vec::new(), used: 0 })
            .collect();
        runs.push(Run::Held(std::mem::take(&mut self.current).into_iter()));
        let file = self.file.take();
        let mut heads = Vec::with_capacity(runs.len());
        for run in &mut runs {
            heads.push(run.next(file.as_deref())?);
        }
        Ok(Merged { runs, heads, file })
    }

    /// Removes the file of runs, if there is one. Left behind, the next building replaces it.
    pub(super) fn clear(disk: &dyn Disk, path: &Path) {
        drop(disk.remove(path));
    }

    pub(super) fn is_spilled(&self) -> bool {
        self.file.is_some()
    }
}

/// Steps that come out in order.
#[derive(Debug)]
pub(super) struct Merged {
    runs: Vec<Run>,
    heads: Vec<Option<Keyed>>,
    file: Option<Box<dyn DiskFile>>,
}

impl Merged {
    pub(super) fn next(&mut self) -> io::Result<Option<Keyed>> {
        let first = self
            .heads
            .iter()
            .enumerate()
            .filter_map(|(run, head)| head.as_ref().map(|head| (run, head)))
            .min_by(|(_, one), (_, other)| one.order(other))
            .map(|(run, _)| run);
        let Some(first) = first else { return Ok(None) };
        let next = match self.runs.get_mut(first) {
            Some(run) => run.next(self.file.as_deref())?,
            None => None,
        };
        Ok(self.heads.get_mut(first).and_then(|head| std::mem::replace(head, next)))
    }
}

#[derive(Debug)]
enum Run {
    Held(std::vec::IntoIter<Keyed>),
    Spilled { at: u64, end: u64, block: Vec<u8>, used: usize },
}

impl Run {
    fn next(&mut self, file: Option<&dyn DiskFile>) -> io::Result<Option<Keyed>> {
        match self {
            Self::Held(steps) => Ok(steps.next()),
            Self::Spilled { at, end, block, used } => {
                let file = file.ok_or(io::ErrorKind::NotFound)?;
                loop {
                    let unused = block.get(*used..).unwrap_or_default();
                    if let Some((keyed, length)) = decode(unused) {
                        *used += length;
                        return Ok(Some(keyed));
                    }
                    if *at >= *end {
                        return if unused.is_empty() {
                            Ok(None)
                        } else {
                            Err(io::ErrorKind::InvalidData.into())
                        };
                    }
                    block.drain(..*used);
                    *used = 0;
                    let held = block.len();
                    let want = usize::try_from(*end - *at).unwrap_or(BLOCK).min(BLOCK);
                    block.resize(held + want, 0);
                    read_exactly(file, block.get_mut(held..).unwrap_or_default(), *at)?;
                    *at += u64::try_from(want).unwrap_or_default();
                }
            }
        }
    }
}

fn encode(keyed: &Keyed, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&encode_entry(&keyed.entry));
    for text in [&keyed.step_id, &keyed.action] {
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
}

/// A step and how many bytes it took; `None` when it is not all there.
fn decode(bytes: &[u8]) -> Option<(Keyed, usize)> {
    let entry = decode_entry(bytes.get(..ENTRY)?)?;
    let mut rest = Bytes(bytes.get(ENTRY..)?);
    let mut text = || {
        let length = usize::try_from(rest.narrow()?).ok()?;
        let (text, behind) = rest.0.split_at_checked(length)?;
        rest.0 = behind;
        String::from_utf8(text.to_vec()).ok()
    };
    let (step_id, action) = (text()?, text()?);
    let length = bytes.len() - rest.0.len();
    Some((Keyed { entry, step_id, action }, length))
}
