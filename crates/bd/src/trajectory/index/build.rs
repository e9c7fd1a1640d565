//! Making an index: from an older one and the lines since, or from all lines. Both give the same bytes.
//!
//! A reader does it in passing and never waits for it: whoever finds another one building, a folder that cannot be
//! written to or a full disk goes on without. It must not touch the log, and what fails here fails nobody's question.

use std::io;
use std::time::Duration;

use super::covered;
use super::format::{HEADER_SALT, Header};
use super::merge;
use super::pages::PageWriter;
use super::read::Index;
use super::runs::Runs;
use crate::disk::{Access, Disk, LockMode, LockOutcome};
use crate::error::StoreError;
use crate::log::{LogReader, beside};
use crate::trajectory::Trajectory;
use crate::trajectory::order::Keyed;
use crate::trajectory::view::Pass;

/// The index that was found, brought up to what the log has now; the found one where that is not possible.
pub(in crate::trajectory) fn brought_up(
    trajectory: &Trajectory,
    reader: &LogReader,
    found: Option<Index>,
) -> Option<Index> {
    let found = found.filter(|index| index.extent().rows <= reader.extent().rows)?;
    if found.extent().rows >= covered(reader.extent().rows) {
        return Some(found);
    }
    build(trajectory, reader, Some(&found)).or(Some(found))
}

/// An index made from the log alone. None for a log that is too short to need one.
pub(in crate::trajectory) fn afresh(trajectory: &Trajectory, reader: &LogReader) -> Option<Index> {
    if covered(reader.extent().rows) == 0 { None } else { build(trajectory, reader, None) }
}

fn build(trajectory: &Trajectory, reader: &LogReader, base: Option<&Index>) -> Option<Index> {
    let disk = trajectory.log.disk().as_ref();
    let path = trajectory.index_path();
    let lock = disk.open(&beside(&path, "lock"), Access::Update).ok()?;
    if !matches!(lock.lock(LockMode::Exclusive, Duration::ZERO), Ok(LockOutcome::Held)) {
        return None;
    }
    let (temporary, runs_path) = (beside(&path, "tmp"), beside(&path, "runs.tmp"));
    let mut runs = Runs::new(disk, runs_path.clone());
    let collected = collect(reader, base, &mut runs);
    let is_spilled = runs.is_spilled();
    let written = collected.and_then(|header| {
        let pages = PageWriter::new(disk.open(&temporary, Access::Replace)?, HEADER_SALT);
        let file = merge::write(pages, &header, reader, base, runs.merged()?)?;
        disk.rename(&temporary, &path)?;
        Ok((file, header))
    });
    if is_spilled {
        Runs::clear(disk, &runs_path);
    }
    match written {
        Ok((file, header)) => Index::new(file, header),
        Err(_) => {
            clear(disk, &temporary);
            None
        }
    }
}

fn clear(disk: &dyn Disk, temporary: &std::path::Path) {
    // Left behind, the next building replaces it.
    drop(disk.remove(temporary));
}

/// Takes in the lines behind the older index, and holds both against what the reader vouches for.
fn collect(reader: &LogReader, base: Option<&Index>, runs: &mut Runs<'_>) -> io::Result<Header> {
    let until = covered(reader.extent().rows);
    let mut pass = base
        .map_or_else(Pass::default, |index| Pass { extent: index.extent(), tally: index.tally().clone() });
    let mut header = None;
    reader
        .each_line::<Stop>(pass.extent.bytes, |place, line| {
            if pass.extent.rows >= until {
                pass.extent = pass.extent.and(line);
                return Ok(());
            }
            if let Some(keyed) = pass.line(place, line, |step| Keyed::of(step, place)) {
                runs.take(keyed).map_err(Stop)?;
            }
            if pass.extent.rows == until {
                header = Some(Header { extent: pass.extent, tally: pass.tally.clone() });
            }
            Ok(())
        })
        .map_err(|Stop(error)| error)?;
    header.filter(|_| pass.extent == reader.extent()).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// What ends the reading of lines.
struct Stop(io::Error);

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self(io::Error::other(error))
    }
}
