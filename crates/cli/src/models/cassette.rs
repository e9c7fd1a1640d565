//! Recordings of exchanges with models, in files.

use std::path::PathBuf;

use premath_models::cassette::{CassetteError, CassetteStore};

use crate::system;

/// A cassette in a file.
#[derive(Debug)]
pub(crate) struct FileCassette(pub(crate) PathBuf);

impl CassetteStore for FileCassette {
    fn load(&self) -> Result<Option<String>, CassetteError> {
        let read =
            system::read_bytes(&self.0).map_err(|error| CassetteError::Load { source: error.into() })?;
        let text = read.map(String::from_utf8).transpose();
        text.map_err(|error| CassetteError::Load { source: error.into() })
    }

    fn save(&self, text: &str) -> Result<(), CassetteError> {
        system::replace_file(&self.0, text.as_bytes())
            .map_err(|error| CassetteError::Save { source: error.into() })
    }
}
