//! An argument after expansion: text in which marks stand for what is not known, or known to match several names.
//!
//! Marks are characters of the private use area; the text of a command that has such characters loses them before it is read.

#[cfg(test)]
mod tests;

/// What is only known when the command runs.
pub(crate) const UNKNOWN: char = '\u{e000}';
/// A `*` that matches names.
pub(crate) const STAR: char = '\u{e001}';
/// A `?` that matches names.
pub(crate) const QUESTION: char = '\u{e002}';
/// A `[` that begins a set of letters.
pub(crate) const OPEN_SET: char = '\u{e003}';
/// A `]` that ends one.
pub(crate) const CLOSE_SET: char = '\u{e004}';
/// Braces and the comma between them, where they make several words.
pub(crate) const OPEN_BRACE: char = '\u{e005}';
pub(crate) const COMMA: char = '\u{e006}';
pub(crate) const CLOSE_BRACE: char = '\u{e007}';
/// Where an expansion without quotes is cut into words.
pub(crate) const CUT: char = '\u{e008}';

/// One argument.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arg {
    /// Its text, with marks.
    pub(crate) text: String,
    /// The variables in it whose value is not known.
    pub(crate) variables: Vec<String>,
    /// Whether the output of a command is in it.
    pub(crate) has_output: bool,
    /// Where the output of commands in it comes from.
    pub(crate) origin: crate::flow::Origin,
    /// What a process prints, where the argument is the file that it prints into.
    pub(crate) process: Option<Box<crate::flow::Flow>>,
}

impl Arg {
    /// An argument that is known.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Its text where all of it is known and it matches nothing but itself.
    pub(crate) fn plain(&self) -> Option<&str> {
        (!self.text.contains(is_mark)).then_some(self.text.as_str())
    }

    /// Its text without marks, for comparing with words that are known.
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text == word
    }

    /// Whether it is an option.
    pub(crate) fn is_option(&self) -> bool {
        self.text.starts_with('-') && self.text.len() > 1
    }

    /// Whether part of it is only known when the command runs.
    pub(crate) fn has_unknown(&self) -> bool {
        self.text.contains(UNKNOWN)
    }

    /// The same argument with another text.
    pub(crate) fn with_text(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }

    /// Its text for people.
    pub(crate) fn shown(&self) -> String {
        self.text.chars().map(unmark).collect()
    }
}

/// Whether a character stands for something else.
pub(crate) fn is_mark(character: char) -> bool {
    (UNKNOWN..=CUT).contains(&character)
}

/// A mark as it is written.
pub(crate) fn unmark(character: char) -> char {
    match character {
        UNKNOWN => '…',
        STAR => '*',
        QUESTION => '?',
        OPEN_SET => '[',
        CLOSE_SET => ']',
        OPEN_BRACE => '{',
        COMMA => ',',
        CLOSE_BRACE => '}',
        CUT => ' ',
        other => other,
    }
}

/// A text without the characters that are marks here.
pub(crate) fn without_marks(text: &str) -> String {
    text.chars()
        .map(|character| if is_mark(character) { char::REPLACEMENT_CHARACTER } else { character })
        .collect()
}

/// Whether a name with marks could be this one. A name of nothing but marks could be any, which says nothing.
pub(crate) fn could_be(pattern: &str, name: &str) -> bool {
    let known = pattern.chars().filter(|character| !is_mark(*character)).count();
    if !pattern.contains(is_mark) {
        return pattern.eq_ignore_ascii_case(name);
    }
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    known >= 2 && matches(&pattern, &name)
}

