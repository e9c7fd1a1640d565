//! Whether this clone wrote a log: its head, and every line that the head does not know.
//!
//! A head counts when its MAC fits. Lines behind it, as a killed writer leaves them, count when each carries a MAC of its
//! own. A log that git carries may also be what git checked out. It must not change anything, and must not take the absence
//! of a head for an empty log.

use std::path::PathBuf;

use super::head::{Base, Extent, Head};
use super::reader::LogReader;
use super::scan::Lines;
use super::{Log, Standing};
use crate::clone_auth::{LogAuth, MacPurpose};
use crate::disk::Access;
use crate::error::{Distrust, StoreError};

/// Who may have written a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Custody {
    /// It stays on this machine: nobody but this clone.
    Machine,
    /// Git carries it from clone to clone: this clone, or a commit.
    Tracked,
}

/// How the lines of a log carry their MACs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// Chained rows: `mac` over `rowDigest`, which binds the rows before.
    Chained,
    /// Rows of issue memory: in `write_witness`, over the seal of the row and the lines before it.
    Issue,
    /// Other rows: `mac` as the last member, over the text before it and the lines before the row.
    Plain,
    /// None: lines are copies of others, and only a head vouches for them.
    Copies,
}

/// Who vouches for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authenticity {
    /// The file system is bare: nothing is authenticated here.
    Unguarded,
    /// This clone wrote it.
    Authentic,
    /// Its lines are those that git has, in this version.
    Committed(String),
    /// Nothing says so.
    Distrusted(Distrust, String),
}

impl Authenticity {
    /// The error of whoever wanted to rely on it; nothing where that is right.
    ///
    /// # Errors
    /// `Untrusted`.
    pub(crate) fn require(self, log: &Log) -> Result<(), StoreError> {
        match self {
            Self::Unguarded | Self::Authentic | Self::Committed(_) => Ok(()),
            Self::Distrusted(reason, detail) => {
                Err(StoreError::Untrusted { path: log.path.clone(), reason, detail })
            }
        }
    }
}

impl Log {
    /// The newest head that is kept outside the repository; none where none is kept or none of this clone is there.
    pub(crate) fn recorded_head(&self) -> Result<Option<Head>, StoreError> {
        let (Some(auth), Some(path)) = (&self.auth, self.record_path()) else { return Ok(None) };
        let file = match self.disk.open(&path, Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(StoreError::io("open", &path))?,
        };
        let head = Head::read(file.as_ref()).map_err(StoreError::io("read", &path))?;
        Ok(head.filter(|head| head.is_by(auth)))
    }

    /// Where that head is kept.
    pub(super) fn record_path(&self) -> Option<PathBuf> {
        self.auth.as_ref().filter(|_| self.is_recorded).and_then(|auth| auth.record_path())
    }

    /// Forgets that head.
    pub(crate) fn forget_record(&self) -> Result<(), StoreError> {
        let Some(path) = self.record_path() else { return Ok(()) };
        match self.disk.remove(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(StoreError::io("remove", &path)),
        }
    }

    /// The version of git that has issue memory and no history beside it, as every branch from before the first compaction:
    /// where such a branch is checked out, the history is not there.
    pub(crate) fn version_without(&self, auth: &LogAuth) -> Option<String> {
        if self.rows != RowForm::Copies || !auth.committed(&self.path).is_empty() {
            return None;
        }
        let name = self.path.file_name()?.to_str()?;
        let issues = self.path.with_file_name(name.replacen(".history", "", 1));
        auth.committed(&issues).into_iter().next().map(|file| file.version)
    }

    /// Whether a head may be believed without reading the log: where keys are, only one of this clone.
    pub(super) fn believes(&self, head: &Head) -> bool {
        self.auth.as_ref().is_none_or(|auth| auth.missing_key().is_some() || head.is_by(auth))
    }

    /// Whether this clone wrote a line behind an extent.
    pub(crate) fn is_own_line(&self, before: &Extent, line: &[u8]) -> bool {
        let Some(auth) = &self.auth else { return false };
        match self.rows {
            RowForm::Chained => crate::verify::is_authentic_row(auth, line),
            RowForm::Issue => crate::issues::is_authentic_row(auth, before, line),
            RowForm::Plain => is_authentic_text(auth, before, line),
            RowForm::Copies => false,
        }
    }
}

/// What git writes in front of the first of two versions that it could not merge.
const CONFLICT_MARKER: &[u8] = b"<<<<<<< ";

