//! Expansions: parameters, commands, arithmetic.

use std::rc::Rc;

use super::words::{bare, quoted};
use super::{Parser, SyntaxFault, parse_at};
use crate::ast::{Operation, Parameter, Piece, Word};

impl Parser {
    /// What a `$`, which is taken, begins.
    pub(super) fn dollar(&mut self, is_quoted: bool) -> Result<Piece, SyntaxFault> {
        match self.behind_dollar() {
            Some('(') => self.deeper(|parser| parser.parentheses(is_quoted)),
            Some('{') => {
                self.at += 1;
                self.deeper(|parser| parser.braces(is_quoted))
            }
            Some('[') => {
                self.at += 1;
                self.deeper(|parser| Ok(Piece::Arithmetic(parser.arithmetic(']')?)))
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let name = self.name();
                Ok(Piece::Parameter(plain_parameter(name, is_quoted)))
            }
            Some(first) if first.is_ascii_digit() || "@*#?-$!".contains(first) => {
                self.at += 1;
                Ok(Piece::Parameter(plain_parameter(first.to_string(), is_quoted)))
            }
            _ => Ok(Piece::Quoted("$".to_owned())),
        }
    }

    /// The character behind a `$`, on whichever line it stands.
    pub(super) fn behind_dollar(&mut self) -> Option<char> {
        self.joined_line();
        self.peek()
    }

    /// The name of a variable; lines may be joined within it.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        self.joined_line();
        while let Some(character) = self.peek().filter(|one| one.is_ascii_alphanumeric() || *one == '_') {
            name.push(character);
            self.at += 1;
            self.joined_line();
        }
        name
    }

    /// `$(( … ))`, or else `$( … )`.
    fn parentheses(&mut self, is_quoted: bool) -> Result<Piece, SyntaxFault> {
        let start = self.at;
        if self.take("((") {
            match self.double_parentheses() {
                Ok(pieces) => return Ok(Piece::Arithmetic(pieces)),
                Err(SyntaxFault::Invalid) => self.at = start,
                Err(fault) => return Err(fault),
            }
        }
        self.expect("(")?;
        let body = self.list(&[])?;
        self.lines()?;
        self.expect(")")?;
        Ok(Piece::Substitution { body: Rc::new(body), is_quoted })
    }

    /// The words that are evaluated up to `))`.
    pub(super) fn double_parentheses(&mut self) -> Result<Vec<Piece>, SyntaxFault> {
        let pieces = self.arithmetic(')')?;
        self.expect(")")?;
        Ok(pieces)
    }

    /// The words that are evaluated up to what closes an expression, which is taken.
    fn arithmetic(&mut self, close: char) -> Result<Vec<Piece>, SyntaxFault> {
        let mut word = Word::default();
        let mut level = 0_usize;
        loop {
            self.step()?;
            match self.peek().ok_or(SyntaxFault::Invalid)? {
                character if character == close && level == 0 => {
                    self.at += 1;
                    return Ok(word.pieces);
                }
                ')' => {
                    level = level.checked_sub(1).ok_or(SyntaxFault::Invalid)?;
                    self.at += 1;
                    bare(&mut word, ")");
                }
                '(' => {
                    level += 1;
                    self.at += 1;
                    bare(&mut word, "(");
                }
                _ => self.piece(&mut word)?,
            }
        }
    }

    /// `${ … }` behind its opening brace.
    fn braces(&mut self, is_quoted: bool) -> Result<Piece, SyntaxFault> {
        let mut parameter = plain_parameter(String::new(), is_quoted);
        self.joined_line();
        let is_length = self.peek() == Some('#') && self.peek_at(1) != Some('}');
        if is_length || self.peek() == Some('!') {
            self.at += 1;
            parameter.operation = Operation::Computed;
        }
        match self.peek() {
            Some(first) if first.is_ascii_alphanumeric() || first == '_' => parameter.name = self.name(),
            Some(first) if "@*#?-$!".contains(first) => {
                self.at += 1;
                parameter.name = first.to_string();
            }
            _ => return Err(SyntaxFault::Invalid),
        }
        let mut operand = Word::default();
        if self.take("[") {
            let index = self.arithmetic(']')?;
            operand.pieces.extend(index);
            parameter.operation = Operation::Computed;
        }
        if parameter.operation == Operation::Value {
            parameter.operation = self.operation();
        }
        self.until_brace(&mut operand, is_quoted)?;
        parameter.operand = operand;
        Ok(Piece::Parameter(parameter))
    }

    fn operation(&mut self) -> Operation {
        let has_colon = self.peek() == Some(':');
        let sign = if has_colon { self.peek_at(1) } else { self.peek() };
        let found = match sign {
            Some('-' | '=') => Operation::Default,
            Some('+') => Operation::Alternative,
            Some('?') => Operation::Required,
            Some('}') if !has_colon => return Operation::Value,
            _ => return Operation::Computed,
        };
        self.at += if has_colon { 2 } else { 1 };
        found
    }

    /// The word behind an operator, up to the brace that closes the expansion, which is taken.
    fn until_brace(&mut self, word: &mut Word, is_quoted: bool) -> Result<(), SyntaxFault> {
        loop {
            self.step()?;
            match self.peek().ok_or(SyntaxFault::Invalid)? {
                '}' => {
                    self.at += 1;
                    return Ok(());
                }
                '\'' if is_quoted => {
                    self.at += 1;
                    quoted(word, "'");
                }
                _ => self.piece(word)?,
            }
        }
    }

    /// A command in backquotes behind the first of them.
    pub(super) fn backquoted(&mut self, is_quoted: bool) -> Result<Piece, SyntaxFault> {
        let mut text = String::new();
        loop {
            match self.next().ok_or(SyntaxFault::Invalid)? {
                '`' => break,
                '\\' => match self.next().ok_or(SyntaxFault::Invalid)? {
                    escaped @ ('$' | '`' | '\\') => text.push(escaped),
                    '"' if is_quoted => text.push('"'),
                    other => text.extend(['\\', other]),
                },
                character => text.push(character),
            }
        }
        let depth = self.depth;
        let body = self.deeper(|_| parse_at(&text, depth + 1))?;
        Ok(Piece::Substitution { body: Rc::new(body), is_quoted })
    }
}

fn plain_parameter(name: String, is_quoted: bool) -> Parameter {
    Parameter { name, is_quoted, operation: Operation::Value, operand: Word::default() }
}
