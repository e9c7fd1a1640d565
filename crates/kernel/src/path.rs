//! Which path lies under which: by whole components, on text alone.
//!
//! The kernel never looks at a disk: links and mounts are the runtime's to resolve before it reports a path.

/// Whether `path` lies under one of `roots`. A path that climbs (`..`) lies under nothing.
pub(crate) fn is_under_any<'a>(path: &str, roots: impl IntoIterator<Item = &'a str>) -> bool {
    !climbs(path) && roots.into_iter().any(|root| is_under(path, root))
}

fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|component| component == "..")
}

fn is_under(path: &str, root: &str) -> bool {
    if path.starts_with('/') != root.starts_with('/') {
        return false;
    }
    let mut components = components(path);
    self::components(root).all(|wanted| components.next() == Some(wanted))
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|component| !component.is_empty() && *component != ".")
}

#[cfg(test)]
mod tests;