/// What stands in front of the MAC of a plain row.
const MAC_MEMBER: &str = ",\"mac\":\"";
/// What stands behind it.
const MAC_END: &str = "\"}";

/// A plain row with its MAC as the last member; the row as it is without a key.
pub(crate) fn sign_plain_row(reader: &LogReader, line: Vec<u8>) -> Vec<u8> {
    let signed = || {
        let auth = reader.log().auth.as_ref()?;
        let open = std::str::from_utf8(&line).ok()?.strip_suffix('}')?;
        let mac = auth.sign(MacPurpose::Row, &[&reader.extent().digest_hex(), open])?;
        Some(format!("{open}{MAC_MEMBER}{mac}{MAC_END}").into_bytes())
    };
    signed().unwrap_or(line)
}

fn is_authentic_text(auth: &LogAuth, before: &Extent, line: &[u8]) -> bool {
    let read = || {
        let text = std::str::from_utf8(line).ok()?.strip_suffix(MAC_END)?;
        text.rsplit_once(MAC_MEMBER)
    };
    read().is_some_and(|(open, mac)| auth.verifies(MacPurpose::Row, &[&before.digest_hex(), open], mac))
}

impl LogReader {
    /// Whether a head describes the file as it is. One that does not may have been put there by another program.
    pub(crate) const fn is_described(&self) -> bool {
        self.is_vouched_for
    }

    /// Refuses a file that git could not merge: whatever is written to it would be written between two versions. What a head
    /// describes is not looked through.
    ///
    /// # Errors
    /// `Untrusted`; `Io`.
    pub(super) fn refuse_conflict_markers(&self) -> Result<(), StoreError> {
        if self.is_vouched_for {
            return Ok(());
        }
        let (mut number, mut found) = (0_u64, None);
        self.each_line::<StoreError>(0, |_, line| {
            number += 1;
            if found.is_none() && line.starts_with(CONFLICT_MARKER) {
                found = Some(number);
            }
            Ok(())
        })?;
        match found {
            None => Ok(()),
            Some(line) => Err(StoreError::Untrusted {
                path: self.log().path().to_owned(),
                reason: Distrust::Unmerged,
                detail: format!(
                    "line {line} is a conflict marker of git, so the file is two versions at once"
                ),
            }),
        }
    }

