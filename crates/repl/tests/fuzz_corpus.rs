//! Replays the committed fuzz corpus of the evaluator, so that a plain test run keeps it alive. Not by the testkit, whose
//! dependencies this crate does without.

#![expect(clippy::disallowed_methods, reason = "a corpus is read from its folder, or the test fails")]

#[path = "../../../fuzz/bodies/scheme_eval.rs"]
mod scheme_eval;

use std::fs;
use std::path::Path;

#[test]
fn every_scheme_eval_seed_keeps_its_promises() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/scheme_eval");
    let mut seeds: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() >= 20, "{} holds {} seeds", folder.display(), seeds.len());
    for seed in seeds {
        scheme_eval::scheme_eval(&fs::read(&seed).unwrap());
    }
}
