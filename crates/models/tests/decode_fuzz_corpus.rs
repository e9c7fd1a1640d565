//! Replays the committed fuzz corpus of the decoders, so that a plain test run keeps it alive.

#![expect(clippy::disallowed_methods, reason = "the corpus is read from files")]
#![expect(clippy::unwrap_used, reason = "a seed that cannot be read fails the test")]

#[path = "../../../fuzz/bodies/model_answer.rs"]
mod model_answer;

use std::fs;
use std::path::Path;

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
fn every_model_answer_seed_keeps_its_promises() {
    replay("model_answer", model_answer::model_answer);
}

#[test]
fn every_sse_decode_seed_keeps_its_promises() {
    replay("sse_decode", model_answer::sse_decode);
}
