//! Bank accounts by their international number.

/// Countries and how long their numbers are.
const LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

pub(super) fn ibans(bytes: &[u8], found: &mut Vec<(usize, usize, &'static str)>) {
    let mut until = 0;
    for (start, four) in bytes.windows(4).enumerate() {
        let [first, second, third, fourth] = four else { continue };
        let begins = first.is_ascii_uppercase()
            && second.is_ascii_uppercase()
            && third.is_ascii_digit()
            && fourth.is_ascii_digit();
        let is_joined =
            start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
        if !begins || is_joined || start < until {
            continue;
        }
        if let Some(end) = iban(bytes, start, [*first, *second]) {
            found.push((start, end, "iban"));
            until = end;
        }
    }
}

fn iban(bytes: &[u8], start: usize, country: [u8; 2]) -> Option<usize> {
    let length = LENGTHS.iter().find(|(known, _)| **known == country)?.1;
    let mut characters = Vec::with_capacity(length);
    let mut at = start;
    while characters.len() < length {
        let byte = *bytes.get(at)?;
        let may_part =
            byte == b' ' && characters.len() % 4 == 0 && bytes.get(at.checked_sub(1)?) != Some(&b' ');
        if byte.is_ascii_digit() || byte.is_ascii_uppercase() {
            characters.push(byte);
        } else if !may_part {
            return None;
        }
        at += 1;
    }
    let goes_on = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    (!goes_on && remainder(&characters) == 1).then_some(at)
}

/// The number with its first four characters last and letters as numbers, by 97.
fn remainder(characters: &[u8]) -> u32 {
    let (head, tail) = characters.split_at_checked(4).unwrap_or((characters, &[]));
    tail.iter().chain(head).fold(0, |remainder, byte| {
        let value = char::from(*byte).to_digit(36).unwrap_or_default();
        (remainder * if value > 9 { 100 } else { 10 } + value) % 97
    })
}
