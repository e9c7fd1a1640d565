//! Folders: which names readers see, which are durable, and which of the changes in between a power loss may keep.
//!
//! A change is kept only together with every earlier one that touches a name of its own; a rename is one change, so
//! that a file is never under neither name.

use std::collections::{BTreeMap, BTreeSet};

/// A name in a folder.
pub(super) type Key = (u64, String);

/// A change of names that no sync of a folder has covered.
#[derive(Debug, Clone)]
enum Change {
    Link { key: Key, inode: u64 },
    Unlink { key: Key },
    Rename { from: Key, to: Key, inode: u64 },
}

impl Change {
    fn keys(&self) -> Vec<&Key> {
        match self {
            Self::Link { key, .. } | Self::Unlink { key } => vec![key],
            Self::Rename { from, to, .. } => vec![from, to],
        }
    }

    fn apply(&self, names: &mut BTreeMap<Key, u64>) {
        match self {
            Self::Link { key, inode } => {
                names.insert(key.clone(), *inode);
            }
            Self::Unlink { key } => {
                names.remove(key);
            }
            Self::Rename { from, to, inode } => {
                names.remove(from);
                names.insert(to.clone(), *inode);
            }
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    visible: BTreeMap<Key, u64>,
    durable: BTreeMap<Key, u64>,
    pending: Vec<Change>,
}

impl Names {
    pub(super) fn get(&self, folder: u64, name: &str) -> Option<u64> {
        self.visible.get(&(folder, name.to_owned())).copied()
    }

    /// What a folder holds, by name.
    pub(super) fn within(&self, folder: u64) -> impl Iterator<Item = (&str, u64)> {
        let first = (folder, String::new());
        let inside = self.visible.range(first..).take_while(move |((of, _), _)| *of == folder);
        inside.map(|((_, name), inode)| (name.as_str(), *inode))
    }

    /// Every file and folder that has a name.
    pub(super) fn linked(&self) -> impl Iterator<Item = u64> {
        self.visible.values().copied()
    }

    pub(super) fn link(&mut self, key: Key, inode: u64) {
        self.change(Change::Link { key, inode });
    }

    pub(super) fn unlink(&mut self, key: Key) {
        self.change(Change::Unlink { key });
    }

    pub(super) fn rename(&mut self, from: Key, to: Key, inode: u64) {
        self.change(Change::Rename { from, to, inode });
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.visible);
        self.pending.push(change);
    }

    /// Everything that changed in a folder is durable, with what it builds on.
    pub(super) fn sync(&mut self, folder: u64) {
        let mut needed: BTreeSet<Key> = BTreeSet::new();
        let mut covered = vec![false; self.pending.len()];
        for (change, covered) in self.pending.iter().zip(&mut covered).rev() {
            let keys = change.keys();
            *covered = keys.iter().any(|key| key.0 == folder || needed.contains(*key));
            if *covered {
                needed.extend(keys.into_iter().cloned());
            }
        }
        let mut covered = covered.into_iter();
        let durable = &mut self.durable;
        self.pending.retain(|change| {
            let covered = covered.next().unwrap_or(false);
            if covered {
                change.apply(durable);
            }
            !covered
        });
    }

    /// The names a power loss leaves. `choose` answers 0 where nothing is to survive.
    pub(super) fn survivor(&self, choose: &mut dyn FnMut(usize) -> usize) -> Self {
        let mut left = self.durable.clone();
        let mut lost: BTreeSet<&Key> = BTreeSet::new();
        for change in &self.pending {
            let keys = change.keys();
            if !keys.iter().any(|key| lost.contains(*key)) && choose(2) == 1 {
                change.apply(&mut left);
            } else {
                lost.extend(keys);
            }
        }
        Self { visible: left.clone(), durable: left, pending: Vec::new() }
    }
}
