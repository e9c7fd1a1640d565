//! A promotion in the middle of reading.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{Access, Disk as _, OsClock, OsDisk, OsIds, Permit, write_all_at};

use super::steady;
use crate::table::ActionError;
use crate::workspace::{DoorRefusal, MutationDoor, Workspace};

fn put(path: &Path, text: &str) {
    OsDisk.create_folder(path.parent().unwrap()).unwrap();
    let mut file = OsDisk.open(path, Access::Replace).unwrap();
    write_all_at(file.as_mut(), text.as_bytes(), 0).unwrap();
}

#[derive(Debug)]
struct Shut;

impl MutationDoor for Shut {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Err(DoorRefusal { class: "shut", detail: String::new(), hint: String::new() })
    }
}

fn workspace(root: PathBuf) -> Workspace {
    Workspace {
        disk: Arc::new(OsDisk),
        clock: Arc::new(OsClock),
        ids: Arc::new(OsIds),
        root,
        door: Arc::new(Shut),
        settings: crate::Settings::default(),
        redactor: premath_bd::Redactor::default(),
        retention: crate::Retention::default(),
        packages: crate::PolicyPackages::default(),
        receipts: premath_bd::AuditReceipts::default(),
    }
}

#[test]
fn what_was_read_while_a_promotion_began_is_read_again() {
    let folder = tempfile::TempDir::new().unwrap();
    let marker = folder.path().join(".premath/policy/under-way");
    let workspace = workspace(folder.path().to_path_buf());
    let mut reads = 0;
    let read = || {
        reads += 1;
        if reads == 1 {
            put(&marker, &format!("pol1_{}", "0".repeat(64)));
        }
        Ok::<usize, ActionError>(reads)
    };
    assert_eq!(steady(&workspace, read).unwrap(), 2);
}

#[test]
fn packages_that_never_rest_let_nothing_begin() {
    let folder = tempfile::TempDir::new().unwrap();
    let marker = folder.path().join(".premath/policy/under-way");
    let workspace = workspace(folder.path().to_path_buf());
    let mut stands = false;
    let read = || {
        if stands {
            OsDisk.remove(&marker).unwrap();
        } else {
            put(&marker, &format!("pol1_{}", "0".repeat(64)));
        }
        stands = !stands;
        Ok::<(), ActionError>(())
    };
    assert!(matches!(steady(&workspace, read), Err(ActionError::Unavailable { .. })));
}
