//! A value of Scheme for people: on one line where it fits, else one part to a line, indented.
//!
//! It takes the written form of a value and gives back the same with other white space; text it does not understand it gives
//! back as it is.

use unicode_width::UnicodeWidthStr as _;

/// Deeper than this nothing is laid out.
const DEEPEST: usize = 200;

enum Part<'t> {
    Atom(&'t str),
    List { open: &'t str, parts: Vec<Part<'t>>, width: usize },
}

impl Part<'_> {
    fn width(&self) -> usize {
        match self {
            Part::Atom(text) => text.width(),
            Part::List { width, .. } => *width,
        }
    }
}

/// Lays out a written value in lines of at most `width`, where its parts allow it.
pub(crate) fn laid_out(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(part) = parse(text) else { return text.to_owned() };
    let mut shown = String::with_capacity(text.len() * 2);
    lay(&part, 0, width, &mut shown);
    shown
}

fn lay(part: &Part<'_>, column: usize, width: usize, shown: &mut String) {
    match part {
        Part::Atom(text) => shown.push_str(text),
        Part::List { .. } if column + part.width() <= width => flat(part, shown),
        Part::List { open, parts, .. } => {
            shown.push_str(open);
            let inner = column + open.width();
            for (at, part) in parts.iter().enumerate() {
                // `(key . value)` stays together: the value stands behind its key, however long it is.
                let follows_dot = at > 0 && matches!(parts.get(at - 1), Some(Part::Atom(".")));
                let is_dot = matches!(part, Part::Atom("."));
                if follows_dot || is_dot {
                    shown.push(' ');
                } else if at > 0 {
                    shown.push('\n');
                    shown.extend(std::iter::repeat_n(' ', inner));
                }
                let column = if follows_dot { last_line_width(shown) } else { inner };
                lay(part, column, width, shown);
            }
            shown.push(')');
        }
    }
}

fn last_line_width(text: &str) -> usize {
    text.rsplit('\n').next().unwrap_or_default().width()
}

fn flat(part: &Part<'_>, shown: &mut String) {
    match part {
        Part::Atom(text) => shown.push_str(text),
        Part::List { open, parts, .. } => {
            shown.push_str(open);
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    shown.push(' ');
                }
                flat(part, shown);
            }
            shown.push(')');
        }
    }
}

/// The parts of a written value; none when its parentheses do not match.
fn parse(text: &str) -> Option<Part<'_>> {
    let mut open: Vec<(&str, Vec<Part<'_>>)> = vec![("", Vec::new())];
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(')') {
            let (opening, parts) = open.pop().filter(|_| !open.is_empty())?;
            let between = parts.len().saturating_sub(1);
            let width = parts.iter().map(Part::width).sum::<usize>() + opening.width() + between + 1;
            open.last_mut()?.1.push(Part::List { open: opening, parts, width });
            rest = behind;
            continue;
        }
        let end = token_end(rest);
        let (token, behind) = rest.split_at_checked(end)?;
        if token.ends_with('(') && !token.starts_with('"') && !token.starts_with("#\\") {
            if open.len() > DEEPEST {
                return None;
            }
            open.push((token, Vec::new()));
        } else if !token.trim().is_empty() {
            open.last_mut()?.1.push(Part::Atom(token));
        }
        rest = behind;
    }
    let (_, mut parts) = open.pop().filter(|_| open.is_empty())?;
    parts.pop().filter(|_| parts.is_empty())
}

/// Where the first token of a text ends: white space, `(` with what stands directly before it, a quoted text, or a word.
fn token_end(text: &str) -> usize {
    if text.starts_with('"') {
        let mut is_escaped = false;
        for (at, letter) in text.char_indices().skip(1) {
            match letter {
                '"' if !is_escaped => return at + 1,
                other => is_escaped = other == '\\' && !is_escaped,
            }
        }
        return text.len();
    }
    if text.starts_with("#\\") {
        // A character: the letter behind the backslash belongs to it, whatever it is.
        let end = text.char_indices().skip(3).find(|(_, letter)| letter.is_whitespace() || *letter == ')');
        return end.map_or(text.len(), |(at, _)| at);
    }
    let is_space = text.starts_with(char::is_whitespace);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' if is_space => return at,
            '(' => return at + 1,
            ')' | '"' if at > 0 => return at,
            other if at > 0 && other.is_whitespace() != is_space => return at,
            _letter => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
