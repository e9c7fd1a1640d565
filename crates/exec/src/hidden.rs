//! Files of a workdir that commands do not get to read: those whose name says that they hold credentials.
//!
//! What a command has read leaves in any disguise it likes, so it must not read them at all. It must not look into a file.

#[cfg(test)]
mod tests;

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use premath_tusk::sandbox::{Profile, StateAccess};
use premath_tusk::tools::holds_credentials;

use crate::plan::State;

/// Premath's own folder in a workdir.
pub(crate) const STATE_FOLDER: &str = ".premath";
/// What of a repository holds the content of every version, relative to the workdir.
const HISTORY: [&str; 3] = [".git/lfs", ".git/modules", ".git/objects"];

/// Folders of a workdir that a profile hides, relative to it.
pub(crate) fn hidden_folders(workdir: &Path, profile: Profile) -> Vec<PathBuf> {
    let history = HISTORY.into_iter().filter(|_| profile.hides_history()).map(PathBuf::from);
    history.filter(|path| workdir.join(path).is_dir()).collect()
}

/// What a command may read of premath's own folder in a workdir.
pub(crate) fn state(workdir: &Path, access: &StateAccess) -> State {
    let is_there =
        std::fs::symlink_metadata(workdir.join(STATE_FOLDER)).is_ok_and(|metadata| metadata.is_dir());
    match access {
        StateAccess::Files(files) if is_there => State::Files(files.iter().map(PathBuf::from).collect()),
        StateAccess::Files(_) | StateAccess::All => State::All,
    }
}

/// Folders that other programs fill.
const PASSED_OVER: [&str; 4] = [".git", ".premath", "node_modules", "target"];
/// So deep is looked.
const DEEPEST: usize = 8;
/// So many entries are looked at; a workdir that has more hides what is found among them, the shallowest first.
const MOST: usize = 20_000;

/// The files of a workdir that are hidden, relative to it, sorted: credentials, but for those below what is `readable` on
/// purpose, and sockets other than those that are named.
#[expect(clippy::disallowed_methods, reason = "names are looked at before a command can change them")]
pub(crate) fn hidden(workdir: &Path, readable: &[PathBuf], sockets: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut folders = vec![workdir.to_path_buf()];
    for _ in 0..DEEPEST {
        let mut deeper = Vec::new();
        for folder in &folders {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                looked_at += 1;
                let (name, kind) = (entry.file_name(), entry.file_type());
                let (Some(name), Ok(kind)) = (name.to_str(), kind) else { continue };
                if kind.is_dir() && !PASSED_OVER.contains(&name) {
                    deeper.push(entry.path());
                } else if kind.is_socket() {
                    let path = entry.path().strip_prefix(workdir).map(Path::to_path_buf);
                    found.extend(path.ok().filter(|path| !sockets.contains(path)));
                } else if !kind.is_dir() && holds_credentials(name) {
                    found.extend(place(&entry.path(), workdir, readable));
                }
            }
            if looked_at > MOST {
                break;
            }
        }
        folders = deeper;
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where it really is: a link is hidden with what it leads to, and what lies outside cannot be read anyway.
fn place(path: &Path, workdir: &Path, readable: &[PathBuf]) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok()?;
    if readable.iter().any(|folder| real.starts_with(folder)) || !real.is_file() {
        return None;
    }
    real.strip_prefix(workdir).ok().map(Path::to_path_buf)
}
