//! Proofs cannot be forged: each program in `compile_fail/` must not compile, for the reason written beside it.

/// Seed: 001 §4/2, 004 §2/2, 001 §3/3
#[test]
fn compile_fail_proofs_cannot_be_built_copied_or_spent_twice() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
