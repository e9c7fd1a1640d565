//! Encodings that hide a command from a reader: escapes of quotes and `printf`, Base64, Base32, hexadecimal, substituted letters.
//!
//! Each function returns the text a shell would get, or nothing. They must not guess.

#[cfg(test)]
mod tests;

/// The most bytes that a decoded text may have.
const MOST_BYTES: usize = 64 * 1024;

/// The text of `$'…'`.
pub(crate) fn ansi_c(text: &str) -> String {
    unescape(text, Escapes::AnsiC)
}

/// The text that `echo -e` prints.
pub(crate) fn echo_escapes(text: &str) -> String {
    unescape(text, Escapes::Echo)
}

/// The text that `printf` prints for a format, with its conversions filled from arguments in turn.
pub(crate) fn printf(format: &str, arguments: &[String]) -> Option<String> {
    let format = unescape(format, Escapes::Format);
    let mut values = arguments.iter();
    let mut out = String::new();
    loop {
        let before = values.len();
        print_once(&format, &mut values, &mut out)?;
        if out.len() > MOST_BYTES {
            return None;
        }
        // The format is used again while it takes arguments.
        if values.len() == 0 || values.len() == before {
            return Some(out);
        }
    }
}

fn print_once<'v>(
    format: &str,
    values: &mut impl Iterator<Item = &'v String>,
    out: &mut String,
) -> Option<()> {
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        // A width or a precision cuts and fills: what is printed then is not followed.
        if characters.next_if(|one| one.is_ascii_digit() || "-+ .#*".contains(*one)).is_some() {
            return None;
        }
        match characters.next()? {
            '%' => out.push('%'),
            's' | 'q' => out.push_str(values.next().map_or("", String::as_str)),
            'b' => out.push_str(&echo_escapes(values.next().map_or("", String::as_str))),
            'c' => out.extend(values.next().and_then(|value| value.chars().next())),
            'd' | 'i' | 'u' => out.push_str(values.next().map_or("0", String::as_str)),
            'x' => {
                let number: u64 = values.next().map_or(Some(0), |value| value.parse().ok())?;
                out.push_str(&format!("{number:x}"));
            }
            'o' => {
                let number: u64 = values.next().map_or(Some(0), |value| value.parse().ok())?;
                out.push_str(&format!("{number:o}"));
            }
            _ => return None,
        }
    }
    Some(())
}

/// Which escapes a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// `\101`, `\x41`, `\u0041`, `\'`
    AnsiC,
    /// The same, for the format of `printf`.
    Format,
    /// The same, with `\0101` for an octal number, and `\c` for the end.
    Echo,
}

fn unescape(text: &str, escapes: Escapes) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = match escapes {
            Escapes::Echo if after.starts_with('c') => "",
            Escapes::AnsiC | Escapes::Format | Escapes::Echo => unescape_one(after, escapes, &mut bytes),
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    // A quoted text ends at a zero byte; shells drop it from what programs print.
    match escapes {
        Escapes::AnsiC => bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())),
        Escapes::Format | Escapes::Echo => bytes.retain(|byte| *byte != 0),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Decodes one escape behind its backslash, and returns what follows.
fn unescape_one<'t>(text: &'t str, escapes: Escapes, out: &mut Vec<u8>) -> &'t str {
    let mut characters = text.chars();
    let Some(first) = characters.next() else {
        out.push(b'\\');
        return text;
    };
    let rest = characters.as_str();
    let simple = match first {
        'a' => Some(7),
        'b' => Some(8),
        'e' | 'E' => Some(27),
        'f' => Some(12),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'v' => Some(11),
        '\\' | '\'' | '"' | '?' => u8::try_from(first).ok(),
        _ => None,
    };
    if let Some(byte) = simple {
        out.push(byte);
        return rest;
    }
    if first == 'x' && escapes == Escapes::AnsiC && rest.starts_with('{') {
        return unescape_braced(rest, out);
    }
    let (radix, digits, most) = match first {
        'x' => (16, rest, 2),
        'u' => (16, rest, 4),
        'U' => (16, rest, 8),
        '0' if escapes == Escapes::Echo => (8, rest, 3),
        '0'..='7' => (8, text, 3),
        _ => {
            out.push(b'\\');
            return text;
        }
    };
    let length = digits.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
    let number = digits.get(..length).and_then(|digits| u32::from_str_radix(digits, radix).ok());
    match number {
        Some(number) if matches!(first, 'u' | 'U') => {
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Some(number) => out.extend(u8::try_from(number & 0xff)),
        None => out.push(b'\\'),
    }
    match number {
        Some(_) => digits.get(length..).unwrap_or_default(),
        None => text,
    }
}

