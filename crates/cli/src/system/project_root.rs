//! Which directory a command belongs to. The search goes up to the repository boundary (`.git`) and never above it, and takes
//! neither the home directory nor the root of the file system for the project of a directory below.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::path::{Path, PathBuf};

use premath_exec::has_git;

use super::{is_root, variable};

/// The root of the project this runs in: the nearest directory with `.premath` or `premath.toml` inside the current git
/// repository, else the current directory, which is the empty path.
pub(crate) fn repository_root() -> PathBuf {
    if is_root(Path::new("")) {
        return PathBuf::new();
    }
    let Ok(current) = std::env::current_dir() else { return PathBuf::new() };
    find_above(&current, &is_root, &has_git, home_directory().as_deref()).unwrap_or_default()
}

/// The nearest marked directory above `current`, up to the first with a boundary. The home directory is not looked at, nor
/// is anything above it.
fn find_above(
    current: &Path,
    is_marked: &dyn Fn(&Path) -> bool,
    is_boundary: &dyn Fn(&Path) -> bool,
    home: Option<&Path>,
) -> Option<PathBuf> {
    if is_boundary(current) {
        return None;
    }
    for directory in current.ancestors().skip(1) {
        if Some(directory) == home || directory.parent().is_none() {
            return None;
        }
        if is_marked(directory) {
            return Some(directory.to_path_buf());
        }
        if is_boundary(directory) {
            return None;
        }
    }
    None
}

/// What a directory is, where it is too much for an agent: the home directory, or the root of the file system.
pub(crate) fn broad_directory(directory: &Path) -> Option<&'static str> {
    let real = std::fs::canonicalize(directory).ok()?;
    if real.parent().is_none() {
        return Some("the root of the file system");
    }
    let home = home_directory()?;
    if real == home {
        return Some("your home directory");
    }
    home.starts_with(&real).then_some("a directory above your home directory")
}

/// The home directory, links followed.
fn home_directory() -> Option<PathBuf> {
    let named = variable("HOME").map(PathBuf::from).filter(|path| path.is_absolute())?;
    std::fs::canonicalize(named).ok()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::find_above;

    fn find(current: &str, marked: &[&str], boundaries: &[&str]) -> Option<PathBuf> {
        let is_in = |list: &[&str], path: &Path| list.iter().any(|one| Path::new(one) == path);
        find_above(
            Path::new(current),
            &|path| is_in(marked, path),
            &|path| is_in(boundaries, path),
            Some(Path::new("/home/jo")),
        )
    }

    #[test]
    fn the_nearest_marked_directory_inside_the_git_repository_is_the_root() {
        let found = find("/home/jo/a/src/x", &["/home/jo/a"], &["/home/jo/a"]);
        assert_eq!(found, Some(PathBuf::from("/home/jo/a")));
        assert_eq!(find("/srv/a/b", &["/srv/a"], &[]), Some(PathBuf::from("/srv/a")));
    }

    #[test]
    fn a_marked_directory_above_the_git_repository_is_not_the_root() {
        assert_eq!(find("/home/jo/a/b/c", &["/home/jo/a"], &["/home/jo/a/b"]), None);
        assert_eq!(find("/home/jo/a/b", &["/home/jo/a"], &["/home/jo/a/b"]), None);
    }

    #[test]
    fn the_home_directory_is_not_the_root_of_a_directory_below() {
        assert_eq!(find("/home/jo/a", &["/home/jo"], &[]), None);
        assert_eq!(find("/home/jo/a", &["/home"], &[]), None);
        assert_eq!(find("/srv/a", &["/"], &[]), None);
    }
}
