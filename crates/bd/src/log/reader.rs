//! Reading a log without a writer's lock: what it holds now, how that stands to its head, and lines by place.
//!
//! It must not write anything, and must not fail because of what hangs behind the last newline.

use std::io;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::Duration;

use super::head::{Extent, Head};
use super::scan::{Lines, LinesBack, survey};
use super::{Log, Place, READER_PATIENCE, Standing};
use crate::disk::{Access, DiskFile, FileStat, LockMode, LockOutcome, read_exactly};
use crate::error::StoreError;

/// How often a log that changes while it is looked at is looked at again before somebody is accused.
const ATTEMPTS: usize = 8;

/// A log's file and what is known of it before any of it is read.
type Glance = (Box<dyn DiskFile>, FileStat, Option<Head>);

/// A log at one moment. Lines that are appended later are not seen.
#[derive(Debug)]
pub struct LogReader {
    log: Log,
    pub(super) file: Box<dyn DiskFile>,
    head: Option<Head>,
    pub(super) extent: Extent,
    pub(super) checkpoints: Vec<Extent>,
    standing: Standing,
    pub(super) rest: Vec<u8>,
    /// Up to where the head vouches for what is there, when the log goes on behind it.
    pub(super) vouched: Option<Extent>,
    /// Whether the head knows all of it, as it is.
    pub(super) is_vouched_for: bool,
    stat: FileStat,
    /// The slots that the head was in when somebody last asked whether anything has changed.
    slots: OnceLock<Vec<u8>>,
}

impl Log {
    /// Opens the log for reading.
    ///
    /// # Errors
    /// `Missing` when there is no such file; `Io` when it cannot be read.
    pub fn read(&self) -> Result<LogReader, StoreError> {
        let (file, stat, head) = self.glance()?;
        if head.as_ref().is_some_and(|head| head.describes(&stat)) {
            return LogReader::new(self.clone(), file, &stat, head);
        }
        // A writer may be between its append and its note of it: wait for it, then look again.
        let _shared = self.shared_lock();
        let mut reader = self.look()?;
        for _ in 0..ATTEMPTS {
            if !reader.standing.is_tampered() {
                break;
            }
            // A writer that we did not wait out may have come between our looks at the log and at its head.
            let again = self.look()?;
            let stood_still = again.stat == reader.stat && again.head == reader.head;
            reader = again;
            if stood_still {
                break;
            }
        }
        Ok(reader)
    }

    fn look(&self) -> Result<LogReader, StoreError> {
        let (file, stat, head) = self.glance()?;
        LogReader::new(self.clone(), file, &stat, head)
    }

    /// Whether a writer has it just now; nobody has a log without a lock file.
    pub(crate) fn is_held(&self) -> bool {
        let Ok(lock) = self.disk.open(&self.lock_path, Access::Read) else { return false };
        matches!(lock.lock(LockMode::Shared, Duration::ZERO), Ok(LockOutcome::Busy))
    }

    /// Only makes the wait shorter than looking for oneself; without a lock file there is nobody to wait for.
    fn shared_lock(&self) -> Option<Box<dyn DiskFile>> {
        let lock = self.disk.open(&self.lock_path, Access::Read).ok()?;
        matches!(lock.lock(LockMode::Shared, READER_PATIENCE), Ok(LockOutcome::Held)).then_some(lock)
    }

    fn glance(&self) -> Result<Glance, StoreError> {
        let (file, stat) = self.found()?;
        Ok((file, stat, self.read_head()?))
    }

    fn found(&self) -> Result<(Box<dyn DiskFile>, FileStat), StoreError> {
        let file = self.disk.open(&self.path, Access::Read).map_err(StoreError::opening(&self.path))?;
        let stat = file.stat().map_err(StoreError::io("look at", &self.path))?;
        Ok((file, stat))
    }

    /// What the head says the log holds, whether or not there is a log; `None` without a head that can be read.
    pub(crate) fn anchored_extent(&self) -> Result<Option<Extent>, StoreError> {
        Ok(self.read_head()?.map(|head| head.extent))
    }

