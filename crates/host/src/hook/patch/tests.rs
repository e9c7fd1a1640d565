//! Patches that say what an edit does.

use serde_json::json;

use super::*;

#[test]
fn a_file_is_added_line_by_line() {
    assert_eq!(
        written("a.md", "one\ntwo\n"),
        "*** Begin Patch\n*** Add File: a.md\n+one\n+two\n+\n*** End Patch"
    );
}

#[test]
fn content_that_looks_like_an_envelope_stays_content() {
    let patch = written("a.md", "*** Delete File: b.md\n*** End Patch");
    assert!(patch.contains("\n+*** Delete File: b.md\n+*** End Patch\n*** End Patch"), "{patch}");
}

#[test]
fn an_edit_takes_away_and_adds() {
    let edit = json!({"old_string": "a\nb", "new_string": "c"});
    let patch = edited("x", [texts(&edit).unwrap()]);
    assert_eq!(patch, "*** Begin Patch\n*** Update File: x\n@@\n-a\n-b\n+c\n*** End Patch");
    assert_eq!(texts(&json!({"old_string": "a"})), None);
}
