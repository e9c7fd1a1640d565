//! Payloads among the objects of a repository. Only the piece that is asked for is read.

use std::io;

use premath_bd::{ObjectId, Objects, StoreError};

use super::{PayloadError, PayloadPiece, Payloads};
use crate::tools::clip::{length as counted, room};

/// The objects of a repository as payloads.
#[derive(Debug, Clone)]
pub struct StoredPayloads(Objects);

impl StoredPayloads {
    /// Payloads that are these objects.
    #[must_use]
    pub const fn new(objects: Objects) -> Self {
        Self(objects)
    }
}

impl Payloads for StoredPayloads {
    fn read(&self, reference: &str, offset: u64, length: u64) -> Result<PayloadPiece, PayloadError> {
        let named = || reference.to_owned();
        let id: ObjectId = reference.parse().map_err(|_| PayloadError::Invalid { reference: named() })?;
        let total = self.0.open(&id).map_err(|error| failed(reference, error))?.size();
        let bytes = self.0.read_range(&id, offset, room(length)).map_err(|error| failed(reference, error))?;
        // A part cannot be compared with the name; a whole can, and must be what it is called.
        if offset == 0 && counted(bytes.len()) == total && ObjectId::of(&bytes) != id {
            let source = io::Error::new(io::ErrorKind::InvalidData, "the content is not what its name says");
            return Err(PayloadError::System { reference: named(), source });
        }
        Ok(PayloadPiece { bytes, total })
    }
}

fn failed(reference: &str, error: StoreError) -> PayloadError {
    let reference = reference.to_owned();
    match error {
        StoreError::Missing { .. } => PayloadError::Missing { reference },
        StoreError::Io { source, .. } => PayloadError::System { reference, source },
        StoreError::Busy { .. }
        | StoreError::Poisoned { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Newer { .. }
        | StoreError::Untrusted { .. }
        | StoreError::DerivedDamaged { .. }
        | StoreError::Input(_) => {
            PayloadError::System { reference, source: io::Error::other("the objects give no answer") }
        }
    }
}
