//! Data as a version without clone keys left it: rows without MACs and heads without MACs.

use premath_kernel::{hex, sha256};

/// A row without its MAC.
pub(crate) fn without_mac(row: &str) -> String {
    let Some((before, rest)) = row.split_once("\"mac\":\"") else { return row.to_owned() };
    let rest = rest.get(65..).unwrap_or_default();
    let before = if rest.starts_with(',') { before } else { before.trim_end_matches(',') };
    format!("{before}{}", rest.trim_start_matches(','))
}

/// A head without a MAC that fits the text of a log.
pub(crate) fn unkeyed_head(text: &str) -> Vec<u8> {
    let (mut digest, mut count) = ([0_u8; 32], 0_u64);
    for line in text.lines() {
        let mut bytes = digest.to_vec();
        bytes.extend_from_slice(line.as_bytes());
        digest = sha256(&bytes);
        count += 1;
    }
    let body = format!(
        "{{\"turn\":900,\"sealed\":true,\"extent\":[{count},{},\"{}\"],\"file\":null,\"checkpoints\":[],\"breaks\":0}}",
        text.len(),
        hex(&digest)
    );
    let mut slot = format!("{} {body}", hex(&sha256(body.as_bytes())[..8])).into_bytes();
    slot.resize(2047, b' ');
    slot.push(b'\n');
    slot
}
