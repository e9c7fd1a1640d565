//! The conformance vectors of the repository, as a source for tests.

#![expect(clippy::disallowed_methods, reason = "a test reads the vectors from files")]

use std::fs;
use std::path::Path;

use premath_host::{Case, SourceError, VectorSource};

/// Everything below `conformance/`.
#[derive(Debug)]
pub(crate) struct Vectors;

impl VectorSource for Vectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
        let mut cases = Vec::new();
        collect(&root, &root, &mut cases)
            .map_err(|source| SourceError::Unreadable { place: root.display().to_string(), source })?;
        cases.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(cases)
    }
}

fn collect(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join("expect.json").exists() {
            cases.push(Case {
                name: name(root, &path),
                case: fs::read(path.join("case.json"))?,
                expect: fs::read(path.join("expect.json"))?,
            });
        } else if path.is_dir() {
            collect(root, &path, cases)?;
        }
    }
    Ok(())
}

fn name(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
