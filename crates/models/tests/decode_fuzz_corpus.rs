//! Replays the committed fuzz corpus of the decoders, so that a plain test run keeps it alive.

#[path = "../../../fuzz/bodies/model_answer.rs"]
mod model_answer;

use premath_testkit::replay_corpus;

#[test]
fn every_model_answer_seed_keeps_its_promises() {
    replay_corpus("model_answer", model_answer::model_answer);
}

#[test]
fn every_sse_decode_seed_keeps_its_promises() {
    replay_corpus("sse_decode", model_answer::sse_decode);
}
