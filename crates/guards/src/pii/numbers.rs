//! What is made of digits: cards, telephones, numbers of persons. Each group of digits is read once.

use super::PiiKinds;

const MOST_DIGITS: usize = 19;

/// Digits with what parts them.
#[derive(Debug)]
struct Group {
    start: usize,
    end: usize,
    digits: Vec<u8>,
    /// How many digits each part has.
    parts: Vec<usize>,
    /// What stands between the parts, in order, without repetitions.
    separators: Vec<u8>,
    has_plus: bool,
}

pub(super) fn find(bytes: &[u8], kinds: &PiiKinds, found: &mut Vec<(usize, usize, &'static str)>) {
    let mut at = 0;
    while let Some(offset) = next_number(bytes, at) {
        let group = read(bytes, at + offset);
        if let Some(label) = label(&group, kinds, bytes) {
            found.push((group.start, group.end, label));
        }
        at = group.end.max(at + offset + 1);
    }
}

/// Where the next group begins: a digit, a plus or a bracket before one, with no letter or digit right before it.
fn next_number(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let mut previous = from.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    for (offset, byte) in rest.iter().enumerate() {
        let next = || rest.get(offset + 1).is_some_and(u8::is_ascii_digit);
        let begins = byte.is_ascii_digit() || (matches!(byte, b'+' | b'(') && next());
        let is_joined = previous.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte));
        if begins && !is_joined {
            return Some(offset);
        }
        previous = Some(*byte);
    }
    None
}

fn read(bytes: &[u8], start: usize) -> Group {
    let mut group = Group {
        start,
        end: start,
        digits: Vec::new(),
        parts: Vec::new(),
        separators: Vec::new(),
        has_plus: bytes.get(start) == Some(&b'+'),
    };
    let mut at = start + usize::from(group.has_plus);
    let mut is_new_part = true;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_digit() && group.digits.len() <= MOST_DIGITS {
            if is_new_part {
                group.parts.push(0);
                is_new_part = false;
            }
            if let Some(last) = group.parts.last_mut() {
                *last += 1;
            }
            group.digits.push(byte - b'0');
            at += 1;
            group.end = at;
        } else if byte.is_ascii_digit() {
            at += 1;
            group.end = at;
        } else {
            let Some(length) = separator(bytes, at) else { break };
            let between = bytes.get(at..at + length).unwrap_or_default();
            between
                .iter()
                .filter(|byte| !group.separators.contains(byte))
                .copied()
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|byte| group.separators.push(byte));
            is_new_part = true;
            at += length;
        }
    }
    group
}

/// One character between two groups of digits, or a bracket with a space.
fn separator(bytes: &[u8], at: usize) -> Option<usize> {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b' ' | b'-' | b'.' | b'(' | b')', _) if is_digit(at + 1) => Some(1),
        (b')' | b' ', Some(b' ' | b'-' | b'(')) if is_digit(at + 2) => Some(2),
        _ => None,
    }
}

fn label(group: &Group, kinds: &PiiKinds, bytes: &[u8]) -> Option<&'static str> {
    let goes_on = bytes.get(group.end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if goes_on {
        return None;
    }
    if kinds.card && is_card(group) {
        return Some("card");
    }
    if kinds.us_ssn && is_ssn(group) {
        return Some("us-ssn");
    }
    (kinds.phone && is_phone(group)).then_some("phone")
}

fn is_card(group: &Group) -> bool {
    let is_plain = group.separators.is_empty();
    let is_grouped = group.separators == [b' '] || group.separators == [b'-'];
    let parts_fit =
        is_plain || matches!(group.parts.as_slice(), [4, 4, 4, 1..=4] | [4, 6, 4..=5] | [4, 4, 4, 4, 1..=3]);
    let begins = matches!(group.digits.first(), Some(2..=6));
    let is_same = group.digits.iter().all(|digit| Some(digit) == group.digits.first());
    (13..=MOST_DIGITS).contains(&group.digits.len())
        && !group.has_plus
        && (is_plain || is_grouped)
        && parts_fit
        && begins
        && !is_same
        && luhn(&group.digits)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

fn is_ssn(group: &Group) -> bool {
    let number = |from: usize, to: usize| {
        group
            .digits
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let (area, middle, serial) = (number(0, 3), number(3, 5), number(5, 9));
    group.parts == [3, 2, 4]
        && group.separators == [b'-']
        && !group.has_plus
        && area != 0
        && area != 666
        && area < 900
        && middle != 0
        && serial != 0
}

fn is_phone(group: &Group) -> bool {
    let count = group.digits.len();
    if group.has_plus {
        return (8..=15).contains(&count) && group.digits.first() != Some(&0);
    }
    let parts = group.parts.as_slice();
    let has_bracket = group.separators.contains(&b'(') || group.separators.contains(&b')');
    let is_american = matches!(parts, [3, 3, 4] | [1, 3, 3, 4])
        && (has_bracket
            || group.separators == [b'-']
            || group.separators == [b'.']
            || group.separators == [b' ']);
    let area = group.digits.get(usize::from(count == 11)).copied().unwrap_or_default();
    let is_national = group.digits.first() == Some(&0)
        && (9..=12).contains(&count)
        && matches!(parts.first(), Some(2..=5))
        && parts.len() >= 2
        && parts != [3, 2, 4]
        && group.separators != [b'.'];
    (is_american && area >= 2) || is_national
}
