//! Cassettes: what was said to a provider and what it answered, kept so that it can be answered again without one.
//!
//! A cassette holds no secret: headers are kept by an allow-list, and a key that turns up anywhere else is blotted out
//! before anything is kept. It must not touch the file system; whoever owns a file gives a store.

mod compare;
mod document;
mod record;
mod replay;
mod scrub;
mod spread;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

pub use record::RecordingTransport;
pub use replay::ReplayTransport;

/// The only version there is so far.
const VERSION: u64 = 1;

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// It cannot be read.
    #[error("the cassette cannot be read")]
    Load {
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// It cannot be written.
    #[error("the cassette cannot be written")]
    Save {
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// An answer repeats a key in a way that cannot be blotted out; nothing of the answer was kept.
    #[error("an answer repeats a key in pieces, and was not kept")]
    Secret,
    /// There is none.
    #[error("there is no cassette to replay")]
    Missing,
    /// It is none that we know.
    #[error("the cassette is not one of ours: {message}")]
    Format {
        /// What is wrong.
        message: String,
    },
}

/// Where the text of a cassette is kept.
pub trait CassetteStore: Debug + Send + Sync {
    /// The text; none when there is no cassette yet.
    ///
    /// # Errors
    /// `Load`.
    fn load(&self) -> Result<Option<String>, CassetteError>;

    /// Puts a text in the place of the last one: all of it or nothing.
    ///
    /// # Errors
    /// `Save`.
    fn save(&self, text: &str) -> Result<(), CassetteError>;
}

/// A cassette in memory.
#[derive(Debug, Default)]
pub struct MemoryCassette(Mutex<Option<String>>);

impl CassetteStore for MemoryCassette {
    fn load(&self) -> Result<Option<String>, CassetteError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn save(&self, text: &str) -> Result<(), CassetteError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text.to_owned());
        Ok(())
    }
}
