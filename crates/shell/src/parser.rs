//! The grammar of the shell: POSIX with the additions of Bash, by recursive descent over the characters of the text.
//!
//! Every text is read in one pass with bounded depth and bounded work, whatever it holds. What the grammar does not know is a
//! fault, never a guess: the caller treats a text that cannot be read as one that may do anything.

mod compound;
mod documents;
mod expansions;
mod lists;
#[cfg(test)]
mod tests;
mod words;

use std::cell::OnceCell;
use std::rc::Rc;

use crate::ast::{Statement, Word};

/// The longest text that is read, in bytes.
pub(crate) const MOST_BYTES: usize = 64 * 1024;
/// The deepest nesting of commands and quotes.
const DEEPEST: usize = 48;
/// Steps per character of the text: what backtracking may cost at most.
const STEPS_PER_CHARACTER: usize = 40;

/// Why a text is no script that could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyntaxFault {
    /// It is longer than what is read.
    TooLong,
    /// It nests deeper than what is read, or reading it takes too many steps.
    TooDeep,
    /// It breaks the grammar.
    Invalid,
}

/// Reads a script.
pub(crate) fn parse(text: &str) -> Result<Statement, SyntaxFault> {
    parse_at(text, 0)
}

/// Reads a script that stands inside another one.
pub(crate) fn parse_at(text: &str, depth: usize) -> Result<Statement, SyntaxFault> {
    if text.len() > MOST_BYTES {
        return Err(SyntaxFault::TooLong);
    }
    let characters: Vec<char> = text.chars().collect();
    let steps = characters.len().saturating_mul(STEPS_PER_CHARACTER).saturating_add(1_000);
    let mut parser = Parser { characters, at: 0, depth, steps, pending: Vec::new() };
    let script = parser.list(&[])?;
    match parser.peek() {
        None => Ok(script),
        Some(_) => Err(SyntaxFault::Invalid),
    }
}

/// A here-document whose lines have not been reached.
#[derive(Debug)]
struct PendingDocument {
    end: String,
    is_literal: bool,
    strips_tabs: bool,
    slot: Rc<OnceCell<Word>>,
}

/// A position in a text.
#[derive(Debug)]
struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
    steps: usize,
    pending: Vec<PendingDocument>,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at.saturating_add(ahead)).copied()
    }

    /// The next character, taken.
    fn next(&mut self) -> Option<char> {
        let found = self.peek()?;
        self.at += 1;
        Some(found)
    }

    /// Whether the text goes on with these characters.
    fn sees(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, wanted)| self.peek_at(ahead) == Some(wanted))
    }

    /// Takes these characters, if the text goes on with them.
    fn take(&mut self, text: &str) -> bool {
        let is_there = self.sees(text);
        if is_there {
            self.at += text.chars().count();
        }
        is_there
    }

    fn expect(&mut self, text: &str) -> Result<(), SyntaxFault> {
        if self.take(text) { Ok(()) } else { Err(SyntaxFault::Invalid) }
    }

    /// Counts one step of work.
    fn step(&mut self) -> Result<(), SyntaxFault> {
        self.steps = self.steps.checked_sub(1).ok_or(SyntaxFault::TooDeep)?;
        Ok(())
    }

    /// Reads something one level deeper.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, SyntaxFault>,
    ) -> Result<T, SyntaxFault> {
        if self.depth >= DEEPEST {
            return Err(SyntaxFault::TooDeep);
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Passes over a backslash and the end of a line, which a shell drops before it reads what is around them.
    fn joined_line(&mut self) {
        while self.sees("\\\n") {
            self.at += 2;
        }
    }

    /// Passes over blanks, comments and lines that go on.
    fn blanks(&mut self) -> Result<(), SyntaxFault> {
        loop {
            self.step()?;
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                Some('\r') if self.peek_at(1) == Some('\n') => self.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// Passes over blanks and the ends of lines.
    fn lines(&mut self) -> Result<(), SyntaxFault> {
        loop {
            self.blanks()?;
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.line_end()?;
        }
    }

    /// The word that stands here, if it is one without quotes that only separators follow; not taken.
    fn keyword(&self) -> Option<String> {
        let rest = self.characters.get(self.at..)?;
        let length = rest.iter().position(|character| ends_word(*character)).unwrap_or(rest.len());
        let word: String = rest.get(..length)?.iter().collect();
        let is_plain = !word.is_empty() && !word.contains(['\'', '"', '\\', '$', '`']);
        is_plain.then_some(word)
    }

    /// Takes a reserved word, if it stands here.
    fn take_keyword(&mut self, word: &str) -> bool {
        let is_there = self.sees(word) && self.peek_at(word.chars().count()).is_none_or(ends_word);
        if is_there {
            self.at += word.chars().count();
        }
        is_there
    }

    fn expect_keyword(&mut self, word: &str) -> Result<(), SyntaxFault> {
        self.lines()?;
        if self.take_keyword(word) { Ok(()) } else { Err(SyntaxFault::Invalid) }
    }
}

/// Whether a character without quotes ends a word.
fn ends_word(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}
