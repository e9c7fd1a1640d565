//! The objects that commands leave behind, kept once: what this process made durable already is not put again.
//!
//! Most verifications end alike, and each object costs syncs. It must not answer for an object that is not on the disk.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use premath_bd::Objects;
use premath_kernel::Digest;

use crate::checking::check_objects;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// So many names are remembered; then it is forgotten and begun anew.
const REMEMBERED: usize = 4_096;

/// The objects of a repository, as one process puts them.
#[derive(Debug)]
pub(super) struct Evidence {
    objects: Objects,
    durable: Mutex<BTreeSet<String>>,
}

impl Evidence {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { objects: check_objects(workspace), durable: Mutex::new(BTreeSet::new()) }
    }

    /// Keeps bytes as an object, and says its digest.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<Digest, ActionError> {
        let digest = Digest::of_bytes(bytes);
        let mut durable = self.durable.lock().unwrap_or_else(PoisonError::into_inner);
        if durable.contains(digest.as_str()) {
            return Ok(digest);
        }
        self.objects.put(&mut &*bytes)?;
        if durable.len() >= REMEMBERED {
            durable.clear();
        }
        durable.insert(digest.as_str().to_owned());
        Ok(digest)
    }
}
