//! Every failure class has a page, a vector that triggers it, and a place in the kernel that gives it.

use std::collections::BTreeSet;

use premath_kernel::{FailureClass, Value};
use premath_wire::strict::{Limits, parse};

use super::places::{bytes, files, line_of, text};
use super::{CoherenceClass, Found};
use crate::table::ActionError;
use crate::workspace::Workspace;

const PAGES: &str = "docs/failures";
const CLASSES: &str = "crates/kernel/src/failure.rs";
/// Where a class may be given as the reason of a refusal.
const EMITTERS: [&str; 2] = ["crates/kernel/src/checks", "crates/kernel/src/normalize"];
const EMITTING: [&str; 3] =
    ["crates/kernel/src/checks.rs", "crates/kernel/src/normalize.rs", "crates/kernel/src/policy/kind.rs"];

pub(super) fn check(workspace: &Workspace, found: &mut Found) -> Result<(), ActionError> {
    let classes = text(workspace, CLASSES)?.unwrap_or_default();
    let covered = covered(workspace)?;
    let emitted = emitted(workspace)?;
    found.count("failure classes", FailureClass::ALL.len());
    for class in FailureClass::ALL {
        let code = class.code();
        let line = line_of(&classes, &format!("\"{code}\""));
        let page = format!("{PAGES}/{code}.md");
        if bytes(workspace, &page)?.is_none() {
            let detail = format!("`{code}` has no page `{page}`");
            found.problem(CoherenceClass::FailurePageMissing, CLASSES, line, detail);
        }
        if !covered.contains(code) {
            let detail = format!("no vector of conformance covers `{code}`");
            found.problem(CoherenceClass::FailureVectorMissing, CLASSES, line, detail);
        }
        if !emitted.contains(&format!("FailureClass::{class:?}")) {
            let detail = format!("nothing in the kernel gives `{code}`");
            found.problem(CoherenceClass::FailureEmitterMissing, CLASSES, line, detail);
        }
    }
    for page in files(workspace, PAGES, ".md")? {
        let code = page.strip_prefix(PAGES).map(|name| name.trim_matches('/').trim_end_matches(".md"));
        if !FailureClass::ALL.iter().any(|class| code == Some(class.code())) {
            let detail = "the page is about no failure class".to_owned();
            found.problem(CoherenceClass::FailurePageUnknown, &page, None, detail);
        }
    }
    Ok(())
}

/// The classes that vectors say they trigger.
fn covered(workspace: &Workspace) -> Result<BTreeSet<String>, ActionError> {
    let mut covered = BTreeSet::new();
    for file in files(workspace, "conformance", "expect.json")? {
        let bytes = bytes(workspace, &file)?.unwrap_or_default();
        // A vector that cannot be read is a matter of `conformance-run`.
        let Ok(expect) = parse(&bytes, Limits::default()) else { continue };
        let covers = expect.as_object().and_then(|expect| expect.get("covers")).and_then(Value::as_array);
        covered.extend(covers.into_iter().flatten().filter_map(Value::as_text).map(str::to_owned));
    }
    Ok(covered)
}

/// Every name of a class in the sources of the kernel that refuse, without their tests.
fn emitted(workspace: &Workspace) -> Result<BTreeSet<String>, ActionError> {
    let mut sources: Vec<String> = EMITTING.map(str::to_owned).to_vec();
    for folder in EMITTERS {
        sources.extend(files(workspace, folder, ".rs")?);
    }
    let mut words = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.ends_with("tests.rs")) {
        let text = text(workspace, source)?.unwrap_or_default();
        let is_between = |letter: char| !letter.is_alphanumeric() && letter != ':';
        words.extend(
            text.split(is_between).filter(|word| word.starts_with("FailureClass::")).map(str::to_owned),
        );
    }
    Ok(words)
}
