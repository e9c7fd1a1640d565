//! Compound commands: groups, branches, loops, tests, functions.

use super::{Parser, SyntaxFault, ends_word};
use crate::ast::{Statement, Word};

impl Parser {
    /// A compound command, if one begins here.
    pub(super) fn compound(&mut self) -> Result<Option<Statement>, SyntaxFault> {
        if self.peek() == Some('(') {
            return self.deeper(Self::parenthesised).map(Some);
        }
        let Some(word) = self.keyword() else { return Ok(None) };
        let read: fn(&mut Self) -> Result<Statement, SyntaxFault> = match word.as_str() {
            "{" => Self::group,
            "if" => Self::branches,
            "while" | "until" => Self::conditional_loop,
            "for" | "select" => Self::counted_loop,
            "case" => Self::cases,
            "[[" => Self::test,
            "function" => Self::function,
            "coproc" => Self::coprocess,
            _ => return Ok(None),
        };
        self.at += word.chars().count();
        self.deeper(read).map(Some)
    }

    /// `( … )`, or `(( … ))`.
    fn parenthesised(&mut self) -> Result<Statement, SyntaxFault> {
        let start = self.at;
        if self.take("((") {
            match self.double_parentheses() {
                Ok(pieces) => return Ok(Statement::Evaluated(vec![Word { pieces }])),
                Err(SyntaxFault::Invalid) => self.at = start,
                Err(fault) => return Err(fault),
            }
        }
        self.expect("(")?;
        let body = self.list(&[])?;
        self.lines()?;
        self.expect(")")?;
        Ok(Statement::Subshell(Box::new(body)))
    }

    fn group(&mut self) -> Result<Statement, SyntaxFault> {
        let body = self.list(&["}"])?;
        self.expect_keyword("}")?;
        Ok(body)
    }

    fn branches(&mut self) -> Result<Statement, SyntaxFault> {
        let mut parts = Vec::new();
        loop {
            parts.push(self.list(&["then"])?);
            self.expect_keyword("then")?;
            parts.push(self.list(&["elif", "else", "fi"])?);
            self.lines()?;
            if self.take_keyword("elif") {
                continue;
            }
            if self.take_keyword("else") {
                parts.push(self.list(&["fi"])?);
            }
            self.expect_keyword("fi")?;
            return Ok(Statement::Sequence(parts));
        }
    }

    fn conditional_loop(&mut self) -> Result<Statement, SyntaxFault> {
        let condition = self.list(&["do"])?;
        let body = self.loop_body()?;
        Ok(Statement::Sequence(vec![condition, body]))
    }

    fn loop_body(&mut self) -> Result<Statement, SyntaxFault> {
        self.lines()?;
        if self.take_keyword("{") {
            return self.group();
        }
        self.expect_keyword("do")?;
        let body = self.list(&["done"])?;
        self.expect_keyword("done")?;
        Ok(body)
    }

    fn counted_loop(&mut self) -> Result<Statement, SyntaxFault> {
        self.blanks()?;
        if self.take("((") {
            let pieces = self.double_parentheses()?;
            self.blanks()?;
            self.take(";");
            let body = self.loop_body()?;
            return Ok(Statement::Sequence(vec![Statement::Evaluated(vec![Word { pieces }]), body]));
        }
        let variable = self.name();
        if variable.is_empty() {
            return Err(SyntaxFault::Invalid);
        }
        self.lines()?;
        let mut values = Vec::new();
        if self.take_keyword("in") {
            loop {
                self.blanks()?;
                match self.word()? {
                    Some(word) => values.push(word),
                    None => break,
                }
            }
        }
        self.blanks()?;
        if self.peek() == Some(';') {
            self.at += 1;
        }
        let body = self.loop_body()?;
        Ok(Statement::Loop { variable, values, body: Box::new(body) })
    }

    fn cases(&mut self) -> Result<Statement, SyntaxFault> {
        self.blanks()?;
        let subject = self.word()?.ok_or(SyntaxFault::Invalid)?;
        self.expect_keyword("in")?;
        let (mut words, mut parts) = (vec![subject], Vec::new());
        loop {
            self.lines()?;
            if self.take_keyword("esac") {
                break;
            }
            self.take("(");
            loop {
                self.blanks()?;
                words.push(self.word()?.ok_or(SyntaxFault::Invalid)?);
                self.blanks()?;
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            parts.push(self.list(&["esac"])?);
            self.lines()?;
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                self.expect_keyword("esac")?;
                break;
            }
        }
        parts.push(Statement::Evaluated(words));
        Ok(Statement::Sequence(parts))
    }

    /// `[[ … ]]`: the words in it are evaluated, its operators mean nothing here.
    fn test(&mut self) -> Result<Statement, SyntaxFault> {
        let mut words = Vec::new();
        loop {
            self.lines()?;
            self.step()?;
            if self.take_keyword("]]") {
                return Ok(Statement::Evaluated(words));
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => match self.next() {
                    Some(character) if ends_word(character) && character != ';' => {}
                    _ => return Err(SyntaxFault::Invalid),
                },
            }
        }
    }

    fn function(&mut self) -> Result<Statement, SyntaxFault> {
        self.blanks()?;
        let name = self.word()?.and_then(|word| word.literal()).ok_or(SyntaxFault::Invalid)?;
        self.blanks()?;
        if self.take("(") {
            self.blanks()?;
            self.expect(")")?;
        }
        self.function_body(name)
    }

    fn coprocess(&mut self) -> Result<Statement, SyntaxFault> {
        self.blanks()?;
        self.command()
    }
}
