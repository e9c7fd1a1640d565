//! Payloads in memory: for tests, and for runs that keep nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use premath_bd::ObjectId;

use super::{PayloadError, PayloadPiece, Payloads};
use crate::tools::clip::{length as counted, room};

/// Payloads in memory; what is forgotten leaves its name behind.
#[derive(Debug, Default)]
pub struct MemoryPayloads(Mutex<BTreeMap<ObjectId, Option<Vec<u8>>>>);

impl MemoryPayloads {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a payload and gives its reference.
    pub fn put(&self, bytes: impl Into<Vec<u8>>) -> String {
        let bytes = bytes.into();
        let id = ObjectId::of(&bytes);
        self.payloads().insert(id, Some(bytes));
        id.to_string()
    }

    /// Keeps nothing but the names.
    pub fn forget(&self) {
        self.payloads().values_mut().for_each(|payload| *payload = None);
    }

    fn payloads(&self) -> MutexGuard<'_, BTreeMap<ObjectId, Option<Vec<u8>>>> {
        // Whoever panicked elsewhere leaves whole payloads behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Payloads for MemoryPayloads {
    fn read(&self, reference: &str, offset: u64, length: u64) -> Result<PayloadPiece, PayloadError> {
        let named = || reference.to_owned();
        let id: ObjectId = reference.parse().map_err(|_| PayloadError::Invalid { reference: named() })?;
        match self.payloads().get(&id) {
            None => Err(PayloadError::Missing { reference: named() }),
            Some(None) => Err(PayloadError::NotRetained { reference: named() }),
            Some(Some(bytes)) => {
                let piece = bytes.iter().copied().skip(room(offset)).take(room(length)).collect();
                Ok(PayloadPiece { bytes: piece, total: counted(bytes.len()) })
            }
        }
    }
}
