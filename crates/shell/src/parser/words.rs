//! Words: quotes, escapes, and where a word ends.

use super::{Parser, SyntaxFault, ends_word};
use crate::ast::{Piece, Word};
use crate::decode::ansi_c;

impl Parser {
    /// Reads one word; `None` where none stands.
    pub(super) fn word(&mut self) -> Result<Option<Word>, SyntaxFault> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(character) = self.peek() {
            self.step()?;
            match character {
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    let body = self.deeper(|parser| parser.list(&[]))?;
                    self.lines()?;
                    self.expect(")")?;
                    word.pieces.push(Piece::Process(std::rc::Rc::new(body)));
                }
                '(' if self.ends_with_extended_pattern(&word) => {
                    let text = self.balanced()?;
                    bare(&mut word, &text);
                }
                _ if ends_word(character) => break,
                '\r' if matches!(self.peek_at(1), None | Some('\n')) => break,
                _ => self.piece(&mut word)?,
            }
        }
        Ok((self.at > start).then_some(word))
    }

    fn ends_with_extended_pattern(&self, word: &Word) -> bool {
        match word.pieces.last() {
            Some(Piece::Bare(text)) => text.ends_with(['@', '+', '?', '*', '!']),
            _ => false,
        }
    }

    /// Text in parentheses as it stands, for patterns.
    fn balanced(&mut self) -> Result<String, SyntaxFault> {
        let mut text = String::new();
        let mut level = 0_usize;
        loop {
            self.step()?;
            let character = self.next().ok_or(SyntaxFault::Invalid)?;
            match character {
                '(' => level += 1,
                ')' => level = level.saturating_sub(1),
                '$' | '`' => return Err(SyntaxFault::Invalid),
                '\\' => text.extend(self.next()),
                _ => {}
            }
            text.push(character);
            if level == 0 {
                return Ok(text);
            }
        }
    }

    /// Reads one piece of a word outside of quotes.
    pub(super) fn piece(&mut self, word: &mut Word) -> Result<(), SyntaxFault> {
        match self.next() {
            None => {}
            Some('\\') => match self.next() {
                None => bare(word, "\\"),
                Some('\n') => {}
                Some(escaped) => quoted(word, &escaped.to_string()),
            },
            Some('\'') => {
                let text = self.until_single_quote()?;
                quoted(word, &text);
            }
            Some('"') => {
                let pieces = self.deeper(|parser| parser.quoted_pieces(Some('"')))?;
                // An empty pair of quotes is a word as well.
                quoted(word, "");
                word.pieces.extend(pieces);
            }
            Some('`') => {
                let piece = self.backquoted(false)?;
                word.pieces.push(piece);
            }
            Some('$') => match self.behind_dollar() {
                Some('\'') => {
                    self.at += 1;
                    let text = self.until_ansi_c_quote()?;
                    quoted(word, &text);
                }
                Some('"') => {}
                _ => {
                    let piece = self.dollar(false)?;
                    word.pieces.push(piece);
                }
            },
            Some(character) => bare(word, character.encode_utf8(&mut [0; 4])),
        }
        Ok(())
    }

    fn until_single_quote(&mut self) -> Result<String, SyntaxFault> {
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|character| *character == '\'').ok_or(SyntaxFault::Invalid)?;
        let text = rest.get(..length).unwrap_or_default().iter().collect();
        self.at += length + 1;
        Ok(text)
    }

    /// The text of `$'…'`, decoded.
    fn until_ansi_c_quote(&mut self) -> Result<String, SyntaxFault> {
        let mut raw = String::new();
        loop {
            match self.next().ok_or(SyntaxFault::Invalid)? {
                '\'' => return Ok(ansi_c(&raw)),
                '\\' => {
                    raw.push('\\');
                    raw.push(self.next().ok_or(SyntaxFault::Invalid)?);
                }
                character => raw.push(character),
            }
        }
    }

    /// The pieces of a text in which only expansions count, up to the quote that closes it or to its end.
    pub(super) fn quoted_pieces(&mut self, close: Option<char>) -> Result<Vec<Piece>, SyntaxFault> {
        let mut word = Word::default();
        loop {
            self.step()?;
            let Some(character) = self.next() else {
                return if close.is_none() { Ok(word.pieces) } else { Err(SyntaxFault::Invalid) };
            };
            match character {
                _ if Some(character) == close => return Ok(word.pieces),
                '\\' => match self.next() {
                    None => quoted(&mut word, "\\"),
                    Some('\n') => {}
                    Some(escaped) => {
                        let is_escape = matches!(escaped, '$' | '`' | '\\') || Some(escaped) == close;
                        if !is_escape {
                            quoted(&mut word, "\\");
                        }
                        quoted(&mut word, escaped.encode_utf8(&mut [0; 4]));
                    }
                },
                '`' => {
                    let piece = self.backquoted(true)?;
                    word.pieces.push(piece);
                }
                '$' => {
                    let piece = self.dollar(true)?;
                    word.pieces.push(piece);
                }
                _ => quoted(&mut word, character.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

/// Adds text without quotes.
pub(super) fn bare(word: &mut Word, text: &str) {
    match word.pieces.last_mut() {
        Some(Piece::Bare(last)) => last.push_str(text),
        _ => word.pieces.push(Piece::Bare(text.to_owned())),
    }
}

/// Adds text that stands for itself.
pub(super) fn quoted(word: &mut Word, text: &str) {
    match word.pieces.last_mut() {
        Some(Piece::Quoted(last)) => last.push_str(text),
        _ => word.pieces.push(Piece::Quoted(text.to_owned())),
    }
}
