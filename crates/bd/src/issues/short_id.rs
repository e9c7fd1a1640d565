//! Short ids: a few letters and digits behind the prefix, drawn at random, so that two branches do not give the same one.
//!
//! The first is a letter, so that no short id looks like a numbered one. It must not draw randomness: it is handed some.

use premath_kernel::sha256;

/// Base 32 without `i`, `l`, `o` and `u`: nothing that is read for something else.
const ALPHABET: [u8; 32] = *b"0123456789abcdefghjkmnpqrstvwxyz";
/// The letters among them.
const LETTERS: usize = 22;
/// The shortest name.
const SHORTEST: usize = 4;
/// The longest one: as much as the hash is good for.
const LONGEST: usize = 24;

/// A name with `length` letters and digits, derived from the seed alone.
pub(super) fn short_name(seed: &[u8], length: usize) -> String {
    let digit = |at: usize| ALPHABET.get(at).copied().map_or('a', char::from);
    let mut bytes = sha256(seed).into_iter().map(usize::from);
    let first = bytes.next().unwrap_or_default();
    let letter = digit(ALPHABET.len() - LETTERS + first % LETTERS);
    std::iter::once(letter)
        .chain(bytes.map(|byte| digit(byte % ALPHABET.len())))
        .take(length.min(LONGEST))
        .collect()
}

/// Length of new names in a memory of `issues` issues: two branches that each add an eighth as many collide less than once in
/// 4,000 times.
pub(super) fn name_length(issues: u64) -> usize {
    let wanted = u128::from(issues.saturating_add(64)).pow(2).saturating_mul(64);
    let mut length = 1;
    let mut names: u128 = 22;
    while length < LONGEST && (names < wanted || length < SHORTEST) {
        names = names.saturating_mul(32);
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_a_letter_and_have_no_look_alikes() {
        for seed in 0..2_000_u32 {
            let name = short_name(&seed.to_le_bytes(), 6);
            assert_eq!(name.len(), 6);
            assert!(name.starts_with(|first: char| first.is_ascii_lowercase()), "{name}");
            assert!(!name.contains(['i', 'l', 'o', 'u']), "{name}");
        }
    }

    #[test]
    fn names_grow_with_the_number_of_issues() {
        assert_eq!([0, 100, 1_000, 10_000, 100_000].map(name_length), [4, 5, 6, 7, 8]);
    }
}
