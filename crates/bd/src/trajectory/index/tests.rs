//! What an index covers, and that pages are bound to their file and place.

use super::covered;
use super::format::{HEADER_SALT, Header, decode_entry, encode_entry};
use super::pages::{BODY, checksum};
use crate::log::{Extent, Place};
use crate::trajectory::order::Entry;
use crate::trajectory::step::Flaw;
use crate::trajectory::tally::Tally;
use premath_kernel::Moment;

#[test]
fn a_longer_log_is_never_covered_less_and_little_is_left_over() {
    let mut before = 0;
    let mut lengths: Vec<u64> = (0..40_000).chain((40_000..9_000_000).step_by(997)).collect();
    lengths.extend([(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 40]);
    lengths.sort_unstable();
    for rows in lengths {
        let covers = covered(rows);
        assert!(covers >= before && covers <= rows, "{rows}: {covers} after {before}");
        assert!(rows - covers < 1024.max(rows / 256), "{rows}: {covers}");
        before = covers;
    }
    assert_eq!((covered(1023), covered(1024), covered(1_000_000)), (0, 1024, 999_424));
}

#[test]
fn an_entry_reads_back_as_it_was_written() {
    let moments = [
        Moment::EPOCH,
        Moment::new(-62_135_596_800, 999_999_999).unwrap(),
        Moment::new(253_402_300_799, 1).unwrap(),
    ];
    for finished_at in moments {
        for (is_failed, is_worth_a_retry) in [(false, false), (true, false), (true, true)] {
            let place = Place { offset: u64::MAX - 7, length: u32::MAX - 1 };
            let entry = Entry { finished_at, is_failed, is_worth_a_retry, place };
            assert_eq!(decode_entry(&encode_entry(&entry)), Some(entry));
        }
    }
}

#[test]
fn a_header_reads_back_and_every_flip_of_it_changes_its_checksum() {
    let flaws: Vec<(u64, Flaw)> = (1..=20).map(|line| (line * 7, Flaw::NotJson)).collect();
    let tally = Tally { steps: 5, failed: 3, worth_a_retry: 1, flawed: 400, flaws };
    let header = Header { extent: Extent { rows: 405, bytes: 90_000, digest: [7; 32] }, tally };
    let body = header.encode();
    assert_eq!((Header::decode(&body).as_ref(), body.len()), (Some(&header), BODY));
    let sum = checksum(&HEADER_SALT, 0, &body);
    assert_ne!(sum, checksum(&HEADER_SALT, 1, &body), "another page");
    assert_ne!(sum, checksum(&[0; 16], 0, &body), "another file");
    for at in 0..body.len() {
        let mut flipped = body.clone();
        flipped[at] ^= 1;
        assert_ne!(sum, checksum(&HEADER_SALT, 0, &flipped), "byte {at}");
    }
}
