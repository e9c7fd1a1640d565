//! Sessions and feature ledgers: can they be read, and are they what they should be. It must not judge what they say.

use std::path::Path;
use std::sync::Arc;

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};

use super::lanes::{CIRCUITS, SESSION};
use crate::disk::{Access, Disk, read_to_end};
use crate::error::StoreError;
use crate::feature_ledger::FeatureLedgerStore;
use crate::model_circuits::ModelCircuitStore;
use crate::session::SessionStore;

/// A document as it was found.
#[derive(Debug)]
pub(crate) enum DocumentState {
    /// It is what it should be.
    Sound(Value<'static>),
    /// It is an object, but not one that we know, and why.
    Foreign(String),
    /// It is no object at all, and why.
    Invalid(String),
}

/// Looks at a document.
///
/// # Errors
/// `Missing`; `Io` when it cannot be read.
pub(crate) fn document_state(disk: &Arc<dyn Disk>, path: &Path) -> Result<DocumentState, StoreError> {
    let bytes = document_bytes(disk, path)?;
    match parse(&bytes, Limits::default()) {
        Ok(Value::Object(_)) => {}
        Ok(_) => return Ok(DocumentState::Invalid("expected an object".to_owned())),
        Err(error) => return Ok(DocumentState::Invalid(error.to_string())),
    }
    let is_named = |known: &str| path.file_name().is_some_and(|name| name == known);
    let read = if is_named(CIRCUITS) {
        ModelCircuitStore::new(Arc::clone(disk), path.to_owned())
            .read()
            .map(|_| Value::Object(premath_kernel::Object::default()))
    } else if is_named(SESSION) {
        SessionStore::new(Arc::clone(disk), path.to_owned()).read().map(|session| session.whole)
    } else {
        FeatureLedgerStore::new(Arc::clone(disk), path.to_owned()).read().map(|ledger| ledger.whole)
    };
    match read {
        Ok(whole) => Ok(DocumentState::Sound(whole)),
        Err(StoreError::Corrupt { detail, .. }) => Ok(DocumentState::Foreign(detail)),
        Err(error) => Err(error),
    }
}

/// All of a document.
pub(crate) fn document_bytes(disk: &Arc<dyn Disk>, path: &Path) -> Result<Vec<u8>, StoreError> {
    let file = disk.open(path, Access::Read).map_err(StoreError::opening(path))?;
    let limit = Limits::default().max_bytes.saturating_add(1);
    read_to_end(file.as_ref(), 0, limit).map_err(StoreError::io("read", path))
}
