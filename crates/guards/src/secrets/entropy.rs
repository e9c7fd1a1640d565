//! How random a text looks. It must not be asked about more than a secret's length of text.

/// Shannon's entropy of the bytes, in thousandths of a bit a character.
pub(super) fn entropy_millis(bytes: &[u8]) -> u32 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 8000")]
    let millis = (bits * 1000.0) as u32;
    millis
}
