//! The port to what calls gave back as a whole: payloads by the digest of their bytes, piece by piece.
//!
//! An implementation must not answer with bytes of another payload, and must say apart that there never was such a payload
//! and that it was not kept.

mod memory;
mod stored;

use std::fmt::Debug;
use std::io;

use super::outcome::ToolFailure;
use super::work_path::shown;

pub use memory::MemoryPayloads;
pub use stored::StoredPayloads;

/// A piece of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayloadPiece {
    /// The bytes: as many as were asked for, fewer at the end.
    pub bytes: Vec<u8>,
    /// The length of the whole payload.
    pub total: u64,
}

/// Payloads by reference, which is `sha256:` and 64 lower-case hexadecimal digits.
pub trait Payloads: Debug + Send + Sync {
    /// At most `length` bytes from `offset` on; none behind the end.
    ///
    /// # Errors
    /// Why there are none.
    fn read(&self, reference: &str, offset: u64, length: u64) -> Result<PayloadPiece, PayloadError>;
}

/// Why a payload was not read.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// There is none.
    #[error("there is nothing behind `{}`", shown(reference))]
    Missing {
        /// The reference.
        reference: String,
    },
    /// There was one, and it was not kept.
    #[error("what was behind `{}` was not kept", shown(reference))]
    NotRetained {
        /// The reference.
        reference: String,
    },
    /// It is no reference.
    #[error(
        "`{}` is no reference: it is not `sha256:` and 64 lower-case hexadecimal digits",
        shown(reference)
    )]
    Invalid {
        /// What was given.
        reference: String,
    },
    /// The system failed.
    #[error("what is behind `{}` cannot be read", shown(reference))]
    System {
        /// The reference.
        reference: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl From<PayloadError> for ToolFailure {
    fn from(error: PayloadError) -> Self {
        let message = error.to_string();
        match error {
            PayloadError::Missing { .. } => Self::new("ref.missing", message),
            PayloadError::NotRetained { .. } => Self::new("ref.not_retained", message),
            PayloadError::Invalid { .. } => Self::new("ref.invalid", message),
            PayloadError::System { source, .. } => {
                Self::new("ref.system", format!("{message}: {source}")).retryable()
            }
        }
    }
}
