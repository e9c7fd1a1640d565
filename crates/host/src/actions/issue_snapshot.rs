//! What issue memory held at a moment, as a ref that sessions keep.

use std::path::Path;
use std::sync::Arc;

use premath_bd::StoreError;
use premath_bd::issues::{FileIssues, IssueStore as _, snapshot_ref};

use crate::table::{ActionError, Host};

/// The snapshot ref of an issue memory; none when there is no such file.
pub(crate) fn issue_snapshot(host: &Host<'_>, path: &Path) -> Result<Option<String>, ActionError> {
    let store = FileIssues::new(Arc::clone(&host.workspace.disk), path.to_owned());
    let attempt = || snapshot_ref(store.view()?.as_ref());
    let snapshot = match attempt() {
        Err(StoreError::DerivedDamaged { .. }) => {
            store.discard_index()?;
            attempt()
        }
        other => other,
    };
    match snapshot {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(StoreError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
