//! Which paths of a workdir stay as they are whatever the profile: what other programs execute or obey without being asked.
//!
//! The repository as a whole is among them: a file that is missing in it (`commondir`) can turn it into another one.

#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use premath_tusk::tools::{ProtectedKind, ProtectedName, ProtectedPaths};
use serde::{Deserialize, Serialize};

use crate::placeholder::{is_marked_folder, stand_in_kind};
use crate::plan::StandIns;

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
    /// Those that are absent, what could stand in their place, and folders to be made above them.
    pub(crate) absent: StandIns,
    /// Whether one of them is a link, or lies behind one: a mount cannot hold that.
    pub(crate) has_links: bool,
}

/// The protected paths of a workdir, which is given resolved.
pub(crate) fn protected(workdir: &Path, extra: &[PathBuf]) -> Protected {
    let mut protected = Protected::default();
    for name in ProtectedPaths::names() {
        protected.add(workdir, Path::new(name.path), Some(stand_in_for(workdir, name)));
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
    protected.keep_outermost();
    protected
}

/// What no tool changes in a workdir on its own: the standard names, present or absent, and what the walls around commands
/// hold beyond them, above all what those names are links to.
///
/// # Errors
/// The workdir cannot be resolved.
pub fn protected_paths(workdir: &Path) -> std::io::Result<ProtectedPaths> {
    let held = protected(&std::fs::canonicalize(workdir)?, &[]).all;
    Ok(ProtectedPaths::standard().with_paths(held.iter().filter_map(|path| path.to_str())))
}

/// What stands in for a standard name that is absent.
///
/// A stand-in must not make a workdir the root of a repository of ours, nor break one that is: there, an empty
/// configuration is one that says nothing; elsewhere neither name has the kind that counts.
fn stand_in_for(workdir: &Path, name: &ProtectedName) -> Kind {
    match (name.path, name.kind) {
        (".premath", _) if workdir.join("premath.toml").is_file() => Kind::Folder,
        (".premath", _) => Kind::File,
        ("premath.toml", _) if workdir.join(".premath").is_dir() => Kind::File,
        ("premath.toml", _) | (_, ProtectedKind::Folder) => Kind::Folder,
        (_, ProtectedKind::File) => Kind::File,
    }
}

impl Protected {
    fn add(&mut self, workdir: &Path, path: &Path, when_absent: Option<Kind>) {
        let Some(path) = plain(path) else { return };
        let here = workdir.join(&path);
        match std::fs::symlink_metadata(&here) {
            Ok(metadata) => match (when_absent, stale_stand_in(&here, &metadata)) {
                (Some(_), Some(kind)) => self.add_absent(workdir, path, kind),
                (_, _) => self.add_present(workdir, path),
            },
            Err(_) => {
                if let Some(kind) = when_absent {
                    self.add_absent(workdir, path, kind);
                }
            }
        }
    }

    fn add_present(&mut self, workdir: &Path, path: PathBuf) {
        let here = workdir.join(&path);
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

    /// An absent path needs a folder to be absent in. What is no folder is held itself: nothing can come below it.
    fn add_absent(&mut self, workdir: &Path, path: PathBuf, kind: Kind) {
        let above: Vec<&Path> = path.ancestors().skip(1).filter(|one| !one.as_os_str().is_empty()).collect();
        for folder in above.into_iter().rev() {
            match std::fs::symlink_metadata(workdir.join(folder)) {
                Ok(metadata) if metadata.is_dir() => {
                    if is_marked_folder(metadata.mode()) {
                        self.absent.parents.push(folder.to_path_buf());
                    }
                }
                Ok(_) => return self.add_present(workdir, folder.to_path_buf()),
                Err(_) => self.absent.parents.push(folder.to_path_buf()),
            }
        }
        self.absent.paths.push((path.clone(), kind));
        self.all.push(path);
    }

    /// What lies below another protected path is held with it.
    fn keep_outermost(&mut self) {
        self.all.sort_unstable();
        self.all.dedup();
        let all = std::mem::take(&mut self.all);
        let is_outermost =
            |path: &Path| !path.ancestors().skip(1).any(|above| all.iter().any(|one| one == above));
        self.absent.paths.retain(|(path, _)| is_outermost(path));
        self.absent.paths.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        self.absent.paths.dedup_by(|left, right| left.0 == right.0);
        self.absent.parents.retain(|path| is_outermost(path) && !all.contains(path));
        self.absent.parents.sort_unstable();
        self.absent.parents.dedup();
        self.all = all.iter().filter(|path| is_outermost(path)).cloned().collect();
    }
}

/// What a run that was killed together with all its processes left behind, or another run in this workdir holds.
#[expect(clippy::disallowed_methods, reason = "a folder is listed to see whether it is empty")]
fn stale_stand_in(here: &Path, metadata: &Metadata) -> Option<Kind> {
    let kind = stand_in_kind(metadata.mode(), i64::try_from(metadata.len()).unwrap_or(i64::MAX))?;
    let is_empty = || std::fs::read_dir(here).is_ok_and(|mut entries| entries.next().is_none());
    (kind == Kind::File || is_empty()).then_some(kind)
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
