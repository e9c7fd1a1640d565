//! Lines that a person types at a prompt: editing, history, completion. The only place that puts the terminal into another
//! mode, and it puts it back.
//!
//! What completes, colours and says whether a text is whole comes in from outside; it must not know a language.

use std::borrow::Cow;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::variable;
use crate::error::CliError;

/// So many lines are remembered.
const REMEMBERED: usize = 2_000;

/// What an editor asks about the text that is being typed.
pub(crate) trait Typing: Debug {
    /// Whether the text is whole, so that Enter ends it.
    fn is_whole(&self, text: &str) -> bool;
    /// Where the word under the cursor begins, and how it could go on.
    fn completions(&self, text: &str, cursor: usize) -> (usize, Vec<String>);
    /// The text with colours.
    fn coloured(&self, text: &str, cursor: usize) -> String;
}

/// What came from the prompt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A text.
    Text(String),
    /// The line was thrown away.
    Cancelled,
    /// There is no more.
    End,
}

/// A prompt on this terminal.
pub(crate) struct LineEditor<T: Typing> {
    editor: Editor<Asked<T>, FileHistory>,
    history: Option<PathBuf>,
}

impl<T: Typing> Debug for LineEditor<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LineEditor").field("history", &self.history).finish_non_exhaustive()
    }
}

impl<T: Typing> LineEditor<T> {
    /// A prompt that remembers what was typed under this name.
    pub(crate) fn new(name: &str, typing: T, has_colour: bool) -> Result<Self, CliError> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .history_ignore_space(true)
            .max_history_size(REMEMBERED)
            .map_err(|error| unusable(&error))?
            .build();
        let mut editor = Editor::with_config(config).map_err(|error| unusable(&error))?;
        editor.set_helper(Some(Asked { typing, has_colour }));
        let history = history_file(name);
        if let Some(path) = &history {
            // A prompt without its past is still a prompt.
            drop(editor.load_history(path));
        }
        Ok(Self { editor, history })
    }

    /// What is asked about the text.
    pub(crate) fn typing(&mut self) -> Option<&mut T> {
        self.editor.helper_mut().map(|asked| &mut asked.typing)
    }

    /// Asks for a text.
    pub(crate) fn ask(&mut self, prompt: &str) -> Result<Typed, CliError> {
        match self.editor.readline(prompt) {
            Ok(text) => {
                // What is not remembered is not lost: it is about to run.
                drop(self.editor.add_history_entry(text.as_str()));
                self.remember();
                Ok(Typed::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Cancelled),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(unusable(&error)),
        }
    }

    /// What was typed survives a process that is killed.
    fn remember(&mut self) {
        if let Some(path) = &self.history {
            drop(self.editor.append_history(path));
        }
    }
}

fn unusable(error: &ReadlineError) -> CliError {
    CliError::environment(
        format!("the terminal cannot be used as a prompt: {error}"),
        "give the program with -e or --program instead",
    )
}

/// Where the history is kept, in a folder that only its person reads; none where there is no home.
fn history_file(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;
    let base = variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".local").join("state")))?;
    let folder = base.join("premath");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    Some(folder.join(format!("{name}.history")))
}

struct Asked<T> {
    typing: T,
    has_colour: bool,
}

impl<T: Typing> Helper for Asked<T> {}

impl<T: Typing> Completer for Asked<T> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.typing.completions(line, pos))
    }
}

impl<T: Typing> Hinter for Asked<T> {
    type Hint = String;
}

impl<T: Typing> Highlighter for Asked<T> {
    fn highlight<'l>(&self, line: &'l str, pos: usize) -> Cow<'l, str> {
        if self.has_colour { Cow::Owned(self.typing.coloured(line, pos)) } else { Cow::Borrowed(line) }
    }

    fn highlight_char(&self, _line: &str, _pos: usize, _kind: CmdKind) -> bool {
        self.has_colour
    }
}

impl<T: Typing> Validator for Asked<T> {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if self.typing.is_whole(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}
