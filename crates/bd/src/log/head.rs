//! The head of a log: how long it is and what its lines hash to, in a file of two slots.
//!
//! One slot is sealed: it was synced, and is left alone until the other one is. The heads in between are written into the
//! other slot without a sync; a torn one fails its checksum and the sealed one is used, which only knows of fewer lines.
//! It must not be trusted for what the log holds: it says what the log held when the head was written. In a clone with a key
//! it carries a MAC, bound to the place of its log: a head without one that fits vouches for nothing.

use premath_kernel::{Moment, hex, sha256};
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use crate::clone_auth::{LogAuth, MacPurpose};
use crate::disk::{DiskFile, FileStat, read_to_end};

/// The size of one slot, which never changes: the second one begins behind it.
const SLOT: usize = 2048;
/// How many checkpoints are remembered; an index older than these is checked against the log itself.
const REMEMBERED: usize = 4;

/// A number of whole lines from the start of a log, and what they hash to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// How many lines.
    pub rows: u64,
    /// How many bytes, newlines included.
    pub bytes: u64,
    /// Each line hashed together with the digest before it, from 32 zero bytes on.
    pub digest: [u8; 32],
}

impl Extent {
    /// The extent with one more line.
    #[must_use]
    pub fn and(self, line: &[u8]) -> Self {
        let mut hasher = sha2::Sha256::new_with_prefix(self.digest);
        hasher.update(line);
        Self {
            rows: self.rows + 1,
            bytes: self.bytes + u64::try_from(line.len()).unwrap_or(u64::MAX) + 1,
            digest: hasher.finalize().into(),
        }
    }

    /// The digest in hexadecimal.
    #[must_use]
    pub fn digest_hex(&self) -> String {
        hex(&self.digest)
    }
}

/// The lines in front of those that carry MACs of this clone, vouched for as a whole by the MAC of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    /// Which lines.
    pub(crate) extent: Extent,
    /// The version of git that they are, where they were accepted because git has them.
    pub(crate) version: Option<String>,
}

/// What the head says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// Counts the writes; the slot with the higher number is the newer one.
    pub(crate) turn: u64,
    /// The slot it is in.
    pub(crate) slot: Slot,
    /// Whether it was written to be synced, so that the next one belongs into the other slot.
    pub(crate) sealed: bool,
    /// The log as far as it was synced.
    pub(crate) extent: Extent,
    /// The whole log, where lines were written behind that without a sync.
    pub(crate) lazy: Option<Extent>,
    /// The file it was, when it was last written by us.
    pub(crate) file: Option<FileStat>,
    /// The last checkpoints, oldest first.
    pub(crate) checkpoints: Vec<Extent>,
    /// What the log is about to be replaced by.
    pub(crate) next: Option<Extent>,
    /// How often the log was found changed by others.
    pub(crate) breaks: u64,
    /// The lines that carry no MAC of this clone.
    pub(crate) base: Option<Base>,
    /// The MAC over all of this; none where it was written without a key.
    pub(crate) mac: Option<String>,
}

impl Head {
    /// Whether this clone wrote it for this log.
    pub(crate) fn is_by(&self, auth: &LogAuth) -> bool {
        self.mac.as_deref().is_some_and(|mac| auth.verifies(MacPurpose::Head, &[&self.body()], mac))
    }

    /// What is authenticated: everything but the MAC.
    fn body(&self) -> String {
        serde_json::to_string(&Written { mac: None, ..Written::from(self) }).unwrap_or_default()
    }

    /// Whether the log is the file we left, untouched.
    pub(crate) fn describes(&self, stat: &FileStat) -> bool {
        self.file.as_ref() == Some(stat) && self.whole().bytes == stat.length
    }

    /// The whole log. What goes beyond the extent is believed only once it was read: a power loss may have taken it, and
    /// that is nobody's doing.
    pub(crate) fn whole(&self) -> Extent {
        self.lazy.unwrap_or(self.extent)
    }

    /// Adds a checkpoint and forgets the oldest.
    pub(crate) fn remember(&mut self, checkpoint: Extent) {
        self.checkpoints.push(checkpoint);
        if self.checkpoints.len() > REMEMBERED {
            self.checkpoints.remove(0);
        }
    }

    /// The newest head of a file; `None` when there is none that can be read.
    pub(crate) fn read(file: &dyn DiskFile) -> std::io::Result<Option<Self>> {
        Ok(Self::newest(&Self::slots(file)?))
    }

    /// Both slots of a file, as they are.
    pub(crate) fn slots(file: &dyn DiskFile) -> std::io::Result<Vec<u8>> {
        read_to_end(file, 0, 2 * SLOT)
    }

