//! Arbitrary bytes as the answer of a provider; the checks themselves live in `bodies/model_answer.rs`.

#![no_main]

#[path = "../bodies/model_answer.rs"]
#[expect(dead_code, reason = "each target runs one of the bodies")]
mod model_answer;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| model_answer::model_answer(bytes));
