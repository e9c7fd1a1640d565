//! The commands that the documentation shows: each must be one, with flags that it takes.
//!
//! What a person would type is read from code, fenced or within a line. Values are not looked at: they are examples.

use super::places::{files, text};
use super::{CoherenceClass, Found};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// One command as its own parser has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandShape {
    /// Its words after `premath`, such as `issue add`.
    pub path: String,
    /// The long flags it takes, without dashes.
    pub flags: Vec<String>,
    /// Whether it is nothing without a command below it.
    pub needs_more: bool,
}

/// Where commands are shown, beside every page below `docs`.
const PAGES: [&str; 3] = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];

pub(super) fn check(
    workspace: &Workspace,
    commands: &[CommandShape],
    found: &mut Found,
) -> Result<(), ActionError> {
    let mut pages: Vec<String> = PAGES.map(str::to_owned).to_vec();
    pages.extend(files(workspace, "docs", ".md")?);
    let mut count = 0;
    for page in pages {
        let Some(content) = text(workspace, &page)? else { continue };
        for (line, code) in shown(&content) {
            count += 1;
            for (class, detail) in problems(&code, commands) {
                found.problem(class, &page, Some(line), detail);
            }
        }
    }
    found.count("commands in the documentation", count);
    Ok(())
}

/// Every command that a page shows, with its line.
fn shown(page: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (at, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        let pieces: Vec<&str> = if is_fenced {
            let code = line.trim().trim_start_matches("$ ");
            vec![code]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        let commands = pieces.into_iter().filter_map(|code| code.strip_prefix("premath "));
        found.extend(commands.map(|command| (at + 1, command.to_owned())));
    }
    found
}

/// What is wrong with one command.
fn problems(typed: &str, commands: &[CommandShape]) -> Vec<(CoherenceClass, String)> {
    let words: Vec<&str> = typed
        .split_whitespace()
        .take_while(|word| !matches!(*word, "|" | ">" | "<" | "&&" | "||" | ";" | "--" | "#" | "\\"))
        .collect();
    paths(&words).into_iter().flat_map(|words| problems_of(&words, commands)).collect()
}

/// `issue add|list` stands for two commands.
fn paths(words: &[&str]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for word in words {
        let bare =
            word.trim_matches(|letter: char| matches!(letter, '[' | ']' | '(' | ')' | ',' | '.' | ';'));
        let is_choice = bare.contains('|') && !bare.starts_with(['-', '"', '\'', '<']);
        let choices: Vec<&str> = if is_choice { bare.split('|').collect() } else { vec![bare] };
        all = all
            .iter()
            .flat_map(|before| {
                choices.iter().map(|choice| [before.as_slice(), &[(*choice).to_owned()]].concat())
            })
            .collect();
    }
    all
}

fn problems_of(words: &[String], commands: &[CommandShape]) -> Vec<(CoherenceClass, String)> {
    let mut path = String::new();
    let mut shape: Option<&CommandShape> = None;
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let longer = if path.is_empty() { word.clone() } else { format!("{path} {word}") };
        let Some(found) = commands.iter().find(|command| command.path == longer) else { break };
        (path, shape, rest) = (longer, Some(found), after);
    }
    let next = rest.first().map(String::as_str).unwrap_or_default();
    let is_placeholder = next.is_empty()
        || next.starts_with(['-', '<', '…', '"', '\''])
        || next == "..."
        // A helper that the program starts itself, which nobody types.
        || next.starts_with("__")
        || next.contains('*')
        || next.chars().all(|letter| letter.is_uppercase() || letter == '_');
    let unknown = match shape {
        None => !is_placeholder || next.is_empty(),
        Some(shape) => shape.needs_more && !is_placeholder,
    };
    if unknown && !next.is_empty() && !next.starts_with("--") {
        let shown = if path.is_empty() { next.to_owned() } else { format!("{path} {next}") };
        return vec![(CoherenceClass::CommandUnknown, format!("there is no command `premath {shown}`"))];
    }
    let Some(shape) = shape.filter(|shape| !shape.needs_more) else { return Vec::new() };
    rest.iter()
        .filter_map(|word| word.strip_prefix("--"))
        .filter_map(|flag| flag.split(['=', '|', '/']).next())
        .map(|flag| flag.trim_end_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|flag| !flag.is_empty() && !shape.flags.iter().any(|known| known == flag))
        .map(|flag| (CoherenceClass::FlagUnknown, format!("`premath {path}` takes no `--{flag}`")))
        .collect()
}

#[cfg(test)]
mod tests;
