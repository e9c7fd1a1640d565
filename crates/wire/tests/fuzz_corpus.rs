//! Replays the committed fuzz corpus through the bodies of the fuzz targets, so that a plain test run keeps them alive.

use premath_testkit::{fuzz_bodies, replay_corpus};

#[test]
fn every_strict_decode_seed_keeps_its_promises() {
    replay_corpus("strict_decode", fuzz_bodies::strict_decode);
}

#[test]
fn every_join_check_seed_keeps_its_promises() {
    replay_corpus("join_check", fuzz_bodies::join_check);
}