    pub(super) fn read_head(&self) -> Result<Option<Head>, StoreError> {
        match self.disk.open(&self.head_path, Access::Read) {
            Ok(file) => Head::read(file.as_ref()).map_err(StoreError::io("read", &self.head_path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open", &self.head_path)(error)),
        }
    }
}

impl LogReader {
    pub(super) fn new(
        log: Log,
        file: Box<dyn DiskFile>,
        stat: &FileStat,
        head: Option<Head>,
    ) -> Result<Self, StoreError> {
        let vouches = |head: &&Head| head.describes(stat) && log.believes(head);
        if let Some(head) = head.as_ref().filter(vouches)
            && lazy_lines_are_there(file.as_ref(), head).map_err(StoreError::io("read", log.path()))?
        {
            let (extent, checkpoints) = (head.whole(), head.checkpoints.clone());
            return Ok(Self {
                log,
                file,
                head: Some(head.clone()),
                extent,
                checkpoints,
                standing: Standing::Anchored,
                rest: Vec::new(),
                vouched: None,
                is_vouched_for: true,
                stat: *stat,
                slots: OnceLock::new(),
            });
        }
        let wanted: Vec<Extent> =
            head.iter().flat_map(|head| [Some(head.extent), head.next]).flatten().collect();
        let survey =
            survey(file.as_ref(), stat.length, &wanted).map_err(StoreError::io("read", log.path()))?;
        let standing = match &head {
            None => Standing::Unanchored,
            Some(head) if survey.extent == head.extent => Standing::Anchored,
            Some(_) if survey.passed.is_some() => Standing::Longer,
            Some(head) if survey.extent.bytes < head.extent.bytes => Standing::Shorter,
            Some(_) => Standing::Changed,
        };
        let (extent, checkpoints, rest) = (survey.extent, survey.checkpoints, survey.rest);
        Ok(Self {
            log,
            file,
            head,
            extent,
            checkpoints,
            standing,
            rest,
            vouched: survey.passed,
            is_vouched_for: false,
            stat: *stat,
            slots: OnceLock::new(),
        })
    }

    /// The head that was read with it.
    pub(super) fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// The log that is read.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Whether the file and its head are those that were looked at. One that no head vouches for may be anything by now.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.is_vouched_for
            && self.log.found().is_ok_and(|(_, stat)| stat == self.stat)
            && self.has_its_head().is_ok_and(|has| has)
    }

    /// Whether the head is the one that was read. It is taken apart once: the same bytes are the same head.
    fn has_its_head(&self) -> io::Result<bool> {
        let file = self.log.disk.open(&self.log.head_path, Access::Read)?;
        let slots = Head::slots(file.as_ref())?;
        if self.slots.get() == Some(&slots) {
            return Ok(true);
        }
        let is_the_same = Head::newest(&slots) == self.head;
        if is_the_same {
            // Whoever was first has put in the bytes of the same head.
            self.slots.get_or_init(|| slots);
        }
        Ok(is_the_same)
    }

    /// The whole lines.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// How the log stands to its head.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// How often the log was found changed by others before, according to its head.
    #[must_use]
    pub fn breaks(&self) -> u64 {
        self.head.as_ref().map_or(0, |head| head.breaks)
    }

    /// The last checkpoints, oldest first.
    pub(crate) fn checkpoints(&self) -> &[Extent] {
        &self.checkpoints
    }

    /// What hangs behind the last whole line: empty unless a writer was interrupted or somebody left the newline out.
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// The line that hangs behind the last whole one, when it lacks only its newline.
    #[must_use]
    pub fn unterminated_line(&self) -> Option<&[u8]> {
        unterminated_line(&self.rest)
    }

    /// One line.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn line(&self, place: Place) -> Result<Vec<u8>, StoreError> {
        let mut line = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
        read_exactly(self.file.as_ref(), &mut line, place.offset)
            .map_err(StoreError::io("read", self.log.path()))?;
        Ok(line)
    }

