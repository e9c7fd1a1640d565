//! The token that clients over HTTP show: made once for a repository, in a file that nobody else reads.
//!
//! It is where the person's credential is, outside every repository, so that it is neither committed nor seen from within
//! the sandbox. It must not be printed.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::{Error, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use premath_kernel::Digest;

use super::person::state_folder;

/// Whose token it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenOf {
    /// Agents that come over MCP.
    Clients,
    /// The person, at the console.
    Person,
}

/// The token for a repository and the file it is in; made where there is none.
pub(crate) fn client_token(root: &Path, whose: TokenOf) -> std::io::Result<(String, PathBuf)> {
    let folder = state_folder()
        .ok_or_else(|| Error::new(ErrorKind::NotFound, "there is no home to keep a token in"))?;
    let here = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let real = std::fs::canonicalize(here)?;
    let digest = Digest::of_bytes(real.as_os_str().as_encoded_bytes());
    let name: String = digest.as_str().chars().skip("sha256:".len()).take(16).collect();
    let kind = match whose {
        TokenOf::Clients => "mcp",
        TokenOf::Person => "console",
    };
    let path = folder.join(format!("{kind}-{name}.token"));
    match read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => make(&path),
        token => token,
    }
    .map(|token| (token, path))
}

fn read(path: &Path) -> std::io::Result<String> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        let what = format!("`{}` can be read by others; `chmod 600` it or delete it", path.display());
        return Err(Error::new(ErrorKind::PermissionDenied, what));
    }
    let mut text = String::new();
    file.take(512).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}

/// Makes one, whole or not at all: whoever else makes one at the same time wins or loses as a whole.
fn make(path: &Path) -> std::io::Result<String> {
    let mut secret = [0_u8; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut secret)?;
    let token: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&fresh, path);
    std::fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(path),
        linked => linked.map(|()| token),
    }
}
