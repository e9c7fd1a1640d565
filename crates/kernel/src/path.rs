//! Which path lies under which: by whole components, on text alone.
//!
//! The kernel never looks at a disk: links and mounts are the runtime's to resolve before it reports a path. Spellings
//! whose meaning depends on a platform or a shell are under nothing.

use alloc::collections::BTreeSet;
use alloc::string::String;

/// Folders and files that cover what lies below them.
#[derive(Debug, Clone)]
pub struct Roots(BTreeSet<String>);

impl Roots {
    /// The roots, in their normal spelling. A root that means nothing by itself covers nothing.
    #[must_use]
    pub fn new<'a>(roots: impl IntoIterator<Item = &'a str>) -> Self {
        Self(roots.into_iter().filter_map(normal).collect())
    }

    /// Whether `path` is one of the roots or lies below one. Costs its own components, not the number of roots.
    #[must_use]
    pub fn cover(&self, path: &str) -> bool {
        let Some(path) = normal(path) else {
            return false;
        };
        path.match_indices('/')
            .filter_map(|(end, _)| path.get(..=end))
            .any(|ancestor| self.0.contains(ancestor))
    }
}

/// `./` or `/` and one slash behind each component; none for a path that climbs or is spelled for another system.
fn normal(path: &str) -> Option<String> {
    let has_drive = path.chars().nth(1) == Some(':');
    let has_scheme = path.contains("://");
    if has_drive
        || has_scheme
        || path.contains('\\')
        || path.starts_with('~')
        || path.contains(char::is_control)
    {
        return None;
    }
    let mut normal = String::from(if path.starts_with('/') { "/" } else { "./" });
    for component in path.split('/').filter(|component| !component.is_empty() && *component != ".") {
        if component == ".." {
            return None;
        }
        normal.push_str(component);
        normal.push('/');
    }
    Some(normal)
}

#[cfg(test)]
mod tests;
