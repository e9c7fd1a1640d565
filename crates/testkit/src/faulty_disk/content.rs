//! One file's bytes: what readers see, what was changed since the last sync, and what a power loss may leave of it.
//!
//! Changes are kept with what they replaced, so that an append costs no copy of the file. It must not decide by itself
//! what survives: every such choice is asked for.

use std::sync::Arc;

use premath_kernel::Moment;

/// What a disk writes at once.
const SECTOR: usize = 512;

/// A change that no sync has covered.
#[derive(Debug, Clone)]
struct Change {
    offset: usize,
    /// What was written there; `None` when only the length was set.
    written: Option<Arc<[u8]>>,
    /// What stood there before.
    replaced: Arc<[u8]>,
    length_before: usize,
    length_after: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Content {
    visible: Arc<Vec<u8>>,
    changes: Vec<Change>,
    /// What is on the disk, when a failed sync left it behind what readers see.
    behind: Option<Arc<Vec<u8>>>,
    pub(super) modified: Moment,
    durable_modified: Moment,
}

impl Content {
    pub(super) fn new(now: Moment) -> Self {
        Self {
            visible: Arc::default(),
            changes: Vec::new(),
            behind: None,
            modified: now,
            durable_modified: now,
        }
    }

    /// Bytes that are on the disk already.
    pub(super) fn durable(bytes: Vec<u8>, now: Moment) -> Self {
        Self { visible: Arc::new(bytes), ..Self::new(now) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.visible
    }

    pub(super) fn write(&mut self, offset: usize, bytes: &[u8], now: Moment) {
        let visible = Arc::make_mut(&mut self.visible);
        let length_before = visible.len();
        let end = offset + bytes.len();
        let replaced = Arc::from(visible.get(offset..end.min(length_before)).unwrap_or_default());
        overlay(visible, offset, bytes);
        self.changes.push(Change {
            offset,
            written: Some(Arc::from(bytes)),
            replaced,
            length_before,
            length_after: visible.len(),
        });
        self.modified = now;
    }

    pub(super) fn set_length(&mut self, length: usize, now: Moment) {
        let visible = Arc::make_mut(&mut self.visible);
        let length_before = visible.len();
        let replaced = Arc::from(visible.get(length..).unwrap_or_default());
        visible.resize(length, 0);
        self.changes.push(Change {
            offset: length,
            written: None,
            replaced,
            length_before,
            length_after: length,
        });
        self.modified = now;
    }

    /// Everything changed so far is on the disk. The time of the last change is only written with a new length, as
    /// `fdatasync` does.
    pub(super) fn sync(&mut self) {
        if let Some(behind) = self.behind.take() {
            let mut bytes = (*behind).clone();
            for change in &self.changes {
                if let Some(written) = &change.written {
                    overlay(&mut bytes, change.offset, written);
                }
                bytes.resize(change.length_after, 0);
            }
            self.behind = (bytes != *self.visible).then(|| Arc::new(bytes));
        }
        if self.changes.iter().any(|change| change.length_before != change.length_after) {
            self.durable_modified = self.modified;
        }
        self.changes.clear();
    }

    /// A sync that failed: what it should have written is never written, and readers still see it.
    pub(super) fn fail_sync(&mut self) {
        self.behind = Some(Arc::new(self.on_disk()));
        self.changes.clear();
    }

    /// What somebody else did to the file: at once, and durably.
    pub(super) fn replace_durably(&mut self, bytes: Vec<u8>) {
        self.visible = Arc::new(bytes);
        self.changes.clear();
        self.behind = None;
    }

    fn on_disk(&self) -> Vec<u8> {
        if let Some(behind) = &self.behind {
            return (**behind).clone();
        }
        let mut bytes = (*self.visible).clone();
        for change in self.changes.iter().rev() {
            bytes.resize(change.length_before, 0);
            overlay(&mut bytes, change.offset, &change.replaced);
        }
        bytes
    }

    /// What a power loss leaves. The length is that after some change, in their order; of what was written any part may
    /// be missing, and reads as before or as zeros. `choose` answers 0 where nothing is to survive.
    pub(super) fn survivor(&self, choose: &mut dyn FnMut(usize) -> usize) -> Self {
        let modified = match self.modified == self.durable_modified || choose(2) == 1 {
            true => self.modified,
            false => self.durable_modified,
        };
        if self.changes.is_empty() && self.behind.is_none() {
            return Self { modified, durable_modified: modified, ..self.clone() };
        }
        let mut bytes = self.on_disk();
        let reached = choose(self.changes.len() + 1);
        let length = match reached.checked_sub(1).and_then(|last| self.changes.get(last)) {
            Some(change) => change.length_after,
            None => bytes.len(),
        };
        for (index, change) in self.changes.iter().enumerate() {
            match &change.written {
                Some(written) => survive(&mut bytes, change.offset, written, choose),
                None if index < reached => bytes.resize(change.length_after, 0),
                None => {}
            }
        }
        bytes.resize(length, 0);
        Self::durable(bytes, modified)
    }
}

fn overlay(bytes: &mut Vec<u8>, offset: usize, written: &[u8]) {
    let end = offset + written.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    if let Some(place) = bytes.get_mut(offset..end) {
        place.copy_from_slice(written);
    }
}

/// Lays the parts of one write that reached the disk over what was there.
fn survive(bytes: &mut Vec<u8>, offset: usize, written: &[u8], choose: &mut dyn FnMut(usize) -> usize) {
    let length = written.len();
    let mut lay = |from: usize, to: usize| {
        if let Some(part) = written.get(from..to).filter(|part| !part.is_empty()) {
            overlay(bytes, offset + from, part);
        }
    };
    match choose(6) {
        0 => {}
        1 => lay(0, length),
        2 => lay(0, choose(length + 1)),
        3 => lay(choose(length + 1), length),
        4 => {
            let hole = choose(length + 1);
            let end = hole + choose(length - hole + 1);
            lay(0, hole);
            lay(end, length);
        }
        _ => {
            let mut from = 0;
            while from < length {
                let to = ((offset + from) / SECTOR * SECTOR + SECTOR - offset).min(length);
                if choose(2) == 1 {
                    lay(from, to);
                }
                from = to;
            }
        }
    }
}
