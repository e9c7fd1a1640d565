//! RFC 8785 bytes of a value: the inner loop of every digest.
//!
//! It cannot fail, because [`Number`] and `Object` keep out what has no canonical form. It must not allocate beyond the
//! output. Recursion is bounded by the decoder's depth limit.

use alloc::vec::Vec;

use super::{Number, Value};

/// The canonical bytes of a value.
#[must_use]
pub fn encode(value: &Value<'_>) -> Vec<u8> {
    // A row of a turn has about so many bytes; growing to them costs more than the room.
    let mut out = Vec::with_capacity(1024);
    encode_into(value, &mut out);
    out
}

/// Appends the canonical bytes of a value.
pub fn encode_into(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => push_number(*number, out),
        Value::Text(text) => push_text(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                encode_into(item, out);
            }
            out.push(b']');
        }
        Value::Object(object) => {
            out.push(b'{');
            for (at, (name, member)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_text(name, out);
                out.push(b':');
                encode_into(member, out);
            }
            out.push(b'}');
        }
    }
}

fn push_number(number: Number, out: &mut Vec<u8>) {
    match number.as_i64() {
        Some(integer) => push_integer(integer, out),
        None => out.extend_from_slice(ryu_js::Buffer::new().format_finite(number.as_f64()).as_bytes()),
    }
}

fn push_integer(integer: i64, out: &mut Vec<u8>) {
    if integer < 0 {
        out.push(b'-');
    }
    // 2^53 - 1 has sixteen digits.
    let mut digits = [b'0'; 16];
    let mut start = digits.len();
    let mut rest = integer.unsigned_abs();
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some((plain, escaped, behind)) = split_at_escape(rest) {
        out.extend_from_slice(plain);
        push_escape(escaped, out);
        rest = behind;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// The bytes before the first one that must be escaped, that one, and those behind it.
#[inline]
fn split_at_escape(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (plain, rest) = bytes.split_at_checked(first_escape(bytes)?)?;
    let (escaped, behind) = rest.split_first()?;
    Some((plain, *escaped, behind))
}

#[inline]
fn first_escape(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let escapes = escapes(*word);
        if escapes != 0 {
            return Some(at * 8 + (escapes.trailing_zeros() / 8) as usize);
        }
    }
    let must_escape = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    tail.iter().position(must_escape).map(|at| words.len() * 8 + at)
}

/// Marks the top bit of each of eight bytes that must be escaped; the lowest mark is exact.
///
/// Subtracting n from a byte below 0x80 borrows into its top bit exactly when it is below n; bytes with their own top bit
/// set are masked out. A borrow leaves its byte only from one that is marked, so only marks above the lowest can be wrong.
#[inline]
fn escapes(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::MAX / 0xFF;
    const TOPS: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(word);
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5C)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & TOPS
}

#[cold]
fn push_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        control => {
            out.extend_from_slice(b"\\u00");
            out.push(b'0' + (control >> 4));
            let low = control & 0x0F;
            out.push(if low < 10 { b'0' + low } else { b'a' + (low - 10) });
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
