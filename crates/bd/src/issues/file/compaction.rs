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
use crate::log::LogWriter;

/// The history takes rows in writes of about this size.
const BATCH: usize = 4 * 1024 * 1024;

impl FileIssues {
    pub(super) fn compact_under(&self, writer: &mut LogWriter) -> Result<Compacted, StoreError> {
        let index = self.index(writer.reader())?;
        let view = FileView::new(writer.reader(), index)?;
        let kept = view.all()?;
        let offsets: BTreeSet<u64> = kept.iter().map(|row| row.0.offset).collect();
        drop(view);
        let moved = self.move_superseded(writer, &offsets)?;
        if moved == 0 && offsets.len() == usize::try_from(writer.reader().extent().rows).unwrap_or(usize::MAX)
        {
            // Nothing to drop; the order may still be another.
            let is_sorted = kept.is_sorted_by_key(|row| row.0.offset);
            if is_sorted {
                return Ok(Compacted { kept: count(offsets.len()), moved });
            }
        }
        writer.replace::<StoreError>(|reader, replacement| {
            reader.each_line::<StoreError>(0, |_, line| match read_line(line) {
                Line::Bad(..) => replacement.line(line).map(drop),
                Line::Blank | Line::Issue(_) => Ok(()),
            })?;
            kept.iter().try_for_each(|row| replacement.line(&reader.line(row.0)?).map(drop))
        })?;
        Ok(Compacted { kept: count(offsets.len()), moved })
    }

    fn move_superseded(&self, writer: &LogWriter, kept: &BTreeSet<u64>) -> Result<u64, StoreError> {
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
        writer.reader().each_line::<StoreError>(0, |place, line| {
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

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
