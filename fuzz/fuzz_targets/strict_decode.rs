//! Arbitrary bytes through the strict decoder; the checks themselves live in `premath_testkit::fuzz_bodies`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| premath_testkit::fuzz_bodies::strict_decode(bytes));
