//! Numbers as a person reads them.

/// `12,345`
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 turn`, `3 turns`
pub(super) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number))
}

/// What programs showed, beside what their calls gave back: often less, and more where a program adds words of its own.
pub(super) fn of_programs(shown: u64, unfiltered: u64) -> String {
    let (shown, unfiltered) = (counted(shown, "token"), counted(unfiltered, "token"));
    format!("the model was shown about {shown}; what was called inside gave back about {unfiltered}")
}

/// `$0.0123`: two decimals, more where they say something.
pub(in crate::render) fn money(micros: u64) -> String {
    let (dollars, part) = (micros / 1_000_000, format!("{:06}", micros % 1_000_000));
    let (cents, rest) = part.split_at_checked(2).unwrap_or((&part, ""));
    format!("${}.{cents}{}", count(dollars), rest.trim_end_matches('0'))
}

/// `8 ms`, `1.4 s`, `2 min 03 s`
pub(super) fn span(millis: u64) -> String {
    match millis {
        0..=999 => format!("{millis} ms"),
        1_000..=59_999 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        _ => format!("{} min {:02} s", millis / 60_000, millis % 60_000 / 1_000),
    }
}

/// `950 bytes`, `12 kB`, `5.0 MB`
pub(super) fn bytes(number: u64) -> String {
    match number {
        0..=9_999 => counted(number, "byte"),
        10_000..=999_999 => format!("{} kB", number / 1_000),
        _ => format!("{}.{} MB", count(number / 1_000_000), number % 1_000_000 / 100_000),
    }
}