/// `\x{72}`: any number of digits, of which the last byte counts; the brace may be missing at the end.
fn unescape_braced<'t>(text: &'t str, out: &mut Vec<u8>) -> &'t str {
    let digits = text.strip_prefix('{').unwrap_or(text);
    let end = digits.find(|digit: char| !digit.is_ascii_hexdigit()).unwrap_or(digits.len());
    let (number, rest) = digits.split_at_checked(end).unwrap_or((digits, ""));
    let last = number.get(number.len().saturating_sub(2)..).unwrap_or_default();
    out.push(u8::from_str_radix(last, 16).unwrap_or(0));
    rest.strip_prefix('}').unwrap_or(rest)
}

/// Base64, with the alphabet of URLs as well, blanks passed over.
pub(crate) fn base64(text: &str) -> Option<String> {
    digits(text, 6, |character| match character {
        'A'..='Z' => Some(character as u32 - 'A' as u32),
        'a'..='z' => Some(character as u32 - 'a' as u32 + 26),
        '0'..='9' => Some(character as u32 - '0' as u32 + 52),
        '+' | '-' => Some(62),
        '/' | '_' => Some(63),
        _ => None,
    })
}

/// Base32, blanks passed over.
pub(crate) fn base32(text: &str) -> Option<String> {
    digits(text, 5, |character| match character {
        'A'..='Z' => Some(character as u32 - 'A' as u32),
        '2'..='7' => Some(character as u32 - '2' as u32 + 26),
        _ => None,
    })
}

/// Hexadecimal, blanks passed over.
pub(crate) fn hexadecimal(text: &str) -> Option<String> {
    digits(text, 4, |character| character.to_digit(16))
}

/// Digits of so many bits as the bytes they stand for.
fn digits(text: &str, bits: u32, value: impl Fn(char) -> Option<u32>) -> Option<String> {
    let mut bytes = Vec::new();
    let (mut buffer, mut held) = (0_u32, 0_u32);
    for character in text.chars().filter(|character| !character.is_whitespace() && *character != '=') {
        buffer = (buffer << bits) | value(character)?;
        held += bits;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((buffer >> held) & 0xff).ok()?);
            buffer &= (1 << held) - 1;
        }
        if bytes.len() > MOST_BYTES {
            return None;
        }
    }
    String::from_utf8(bytes).ok()
}

/// `tr`: letters of one set as those of another, or none of them.
pub(crate) fn translate(text: &str, from: &str, to: Option<&str>) -> Option<String> {
    let from = set(from)?;
    let Some(to) = to else {
        return Some(text.chars().filter(|character| !from.contains(character)).collect());
    };
    let to = set(to)?;
    let last = *to.last()?;
    let map = |character: char| match from.iter().position(|one| *one == character) {
        Some(index) => to.get(index).copied().unwrap_or(last),
        None => character,
    };
    Some(text.chars().map(map).collect())
}

/// The letters of a set such as `a-zA-Z`.
fn set(text: &str) -> Option<Vec<char>> {
    let text = match text {
        "[:upper:]" => "A-Z",
        "[:lower:]" => "a-z",
        "[:space:]" => " \t\n",
        _ if text.contains("[:") => return None,
        _ => text,
    };
    let text = unescape(text, Escapes::AnsiC);
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut rest = characters.as_slice();
    while let [first, tail @ ..] = rest {
        match tail {
            ['-', last, after @ ..] if first <= last && (*last as u32) - (*first as u32) < 256 => {
                found.extend(*first..=*last);
                rest = after;
            }
            _ => {
                found.push(*first);
                rest = tail;
            }
        }
    }
    Some(found)
}
