//! What git is told of a repository: which files it merges with premath, which it leaves alone, and what merges them here.
//!
//! Lines are added to files of the person, never changed. It must not start a program: the composition root installs the driver.

use std::path::Path;

use premath_bd::{MergeDriver, StoreError};

use super::Making;
use crate::table::ActionError;
use crate::workspace::shown;

/// Where checks and observations leave files that belong to one machine.
const LOCAL: [&str; 2] = ["/artifacts/ciwitness/", "/artifacts/observation/"];
/// The step of the configuration of git.
const DRIVER: &str = ".git/config: merge.premath";

/// Issue memory and its history, from the root, with slashes; none where it is outside.
fn tracked_files(root: &Path, issues: &Path) -> Option<[String; 2]> {
    let inside = issues.strip_prefix(root).ok()?;
    let name = inside.to_str()?.replace('\\', "/");
    let is_plain = inside.is_relative()
        && !name.contains([' ', '\t', '"', '*', '?', '[', '\\'])
        && !name.starts_with("..");
    let (stem, extension) = name.rsplit_once('.')?;
    let history = format!("{stem}.history.{extension}");
    is_plain.then_some([name, history])
}

/// Says in `.gitattributes` and `.gitignore` what git carries, and how it merges it.
pub(super) fn share(made: &mut Making<'_>, root: &Path, issues: &Path) -> Result<(), ActionError> {
    if let Some(files) = tracked_files(root, issues) {
        let lines: Vec<(&str, String)> =
            files.iter().map(|file| (file.as_str(), format!("{file} -text merge=premath"))).collect();
        let comment =
            "# premath: issue memory is merged by id, revision and field (docs/reference/issue-memory.md)";
        made.lines(&root.join(".gitattributes"), comment, &lines)?;
    }
    let lines = LOCAL.map(|folder| (folder, folder.to_owned()));
    made.lines(&root.join(".gitignore"), "# premath: what belongs to one machine", &lines)
}

/// Makes git merge issue memory with this program in the clone around the folder, where it does not yet.
pub(super) fn install_merge_driver(
    made: &mut Making<'_>,
    root: &Path,
    issues: &Path,
) -> Result<(), StoreError> {
    let Some(auth) = made.disk.clone_auth() else { return Ok(()) };
    let Some([name, _]) = tracked_files(root, issues) else { return Ok(()) };
    let step = shown(&root.join(DRIVER));
    match auth.merge_driver(root, &name) {
        MergeDriver::Unasked => {}
        MergeDriver::Installed => made.note(Path::new(&step), false),
        MergeDriver::Missing => {
            auth.install_merge_driver(root).map_err(|why| StoreError::Io {
                doing: "tell git how to merge",
                path: issues.to_owned(),
                source: std::io::Error::other(why),
            })?;
            made.note(Path::new(&step), true);
        }
    }
    Ok(())
}
