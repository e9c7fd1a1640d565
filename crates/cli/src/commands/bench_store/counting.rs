//! How many syncs a durable append costs: the real file system, with the syncs counted.

use std::path::Path;

use premath_bd::Log;

use super::super::bench_disk::Syncs;
use super::super::bench_figure::Figure;
use crate::error::CliError;

/// Appends to be averaged over; the head is synced with every 256th.
const APPENDS: u32 = 64;

pub(super) fn syncs_per_append(folder: &Path) -> Result<Figure, CliError> {
    let syncs = Syncs::default();
    let log = Log::new(syncs.disk(), folder.join(".premath/counted.jsonl"));
    let failed =
        |error: premath_bd::StoreError| CliError::environment(error, "is there room for temporary files?");
    log.write().map_err(failed)?.append(b"{}").map_err(failed)?;
    let all = || syncs.heads() + syncs.others();
    let before = all();
    for _ in 0..APPENDS {
        log.write().map_err(failed)?.append(b"{}").map_err(failed)?;
    }
    let value = f64::from(all() - before) / f64::from(APPENDS);
    Ok(Figure::at_most("syncs of a durable append", value, "syncs", 1.0))
}
