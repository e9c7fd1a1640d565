//! Times on the wire: RFC 3339, read strictly, written in UTC with `Z`. It must not read a clock or guess a zone.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use premath_kernel::Moment;

/// Reads `2026-11-15T07:12:52Z`, with any fraction of a second and any offset that is spelled out.
///
/// The shape is checked first, because the parser behind it takes much that RFC 3339 does not.
#[must_use]
pub fn parse_time(text: &str) -> Option<Moment> {
    if !has_shape(text.as_bytes()) {
        return None;
    }
    let timestamp: Timestamp = text.parse().ok()?;
    let (mut seconds, mut nanos) = (timestamp.as_second(), timestamp.subsec_nanosecond());
    if nanos < 0 {
        seconds -= 1;
        nanos += 1_000_000_000;
    }
    Moment::new(seconds, u32::try_from(nanos).ok()?)
}

/// Writes a moment in UTC; a fraction only where there is one. Moments outside the years 0 to 9999 become the nearest
/// one that can be written.
#[must_use]
pub fn format_time(moment: Moment) -> String {
    let nanos = i32::try_from(moment.nanos()).unwrap_or_default();
    let seconds = moment.seconds().clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second() - 1);
    Timestamp::new(seconds, nanos).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

/// The moment without what is finer than a millisecond: what our rows keep.
#[must_use]
pub fn to_millis(moment: Moment) -> Moment {
    Moment::new(moment.seconds(), moment.nanos() / 1_000_000 * 1_000_000).unwrap_or(moment)
}

fn has_shape(text: &[u8]) -> bool {
    let Some((date, rest)) = text.split_at_checked(19) else { return false };
    let pattern = b"dddd-dd-ddTdd:dd:dd";
    let fits = date.iter().zip(pattern).all(|(byte, wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        other => byte == other,
    });
    // A leap second has no place in a count of seconds: nobody would get back what they wrote.
    let leap = date.get(17..) == Some(b"60".as_slice());
    fits && !leap && has_zone(after_fraction(rest))
}

/// What follows `.123`; all of it when there is no fraction, nothing when the fraction has no digits or too many.
fn after_fraction(rest: &[u8]) -> &[u8] {
    let Some((b'.', digits)) = rest.split_first() else { return rest };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=9).contains(&count) { digits.get(count..).unwrap_or_default() } else { &[] }
}

fn has_zone(zone: &[u8]) -> bool {
    match zone {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            let number = |tens: &u8, ones: &u8| {
                (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
            };
            number(h1, h2).is_some_and(|hours| hours < 24)
                && number(m1, m2).is_some_and(|minutes| minutes < 60)
        }
        _ => false,
    }
}
