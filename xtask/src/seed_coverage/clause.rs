//! The list of clauses: sections with numbered lines, and what shows a clause where no test does.

use anyhow::{Context as _, Result, bail};

/// One section of a seed.
#[derive(Debug)]
pub(super) struct Section {
    /// `001 §4.1`
    pub(super) id: String,
    pub(super) title: String,
    pub(super) clauses: Vec<Clause>,
}

/// One clause.
#[derive(Debug)]
pub(super) struct Clause {
    /// `001 §4.1/7`
    pub(super) id: String,
    pub(super) text: String,
    pub(super) evidence: Evidence,
}

/// What shows a clause.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Tests that name it.
    Tests,
    /// A command, beside tests that name it.
    Command(String),
    /// A file.
    File(String),
    /// Nothing is asked for.
    Note(String),
    /// It is not there yet.
    Open(String),
}

/// Reads the list.
pub(super) fn read_sections(text: &str) -> Result<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    for (at, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix("@ ") {
            let section = read_heading(heading).with_context(|| format!("line {at}"))?;
            if sections.iter().any(|known| known.id == section.id) {
                bail!("line {at}: section `{}` is there twice", section.id);
            }
            sections.push(section);
            continue;
        }
        let section =
            sections.last_mut().with_context(|| format!("line {at}: a clause before any section"))?;
        let clause = read_clause(section, line).with_context(|| format!("line {at}"))?;
        section.clauses.push(clause);
    }
    if sections.is_empty() {
        bail!("the list of clauses is empty");
    }
    Ok(sections)
}

fn read_heading(heading: &str) -> Result<Section> {
    let mut words = heading.splitn(3, ' ');
    let (seed, number, title) = (words.next(), words.next(), words.next());
    match (seed, number, title) {
        (Some(seed), Some(number), Some(title)) if number.starts_with('§') => {
            Ok(Section { id: format!("{seed} {number}"), title: title.to_owned(), clauses: Vec::new() })
        }
        _other => bail!("expected `@ SEED §SECTION title`, found `@ {heading}`"),
    }
}

fn read_clause(section: &Section, line: &str) -> Result<Clause> {
    let (number, rest) = line.split_once(' ').context("expected `N text`")?;
    let expected = section.clauses.len() + 1;
    if number.parse() != Ok(expected) {
        bail!("expected clause {expected} of {}, found `{number}`", section.id);
    }
    let (text, evidence) = match rest.split_once(" => ") {
        None => (rest, Evidence::Tests),
        Some((text, evidence)) => (text, read_evidence(evidence)?),
    };
    Ok(Clause { id: format!("{}/{number}", section.id), text: text.trim().to_owned(), evidence })
}

fn read_evidence(text: &str) -> Result<Evidence> {
    let (kind, what) = text.split_once(": ").context("expected `kind: what` behind ` => `")?;
    let what = what.trim().to_owned();
    Ok(match kind.trim() {
        "cmd" => Evidence::Command(what),
        "file" => Evidence::File(what),
        "note" => Evidence::Note(what),
        "open" => Evidence::Open(what),
        other => bail!("`{other}` is none of cmd, file, note, open"),
    })
}
