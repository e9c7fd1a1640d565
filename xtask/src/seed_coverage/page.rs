//! The page: one table per section, each clause with what shows it.

use super::Coverage;
use super::clause::{Clause, Evidence, Section};

const HEAD: &str = "\
# Seed coverage

Every clause of the four seeds (001 typestate design, 002 harness contract, 003 product harness, 004 normative typestate) with
the test or command that shows it. `cargo xtask seed-coverage` writes this page from
[seed-clauses.txt](seed-clauses.txt) and from the `Seed:` lines in the comments of tests; `--check` fails on a clause without
evidence. Do not edit it by hand.
";

/// The most tests that are named for one clause; the others are counted.
const NAMED: usize = 4;

pub(super) fn render(sections: &[Section], coverage: &Coverage<'_>) -> String {
    let mut text = format!("{HEAD}\n{}\n", summary(sections));
    for section in sections {
        text.push_str(&format!(
            "\n## {} {}\n\n| clause | says | shown by |\n|---|---|---|\n",
            section.id, section.title
        ));
        for clause in &section.clauses {
            let (id, says) = (&clause.id, cell(&clause.text));
            text.push_str(&format!("| {id} | {says} | {} |\n", shown_by(clause, coverage)));
        }
    }
    text
}

/// How many clauses there are, and how many of them are open.
pub(super) fn summary(sections: &[Section]) -> String {
    let clauses: Vec<&Clause> = sections.iter().flat_map(|section| &section.clauses).collect();
    let open = clauses.iter().filter(|clause| matches!(clause.evidence, Evidence::Open(_))).count();
    format!("{} clauses, {} shown, {open} open.", clauses.len(), clauses.len() - open)
}

fn shown_by(clause: &Clause, coverage: &Coverage<'_>) -> String {
    let mut parts = match &clause.evidence {
        Evidence::Tests => Vec::new(),
        Evidence::Command(command) => vec![format!("`{command}`")],
        Evidence::File(path) => vec![format!("[{path}](../../{path})")],
        Evidence::Note(note) => vec![cell(note)],
        Evidence::Open(issue) => vec![format!("**open: {}**", cell(issue))],
    };
    let mut places: Vec<&str> =
        coverage.get(&clause.id).into_iter().flatten().map(|one| one.place.as_str()).collect();
    places.sort_unstable();
    places.dedup();
    parts.extend(places.iter().take(NAMED).map(|place| format!("`{place}`")));
    if places.len() > NAMED {
        parts.push(format!("{} more", places.len() - NAMED));
    }
    parts.join("<br>")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
