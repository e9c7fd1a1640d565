//! Compaction: one row per issue stays, in natural order; superseded rows move to the history first.
//!
//! Whatever happens in between, every row is in at least one of the two files. Lines that cannot be read stay where they
//! are, at the top, until a person deals with them.

use std::collections::BTreeSet;

use super::FileIssues;
use super::view::FileView;
use crate::error::StoreError;
use crate::issues::row::{Line, read_line};
use crate::issues::store::{Compacted, IssueView};
use crate::log::{LogReader, LogWriter, Place};

/// The history takes rows in writes of about this size.
const BATCH: usize = 4 * 1024 * 1024;

impl FileIssues {
    pub(super) fn compact_under(&self, writer: &mut LogWriter) -> Result<Compacted, StoreError> {
        let index = self.index(writer.reader())?;
        let view = FileView::new(writer.reader(), index)?;
        let kept = view.all()?;
        let offsets: BTreeSet<u64> = kept.iter().map(|row| row.0.offset).collect();
        drop(view);
        let is_compact = count(offsets.len()) == writer.reader().extent().rows
            && writer.reader().rest().is_empty()
            && kept.is_sorted_by_key(|row| row.0.offset);
        if is_compact {
            return Ok(Compacted { kept: count(offsets.len()), moved: 0 });
        }
        let mut moved = 0;
        writer.replace::<StoreError>(|reader, replacement| {
            reader.each_line::<StoreError>(0, |_, line| match read_line(line) {
                Line::Bad(..) => replacement.line(line).map(drop),
                Line::Blank | Line::Issue(_) => Ok(()),
            })?;
            kept.iter().try_for_each(|row| replacement.line(&row_line(reader, row.0)?).map(drop))?;
            // Last, so that a disk which has no room for the new log does not fill up with history.
            moved = self.move_superseded(reader, &offsets)?;
            Ok(())
        })?;
        Ok(Compacted { kept: count(offsets.len()), moved })
    }

    fn move_superseded(&self, reader: &LogReader, kept: &BTreeSet<u64>) -> Result<u64, StoreError> {
        let mut history = None;
        let mut batch: Vec<Vec<u8>> = Vec::new();
        let (mut size, mut moved) = (0, 0);
        let mut flush = |batch: &mut Vec<Vec<u8>>| -> Result<(), StoreError> {
            if !batch.is_empty() {
                let log = match &mut history {
                    Some(log) => log,
                    None => history.insert(self.history.write()?),
                };
                let lines: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
                log.append_all(&lines)?;
                batch.clear();
            }
            Ok(())
        };
        reader.each_line::<StoreError>(0, |place, line| {
            if !kept.contains(&place.offset) && matches!(read_line(line), Line::Issue(_)) {
                size += line.len();
                moved += 1;
                batch.push(line.to_vec());
                if size >= BATCH {
                    flush(&mut batch)?;
                    size = 0;
                }
            }
            Ok(())
        })?;
        flush(&mut batch)?;
        Ok(moved)
    }
}

/// A row, also the one that lacks its newline.
fn row_line(reader: &LogReader, place: Place) -> Result<Vec<u8>, StoreError> {
    match reader.unterminated_line() {
        Some(line) if place.offset == reader.extent().bytes => Ok(line.to_vec()),
        _ => reader.line(place),
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
