//! Where issue memory lies: for everything that has to leave it alone, and for everything that has to know it again under
//! another name. It must not open it.

use std::path::{Component, Path, PathBuf};

/// What commands and tools must not change because issue memory is there: its folder, from the root, and its files,
/// absolute. In the root itself it is the files alone, and below `.premath` nothing needs to be said.
pub(crate) fn kept_memory(root: &Path, configured: &str) -> Vec<PathBuf> {
    let file = root.join(configured);
    let (real_root, named_root) = (real(root), plain(root));
    // By its name, by where its folder is, and by where the file is: any of them may be a link.
    let places = [(named_root, plain(&file)), (real_root.clone(), behind(&file)), (real_root, real(&file))];
    let mut kept = Vec::new();
    for (root, file) in places.into_iter().filter_map(|(root, file)| Some((root?, file?))) {
        if file.starts_with(root.join(".premath")) {
            continue;
        }
        let folder = file.strip_prefix(&root).ok().and_then(Path::parent);
        kept.extend(folder.filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_path_buf));
        kept.extend(files(&file));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The files that an issue memory consists of.
fn files(issues: &Path) -> Vec<PathBuf> {
    let stem = issues.file_stem().unwrap_or_default().to_string_lossy();
    let extension = issues.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    let history = format!("{stem}.history{}", extension.unwrap_or_default());
    let name = issues.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut names: Vec<String> =
        ["index", "index.lock", "index.tmp"].map(|suffix| format!("{name}.{suffix}")).to_vec();
    for log in [name, history, format!("{stem}.audit.jsonl")] {
        names.extend(["head", "lock"].map(|suffix| format!("{log}.{suffix}")));
        names.push(log);
    }
    names.into_iter().map(|name| issues.with_file_name(name)).collect()
}

fn here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Without detours, as it is written.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(here(path)).ok()?.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    Some(plain)
}

fn real(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(here(path)).ok()
}

/// A name in the folder where it really is.
fn behind(file: &Path) -> Option<PathBuf> {
    Some(real(file.parent()?)?.join(file.file_name()?))
}

/// Where the file is that a path leads to by links: from the root when it is below it, else absolute. None where there are
/// no links, and the path says it itself.
///
/// # Errors
/// A link that leads nowhere, or in circles.
pub(crate) fn behind_links(root: &Path, path: &Path) -> std::io::Result<Option<PathBuf>> {
    let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if !path.ancestors().any(is_link) {
        return Ok(None);
    }
    // A file that is not there yet is where its folder is.
    let found = match std::fs::canonicalize(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_link(path) => {
            behind(path).ok_or(error)?
        }
        found => found?,
    };
    let below = real(root).and_then(|root| found.strip_prefix(root).map(Path::to_path_buf).ok());
    Ok(Some(below.unwrap_or(found)))
}

/// How many names a file has; one that is not there has none.
pub(crate) fn names_of(path: &Path) -> u64 {
    let Ok(found) = std::fs::metadata(path) else { return 0 };
    #[cfg(unix)]
    return if found.is_file() { std::os::unix::fs::MetadataExt::nlink(&found) } else { 1 };
    #[cfg(not(unix))]
    return u64::from(found.is_file());
}

/// Links that lead to links are followed this often.
const MOST_LINKS: usize = 40;

/// Where a path leads when every link in it is followed, also when what it names is not there yet. A circle of links ends where
/// it is noticed.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(here(path)).unwrap_or_else(|_| path.to_owned());
    let mut open: Vec<std::ffi::OsString> = parts(&absolute);
    let (mut found, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = open.pop() {
        if part == ".." {
            found.pop();
            continue;
        }
        let next = found.join(&part);
        match std::fs::read_link(&next) {
            Ok(target) if links < MOST_LINKS => {
                links += 1;
                if target.is_absolute() {
                    found = PathBuf::from("/");
                }
                open.extend(parts(&target));
            }
            Ok(_) | Err(_) => found = next,
        }
    }
    found
}

/// The names and detours of a path, the last one first.
fn parts(path: &Path) -> Vec<std::ffi::OsString> {
    let named = path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    let mut named: Vec<_> = named.collect();
    named.reverse();
    named
}

/// Whether a path leads below a folder, every link followed.
pub(crate) fn is_below(folder: &Path, path: &Path) -> bool {
    resolved(path).starts_with(resolved(folder))
}
