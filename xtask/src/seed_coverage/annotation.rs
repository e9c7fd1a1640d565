//! The `Seed:` lines in the comments of Rust files, and the tests they stand above.

use anyhow::{Result, bail};

/// A line that says which clauses a test shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Annotation {
    /// `crates/kernel/tests/close.rs`, with `::name` for one test.
    pub(super) place: String,
    /// The clauses, as they are named.
    pub(super) clauses: Vec<String>,
}

/// Every `Seed:` line of a file. `//! Seed: …` speaks of all its tests, `/// Seed: …` of the test below it.
pub(super) fn annotations(path: &str, text: &str) -> Result<Vec<Annotation>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let has_tests = lines.contains(&"#[test]");
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(named) = line.strip_prefix("//! Seed:") {
            if !has_tests && !path.ends_with("/main.rs") {
                bail!("{path}:{}: a `Seed:` line in a file without tests", at + 1);
            }
            found.push(Annotation { place: path.to_owned(), clauses: clauses(named) });
        } else if let Some(named) = line.strip_prefix("/// Seed:") {
            let Some(name) = test_below(lines.iter().skip(at + 1)) else {
                bail!("{path}:{}: a `Seed:` line above no test", at + 1);
            };
            found.push(Annotation { place: format!("{path}::{name}"), clauses: clauses(named) });
        }
    }
    Ok(found)
}

fn clauses(named: &str) -> Vec<String> {
    named.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// The name of the function below, when what stands between says that it is a test.
fn test_below<'l>(lines: impl Iterator<Item = &'l &'l str>) -> Option<&'l str> {
    let mut is_test = false;
    for line in lines {
        if line.starts_with("///") || line.starts_with("//") {
            continue;
        }
        if line.starts_with("#[") {
            is_test |= *line == "#[test]" || line.ends_with("::test]");
            continue;
        }
        let signature = line.strip_prefix("async ").unwrap_or(line);
        let name = signature.strip_prefix("fn ").and_then(|rest| rest.split('(').next());
        return name.filter(|_| is_test);
    }
    None
}
