//! Text to tokens. It must not look back: each character is read once.

use crate::datum::{CHARACTER_NAMES, Kind};
use crate::error::{Error, ErrorKind};
use crate::number::{NoNumber, Number};
use crate::position::Position;

pub(super) enum Token {
    Datum(Kind),
    /// `(` or `[`, by the character that ends it
    Open(char),
    OpenVector(char),
    Close(char),
    Prefix(&'static str),
    Discard,
    Dot,
}

pub(super) struct Scanner<'s> {
    source: &'s str,
    at: usize,
}

/// Whether a character ends a name or a number.
pub(crate) fn ends_token(one: char) -> bool {
    one.is_whitespace() || matches!(one, '(' | ')' | '[' | ']' | '"' | ';')
}

/// Whether a token must be a number or is an error: `12`, `-1`, `.5`, `1+`.
pub(crate) fn looks_like_number(token: &str) -> bool {
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let rest = unsigned.strip_prefix('.').unwrap_or(unsigned);
    rest.starts_with(|one: char| one.is_ascii_digit())
}

impl<'s> Scanner<'s> {
    pub(super) fn new(source: &'s str) -> Scanner<'s> {
        Scanner { source, at: 0 }
    }

    pub(super) fn source(&self) -> &'s str {
        self.source
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Syntax, message).at(Position::of(self.source, at))
    }

    fn unfinished(&self, at: usize, message: &str) -> Error {
        Error { incomplete: true, ..self.error(at, message) }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let one = self.peek()?;
        self.at += one.len_utf8();
        Some(one)
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    /// The next token and where it starts.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token)>, Error> {
        self.skip_blank()?;
        let at = self.at;
        let Some(one) = self.take() else { return Ok(None) };
        let token = match one {
            '(' => Token::Open(')'),
            '[' => Token::Open(']'),
            ')' | ']' => Token::Close(one),
            '\'' => Token::Prefix("quote"),
            '`' => Token::Prefix("quasiquote"),
            ',' if self.take_if('@') => Token::Prefix("unquote-splicing"),
            ',' => Token::Prefix("unquote"),
            '"' => Token::Datum(Kind::Text(self.quoted(at, '"')?)),
            '|' => Token::Datum(Kind::Symbol(self.quoted(at, '|')?)),
            '#' => self.hash(at)?,
            _ => self.word(at)?,
        };
        Ok(Some((at, token)))
    }

    /// Blanks, `;` to the end of the line, `#| … |#`.
    fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with(';') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("#|") {
                self.skip_block()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.at += 2;
        let mut depth = 1_usize;
        while depth > 0 {
            let rest = self.rest();
            let Some(next) = rest.find(['|', '#']) else {
                return Err(self.unfinished(start, "this comment is never closed by `|#`"));
            };
            let two = rest.get(next..next + 2).unwrap_or_default();
            depth = match two {
                "|#" => depth - 1,
                "#|" => depth + 1,
                _ => depth,
            };
            self.at += next + if two == "|#" || two == "#|" { 2 } else { 1 };
        }
        Ok(())
    }

    fn token_end(&self) -> usize {
        let rest = self.rest();
        self.at + rest.find(ends_token).unwrap_or(rest.len())
    }

    fn word(&mut self, at: usize) -> Result<Token, Error> {
        self.at = self.token_end();
        let word = self.source.get(at..self.at).unwrap_or_default();
        if word == "." {
            return Ok(Token::Dot);
        }
        if looks_like_number(word) {
            return self.number(at, word);
        }
        if word.contains('|') {
            return Err(self.error(at, format!("`{word}` has a bar inside: a name in bars starts with one")));
        }
        Ok(Token::Datum(Kind::Symbol(word.to_owned())))
    }

    fn number(&self, at: usize, word: &str) -> Result<Token, Error> {
        match Number::parse(word) {
            Ok(parsed) if parsed.exact => Ok(Token::Datum(Kind::Number(parsed.number))),
            Ok(_) => Err(self.error(at, format!("`{word}` has more digits than a number keeps (18 places)"))),
            Err(NoNumber::TooBig) => Err(self.error(at, format!("`{word}` does not fit 64 bits"))),
            Err(NoNumber::Spelling) => {
                Err(self.error(at, format!("`{word}` is neither a number nor a name")))
            }
        }
    }

    fn hash(&mut self, at: usize) -> Result<Token, Error> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                Ok(Token::OpenVector(')'))
            }
            Some('[') => {
                self.at += 1;
                Ok(Token::OpenVector(']'))
            }
            Some(';') => {
                self.at += 1;
                Ok(Token::Discard)
            }
            Some('\\') => {
                self.at += 1;
                self.character(at).map(|one| Token::Datum(Kind::Char(one)))
            }
            Some(_) | None => {
                self.at = self.token_end();
                match self.source.get(at..self.at).unwrap_or_default() {
                    "#t" | "#true" => Ok(Token::Datum(Kind::Bool(true))),
                    "#f" | "#false" => Ok(Token::Datum(Kind::Bool(false))),
                    other => Err(self.error(at, format!("`{other}` is not known here"))),
                }
            }
        }
    }

    fn character(&mut self, at: usize) -> Result<char, Error> {
        // The character itself may be one that ends a token.
        let Some(first) = self.take() else {
            return Err(self.unfinished(at, "a character must follow `#\\`"));
        };
        let start = self.at - first.len_utf8();
        self.at = self.token_end().max(self.at);
        if ends_token(first) {
            self.at = start + first.len_utf8();
        }
        let name = self.source.get(start..self.at).unwrap_or_default();
        let mut letters = name.chars();
        if let (Some(one), None) = (letters.next(), letters.next()) {
            return Ok(one);
        }
        if let Some((_, one)) = CHARACTER_NAMES.iter().find(|(known, _)| *known == name) {
            return Ok(*one);
        }
        name.strip_prefix('x')
            .and_then(code_point)
            .ok_or_else(|| self.error(at, format!("`#\\{name}` is no character")))
    }

    /// A string or a name in bars, up to the quote that ends it.
    fn quoted(&mut self, start: usize, quote: char) -> Result<String, Error> {
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.take() {
                Some(one) if one == quote => return Ok(text),
                Some('\\') => text.extend(self.escape(at)?),
                Some(one) => text.push(one),
                None => return Err(self.unfinished(start, &format!("nothing closes this by `{quote}`"))),
            }
        }
    }

    fn escape(&mut self, at: usize) -> Result<Option<char>, Error> {
        let one = match self.take() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('a') => '\u{7}',
            Some('0') => '\0',
            Some(same @ ('\\' | '"' | '|')) => same,
            Some('x') => {
                let digits = self.rest().split_once(';').map(|(digits, _)| digits);
                let one = digits.filter(|digits| digits.len() <= 6).and_then(code_point);
                self.at += digits.map_or(0, str::len) + 1;
                one.ok_or_else(|| self.error(at, "`\\x` needs the number of a character and `;`"))?
            }
            Some('\n') => {
                self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
                return Ok(None);
            }
            Some(other) => return Err(self.error(at, format!("`\\{other}` is no escape"))),
            None => return Err(self.unfinished(at, "the text ends in an escape")),
        };
        Ok(Some(one))
    }
}

fn code_point(digits: &str) -> Option<char> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
}
