//! Arbitrary bytes through the whole join check; the checks themselves live in `premath_testkit::fuzz_bodies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| premath_testkit::fuzz_bodies::join_check(bytes));
