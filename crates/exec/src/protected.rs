//! Which paths of a workdir stay as they are whatever the profile: what other programs execute or obey without being asked.
//!
//! The repository as a whole is among them: a file that is missing in it (`commondir`) can turn it into another one.

#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use premath_tusk::tools::ProtectedPaths;
use serde::{Deserialize, Serialize};

/// What a name is when it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// The protected paths of one workdir, relative to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Protected {
    /// All of them, sorted.
    pub(crate) all: Vec<PathBuf>,
    /// Those that are not there, and what could stand in their place.
    pub(crate) absent: Vec<(PathBuf, Kind)>,
    /// Whether one of them is a link, or lies behind one: a mount cannot hold that.
    pub(crate) has_links: bool,
}

/// The protected paths of a workdir, which is given resolved.
pub(crate) fn protected(workdir: &Path, extra: &[PathBuf]) -> Protected {
    let mut protected = Protected::default();
    for name in ProtectedPaths::TOP {
        protected.add(workdir, Path::new(name), when_absent(workdir, name));
    }
    for path in submodules(workdir) {
        protected.add(workdir, &path.join(".git"), Some(Kind::Folder));
    }
    for path in behind_hooks(workdir) {
        protected.add(workdir, &path, None);
    }
    for path in named_by_configuration(workdir) {
        protected.add(workdir, &path, None);
    }
    for path in extra {
        protected.add(workdir, path, Some(Kind::Folder));
    }
    protected.all.sort_unstable();
    protected.all.dedup();
    protected.absent.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    protected.absent.dedup_by(|left, right| left.0 == right.0);
    protected
}

/// What no tool changes in a workdir: the standard names, whether they are there or not, and what the walls around commands
/// hold beyond them, above all what those names are links to.
///
/// # Errors
/// The workdir cannot be resolved.
pub fn protected_paths(workdir: &Path) -> std::io::Result<ProtectedPaths> {
    let held = protected(&std::fs::canonicalize(workdir)?, &[]).all;
    let held = held.iter().filter_map(|path| path.to_str());
    Ok(ProtectedPaths::new(ProtectedPaths::TOP.into_iter().chain(held), ProtectedPaths::ANYWHERE))
}

/// What stands in for a name that is not there; none for those whose absence gives nobody a way in.
///
/// A stand-in must not make a workdir the root of a repository of ours, nor break one that is: there, an empty
/// configuration is one that says nothing; elsewhere neither name has the kind that counts.
fn when_absent(workdir: &Path, name: &str) -> Option<Kind> {
    match name {
        ".claude" | ".codex" | ".config" | ".gnupg" | ".husky" | ".local" | ".mcp.json" | ".ssh" => None,
        ".git" => Some(Kind::Folder),
        ".premath" if workdir.join("premath.toml").is_file() => Some(Kind::Folder),
        "premath.toml" if !workdir.join(".premath").is_dir() => Some(Kind::Folder),
        _ => Some(Kind::File),
    }
}

impl Protected {
    fn add(&mut self, workdir: &Path, path: &Path, when_absent: Option<Kind>) {
        let Some(path) = plain(path) else { return };
        let here = workdir.join(&path);
        match std::fs::symlink_metadata(&here) {
            Ok(_) => {
                let real = std::fs::canonicalize(&here).ok();
                if real.as_deref() != Some(here.as_path()) {
                    self.has_links = true;
                    // What the link leads to counts as much as the link.
                    if let Some(inside) = real.as_deref().and_then(|real| real.strip_prefix(workdir).ok())
                        && !inside.as_os_str().is_empty()
                    {
                        self.all.push(inside.to_path_buf());
                    }
                }
                self.all.push(path);
            }
            Err(_) => {
                if let Some(kind) = when_absent {
                    self.absent.push((path.clone(), kind));
                    self.all.push(path);
                }
            }
        }
    }
}

/// A relative path without anything but names; `None` when it leads out, or nowhere.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!plain.as_os_str().is_empty()).then_some(plain)
}

/// `git status` at the top runs in every submodule, with what the submodule's own configuration says.
fn submodules(workdir: &Path) -> Vec<PathBuf> {
    let named = values(&read(&workdir.join(".gitmodules")), "path");
    named.into_iter().map(PathBuf::from).filter(|path| workdir.join(path).is_dir()).collect()
}

/// What in the working tree hooks and configuration of the repository are links to.
#[expect(
    clippy::disallowed_methods,
    reason = "what git will execute is looked for before a command can change it"
)]
fn behind_hooks(workdir: &Path) -> Vec<PathBuf> {
    let repository = workdir.join(".git");
    let hooks = repository.join("hooks");
    let each = std::fs::read_dir(&hooks).into_iter().flatten().flatten().map(|entry| entry.path());
    let leads_into_the_tree = |path: PathBuf| {
        let real = std::fs::canonicalize(path).ok()?;
        let inside = real.strip_prefix(workdir).ok()?;
        (!inside.starts_with(".git") && !inside.as_os_str().is_empty()).then(|| inside.to_path_buf())
    };
    each.chain([hooks, repository.join("config")]).filter_map(leads_into_the_tree).collect()
}

/// Hooks and further configuration that the repository's configuration puts into the working tree.
fn named_by_configuration(workdir: &Path) -> Vec<PathBuf> {
    let text = read(&workdir.join(".git/config"));
    let hooks = values(&text, "hookspath").into_iter().map(PathBuf::from);
    let included = values(&text, "path").into_iter().map(|path| Path::new(".git").join(path));
    let named = hooks.chain(included);
    named.map(|path| path.strip_prefix(workdir).map_or_else(|_| path.clone(), Path::to_path_buf)).collect()
}

#[expect(clippy::disallowed_methods, reason = "what git will obey is read before a command can change it")]
fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The values of a key in a file of git's format, whatever section it is in.
fn values(text: &str, key: &str) -> Vec<String> {
    let of_line = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let is_named = name.trim().eq_ignore_ascii_case(key);
        is_named.then(|| value.trim().trim_matches('"').to_owned())
    };
    text.lines().filter_map(of_line).filter(|value| !value.is_empty()).collect()
}