    /// The newest head in two slots.
    pub(crate) fn newest(slots: &[u8]) -> Option<Self> {
        let (first, second) = slots.split_at(SLOT.min(slots.len()));
        let heads = [decode(first, Slot::First), decode(second, Slot::Second)];
        heads.into_iter().flatten().max_by_key(|head| head.turn)
    }

    /// Where the next head is written to, and its bytes.
    pub(crate) fn advance(&mut self, sealed: bool, auth: Option<&LogAuth>) -> (u64, Vec<u8>) {
        if self.sealed {
            self.slot = self.slot.other();
        }
        self.turn += 1;
        self.sealed = sealed;
        self.mac = auth.and_then(|auth| auth.sign(MacPurpose::Head, &[&self.body()]));
        let written = self.written();
        // Only a sync that succeeded seals it; until then the other slot is the one to be kept.
        self.sealed = false;
        written
    }

    /// Where this head is, and its bytes.
    pub(crate) fn written(&self) -> (u64, Vec<u8>) {
        let body = serde_json::to_string(&Written::from(self)).unwrap_or_default();
        let mut bytes = format!("{} {body}", checksum(&body)).into_bytes();
        bytes.resize(SLOT - 1, b' ');
        bytes.push(b'\n');
        (self.slot.offset(), bytes)
    }
}

/// One of the two places for a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Slot {
    #[default]
    First,
    Second,
}

impl Slot {
    const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::Second => u64::try_from(SLOT).unwrap_or_default(),
        }
    }
}

fn checksum(body: &str) -> String {
    hex(sha256(body.as_bytes()).get(..8).unwrap_or_default())
}

fn decode(bytes: &[u8], slot: Slot) -> Option<Head> {
    let text = std::str::from_utf8(bytes.trim_ascii_end()).ok()?;
    let (sum, body) = text.split_once(' ')?;
    (sum == checksum(body)).then(|| serde_json::from_str::<Written>(body).ok()?.into_head(slot)).flatten()
}

/// The head as text.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    turn: u64,
    sealed: bool,
    extent: WrittenExtent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lazy: Option<WrittenExtent>,
    file: Option<(u64, i64, u32, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<(i64, u32)>,
    checkpoints: Vec<WrittenExtent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<WrittenExtent>,
    breaks: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<WrittenExtent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mac: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WrittenExtent(u64, u64, String);

impl From<&Head> for Written {
    fn from(head: &Head) -> Self {
        let write = |extent: &Extent| WrittenExtent(extent.rows, extent.bytes, hex(&extent.digest));
        let file = head
            .file
            .map(|stat| (stat.length, stat.modified.seconds(), stat.modified.nanos(), stat.identity));
        Self {
            turn: head.turn,
            sealed: head.sealed,
            extent: write(&head.extent),
            lazy: head.lazy.as_ref().map(write),
            file,
            changed: head.file.map(|stat| (stat.changed.seconds(), stat.changed.nanos())),
            checkpoints: head.checkpoints.iter().map(write).collect(),
            next: head.next.as_ref().map(write),
            breaks: head.breaks,
            base: head.base.as_ref().map(|base| write(&base.extent)),
            base_version: head.base.as_ref().and_then(|base| base.version.clone()),
            mac: head.mac.clone(),
        }
    }
}

impl Written {
    fn into_head(self, slot: Slot) -> Option<Head> {
        let file = match (self.file, self.changed) {
            (Some((length, seconds, nanos, identity)), Some((changed, changed_nanos))) => Some(FileStat {
                length,
                modified: Moment::new(seconds, nanos)?,
                changed: Moment::new(changed, changed_nanos)?,
                identity,
            }),
            // A head from before the second time was kept says too little: the log is read to see for oneself.
            (Some(_) | None, _) => None,
        };
        Some(Head {
            turn: self.turn,
            slot,
            sealed: self.sealed,
            extent: self.extent.read()?,
            lazy: match self.lazy {
                None => None,
                Some(lazy) => Some(lazy.read()?),
            },
            file,
            checkpoints: self.checkpoints.iter().map(WrittenExtent::read).collect::<Option<_>>()?,
            next: match self.next {
                None => None,
                Some(next) => Some(next.read()?),
            },
            breaks: self.breaks,
            base: match self.base {
                None => None,
                Some(base) => Some(Base { extent: base.read()?, version: self.base_version }),
            },
            mac: self.mac,
        })
    }
}

impl WrittenExtent {
    fn read(&self) -> Option<Extent> {
        Some(Extent { rows: self.0, bytes: self.1, digest: from_hex(&self.2)? })
    }
}

/// Thirty-two bytes from their hexadecimal form.
pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .filter_map(|pair| pair.first().zip(pair.last()).map(|(high, low)| high << 4 | low))
        .collect();
    (text.len() == 64).then(|| bytes.try_into().ok()).flatten()
}
