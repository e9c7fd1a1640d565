//! Issue memory in files: the log is the authority, the index beside it is derived, superseded rows go to the history.
//!
//! A reader never writes authority data; it may write the index. Nothing here decides what a row means.

mod compaction;
mod kept;
mod view;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use premath_kernel::Value;
use premath_wire::time::to_millis;

use self::kept::Held;
pub use self::kept::KeptIssues;
use self::view::FileView;
use super::exchange::{Imported, merged};
use super::index::{Base, Content, Index};
use super::merge::unwritten_merges;
use super::naming::IdNaming;
use super::row::IssueRow;
use super::signature::{sign_line, sign_line_behind};
use super::store::{Compacted, IssueStore, IssueView, Transaction};
use crate::clock::Clock;
use crate::disk::{Access, Disk, LockMode, LockOutcome, write_all_at};
use crate::error::StoreError;
use crate::log::{Log, LogReader, LogWriter, RowForm, beside};
use crate::permit::MaintenanceGrant;

/// Issue memory in one file and those beside it.
#[derive(Debug)]
pub struct FileIssues {
    log: Log,
    history: Log,
    index_path: PathBuf,
    index_lock_path: PathBuf,
    index_temporary_path: PathBuf,
    /// Set when the index turned out to be damaged: this handle does without it, also where it cannot be removed.
    without_index: AtomicBool,
    kept: Option<Arc<KeptIssues>>,
    naming: IdNaming,
}

