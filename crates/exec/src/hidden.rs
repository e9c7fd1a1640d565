//! Files of a workdir that commands do not get to read: those whose name says that they hold credentials.
//!
//! What a command has read leaves in any disguise it likes, so it must not read them at all. It must not look into a file.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use premath_tusk::tools::holds_credentials;

/// Folders that other programs fill.
const PASSED_OVER: [&str; 4] = [".git", ".premath", "node_modules", "target"];
/// So deep is looked.
const DEEPEST: usize = 8;
/// So many entries are looked at; a workdir that has more hides what is found among them, the shallowest first.
const MOST: usize = 20_000;

/// The files of a workdir that are hidden, relative to it, sorted; but for those below what is `readable` on purpose.
#[expect(clippy::disallowed_methods, reason = "names are looked at before a command can change them")]
pub(crate) fn hidden(workdir: &Path, readable: &[PathBuf]) -> Vec<PathBuf> {
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
