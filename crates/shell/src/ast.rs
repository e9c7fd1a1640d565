//! The syntax tree of a shell script, as the parser builds it and the interpreter walks it.
//!
//! Plain data. It keeps every command that could run, also those inside of expansions; it must not lose one.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// One statement, simple or compound.
#[derive(Debug, Clone)]
pub(crate) enum Statement {
    /// A simple command.
    Command(Command),
    /// Commands joined by `|` or `|&`.
    Pipeline(Vec<Statement>),
    /// Statements that may run one after the other: lists, branches, conditions.
    Sequence(Vec<Statement>),
    /// `( … )`: what it assigns and where it goes stays inside.
    Subshell(Box<Statement>),
    /// `name() …`
    Function {
        /// Its name.
        name: String,
        /// What it runs.
        body: Rc<Statement>,
    },
    /// `for name in … ; do … done`
    Loop {
        /// The variable.
        variable: String,
        /// The words it takes.
        values: Vec<Word>,
        /// What it runs.
        body: Box<Statement>,
    },
    /// A compound command with redirections of its own.
    Redirected {
        /// The command.
        body: Box<Statement>,
        /// The redirections.
        redirects: Vec<Redirect>,
    },
    /// Words that are evaluated but name no command: `[[ … ]]`, `case` patterns, arithmetic.
    Evaluated(Vec<Word>),
}

/// A simple command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Command {
    /// Assignments before the name.
    pub(crate) assignments: Vec<Assignment>,
    /// The name and its arguments.
    pub(crate) words: Vec<Word>,
    /// Redirections.
    pub(crate) redirects: Vec<Redirect>,
    /// Where it stands in the text, in characters.
    pub(crate) span: Range<usize>,
}

/// `name=value`, `name+=value` or `name=( … )`.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    /// The variable.
    pub(crate) name: String,
    /// Whether the value is appended.
    pub(crate) is_append: bool,
    /// The value; several for an array.
    pub(crate) values: Vec<Word>,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `>&`: another descriptor, or a file
    Duplicate,
    /// `<&`: another descriptor
    DuplicateInput,
    /// `<<`, `<<-`
    Document,
    /// `<<<`
    HereString,
}

/// One redirection.
#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    /// What it does.
    pub(crate) kind: RedirectKind,
    /// The file, the descriptor or the text; empty for a here-document.
    pub(crate) target: Word,
    /// The text of a here-document, set when its lines are read.
    pub(crate) document: Rc<OnceCell<Word>>,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    /// Its pieces, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Text without quotes: patterns and braces in it mean something.
    Bare(String),
    /// Text that stands for itself.
    Quoted(String),
    /// `$name`, `${name…}`
    Parameter(Parameter),
    /// `$( … )` or backquotes.
    Substitution {
        /// What runs.
        body: Rc<Statement>,
        /// Whether it stands in double quotes.
        is_quoted: bool,
    },
    /// `<( … )`, `>( … )`
    Process(Rc<Statement>),
    /// `$(( … ))`: a number, with the words that are evaluated for it.
    Arithmetic(Vec<Piece>),
}

/// An expansion of a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    /// The variable.
    pub(crate) name: String,
    /// Whether it stands in double quotes.
    pub(crate) is_quoted: bool,
    /// What is done with its value.
    pub(crate) operation: Operation,
    /// The word behind the operator.
    pub(crate) operand: Word,
}

/// What an expansion does with the value of its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The value itself.
    Value,
    /// `:-`, `-`, `:=`, `=`: the word where there is no value.
    Default,
    /// `:+`, `+`: the word where there is a value.
    Alternative,
    /// `:?`, `?`: the value, or an error.
    Required,
    /// Anything that computes another text: lengths, cuts, replacements, indirection.
    Computed,
}

impl Word {
    /// Its text where variables in it turn out to be empty; nothing for a word without variables or without text.
    pub(crate) fn without_parameters(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Bare(part) | Piece::Quoted(part) => text.push_str(part),
                Piece::Parameter(_) => {}
                Piece::Substitution { .. } | Piece::Process(_) | Piece::Arithmetic(_) => return None,
            }
        }
        let has_parameter = self.pieces.iter().any(|piece| matches!(piece, Piece::Parameter(_)));
        (has_parameter && !text.is_empty()).then_some(text)
    }

    /// The text of a word without quotes and expansions.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Bare(text)] => Some(text),
            _ => None,
        }
    }

    /// The text of a word that holds no expansion, quotes removed.
    pub(crate) fn literal(&self) -> Option<String> {
        let mut whole = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Bare(text) | Piece::Quoted(text) => whole.push_str(text),
                Piece::Parameter(_)
                | Piece::Substitution { .. }
                | Piece::Process(_)
                | Piece::Arithmetic(_) => {
                    return None;
                }
            }
        }
        Some(whole)
    }
}