    /// Hands every whole line from a place on to a visitor.
    ///
    /// # Errors
    /// `Io` when the log cannot be read; what the visitor says.
    pub fn each_line<E: From<StoreError>>(
        &self,
        from: u64,
        visit: impl FnMut(Place, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_line_until(from, self.extent.bytes, visit)
    }

    /// The same, up to a place.
    ///
    /// # Errors
    /// As [`Self::each_line`].
    pub(crate) fn each_line_until<E: From<StoreError>>(
        &self,
        from: u64,
        until: u64,
        mut visit: impl FnMut(Place, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut lines = Lines::new(self.file.as_ref(), from, until);
        while let Some((place, line)) = lines.next().map_err(StoreError::io("read", self.log.path()))? {
            visit(place, line)?;
        }
        Ok(())
    }

    /// Hands the whole lines before a place to a visitor, the last one first, until it has enough.
    ///
    /// # Errors
    /// `Io` when the log cannot be read; what the visitor says.
    pub(crate) fn each_line_back<E: From<StoreError>>(
        &self,
        before: u64,
        mut visit: impl FnMut(Place, &[u8]) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut lines = LinesBack::new(self.file.as_ref(), before.min(self.extent.bytes));
        while let Some((place, line)) = lines.next().map_err(StoreError::io("read", self.log.path()))? {
            if visit(place, line)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The last whole line, if there is one.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn last_line(&self) -> Result<Option<(Place, Vec<u8>)>, StoreError> {
        let Some(end) = self.extent.bytes.checked_sub(1) else { return Ok(None) };
        let mut start = end;
        let mut line: Vec<u8> = Vec::new();
        while start > 0 {
            let from = start.saturating_sub(8 * 1024);
            let mut block = vec![0; usize::try_from(start - from).unwrap_or_default()];
            read_exactly(self.file.as_ref(), &mut block, from)
                .map_err(StoreError::io("read", self.log.path()))?;
            let newline = block.iter().rposition(|byte| *byte == b'\n');
            let keep = newline.map_or(0, |at| at + 1);
            line.splice(..0, block.get(keep..).unwrap_or_default().iter().copied());
            start = from + u64::try_from(keep).unwrap_or_default();
            if newline.is_some() {
                break;
            }
        }
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        Ok(Some((Place { offset: start, length }, line)))
    }
}

/// Whether the lines behind what was synced are those that the head knows. The length and the time of a file may survive
/// a power loss that took what was in it; there are never more of them than are written between two heads that are synced.
fn lazy_lines_are_there(file: &dyn DiskFile, head: &Head) -> io::Result<bool> {
    let Some(whole) = head.lazy else { return Ok(true) };
    let mut extent = head.extent;
    let mut lines = Lines::new(file, extent.bytes, whole.bytes);
    while let Some((_, line)) = lines.next()? {
        extent = extent.and(line);
    }
    Ok(extent == whole)
}

/// What hangs behind the last newline, unless it is a line of ours that was cut short: such a line begins with a brace
/// that nothing closes. Where a power loss kept the newline from the disk but not the length, zeros follow.
///
/// Only braces are counted. Whether the line can be read is for others to say; one that cannot is still somebody's.
pub(super) fn unterminated_line(rest: &[u8]) -> Option<&[u8]> {
    let line = rest.split(|byte| *byte == 0).next()?;
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    match text.first() {
        None => None,
        Some(b'{') => is_closed(text).then_some(line),
        Some(_) => Some(line),
    }
}

/// Whether the last byte closes the brace that the first one opens.
fn is_closed(text: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    let mut bytes = text.iter();
    for byte in bytes.by_ref() {
        match (in_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (true, b'"') => in_string = false,
            (true, _) => {}
            (false, b'"') => in_string = true,
            (false, b'{') => depth += 1,
            (false, b'}') => depth = depth.saturating_sub(1),
            (false, _) => {}
        }
        if depth == 0 {
            break;
        }
    }
    depth == 0 && bytes.next().is_none()
}
