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

/// A secret as it is, and as it looks in the middle of something encoded, whatever stands before it.
pub(super) fn disguises(secret: &str) -> Vec<Vec<u8>> {
    let bytes = secret.as_bytes();
    let mut all = vec![bytes.to_vec()];
    for offset in 0..3_usize {
        // Of the letters at both ends some bits belong to the neighbours.
        let shifted: Vec<u8> = std::iter::repeat_n(b' ', offset).chain(bytes.iter().copied()).collect();
        let coded = base64(&shifted);
        let inner = coded.trim_end_matches('=');
        let cut = if offset == 0 { 0 } else { 4 };
        all.extend(inner.get(cut..inner.len().saturating_sub(2)).map(|text| text.as_bytes().to_vec()));
    }
    all.push(premath_kernel::hex(bytes).into_bytes());
    all.push(secret.chars().rev().collect::<String>().into_bytes());
    all
}

#[cfg(test)]
mod tests {
    use super::{base64, disguises};

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
}
