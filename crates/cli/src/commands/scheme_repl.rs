//! The prompt of `premath scheme-eval` on a terminal: a text is read, evaluated, and its value printed, until there is no
//! more.
//!
//! Definitions stay from one text to the next; each text has budgets, digests and rows of its own. It must not evaluate
//! anything itself.

mod over_host;
mod words;

use std::collections::BTreeSet;

use premath_host::{Host, SchemeWishes};
use premath_repl::Limits;

use self::over_host::OverHost;
use self::words::{coloured, completions};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, BAD, DIM, STRONG, TIP};
use crate::render;
use crate::system::{LineEditor, Typed, Typing};

const PROMPT: &str = "premath> ";
const COMMANDS: [&str; 5] = [",cheatsheet", ",help", ",names", ",quit", ",usage"];
const HELP: &str = "\
An expression is evaluated when it is whole; Enter goes on to the next line until then.
  ,names [PART]   what is bound, or what of it has PART in its name
  ,usage          what the last text used of its budgets
  ,cheatsheet     the language on one screen
  ,quit           the end (also Ctrl-D)
Tab completes a name, the arrows go through what was typed before, Ctrl-C throws a line away, or ends
what is being evaluated.
";

/// What a text came to.
#[derive(Debug)]
struct Shown {
    /// What it wrote.
    output: String,
    /// Its value as written, or the failure with its place, ready to be printed.
    result: Result<String, String>,
    /// What it used, in words.
    usage: String,
    /// The number of host calls and the digest of their trace, in words.
    evidence: String,
    /// What else a person should know.
    warning: Option<String>,
}

/// Whoever evaluates.
trait Evaluator {
    /// Evaluates one text.
    ///
    /// # Errors
    /// When the repository gives no answer; a program that fails is no error here.
    fn evaluate(&mut self, source: &str) -> Result<Shown, CliError>;
    /// Everything that is bound, sorted.
    fn names(&self) -> Vec<String>;
}

/// What the prompt knows of the language.
#[derive(Debug)]
struct SchemeTyping {
    names: Vec<String>,
    known: BTreeSet<String>,
    needs_more: fn(&str) -> bool,
}

impl SchemeTyping {
    fn know(&mut self, names: Vec<String>) {
        self.known = names.iter().cloned().collect();
        self.names = names;
    }
}

impl Typing for SchemeTyping {
    fn is_whole(&self, text: &str) -> bool {
        text.trim_start().starts_with(',') || !(self.needs_more)(text)
    }

    fn completions(&self, text: &str, cursor: usize) -> (usize, Vec<String>) {
        let (start, found) = completions(text, cursor, &self.names, &COMMANDS);
        (start, found.into_iter().map(str::to_owned).collect())
    }

    fn coloured(&self, text: &str, cursor: usize) -> String {
        coloured(text, cursor, &|word| self.known.contains(word))
    }
}

/// What to do with a line that is a command.
#[derive(Debug, PartialEq, Eq)]
enum Command<'t> {
    Help,
    Names(&'t str),
    Usage,
    CheatSheet,
    Quit,
    Unknown(&'t str),
}

fn command(text: &str) -> Option<Command<'_>> {
    let text = text.trim();
    if !text.starts_with(',') || text.starts_with(",(") {
        return None;
    }
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some(match name {
        ",help" | ",h" | ",?" => Command::Help,
        ",names" | ",n" => Command::Names(rest.trim()),
        ",usage" | ",u" => Command::Usage,
        ",cheatsheet" => Command::CheatSheet,
        ",quit" | ",q" | ",exit" => Command::Quit,
        other => Command::Unknown(other),
    })
}

/// Talks to a person at this terminal until they have enough.
pub(crate) fn at_terminal(host: &Host<'_>, wishes: SchemeWishes) -> Result<Exit, CliError> {
    let may = match (wishes.read_only, &wishes.instruction) {
        (true, _) => "which may read".to_owned(),
        (false, None) => "which may read; --instruction lets it change something".to_owned(),
        (false, Some(instruction)) => format!("which may change what instruction `{instruction}` allows"),
    };
    let greeting = format!("Scheme over the host functions of this repository, {}", render::plain(&may));
    let mut evaluator = OverHost::new(host, wishes)?;
    talk(&mut evaluator, |text| premath_repl::needs_more(text, &Limits::default()), &greeting)
}

fn talk(
    evaluator: &mut dyn Evaluator,
    needs_more: fn(&str) -> bool,
    greeting: &str,
) -> Result<Exit, CliError> {
    let names = evaluator.names();
    let known = names.iter().cloned().collect();
    let typing = SchemeTyping { names, known, needs_more };
    let mut editor = LineEditor::new("scheme", typing, output::has_colour())?;
    output::text(&format!("{DIM}{greeting}; ,help says more{DIM:#}\n"))?;
    let mut usage = "nothing was evaluated yet".to_owned();
    loop {
        let text = match editor.ask(PROMPT)? {
            Typed::Text(text) if text.trim().is_empty() => continue,
            Typed::Text(text) => text,
            Typed::Cancelled => continue,
            Typed::End => return Ok(Exit::Accepted),
        };
        match command(&text) {
            Some(Command::Quit) => return Ok(Exit::Accepted),
            Some(Command::Help) => output::text(HELP)?,
            Some(Command::Usage) => output::text(&format!("{usage}\n"))?,
            Some(Command::CheatSheet) => output::text(premath_repl::CHEAT_SHEET)?,
            Some(Command::Names(part)) => output::text(&listed(&evaluator.names(), part))?,
            Some(Command::Unknown(name)) => {
                output::text(&format!("{BAD}`{name}` is no command here{BAD:#}; ,help lists them\n"))?;
            }
            None => {
                let shown = evaluator.evaluate(&text)?;
                tell(&shown)?;
                usage = format!("{}; {}", shown.usage, shown.evidence);
                if let Some(typing) = editor.typing() {
                    typing.know(evaluator.names());
                }
            }
        }
    }
}

fn tell(shown: &Shown) -> Result<(), CliError> {
    if !shown.output.is_empty() {
        let output = render::lines(&shown.output);
        output::text(&output)?;
        if !output.ends_with('\n') {
            output::text("\n")?;
        }
    }
    if let Some(warning) = &shown.warning {
        output::warning(&format!("rows are missing in the journal: {}", render::plain(warning)));
    }
    match &shown.result {
        Ok(text) if text.is_empty() => Ok(()),
        Ok(text) => {
            let width = crate::system::terminal_width().unwrap_or(100);
            let text = render::lines(&render::datum::laid_out(text, width.saturating_sub(1)));
            output::text(&format!("{STRONG}{text}{STRONG:#}\n"))
        }
        Err(failure) => output::text(&format!("{BAD}{}{BAD:#}\n", render::lines(failure.trim_end()))),
    }
}

/// Names in columns; those that have a part in common.
fn listed(names: &[String], part: &str) -> String {
    let found: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.contains(part)).collect();
    if found.is_empty() {
        return format!("{TIP}nothing that is bound has `{}` in its name{TIP:#}\n", render::plain(part));
    }
    let widest = found.iter().map(|name| name.chars().count()).max().unwrap_or(0) + 2;
    let width = crate::system::terminal_width().unwrap_or(80);
    let columns = (width / widest).max(1);
    let mut shown = String::new();
    for row in found.chunks(columns) {
        let cells: Vec<String> = row.iter().map(|name| format!("{name:<widest$}")).collect();
        shown.push_str(cells.concat().trim_end());
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests;
