//! Finds the names of objects in bytes of any form: 64 lower-case hexadecimal digits in a row, whatever stands around them.
//!
//! A digest that happens to name an object keeps it, so that a scheme or member that this version does not know is never taken
//! for no reference. It must not parse what it reads.

use crate::log::from_hex;
use crate::objects::ObjectId;

/// The digits of one name.
const DIGITS: usize = 64;

/// One pass over a stream of bytes, which may come in blocks.
#[derive(Debug, Default)]
pub(super) struct DigestScan {
    /// The hexadecimal digits that the stream ends with so far.
    run: Vec<u8>,
}

impl DigestScan {
    /// Takes the next bytes of the stream, and hands every name to `found`.
    pub(super) fn feed(&mut self, bytes: &[u8], found: &mut dyn FnMut(ObjectId)) {
        for byte in bytes {
            if !matches!(byte, b'0'..=b'9' | b'a'..=b'f') {
                self.run.clear();
                continue;
            }
            self.run.push(*byte);
            let Some(start) = self.run.len().checked_sub(DIGITS) else { continue };
            // In a longer run a name may begin anywhere.
            let digits = self.run.get(start..).and_then(|digits| std::str::from_utf8(digits).ok());
            if let Some(name) = digits.and_then(from_hex) {
                found(ObjectId::from_hash(name));
            }
            if start >= DIGITS {
                self.run.drain(..start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn scan(blocks: &[&str]) -> BTreeSet<ObjectId> {
        let mut found = BTreeSet::new();
        let mut scan = DigestScan::default();
        for block in blocks {
            scan.feed(block.as_bytes(), &mut |id| found.extend([id]));
        }
        found
    }

    #[test]
    fn a_name_is_found_in_any_spelling_and_across_blocks() {
        let id = ObjectId::of(b"content");
        let digits = id.to_string().replace("sha256:", "");
        let (first, second) = digits.split_at(20);
        let expected = BTreeSet::from([id]);
        for text in [id.to_string(), id.reference(), format!("gate://{id}\\n"), format!("x_{digits}.json")] {
            assert_eq!(scan(&[&text]), expected, "{text}");
        }
        assert_eq!(scan(&["\"sha256:", first, second, "\""]), expected);
    }

    #[test]
    fn a_name_inside_a_longer_run_of_digits_is_found() {
        let (one, two) = (ObjectId::of(b"one"), ObjectId::of(b"two"));
        let digits = |id: ObjectId| id.to_string().replace("sha256:", "");
        let found = scan(&["0f", &digits(one), &"a".repeat(200), &digits(two), "9"]);
        assert!(found.contains(&one) && found.contains(&two));
    }

    #[test]
    fn shorter_runs_and_upper_case_are_no_names() {
        let digits = ObjectId::of(b"content").to_string().replace("sha256:", "");
        let cut: String = digits.chars().skip(1).collect();
        assert!(scan(&[&cut]).is_empty());
        assert!(scan(&[&digits.to_uppercase().replace(|one: char| one.is_ascii_digit(), "A")]).is_empty());
    }
}
