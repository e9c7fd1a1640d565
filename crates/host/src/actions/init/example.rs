//! `init --example`: a small project to try premath on, with issues that depend on each other and a check that fails.

mod files;
mod issues;

use std::io::ErrorKind;
use std::path::Path;

use premath_bd::StoreError;
use premath_bd::issues::{Applied, FileIssues};
use premath_wire::v1::{RefusedAnswer, RefusedBecause};

use super::{ACTION, Making};
use crate::recording::{For, apply};
use crate::settings::Settings;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{DoorRefusal, shown};

/// What says how the example stands: its two checks, of which one fails until its issue is worked on.
pub(super) const BASELINE: &str = "sh checks/usage.sh && sh checks/greeting.sh";

/// The refusal of a folder that something is in.
pub(crate) fn refuse_occupied(host: &Host<'_>, folder: &Path) -> Result<Option<Answer>, ActionError> {
    match host.workspace.disk.list(folder) {
        Ok(entries) if entries.is_empty() => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::Io { doing: "list", path: folder.to_owned(), source }.into()),
        Ok(_) => {
            let class = "example_folder_occupied";
            let refused = RefusedBecause {
                class: class.to_owned(),
                detail: format!("`{}` is not empty", folder.display()),
                hint: "name a folder that is empty or does not exist yet".to_owned(),
            };
            let issues_path = shown(&folder.join(Settings::ISSUES_PATH));
            Answer::refused(class, &RefusedAnswer { action: ACTION.to_owned(), issues_path, refused })
                .map(Some)
        }
    }
}

/// Fills the folder: the project, its policy, and the issues, each added through the door.
pub(crate) fn fill(
    host: &Host<'_>,
    made: &mut Making<'_>,
    root: &Path,
    store: &FileIssues,
) -> Result<Result<(), DoorRefusal>, ActionError> {
    for (path, text) in files::all() {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            made.folder(folder)?;
        }
        made.file(&path, text.as_bytes())?;
    }
    for operation in issues::all() {
        let permit = match host.workspace.door.permit(operation.action()) {
            Ok(permit) => permit,
            Err(refusal) => return Ok(Err(refusal)),
        };
        match apply(host.workspace, store, permit, &operation, For::Door)? {
            Applied::Written(_) | Applied::Nothing(_) => {}
            Applied::Refused(refusal) => {
                return Ok(Err(DoorRefusal {
                    class: refusal.class.code(),
                    detail: refusal.detail,
                    hint: refusal.class.hint().to_owned(),
                }));
            }
        }
    }
    Ok(Ok(()))
}
