//! How the outputs that CI judges are read.

use super::{refuse_arbitrary_precision, vectors_passed};

#[test]
fn a_conformance_run_passes_only_with_vectors_and_without_failures() {
    assert_eq!(vectors_passed("a line\n137 passed, 0 failed\n").unwrap(), 137);
    for output in
        ["", "0 passed, 0 failed\n", "137 passed, 1 failed\n", "137 passed, 0 failed\nand then a panic\n"]
    {
        assert!(vectors_passed(output).is_err(), "{output:?}");
    }
}

#[test]
fn arbitrary_precision_anywhere_in_the_tree_is_refused() {
    let clean = "serde_json v1.0.154\n├── serde_json feature \"default\"\n";
    assert!(refuse_arbitrary_precision(clean).is_ok());
    let leaking =
        "serde_json v1.0.154\n├── serde_json feature \"arbitrary_precision\"\n│   └── other v1.0.0\n";
    let error = refuse_arbitrary_precision(leaking).unwrap_err().to_string();
    assert!(error.contains("serde_json feature \"arbitrary_precision\""), "{error}");
}

#[test]
fn an_empty_tree_proves_nothing() {
    assert!(refuse_arbitrary_precision("").is_err());
}
