//! Ends of lines, and the here-documents whose text begins behind one.

use super::{Parser, PendingDocument, SyntaxFault};
use crate::ast::{Piece, Word};

impl Parser {
    /// Takes the end of a line, and the here-documents that begin behind it.
    pub(super) fn line_end(&mut self) -> Result<(), SyntaxFault> {
        if self.next() != Some('\n') {
            return Err(SyntaxFault::Invalid);
        }
        for document in std::mem::take(&mut self.pending) {
            self.document(&document)?;
        }
        Ok(())
    }

    fn document(&mut self, document: &PendingDocument) -> Result<(), SyntaxFault> {
        let mut text = String::new();
        while self.at < self.characters.len() {
            self.step()?;
            let line_start = self.at;
            let line = self.line();
            let stripped = if document.strips_tabs { line.trim_start_matches('\t') } else { line.as_str() };
            if stripped == document.end {
                break;
            }
            // `)` behind the delimiter closes a substitution that the document stands in.
            let closes = stripped
                .strip_prefix(document.end.as_str())
                .is_some_and(|rest| !document.end.is_empty() && rest.trim_start().starts_with(')'));
            if closes {
                self.at = line_start
                    + (line.chars().count() - stripped.chars().count())
                    + document.end.chars().count();
                break;
            }
            // Versions of Bash end the document here as well when it stands in a substitution, and read the rest as commands.
            let is_ambiguous = !document.end.is_empty()
                && stripped.strip_prefix(document.end.as_str()).is_some_and(|rest| rest.contains(')'));
            if is_ambiguous {
                return Err(SyntaxFault::Invalid);
            }
            text.push_str(stripped);
            text.push('\n');
        }
        let word = if document.is_literal {
            Word { pieces: vec![Piece::Quoted(text)] }
        } else {
            self.expanded_document(&text)?
        };
        // A slot is filled once: each document has its own.
        document.slot.set(word).map_err(|_| SyntaxFault::Invalid)
    }

    /// The rest of a line, taken together with its end.
    fn line(&mut self) -> String {
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|character| *character == '\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default().iter().collect();
        self.at = (self.at + length + 1).min(self.characters.len());
        line
    }

    /// A document in which expansions count.
    fn expanded_document(&mut self, text: &str) -> Result<Word, SyntaxFault> {
        let mut inner = Self {
            characters: text.chars().collect(),
            at: 0,
            depth: self.depth,
            steps: self.steps,
            pending: Vec::new(),
        };
        let pieces = inner.quoted_pieces(None);
        self.steps = inner.steps;
        Ok(Word { pieces: pieces? })
    }
}
