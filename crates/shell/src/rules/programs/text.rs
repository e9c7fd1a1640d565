//! Texts in a program of any of the usual languages: what stands in quotes.

/// The texts of a program.
#[derive(Debug, Default)]
pub(super) struct Strings {
    /// In order.
    pub(super) texts: Vec<String>,
    /// Whether some are put together by `+`, `.` or interpolation.
    pub(super) are_concatenated: bool,
}

/// The most texts of a program that are looked at.
const MOST_TEXTS: usize = 200;

impl Strings {
    /// Takes the texts out of a program.
    pub(super) fn of(program: &str) -> Self {
        let mut found = Self::default();
        let mut characters = program.chars().peekable();
        let mut last = ' ';
        while let Some(character) = characters.next() {
            if !matches!(character, '"' | '\'' | '`') {
                let joins = matches!(character, '+') && matches!(last, '"' | '\'' | '`');
                found.are_concatenated |= joins;
                if !character.is_whitespace() {
                    last = character;
                }
                continue;
            }
            found.are_concatenated |= last == '+';
            let mut text = String::new();
            while let Some(inner) = characters.next() {
                match inner {
                    _ if inner == character => break,
                    '\\' => match characters.next() {
                        Some('n') => text.push('\n'),
                        Some('t') => text.push('\t'),
                        Some(escaped @ ('x' | 'u')) => {
                            text.push('\\');
                            text.push(escaped);
                        }
                        Some(escaped) => text.push(escaped),
                        None => {}
                    },
                    _ => text.push(inner),
                }
            }
            last = character;
            let text = if text.contains("\\x") || text.contains("\\u") {
                crate::decode::ansi_c(&text)
            } else {
                text
            };
            if found.texts.len() < MOST_TEXTS {
                found.texts.push(text);
            }
        }
        found
    }
}

/// Lists of texts such as `['rm', '-rf', '/']`, each as the words of a command.
pub(super) fn joined_lists(program: &str) -> Vec<Vec<String>> {
    let mut lists = Vec::new();
    for part in program.split(['[', '(']).skip(1) {
        let inner: String = part.chars().take_while(|one| !matches!(one, ']' | ')')).collect();
        let texts = Strings::of(&inner).texts;
        if texts.len() > 1 && lists.len() < 16 {
            lists.push(texts);
        }
    }
    // Perl and Ruby need no brackets: `exec "rm", "-rf", "/"`.
    let all = Strings::of(program).texts;
    if lists.is_empty() && all.len() > 1 {
        lists.push(all);
    }
    lists
}
