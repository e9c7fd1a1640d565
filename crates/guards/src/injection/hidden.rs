//! Characters that a reader does not see and a model does: zero width, changes of direction, tags.
//!
//! What languages and pictures need stays unreported: joiners between letters that join, flags of regions.

use premath_tusk::policy::Finding;

/// More than these are one attack, not many.
const MOST_FINDINGS: usize = 64;

const BLACK_FLAG: char = '\u{1f3f4}';

/// The runs of hidden characters.
pub(super) fn find(text: &str) -> Vec<Finding> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found: Vec<Finding> = Vec::new();
    let mut previous: Option<char> = None;
    let mut in_flag = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        in_flag = character == BLACK_FLAG || (in_flag && is_tag(character));
        let next = characters.peek().map(|(_, next)| *next);
        let label = if in_flag { None } else { label(at, previous, character, next) };
        previous = Some(character);
        let Some(label) = label else { continue };
        let end = at + character.len_utf8();
        let goes_on = found.last_mut().filter(|last| last.label == label).and_then(|last| last.span.as_mut());
        if let Some(span) = goes_on.filter(|span| span.end == at) {
            span.end = end;
        } else {
            found.push(Finding { label: label.to_owned(), span: Some(at..end) });
        }
        if found.len() > MOST_FINDINGS {
            break;
        }
    }
    found
}

/// The text as a reader sees it.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter(|character| !is_invisible(*character) && !is_tag(*character)).collect()
}

/// What the tags of a text spell.
pub(super) fn spelled(text: &str) -> String {
    let letter = |tag: char| {
        char::from_u32(u32::from(tag).checked_sub(0xe0000)?).filter(|letter| !letter.is_control())
    };
    text.chars().filter(|character| is_tag(*character)).filter_map(letter).collect()
}

fn label(at: usize, previous: Option<char>, character: char, next: Option<char>) -> Option<&'static str> {
    match character {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some("hidden-bidi"),
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' => Some("hidden-zero-width"),
        '\u{feff}' if at > 0 => Some("hidden-zero-width"),
        // Joiners and marks of direction belong to scripts that need them, never between Latin letters.
        '\u{200c}'..='\u{200f}' | '\u{00ad}' => {
            let is_latin = |one: Option<char>| one.is_some_and(|one| one.is_ascii_alphanumeric());
            (is_latin(previous) && is_latin(next) && character != '\u{00ad}').then_some("hidden-zero-width")
        }
        _ => is_tag(character).then_some("hidden-tag"),
    }
}

const fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{00ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}
