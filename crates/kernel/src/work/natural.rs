//! The natural order of ids: runs of digits count as numbers, so that `bd-2` comes before `bd-10`.
//!
//! Must not allocate, fold case or know a language: two ids are equal here only when their bytes are.

use core::cmp::Ordering;

/// Compares ids: digit runs as numbers of any length, all else by byte, and what is equal then by leading zeros.
///
/// A strict total order in linear time: only identical strings are equal.
#[must_use]
pub fn natural_cmp(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    // The first difference in leading zeros; it decides only between ids that are the same otherwise.
    let mut by_zeros = Ordering::Equal;
    loop {
        match (left.split_first(), right.split_first()) {
            (None, None) => return by_zeros,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some((one, _)), Some((other, _))) if one.is_ascii_digit() && other.is_ascii_digit() => {
                let (left_run, left_rest) = split_run(left);
                let (right_run, right_rest) = split_run(right);
                let by_value = left_run.value_cmp(&right_run);
                if by_value != Ordering::Equal {
                    return by_value;
                }
                by_zeros = by_zeros.then(left_run.zeros.cmp(&right_run.zeros));
                (left, right) = (left_rest, right_rest);
            }
            (Some((one, left_rest)), Some((other, right_rest))) => {
                if one != other {
                    return one.cmp(other);
                }
                (left, right) = (left_rest, right_rest);
            }
        }
    }
}

/// A run of digits: how many zeros lead it, and the digits behind them.
struct Run<'a> {
    zeros: usize,
    digits: &'a [u8],
}

impl Run<'_> {
    /// Without leading zeros the longer number is the greater one.
    fn value_cmp(&self, other: &Self) -> Ordering {
        self.digits.len().cmp(&other.digits.len()).then_with(|| self.digits.cmp(other.digits))
    }
}

/// The run of digits at the start of `bytes`, and what follows it.
fn split_run(bytes: &[u8]) -> (Run<'_>, &[u8]) {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (run, rest) = bytes.split_at_checked(length).unwrap_or((bytes, &[]));
    let zeros = run.iter().take_while(|byte| **byte == b'0').count();
    let digits = run.get(zeros..).unwrap_or_default();
    (Run { zeros, digits }, rest)
}

#[cfg(test)]
mod tests;
