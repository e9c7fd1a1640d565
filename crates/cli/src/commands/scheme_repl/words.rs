//! Scheme as somebody types it: which word the cursor stands behind, how it could go on, and how the text is coloured.
//!
//! It looks at letters only and must not decide what a program means; text that is no program is shown as it is.

use std::ops::Range;

use anstyle::{AnsiColor, Style};

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Between words, and everything that has no colour.
    Plain,
    /// A name or a number.
    Word,
    /// Text in quotation marks.
    Quoted,
    /// A comment to the end of its line.
    Comment,
    /// An opening or closing parenthesis.
    Parenthesis,
}

/// The pieces of a text, in order and without gaps.
pub(super) fn pieces(text: &str) -> Vec<(Range<usize>, Kind)> {
    let mut pieces: Vec<(Range<usize>, Kind)> = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        let kind = kind_of(letter);
        let mut is_escaped = false;
        while let Some(&(_, next)) = letters.peek() {
            let goes_on = match kind {
                Kind::Parenthesis => false,
                Kind::Comment => next != '\n',
                Kind::Quoted => true,
                Kind::Plain | Kind::Word => kind_of(next) == kind,
            };
            if !goes_on {
                break;
            }
            letters.next();
            if kind == Kind::Quoted {
                if next == '"' && !is_escaped {
                    break;
                }
                is_escaped = next == '\\' && !is_escaped;
            }
        }
        let end = letters.peek().map_or(text.len(), |(at, _)| *at);
        pieces.push((start..end, kind));
    }
    pieces
}

const fn kind_of(letter: char) -> Kind {
    match letter {
        '(' | ')' | '[' | ']' => Kind::Parenthesis,
        '"' => Kind::Quoted,
        ';' => Kind::Comment,
        '\'' | '`' | ',' | '@' => Kind::Plain,
        other if other.is_whitespace() => Kind::Plain,
        _letter => Kind::Word,
    }
}

/// The beginning of the word that the cursor stands behind, and how it could go on; nothing within a text or a comment.
pub(super) fn completions<'n>(
    text: &str,
    cursor: usize,
    names: &'n [String],
    commands: &'n [&'n str],
) -> (usize, Vec<&'n str>) {
    let Some(before) = text.get(..cursor) else { return (cursor, Vec::new()) };
    if before.starts_with(',') && !before.contains(char::is_whitespace) {
        return (0, commands.iter().copied().filter(|name| name.starts_with(before)).collect());
    }
    match pieces(before).pop() {
        Some((range, Kind::Word)) => {
            let word = before.get(range.clone()).unwrap_or_default();
            let found = names.iter().map(String::as_str).filter(|name| name.starts_with(word));
            (range.start, found.collect())
        }
        Some((_, Kind::Plain | Kind::Quoted | Kind::Comment | Kind::Parenthesis)) | None => {
            (cursor, Vec::new())
        }
    }
}

const QUOTED: Style = AnsiColor::Green.on_default();
const COMMENT: Style = Style::new().dimmed();
const KNOWN: Style = AnsiColor::Cyan.on_default();
const NUMBER: Style = AnsiColor::Yellow.on_default();
const PARTNER: Style = Style::new().bold().underline();

/// The text with colours. `is_known` says which words mean something; the partner of the parenthesis before the cursor
/// stands out.
pub(super) fn coloured(text: &str, cursor: usize, is_known: &dyn Fn(&str) -> bool) -> String {
    let pieces = pieces(text);
    let partner = partner(&pieces, text, cursor);
    let mut shown = String::with_capacity(text.len() * 2);
    for (range, kind) in pieces {
        let piece = text.get(range.clone()).unwrap_or_default();
        let style = match kind {
            Kind::Quoted => Some(QUOTED),
            Kind::Comment => Some(COMMENT),
            Kind::Parenthesis => (partner == Some(range.start)).then_some(PARTNER),
            Kind::Word if is_known(piece) => Some(KNOWN),
            Kind::Word if piece.starts_with(|first: char| first.is_ascii_digit()) => Some(NUMBER),
            Kind::Word | Kind::Plain => None,
        };
        match style {
            Some(style) => shown.push_str(&format!("{style}{piece}{style:#}")),
            None => shown.push_str(piece),
        }
    }
    shown
}

/// Where the parenthesis stands that belongs to the closing one before the cursor.
fn partner(pieces: &[(Range<usize>, Kind)], text: &str, cursor: usize) -> Option<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (range, _) in pieces.iter().filter(|(_, kind)| *kind == Kind::Parenthesis) {
        match text.get(range.clone()) {
            Some("(" | "[") => open.push(range.start),
            Some(_) | None => {
                let opening = open.pop();
                if range.end == cursor {
                    return opening;
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