/// Whether a pattern matches a name, in time that is linear in both for each star.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while from < name.len() {
        match pattern.get(at) {
            Some(&(STAR | UNKNOWN)) => {
                retry = Some((at + 1, from + 1));
                at += 1;
                continue;
            }
            Some(&OPEN_SET) => {
                let end =
                    pattern.iter().skip(at).position(|one| matches!(*one, CLOSE_SET)).map(|end| at + end);
                let set = end.and_then(|end| pattern.get(at + 1..end)).unwrap_or_default();
                let is_in = in_set(set, name.get(from).copied().unwrap_or_default());
                if let (true, Some(end)) = (is_in, end) {
                    (at, from) = (end + 1, from + 1);
                    continue;
                }
            }
            Some(one) if *one == QUESTION || Some(one) == name.get(from) => {
                (at, from) = (at + 1, from + 1);
                continue;
            }
            Some(_) | None => {}
        }
        match retry {
            Some((next, skipped)) => {
                (at, from) = (next, skipped);
                retry = Some((next, skipped + 1));
            }
            None => return false,
        }
    }
    pattern.iter().skip(at).all(|one| matches!(*one, STAR | UNKNOWN))
}

fn in_set(set: &[char], character: char) -> bool {
    let (is_negated, set) = match set {
        ['!' | '^', rest @ ..] => (true, rest),
        _ => (false, set),
    };
    let mut rest = set;
    let mut found = false;
    while let [first, tail @ ..] = rest {
        match tail {
            ['-', last, after @ ..] => {
                found |= (*first..=*last).contains(&character);
                rest = after;
            }
            _ => {
                found |= *first == character;
                rest = tail;
            }
        }
    }
    found != is_negated
}

/// The words that braces make of a text: `{a,b}c` as `ac` and `bc`. At most so many; beyond that the rest is not known.
pub(crate) fn expand_braces(text: &str, most: usize) -> Vec<String> {
    if text.chars().filter(|character| *character == OPEN_BRACE).count() > most {
        return vec![format!("{}{UNKNOWN}", plain_braces(text))];
    }
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(one) = open.pop() {
        let choices = if done.len() + open.len() < most { innermost_choices(&one) } else { None };
        match choices {
            Some((before, choices, after)) => {
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(plain_braces(&one)),
        }
    }
    done
}

/// The first innermost group of braces that makes words, with what stands around it.
fn innermost_choices(text: &str) -> Option<(String, Vec<String>, String)> {
    // A brace that closes nothing stands for itself.
    let first = text.find(OPEN_BRACE)?;
    let close = first + text.get(first..)?.find(CLOSE_BRACE)?;
    let (head, tail) = text.split_at_checked(close)?;
    let after = tail.strip_prefix(CLOSE_BRACE)?;
    let open = head.rfind(OPEN_BRACE)?;
    let (before, group) = head.split_at_checked(open)?;
    let group = group.strip_prefix(OPEN_BRACE)?;
    let choices: Vec<String> = if group.contains(COMMA) {
        group.split(COMMA).map(str::to_owned).collect()
    } else {
        match range(group) {
            Some(range) => range,
            // No words: the braces stand for themselves.
            None => vec![format!("{{{group}}}")],
        }
    };
    Some((before.to_owned(), choices, after.to_owned()))
}

/// `1..3`, `a..c`
fn range(text: &str) -> Option<Vec<String>> {
    let (from, to) = text.split_once("..")?;
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let (low, high) = (from.min(to), from.max(to));
        let is_short = high.checked_sub(low).is_some_and(|length| length < 64);
        return is_short.then(|| (low..=high).map(|number| number.to_string()).collect());
    }
    match (from.chars().collect::<Vec<_>>().as_slice(), to.chars().collect::<Vec<_>>().as_slice()) {
        ([from], [to]) if from.is_ascii_alphabetic() && to.is_ascii_alphabetic() => {
            Some((*from.min(to)..=*from.max(to)).map(|letter| letter.to_string()).collect())
        }
        _ => None,
    }
}

fn plain_braces(text: &str) -> String {
    let plain = |character: char| match character {
        OPEN_BRACE | COMMA | CLOSE_BRACE => unmark(character),
        other => other,
    };
    text.chars().map(plain).collect()
}