impl FileIssues {
    /// Issue memory in this file, which need not exist yet.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self {
            history: Log::new(Arc::clone(&disk), history_path(&path)).tracked(RowForm::Copies),
            index_path: beside(&path, "index"),
            index_lock_path: beside(&path, "index.lock"),
            index_temporary_path: beside(&path, "index.tmp"),
            without_index: AtomicBool::new(false),
            kept: None,
            naming: IdNaming::default(),
            log: Log::new(disk, path).tracked(RowForm::Issue),
        }
    }

    /// The same, with views that are kept between two looks.
    #[must_use]
    pub fn keeping(self, kept: Option<Arc<KeptIssues>>) -> Self {
        Self { kept, ..self }
    }

    /// The same, with new ids of this form.
    #[must_use]
    pub fn naming(self, naming: IdNaming) -> Self {
        Self { naming, ..self }
    }

    /// Remembers, for this clone, what git's merge of this issue memory or of its history came to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_merge(&self, bytes: &[u8]) -> Result<(), StoreError> {
        self.log.record_merge(bytes)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// The rows, as a log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Where the index is.
    #[must_use]
    pub fn index_path(&self) -> &Path {
        &self.index_path
    }

    /// Forgets the index: this handle does without it, others make it again.
    ///
    /// # Errors
    /// When it can be seen but not removed, other than for want of permission.
    pub fn discard_index(&self) -> Result<(), StoreError> {
        self.without_index.store(true, Ordering::Relaxed);
        if let Some(kept) = &self.kept {
            kept.forget(self.log.path());
        }
        let may_stay = [ErrorKind::NotFound, ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
        match self.log.disk().remove(&self.index_path) {
            Err(error) if !may_stay.contains(&error.kind()) => {
                Err(StoreError::io("remove", &self.index_path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Makes an empty issue memory, if there is none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(&self) -> Result<(), StoreError> {
        self.log.write().map(drop)
    }

    /// The row that a turn wrote for an intent, wherever it is by now: how a process that was stopped learns whether its
    /// change was made.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn written_by(&self, turn_digest: &str, intent_digest: &str) -> Result<Option<IssueRow>, StoreError> {
        let mut found = None;
        let needle = intent_digest.as_bytes();
        let mut scan = |reader: &LogReader| {
            reader.each_line::<StoreError>(0, |_, line| {
                if needle.is_empty() || !line.windows(needle.len()).any(|window| window == needle) {
                    return Ok(());
                }
                let row = IssueRow::read(line).filter(|row| {
                    let witness = row.object().get("write_witness").and_then(Value::as_object);
                    let says = |member: &str, wanted: &str| {
                        witness.and_then(|witness| witness.get(member)).and_then(Value::as_text)
                            == Some(wanted)
                    };
                    says("turn_digest", turn_digest) && says("intent_digest", intent_digest)
                });
                found = row.or_else(|| found.take());
                Ok(())
            })
        };
        match self.history.read() {
            Ok(history) => scan(&history)?,
            Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        scan(&self.log.read()?)?;
        Ok(found)
    }

    /// Hands every row that is left to a visitor, superseded ones too, those of the history first.
    ///
    /// # Errors
    /// The log cannot be read; one that is not there has no rows.
    pub fn each_row(&self, mut visit: impl FnMut(IssueRow)) -> Result<(), StoreError> {
        for log in [&self.history, &self.log] {
            let reader = match log.read() {
                Err(StoreError::Missing { .. }) => continue,
                read => read?,
            };
            reader.each_line::<StoreError>(0, |_, line| {
                if let Some(row) = IssueRow::read(line) {
                    visit(row);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The log, about to be written, with the rows that a merge of lines left to be written.
    fn merged_writer(&self) -> Result<LogWriter, StoreError> {
        let mut writer = self.log.write()?;
        let pending = unwritten_merges(writer.reader(), &self.history)?;
        let mut extent = writer.reader().extent();
        if let Some(line) = writer.reader().unterminated_line() {
            extent = extent.and(line);
        }
        let mut lines = Vec::with_capacity(pending.len());
        for row in pending {
            let line = sign_line_behind(writer.reader().log(), extent, row.line());
            extent = extent.and(&line);
            lines.push(line);
        }
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        writer.append_all(&lines)?;
        Ok(writer)
    }

    /// The newest index that the log vouches for, brought up to the last checkpoint where that is possible.
    fn index(&self, reader: &LogReader) -> Result<Option<Index>, StoreError> {
        if self.without_index.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(wanted) = reader.checkpoints().last().copied() else { return Ok(None) };
        let known = Index::open(self.log.disk().as_ref(), &self.index_path)
            .filter(|index| reader.checkpoints().contains(&index.extent()));
        if known.as_ref().is_some_and(|index| index.extent() == wanted) {
            return Ok(known);
        }
        let base = match &known {
            // A damaged page is no reason to fail: the log has everything.
            Some(index) => index.base().unwrap_or_default(),
            None => Base::default(),
        };
        match self.write_index(reader, base, wanted.bytes) {
            Ok(true) => Ok(Index::open(self.log.disk().as_ref(), &self.index_path)
                .filter(|index| index.extent() == wanted)
                .or(known)),
            // Somebody else is at it, or the folder is read-only: the tail is longer, that is all.
            Ok(false) => Ok(known),
            Err(error) => Err(error),
        }
    }

    /// Whether the index was written. Only a log that cannot be read is an error.
    fn write_index(&self, reader: &LogReader, base: Base, until: u64) -> Result<bool, StoreError> {
        let disk = self.log.disk();
        let Ok(lock) = disk.open(&self.index_lock_path, Access::Update) else { return Ok(false) };
        if !matches!(lock.lock(LockMode::Exclusive, Duration::ZERO), Ok(LockOutcome::Held)) {
            return Ok(false);
        }
        let mut content = Content::after(&base);
        let from = content.extent.bytes;
        reader.each_line_until::<StoreError>(from, until, |place, line| {
            content.take(place, line);
            Ok(())
        })?;
        let bytes = base.with(content).bytes();
        let written = disk
            .open(&self.index_temporary_path, Access::Replace)
            .and_then(|mut file| write_all_at(file.as_mut(), &bytes, 0))
            .and_then(|()| disk.rename(&self.index_temporary_path, &self.index_path));
        Ok(written.is_ok())
    }
}

/// `issues.jsonl` has its history in `issues.history.jsonl`.
fn history_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}.history{}", extension.unwrap_or_default()))
}

impl IssueStore for FileIssues {
    fn view(&self) -> Result<Box<dyn IssueView + '_>, StoreError> {
        let kept = self.kept.as_ref().filter(|_| !self.without_index.load(Ordering::Relaxed));
        if let Some(kept) = kept
            && let Some(view) = kept.take(self.log.path())
        {
            return Ok(Box::new(Held::new(view, self.log.path(), kept)));
        }
        let reader = self.log.read()?;
        let index = self.index(&reader)?;
        let pending = unwritten_merges(&reader, &self.history)?;
        let view = FileView::new(reader, index)?.with_pending(&pending);
        match kept {
            Some(kept) => Ok(Box::new(Held::new(view.into(), self.log.path(), kept))),
            None => Ok(Box::new(view)),
        }
    }

    fn naming(&self) -> &IdNaming {
        &self.naming
    }

    fn transact(&self, change: &mut Transaction<'_>) -> Result<(), StoreError> {
        let mut writer = self.merged_writer()?;
        let index = self.index(writer.reader())?;
        let view = FileView::new(writer.reader(), index)?;
        let Some(line) = change(&view)? else { return Ok(()) };
        let is_overgrown = view.is_overgrown_with(&line)?;
        drop(view);
        let line = sign_line(writer.reader(), line);
        writer.append(&line)?;
        if is_overgrown {
            // The row is safe. Compaction that fails leaves the log as it was and is tried again by a later change.
            drop(self.compact_under(&mut writer));
        }
        Ok(())
    }

    fn compact(&self, _grant: MaintenanceGrant) -> Result<Compacted, StoreError> {
        self.compact_under(&mut self.merged_writer()?)
    }

    fn import(
        &self,
        grant: MaintenanceGrant,
        rows: Vec<IssueRow>,
        clock: &dyn Clock,
    ) -> Result<Imported, StoreError> {
        let mut writer = self.merged_writer()?;
        let index = self.index(writer.reader())?;
        let view = FileView::new(writer.reader(), index)?;
        let now = to_millis(clock.now());
        let merged = merged(&view, &grant, rows, now)?;
        drop(view);
        let imported = merged.counted(now);
        if merged.lines.is_empty() {
            return Ok(imported);
        }
        writer.replace::<StoreError>(|reader, replacement| {
            reader.each_line::<StoreError>(0, |_, line| replacement.line(line).map(drop))?;
            if let Some(line) = reader.unterminated_line() {
                replacement.line(line)?;
            }
            merged.lines.iter().try_for_each(|line| replacement.line(line).map(drop))
        })?;
        Ok(imported)
    }

    fn history(&self, id: &str) -> Result<Vec<IssueRow>, StoreError> {
        let mut rows = Vec::new();
        let mut seen = BTreeSet::new();
        // A search for the bytes first: most lines are about other issues and are not worth reading.
        let mut take = |line: &[u8]| {
            if let Some(row) = IssueRow::read(line).filter(|row| row.id() == id) {
                // A compaction that was interrupted leaves rows in both places.
                if seen.insert(row.line()) {
                    rows.push(row);
                }
            }
        };
        let needle = id.as_bytes();
        let may_be = |line: &[u8]| {
            line.windows(needle.len().max(1)).any(|window| window == needle) || line.contains(&b'\\')
        };
        let mut scan = |reader: &LogReader| {
            reader.each_line::<StoreError>(0, |_, line| {
                if may_be(line) {
                    take(line);
                }
                Ok(())
            })?;
            if let Some(line) = reader.unterminated_line() {
                take(line);
            }
            Ok::<(), StoreError>(())
        };
        match self.history.read() {
            Ok(history) => scan(&history)?,
            Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
        scan(&self.log.read()?)?;
        Ok(rows)
    }
}