    /// Who vouches for the log. Lines that the head knows are not read for it, unless the file was touched since.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn authenticity(&self) -> Result<Authenticity, StoreError> {
        let log = self.log();
        let Some(auth) = &log.auth else { return Ok(Authenticity::Unguarded) };
        let recorded = log.recorded_head()?;
        if recorded.as_ref().is_some_and(|recorded| self.is_behind(recorded).is_some()) {
            // Somebody may have written between our looks at the log and at what is known of it: what is read now is newer.
            return log.read()?.judge(auth, recorded.as_ref());
        }
        self.judge(auth, recorded.as_ref())
    }

    /// Who vouches for the log, given the newest head that is known of it.
    fn judge(&self, auth: &LogAuth, recorded: Option<&Head>) -> Result<Authenticity, StoreError> {
        let behind = recorded.and_then(|recorded| self.is_behind(recorded));
        let found = match self.head() {
            _ if behind.is_some() => (Distrust::RolledBack, behind.unwrap_or_default()),
            None if self.is_empty() => return Ok(Authenticity::Authentic),
            None => (Distrust::Foreign, "it has no head that can be read".to_owned()),
            Some(head) if head.mac.is_none() && head.extent.rows == 0 && self.is_empty() => {
                return Ok(Authenticity::Authentic);
            }
            Some(head) if head.mac.is_none() => {
                (Distrust::Unkeyed, "it was written without the key of a clone".to_owned())
            }
            Some(head) if !head.is_by(auth) => match auth.missing_key() {
                Some(why) => (Distrust::NoKey, format!("the key of this clone is not here: {why}")),
                None => (Distrust::Foreign, "another clone or another program wrote its head".to_owned()),
            },
            Some(head) => match self.contradiction(head)? {
                None if recorded.is_some_and(|recorded| self.is_another_history(recorded)) => {
                    (Distrust::RolledBack, "it went on from an older state than this clone knows".to_owned())
                }
                None => return Ok(Authenticity::Authentic),
                Some(detail) => (Distrust::Foreign, detail),
            },
        };
        if self.log().custody == Custody::Tracked
            && let Some(version) = self.committed_version(auth)?
        {
            return Ok(Authenticity::Committed(version));
        }
        Ok(Authenticity::Distrusted(found.0, found.1))
    }

    /// What a genuine head says against the log.
    fn contradiction(&self, head: &Head) -> Result<Option<String>, StoreError> {
        let known = head.extent.rows;
        match self.standing() {
            Standing::Shorter => Ok(Some(format!("lines are gone: its head knows of {known}"))),
            Standing::Changed | Standing::Unanchored => {
                Ok(Some(format!("one of the {known} lines that its head knows is not what it was")))
            }
            Standing::Anchored | Standing::Longer => {
                let from = self.vouched.unwrap_or(head.extent);
                let line = self.first_foreign_line(from)?;
                Ok(line.map(|line| format!("line {line} was not written by this clone")))
            }
        }
    }

    /// Whether this clone wrote every line, whatever became of the head.
    ///
    /// # Errors
    /// `Untrusted`; `Io`.
    pub(super) fn require_own_lines(&self) -> Result<(), StoreError> {
        let found = match self.authenticity()? {
            Authenticity::Distrusted(Distrust::Foreign, _) => {
                let line = self.first_foreign_line(Extent::default())?;
                line.map_or(Authenticity::Authentic, |line| {
                    let detail = format!("line {line} was not written by this clone");
                    Authenticity::Distrusted(Distrust::Foreign, detail)
                })
            }
            other @ (Authenticity::Unguarded
            | Authenticity::Authentic
            | Authenticity::Committed(_)
            | Authenticity::Distrusted(..)) => other,
        };
        found.require(self.log())
    }

    /// Whether there is no line in it, not even one that lacks its newline.
    fn is_empty(&self) -> bool {
        self.extent.bytes == 0 && self.unterminated_line().is_none()
    }

    /// The number of the first line behind an extent that this clone did not write.
    fn first_foreign_line(&self, from: Extent) -> Result<Option<u64>, StoreError> {
        let mut extent = from;
        let mut lines = Lines::new(self.file.as_ref(), from.bytes, self.extent.bytes);
        while let Some((_, line)) = lines.next().map_err(StoreError::io("read", self.log().path()))? {
            if !self.log().is_own_line(&extent, line) {
                return Ok(Some(extent.rows + 1));
            }
            extent = extent.and(line);
        }
        let is_own = |line: &[u8]| self.log().is_own_line(&extent, line);
        Ok(self.unterminated_line().filter(|line| !is_own(line)).map(|_| extent.rows + 1))
    }

    /// How the log is older than the newest head that was recorded outside the repository.
    fn is_behind(&self, recorded: &Head) -> Option<String> {
        let (known, found) = (recorded.extent, self.extent);
        if recorded.next == Some(found) {
            return None;
        }
        (found.rows < known.rows)
            .then(|| format!("this clone knows {} lines of it, {} are there", known.rows, found.rows))
    }

    /// Whether the log has as many lines as this clone knows, and other ones.
    fn is_another_history(&self, recorded: &Head) -> bool {
        self.extent.rows == recorded.extent.rows && self.extent.digest != recorded.extent.digest
    }

    /// The version of git that the log is, byte for byte.
    fn committed_version(&self, auth: &LogAuth) -> Result<Option<String>, StoreError> {
        let mut found = if self.is_empty() { self.log().version_without(auth) } else { None };
        for file in auth.committed(self.log().path()) {
            let mut extent = Extent::default();
            let mut rest: &[u8] = &file.bytes;
            while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
                let (line, behind) = rest.split_at(at);
                extent = extent.and(line);
                rest = behind.get(1..).unwrap_or_default();
            }
            if found.is_none() && extent == self.actual_extent()? && rest == self.rest() {
                found = Some(file.version);
            }
        }
        if found.is_none()
            && self.rest().is_empty()
            && self.log().is_recorded_merge(auth, &self.actual_extent()?)?
        {
            found = Some("a merge that premath made for git".to_owned());
        }
        Ok(found)
    }

    /// The extent as its lines hash now.
    fn actual_extent(&self) -> Result<Extent, StoreError> {
        if !self.is_vouched_for {
            return Ok(self.extent);
        }
        let mut extent = Extent::default();
        self.each_line::<StoreError>(0, |_, line| {
            extent = extent.and(line);
            Ok(())
        })?;
        Ok(extent)
    }

    /// The lines that carry no MAC of their own because the head vouches for them as a whole. A log that was just replaced
    /// is such lines altogether.
    pub(crate) fn base(&self) -> Option<Base> {
        let head = self.head()?;
        match head.next {
            Some(next) if self.vouched == Some(next) => Some(Base { extent: next, version: None }),
            Some(_) | None => head.base.clone(),
        }
    }
}
