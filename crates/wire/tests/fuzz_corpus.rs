//! Replays the committed fuzz corpus through the bodies of the fuzz targets, so that a plain test run keeps them alive.

#![expect(clippy::disallowed_methods, reason = "the corpus is read from files")]
#![expect(clippy::unwrap_used, reason = "a seed that cannot be read fails the test")]

use std::fs;
use std::path::Path;

use premath_testkit::fuzz_bodies;

fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        body(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 20, "{} holds {count} seeds", folder.display());
}

#[test]
fn every_strict_decode_seed_keeps_its_promises() {
    replay("strict_decode", fuzz_bodies::strict_decode);
}

#[test]
fn every_join_check_seed_keeps_its_promises() {
    replay("join_check", fuzz_bodies::join_check);
}
