//! `cargo xtask seed-coverage`: writes docs/reference/seed-coverage.md from the list of clauses and the `Seed:` lines in the
//! comments of tests. It fails on a clause without evidence, on a line that names no clause, and on a line above no test.
//!
//! Must not judge whether a test shows what its line says: a reader does.

mod annotation;
mod clause;
mod page;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use self::annotation::{Annotation, annotations};
use self::clause::{Evidence, Section, read_sections};
use crate::report::say;
use crate::system::{exists, read_or_empty, rust_files, write_file};

#[cfg(test)]
mod tests;

const CLAUSES: &str = "docs/reference/seed-clauses.txt";
const PAGE: &str = "docs/reference/seed-coverage.md";
/// Where tests are.
const SOURCES: [&str; 2] = ["crates", "xtask"];

/// Arguments of `seed-coverage`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Compare with the page that is committed and write nothing
    #[arg(long)]
    check: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let note = if arguments.check { check()? } else { write()? };
    say(&note);
    Ok(())
}

/// The step of `ci`: the page is what the list and the tests give.
pub(crate) fn check() -> Result<String> {
    let (text, note) = generate()?;
    if read_or_empty(PAGE)? != text {
        bail!("{PAGE} is out of date: run `cargo xtask seed-coverage`");
    }
    Ok(note)
}

fn write() -> Result<String> {
    let (text, note) = generate()?;
    write_file(PAGE, &text)?;
    Ok(note)
}

fn generate() -> Result<(String, String)> {
    let sections = read_sections(&read_or_empty(CLAUSES)?)?;
    let mut found = Vec::new();
    for folder in SOURCES {
        for path in rust_files(folder)? {
            found.extend(annotations(&path, &read_or_empty(&path)?)?);
        }
    }
    let coverage = cover(&sections, &found)?;
    Ok((page::render(&sections, &coverage), page::summary(&sections)))
}

/// The tests of each clause.
type Coverage<'a> = BTreeMap<String, Vec<&'a Annotation>>;

/// Puts tests to clauses, and names everything that does not fit.
fn cover<'a>(sections: &[Section], found: &'a [Annotation]) -> Result<Coverage<'a>> {
    let mut coverage: Coverage<'a> = BTreeMap::new();
    let mut problems = Vec::new();
    for annotation in found {
        for named in &annotation.clauses {
            let ids = matching(sections, named);
            if ids.is_empty() {
                problems.push(format!("{}: `{named}` is no clause of {CLAUSES}", annotation.place));
            }
            for id in ids {
                coverage.entry(id).or_default().push(annotation);
            }
        }
    }
    for clause in sections.iter().flat_map(|section| &section.clauses) {
        if clause.evidence == Evidence::Tests && !coverage.contains_key(&clause.id) {
            problems.push(format!("{}: `{}` has no evidence", clause.id, clause.text));
        }
        if let Evidence::File(path) = &clause.evidence
            && !exists(path)
        {
            problems.push(format!("{}: there is no `{path}`", clause.id));
        }
    }
    if problems.is_empty() {
        return Ok(coverage);
    }
    bail!("seed coverage is incomplete:\n  {}", problems.join("\n  "))
}

/// The clauses that a name stands for: itself, with `/*` at its end every clause of the section, with `/1-4` those from 1 to 4.
fn matching(sections: &[Section], named: &str) -> Vec<String> {
    let Some((name, which)) = named.rsplit_once('/') else { return Vec::new() };
    let Some(section) = sections.iter().find(|section| section.id == name) else { return Vec::new() };
    let (first, last) = match which.split_once('-') {
        _all if which == "*" => (1, section.clauses.len()),
        Some((first, last)) => (first.parse().unwrap_or(0), last.parse().unwrap_or(0)),
        None => (which.parse().unwrap_or(0), which.parse().unwrap_or(0)),
    };
    if first == 0 || last < first || last > section.clauses.len() {
        return Vec::new();
    }
    let chosen = section.clauses.iter().skip(first - 1).take(last - first + 1);
    chosen.map(|clause| clause.id.clone()).collect()
}
