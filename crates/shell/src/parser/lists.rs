//! Lists, pipelines and simple commands.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Parser, PendingDocument, SyntaxFault};
use crate::ast::{Assignment, Command, Piece, Redirect, RedirectKind, Statement, Word};

/// Words that end a part of a compound command, and begin no command of their own.
const CLOSING_WORDS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];
/// Commands whose arguments may be assignments.
const DECLARING_WORDS: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl Parser {
    /// Reads statements up to the end of the text, a closing parenthesis, `;;`, or one of these words; none of it is taken.
    pub(super) fn list(&mut self, stops: &[&str]) -> Result<Statement, SyntaxFault> {
        let mut statements = Vec::new();
        loop {
            self.lines()?;
            let is_over = self.peek().is_none_or(|character| character == ')')
                || self.sees(";;")
                || self.sees(";&")
                || self.keyword().is_some_and(|word| stops.contains(&word.as_str()));
            if is_over {
                return Ok(single(statements));
            }
            self.and_or(&mut statements)?;
            self.blanks()?;
            match self.peek() {
                Some(';') if !self.sees(";;") && !self.sees(";&") => self.at += 1,
                Some('&') if !self.sees("&&") => self.at += 1,
                None | Some('\n' | ')' | ';') => {}
                Some(_) if self.keyword().is_some_and(|word| stops.contains(&word.as_str())) => {}
                Some(_) => return Err(SyntaxFault::Invalid),
            }
        }
    }

    fn and_or(&mut self, statements: &mut Vec<Statement>) -> Result<(), SyntaxFault> {
        loop {
            statements.push(self.pipeline()?);
            self.blanks()?;
            if !(self.take("&&") || self.take("||")) {
                return Ok(());
            }
            self.lines()?;
        }
    }

    fn pipeline(&mut self) -> Result<Statement, SyntaxFault> {
        let mut stages = Vec::new();
        loop {
            self.blanks()?;
            while self.take_keyword("!") || self.take_keyword("time") {
                self.blanks()?;
                if self.take_keyword("-p") {
                    self.blanks()?;
                }
            }
            stages.push(self.command()?);
            self.blanks()?;
            if self.sees("||") || !(self.take("|&") || self.take("|")) {
                break;
            }
            self.lines()?;
        }
        match stages.len() {
            1 => Ok(single(stages)),
            _ => Ok(Statement::Pipeline(stages)),
        }
    }

    pub(super) fn command(&mut self) -> Result<Statement, SyntaxFault> {
        self.step()?;
        let body = match self.compound()? {
            Some(compound) => compound,
            None => return self.simple(),
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks()?;
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None if redirects.is_empty() => return Ok(body),
                None => return Ok(Statement::Redirected { body: Box::new(body), redirects }),
            }
        }
    }

    fn simple(&mut self) -> Result<Statement, SyntaxFault> {
        let mut command = Command { span: self.at..self.at, ..Command::default() };
        if self.keyword().is_some_and(|word| CLOSING_WORDS.contains(&word.as_str())) {
            return Err(SyntaxFault::Invalid);
        }
        loop {
            self.blanks()?;
            self.step()?;
            if let Some(redirect) = self.redirect()? {
                command.redirects.push(redirect);
                command.span.end = self.at;
                continue;
            }
            if takes_assignments(&command)
                && let Some(assignment) = self.assignment()?
            {
                command.assignments.push(assignment);
                command.span.end = self.at;
                continue;
            }
            let Some(word) = self.word()? else { break };
            command.words.push(word);
            command.span.end = self.at;
            if let Some(function) = self.function_of(&command)? {
                return Ok(function);
            }
        }
        let is_empty =
            command.words.is_empty() && command.assignments.is_empty() && command.redirects.is_empty();
        if is_empty { Err(SyntaxFault::Invalid) } else { Ok(Statement::Command(command)) }
    }

    /// `name ( ) …`, where the name is all that was read.
    fn function_of(&mut self, command: &Command) -> Result<Option<Statement>, SyntaxFault> {
        let [name] = command.words.as_slice() else { return Ok(None) };
        if !command.assignments.is_empty() || !command.redirects.is_empty() {
            return Ok(None);
        }
        self.blanks()?;
        if self.peek() != Some('(') {
            return Ok(None);
        }
        self.at += 1;
        self.blanks()?;
        self.expect(")")?;
        let name = name.literal().ok_or(SyntaxFault::Invalid)?;
        self.function_body(name).map(Some)
    }

    pub(super) fn function_body(&mut self, name: String) -> Result<Statement, SyntaxFault> {
        self.lines()?;
        let body = self.deeper(Self::command)?;
        Ok(Statement::Function { name, body: Rc::new(body) })
    }

    /// `name=value`, `name+=value`, `name[index]=value`, `name=( … )`.
    fn assignment(&mut self) -> Result<Option<Assignment>, SyntaxFault> {
        let start = self.at;
        let name = self.name();
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            self.at = start;
            return Ok(None);
        }
        if self.peek() == Some('[') {
            let rest = self.characters.get(self.at..).unwrap_or_default();
            let is_index = |character: &char| *character != ']' && !super::ends_word(*character);
            let length = rest.iter().take_while(|character| is_index(character)).count();
            self.at += length + 1;
        }
        self.joined_line();
        let is_append = self.sees("+=");
        if !(self.take("+=") || self.take("=")) {
            self.at = start;
            return Ok(None);
        }
        let mut values = Vec::new();
        if self.take("(") {
            loop {
                self.lines()?;
                match self.word()? {
                    Some(word) => values.push(word),
                    None => break,
                }
            }
            self.expect(")")?;
        } else {
            values.push(self.word()?.unwrap_or_default());
        }
        Ok(Some(Assignment { name, is_append, values }))
    }

    /// One redirection, if one stands here.
    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxFault> {
        let start = self.at;
        let mut ahead = 0;
        while self.peek_at(ahead).is_some_and(|character| character.is_ascii_digit()) {
            ahead += 1;
        }
        if ahead == 0 && self.peek() == Some('{') {
            let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let mut end = 1;
            while self.peek_at(end).is_some_and(is_name) {
                end += 1;
            }
            if self.peek_at(end) == Some('}') && matches!(self.peek_at(end + 1), Some('<' | '>')) {
                ahead = end + 1;
            }
        }
        self.at += ahead;
        let Some(kind) = self.redirect_operator(ahead > 0) else {
            self.at = start;
            return Ok(None);
        };
        let strips_tabs = kind == RedirectKind::Document && self.take("-");
        self.blanks()?;
        let target = self.word()?.ok_or(SyntaxFault::Invalid)?;
        let document = Rc::new(OnceCell::new());
        if kind != RedirectKind::Document {
            return Ok(Some(Redirect { kind, target, document }));
        }
        let end = target.literal().ok_or(SyntaxFault::Invalid)?;
        let is_literal = target.pieces.iter().any(|piece| matches!(piece, Piece::Quoted(_)));
        self.pending.push(PendingDocument { end, is_literal, strips_tabs, slot: Rc::clone(&document) });
        Ok(Some(Redirect { kind, target: Word::default(), document }))
    }

    /// The operator of a redirection, taken.
    fn redirect_operator(&mut self, has_descriptor: bool) -> Option<RedirectKind> {
        // `<(` and `>(` begin a word.
        if !has_descriptor && (self.sees("<(") || self.sees(">(")) {
            return None;
        }
        let operators = [
            ("<<<", RedirectKind::HereString),
            ("<<", RedirectKind::Document),
            ("<&", RedirectKind::DuplicateInput),
            ("<>", RedirectKind::ReadWrite),
            ("<", RedirectKind::Read),
            (">>", RedirectKind::Append),
            (">&", RedirectKind::Duplicate),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
            ("&>>", RedirectKind::Append),
            ("&>", RedirectKind::Write),
        ];
        operators.into_iter().find(|(operator, _)| self.take(operator)).map(|(_, kind)| kind)
    }
}

/// Whether the next word of a command may be an assignment.
fn takes_assignments(command: &Command) -> bool {
    let first = command.words.first().and_then(Word::bare);
    command.words.is_empty() || first.is_some_and(|name| DECLARING_WORDS.contains(&name))
}

/// A statement that stands alone as itself.
fn single(mut statements: Vec<Statement>) -> Statement {
    match (statements.len(), statements.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            statements.push(last);
            Statement::Sequence(statements)
        }
        (_, None) => Statement::Sequence(statements),
    }
}
