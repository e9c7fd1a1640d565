//! The credential of the person at this machine: 32 secret bytes in a file that nobody else reads.
//!
//! It is outside every repository and outside what the sandbox lets a command see, so that no tool can sign. It must not be
//! printed, logged or handed to a child process.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::variable;

/// Where the credential is; none where there is no home.
fn place() -> Option<PathBuf> {
    state_folder().map(|folder| folder.join("person.key"))
}

/// What premath keeps for the person outside every repository; none where there is no home.
pub(super) fn state_folder() -> Option<PathBuf> {
    let base = variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".local").join("state")))?;
    Some(base.join("premath"))
}

/// The secret of the person; made where there is none, none where there is no place for one. Refused where its place lies
/// below a folder that tools and commands reach: whoever can read it could sign.
pub(crate) fn person_secret(reached: &[PathBuf]) -> std::io::Result<Option<[u8; 32]>> {
    let Some(path) = place() else { return Ok(None) };
    refuse_reached(&path, reached)?;
    match read_secret(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => make_secret(&path).map(Some),
        secret => secret.map(Some),
    }
}

/// Refuses a place for a secret below a folder that tools and commands reach.
pub(super) fn refuse_reached(path: &Path, reached: &[PathBuf]) -> std::io::Result<()> {
    let real = settled(path)?;
    let Some(folder) = reached.iter().find(|folder| is_below(path, &real, folder)) else { return Ok(()) };
    let (path, folder) = (path.display(), folder.display());
    let what = format!(
        "`{path}` lies in `{folder}`, where tools can read it; set XDG_STATE_HOME to a folder outside"
    );
    Err(Error::new(ErrorKind::PermissionDenied, what))
}

/// Whether a place lies below a folder, by its name or by where the names lead.
fn is_below(path: &Path, real: &Path, folder: &Path) -> bool {
    let is_under = |folder: &Path| real.starts_with(folder) || path.starts_with(folder);
    is_under(folder) || settled(folder).is_ok_and(|folder| is_under(&folder))
}

/// Where a path leads, however much of it is there.
fn settled(path: &Path) -> std::io::Result<PathBuf> {
    for there in path.ancestors() {
        match std::fs::canonicalize(there) {
            Ok(real) => return Ok(real.join(path.strip_prefix(there).unwrap_or_else(|_| Path::new("")))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(path.to_path_buf())
}

/// A secret that is there.
pub(super) fn read_secret(path: &Path) -> std::io::Result<[u8; 32]> {
    let file = std::fs::File::open(path)?;
    let mode = file.metadata()?.mode();
    if mode & 0o077 != 0 {
        let what = format!("`{}` can be read by others; `chmod 600` it or delete it", path.display());
        return Err(Error::new(ErrorKind::PermissionDenied, what));
    }
    let mut bytes = Vec::new();
    file.take(33).read_to_end(&mut bytes)?;
    bytes.try_into().map_err(|_| {
        let what =
            format!("`{}` is not a credential of 32 bytes; delete it to have a new one", path.display());
        Error::new(ErrorKind::InvalidData, what)
    })
}

/// Makes one, whole or not at all: whoever else makes one at the same time wins or loses as a whole.
pub(super) fn make_secret(path: &Path) -> std::io::Result<[u8; 32]> {
    let mut secret = [0_u8; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut secret)?;
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&fresh, path);
    std::fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read_secret(path),
        linked => linked.map(|()| secret),
    }
}
