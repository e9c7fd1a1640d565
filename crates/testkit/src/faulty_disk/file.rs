//! An open file of the faulty disk. It keeps its file however that is called later, as a handle of a real system does.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{Access, DiskFile, FileStat, LockMode, LockOutcome};

use super::Shared;
use super::faults::{BAD_HANDLE, INVALID, Operation, Verdict, errno};

#[derive(Debug)]
pub(super) struct SimFile {
    pub(super) shared: Arc<Shared>,
    pub(super) inode: u64,
    pub(super) handle: u64,
    pub(super) access: Access,
}

impl SimFile {
    /// Writes at a place, or at the end without one, as much as there is room for.
    fn put(&self, operation: Operation, bytes: &[u8], offset: Option<u64>) -> io::Result<usize> {
        let (mut state, verdict) = self.shared.begin(operation);
        verdict.proceed()?;
        if self.access == Access::Read {
            return Err(errno(BAD_HANDLE));
        }
        if operation == Operation::Append && self.access != Access::Append {
            // A real system would write where its cursor is, which nothing else moves: refused, so that nobody leans on it.
            return Err(errno(INVALID));
        }
        let length = state.content(self.inode)?.bytes().len();
        // As on Linux: a file that was opened for appending is appended to, whatever place is named.
        let offset = match offset.filter(|_| self.access != Access::Append) {
            Some(offset) => usize::try_from(offset).map_err(|_| errno(INVALID))?,
            None => length,
        };
        let inside = length.saturating_sub(offset).min(bytes.len());
        let taken = inside
            + state.room(bytes.len() - inside).or_else(|full| if inside > 0 { Ok(0) } else { Err(full) })?;
        let taken = match verdict {
            Verdict::Short(most) => taken.min(most).min(bytes.len().saturating_sub(1)),
            Verdict::Proceed | Verdict::Fail(_) => taken,
        };
        let part = bytes.get(..taken).unwrap_or_default();
        if !part.is_empty() {
            let now = state.tick();
            state.content_mut(self.inode)?.write(offset, part, now);
        }
        Ok(taken)
    }
}

impl DiskFile for SimFile {
    fn stat(&self) -> io::Result<FileStat> {
        let (state, verdict) = self.shared.begin(Operation::Stat);
        verdict.proceed()?;
        state.stat(self.inode)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (state, verdict) = self.shared.begin(Operation::Read);
        verdict.proceed()?;
        let bytes = state.content(self.inode)?.bytes();
        let rest = usize::try_from(offset).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
        let count = match verdict {
            Verdict::Short(most) => rest.len().min(buffer.len()).min(most.max(1)),
            Verdict::Proceed | Verdict::Fail(_) => rest.len().min(buffer.len()),
        };
        if let (Some(target), Some(source)) = (buffer.get_mut(..count), rest.get(..count)) {
            target.copy_from_slice(source);
        }
        Ok(count)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(Operation::Append, bytes, None)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.put(Operation::WriteAt, bytes, Some(offset))
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        let (mut state, verdict) = self.shared.begin(Operation::SetLength);
        verdict.proceed()?;
        if self.access == Access::Read {
            return Err(errno(INVALID));
        }
        let length = usize::try_from(length).map_err(|_| errno(INVALID))?;
        let now = state.tick();
        state.content_mut(self.inode)?.set_length(length, now);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let (mut state, verdict) = self.shared.begin(Operation::Sync);
        let content = state.content_mut(self.inode)?;
        match verdict {
            Verdict::Fail(_) => content.fail_sync(),
            Verdict::Proceed | Verdict::Short(_) => content.sync(),
        }
        verdict.proceed()
    }

    fn lock(&self, mode: LockMode, _patience: Duration) -> io::Result<LockOutcome> {
        let (mut state, verdict) = self.shared.begin(Operation::Lock);
        verdict.proceed()?;
        Ok(state.lock(self.inode, self.handle, mode))
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        self.shared.state().unlock(self.inode, self.handle);
    }
}
