//! Which command a folder is tested by, from the files that say so. It must not start anything, and must not guess where
//! nothing says it.

use std::io::ErrorKind;
use std::path::Path;

use premath_bd::{Access, Disk, StoreError};

use crate::actions::issue_upkeep::read;
use crate::table::ActionError;

/// The largest file that is looked into.
const LARGEST: u64 = 1 << 20;
/// What a fresh package of npm has in the place of tests.
const NO_NPM_TESTS: &str = "no test specified";

/// The command; none when no file says one.
pub(super) fn detect_baseline(disk: &dyn Disk, root: &Path) -> Result<Option<String>, ActionError> {
    let text = |name: &str| text_of(disk, &root.join(name));
    if text("Cargo.toml")?.is_some() {
        return Ok(Some("cargo test".to_owned()));
    }
    if text("package.json")?.is_some_and(|package| has_npm_tests(&package)) {
        return Ok(Some("npm test".to_owned()));
    }
    let names_pytest =
        |name: &str| Ok::<_, ActionError>(text(name)?.is_some_and(|text| text.contains("pytest")));
    let has_pytest = text("pytest.ini")?.is_some()
        || names_pytest("pyproject.toml")?
        || names_pytest("setup.cfg")?
        || names_pytest("tox.ini")?;
    if has_pytest {
        return Ok(Some("python3 -m pytest".to_owned()));
    }
    if text("go.mod")?.is_some() {
        return Ok(Some("go test ./...".to_owned()));
    }
    for name in ["GNUmakefile", "makefile", "Makefile"] {
        if text(name)?.is_some_and(|rules| has_test_target(&rules)) {
            return Ok(Some("make test".to_owned()));
        }
    }
    if text("pom.xml")?.is_some() {
        return Ok(Some("mvn -q test".to_owned()));
    }
    if text("gradlew")?.is_some() {
        return Ok(Some("./gradlew test".to_owned()));
    }
    Ok(None)
}

/// The text of a file; none when there is no such file, or it is none that a person wrote.
fn text_of(disk: &dyn Disk, path: &Path) -> Result<Option<String>, ActionError> {
    let length = match disk.open(path, Access::Read).and_then(|file| file.stat()) {
        Ok(stat) => stat.length,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(source) => return Err(StoreError::Io { doing: "open", path: path.to_owned(), source }.into()),
    };
    if length > LARGEST {
        return Ok(None);
    }
    match read(disk, path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        // A folder of that name.
        Err(ActionError::Store(StoreError::Io { source, .. }))
            if source.kind() == ErrorKind::IsADirectory =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn has_npm_tests(package: &str) -> bool {
    let package: Option<serde_json::Value> = serde_json::from_str(package).ok();
    let script = package.as_ref().and_then(|package| package.get("scripts")?.get("test")?.as_str());
    script.is_some_and(|script| !script.trim().is_empty() && !script.contains(NO_NPM_TESTS))
}

fn has_test_target(rules: &str) -> bool {
    rules.lines().any(|line| {
        let targets = line.split_once(':').filter(|(_, behind)| !behind.starts_with('='));
        targets.is_some_and(|(names, _)| {
            !line.starts_with(['\t', '#']) && names.split_whitespace().any(|name| name == "test")
        })
    })
}

#[cfg(test)]
mod tests;
