//! Replays the committed fuzz corpus through the bodies of the fuzz targets, so that a plain test run keeps them alive.

#![expect(clippy::disallowed_methods, reason = "the corpus is read from files")]

use std::fs;
use std::path::Path;

#[test]
fn every_strict_decode_seed_keeps_its_promises() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/strict_decode");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        premath_testkit::fuzz_bodies::strict_decode(&fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 20, "{} holds {count} seeds", folder.display());
}
