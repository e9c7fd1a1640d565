//! Proofs cannot be read from data: each program in `compile_fail/` must not compile, for the reason written beside it.

/// Seed: 001 §4/2, 001 §6.1/4
#[test]
fn compile_fail_proofs_are_never_decoded() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
