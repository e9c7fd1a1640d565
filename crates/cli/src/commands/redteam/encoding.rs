//! Ways to write the same bytes down: what a thief does before a secret leaves.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_u32 {
            let sextet = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            let is_there = usize::try_from(place).unwrap_or(4) <= chunk.len();
            let letter = LETTERS.get(sextet).copied().unwrap_or(b'=');
            text.push(if is_there { char::from(letter) } else { '=' });
        }
    }
    text
}

/// So many letters of a secret in a row are a piece of it.
const PIECE: usize = 16;
/// What nobody sees when it stands between letters.
const INVISIBLE: [&str; 5] = ["\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}"];

/// A text without what nobody sees in it.
pub(super) fn visible(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let escaped = ["\\u{200b}", "\\u200b"];
    let shown = INVISIBLE.iter().chain(&escaped).fold(text.into_owned(), |text, mark| text.replace(mark, ""));
    shown.into_bytes()
}

/// Every piece of a secret as it is and as it looks in the middle of something encoded, whatever stands before it.
pub(super) fn disguises(secret: &str) -> Vec<Vec<u8>> {
    let bytes = secret.as_bytes();
    let turned: Vec<u8> = bytes.iter().rev().copied().collect();
    let mut all: Vec<Vec<u8>> =
        bytes.windows(PIECE).chain(turned.windows(PIECE)).map(<[u8]>::to_vec).collect();
    for offset in 0..3_usize {
        // Of the letters at both ends some bits belong to the neighbours.
        let shifted: Vec<u8> = std::iter::repeat_n(b' ', offset).chain(bytes.iter().copied()).collect();
        let coded = base64(&shifted);
        let inner = coded.trim_end_matches('=');
        let cut = if offset == 0 { 0 } else { 4 };
        let inner = inner.get(cut..inner.len().saturating_sub(2)).unwrap_or_default();
        all.extend(inner.as_bytes().windows(PIECE).map(<[u8]>::to_vec));
    }
    all.extend(premath_kernel::hex(bytes).as_bytes().windows(2 * PIECE).map(<[u8]>::to_vec));
    all
}

#[cfg(test)]
mod tests {
    use super::{base64, disguises, visible};

    #[test]
    fn bytes_are_written_as_everybody_writes_them() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_secret_is_known_wherever_it_stands_in_what_was_encoded() {
        let secret = "correct-horse-battery-staple";
        for before in ["", "a", "ab", "abc", "TOKEN="] {
            let coded = base64(format!("{before}{secret}\nmore").as_bytes());
            let is_there = |form: &Vec<u8>| coded.as_bytes().windows(form.len()).any(|part| part == form);
            assert!(disguises(secret).iter().any(is_there), "{before}");
        }
    }

    #[test]
    fn a_piece_of_a_secret_is_known_backwards_and_between_what_nobody_sees() {
        let secret = "correct-horse-battery-staple";
        let known = |text: &str| {
            let text = visible(text.as_bytes());
            disguises(secret).iter().any(|form| text.windows(form.len()).any(|part| part == form))
        };
        let spread: String = secret.chars().flat_map(|letter| [letter, '\u{200b}']).collect();
        for text in
            ["horse-battery-sta", "elpats-yrettab-esroh", &spread, "636f72726563742d686f7273652d62617474"]
        {
            assert!(known(text), "{text}");
        }
        assert!(!known("horse-battery"));
    }
}
