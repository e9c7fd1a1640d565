//! Standard output and standard error. A reader that went away ends a command quietly.

use std::io::{self, IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::error::CliError;
use crate::exit::Exit;
use crate::{render, system};

/// Bold red: what went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Green: what is in order.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Dimmed: what one may skip.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Bold: what one looks for.
pub(crate) const STRONG: Style = Style::new().bold();
/// Yellow: what to keep an eye on.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Cyan: what to do.
pub(crate) const TIP: Style = AnsiColor::Cyan.on_default();

/// Whether a document was printed already: an error behind it gets none of its own.
static HAS_DOCUMENT: AtomicBool = AtomicBool::new(false);

/// Prints one JSON document and nothing else.
pub(crate) fn json(document: &impl Serialize) -> Result<(), CliError> {
    HAS_DOCUMENT.store(true, Ordering::Relaxed);
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer(&mut stdout, document)
        .map_err(io::Error::from)
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    quietly(written)
}

/// Prints text for a person; colours are dropped where nobody sees them.
pub(crate) fn text(text: &str) -> Result<(), CliError> {
    let mut stdout = anstream::AutoStream::auto(io::stdout().lock());
    quietly(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Prints what somebody else said, byte for byte for another program. On a terminal it must not act: control characters
/// are written as what they are.
pub(crate) fn said(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        stdout.write_all(render::lines(text).as_bytes())
    } else {
        stdout.write_all(text.as_bytes())
    };
    quietly(written.and_then(|()| stdout.flush()))
}

/// Prints bytes as they are to another program, and as text that cannot act to a person.
pub(crate) fn said_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() {
        drop(stdout);
        return said(&String::from_utf8_lossy(bytes));
    }
    quietly(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// The same on standard error.
pub(crate) fn said_to_errors(text: &str) {
    let is_seen = io::stderr().is_terminal();
    let shown = if is_seen { render::lines(text) } else { text.to_owned() };
    // Where even standard error is closed nobody can be told; the exit code still says what happened.
    drop(io::stderr().lock().write_all(shown.as_bytes()));
}

/// Writes something to standard output that somebody must hear; whether they can.
pub(crate) fn heard(text: &str) -> bool {
    let mut stdout = io::stdout();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.is_ok() && system::is_heard(&stdout)
}

/// The same on standard error.
pub(crate) fn heard_on_errors(text: &str) -> bool {
    let mut stderr = io::stderr();
    stderr.write_all(text.as_bytes()).is_ok() && system::is_heard(&stderr)
}

/// Prints lines about an answer, beside it.
pub(crate) fn note(text: &str) {
    stderr(text);
}

/// Whether a person sees colours on standard output.
pub(crate) fn has_colour() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

fn quietly(written: io::Result<()>) -> Result<(), CliError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::environment(
            format!("cannot write to standard output: {error}"),
            "is the disk full?",
        )),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints a line about something that did not end the command.
pub(crate) fn warning(message: &str) {
    stderr(&format!("{WARN}warning:{WARN:#} {message}\n"));
}

/// The document of a command that ended without an answer.
#[derive(Serialize)]
struct ErrorDocument<'a> {
    error: ErrorMembers<'a>,
}

#[derive(Serialize)]
struct ErrorMembers<'a> {
    class: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

impl<'a> ErrorDocument<'a> {
    /// Takes a line apart that reads `<class>: <what> at <json path>`.
    fn new(line: &'a str, hints: &[String]) -> Self {
        let (class, what) = line.split_once(": ").unwrap_or(("error", line));
        let is_path = |rest: &&str| rest.starts_with('$') && !rest.contains(' ');
        let located = what.rsplit_once(" at ").filter(|(_, rest)| is_path(rest));
        let (message, path) = located.map_or((what, None), |(message, path)| (message, Some(path)));
        let hint = (!hints.is_empty()).then(|| hints.join("\n"));
        Self { error: ErrorMembers { class, message, hint, path } }
    }
}

/// How a command that ends without an answer says so on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// Not at all.
    Text,
    /// With one JSON document, beside the text on standard error.
    Json,
}

/// Prints what ended a command and returns what the process ends with.
pub(crate) fn error(error: &CliError, format: ErrorFormat) -> Exit {
    let is_without_answer = matches!(error.exit, Exit::Invalid | Exit::Busy | Exit::Environment);
    let is_first = !HAS_DOCUMENT.load(Ordering::Relaxed);
    if format == ErrorFormat::Json
        && is_without_answer
        && is_first
        && let Err(failure) = json(&ErrorDocument::new(&error.message, &error.hints))
    {
        stderr(&format!("{BAD}error:{BAD:#} {}\n", render::plain(&failure.message)));
    }
    // What went wrong may repeat a name of somebody else's: it must not act on the terminal.
    let mut lines = format!("{BAD}error:{BAD:#} {}\n", render::plain(&error.message));
    for hint in &error.hints {
        lines.push_str(&format!("{TIP}hint:{TIP:#} {}\n", render::plain(hint)));
    }
    stderr(&lines);
    error.exit
}

/// Prints what the argument parser has to say: help and version are answers, everything else is a usage error.
pub(crate) fn usage(error: &clap::Error, format: ErrorFormat) -> Exit {
    if !error.use_stderr() {
        return match text(&error.render().ansi().to_string()) {
            Ok(()) => Exit::Accepted,
            Err(failure) => self::error(&failure, format),
        };
    }
    if format == ErrorFormat::Text
        && error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    {
        stderr(&error.render().ansi().to_string());
        return Exit::Invalid;
    }
    let rendered = error.render().to_string();
    let message = rendered.strip_prefix("error: ").unwrap_or(&rendered).trim_end();
    const HINT: &str = "`premath --help` lists the commands";
    if format == ErrorFormat::Json {
        return self::error(&CliError::usage(message, HINT), format);
    }
    stderr(&format!("{BAD}error:{BAD:#} usage: {message}\n{TIP}hint:{TIP:#} {HINT}\n"));
    Exit::Invalid
}

/// Says on standard error what takes so long, where a person is watching.
pub(crate) fn progress(doing: &str) {
    if io::stderr().is_terminal() {
        stderr(&format!("{DIM}measuring {doing}{DIM:#}\n"));
    }
}

/// A line on standard error for another program.
pub(crate) fn raw_error(line: &str) {
    stderr(line);
}

fn stderr(text: &str) {
    // Where even standard error is closed nobody can be told; the exit code still says what happened.
    let mut stderr = anstream::AutoStream::auto(io::stderr().lock());
    drop(stderr.write_all(text.as_bytes()));
}
