//! Arbitrary text as a program; the checks themselves live in `bodies/scheme_eval.rs`.

#![no_main]

#[path = "../bodies/scheme_eval.rs"]
mod scheme_eval;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| scheme_eval::scheme_eval(bytes));
