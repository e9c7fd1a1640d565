//! Names against patterns.

use super::fits;

#[test]
fn a_name_fits_letter_by_letter_with_stars_and_question_marks() {
    for (glob, name, expected) in [
        ("*", "", true),
        ("*", "anything", true),
        ("", "", true),
        ("", "a", false),
        ("draft-*", "draft-7.md", true),
        ("draft-*", "my draft-7.md", false),
        ("*.md", "a.b.md", true),
        ("*.md", "a.md.txt", false),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("a*b*c", "aXXbYYbZZc", true),
        ("a*b*c", "aXXbYYbZZ", false),
        ("Ä*", "Äpfel", true),
        ("ä*", "Äpfel", false),
    ] {
        assert_eq!(fits(glob, name), expected, "{glob} {name}");
    }
}

#[test]
fn a_hostile_glob_takes_no_time() {
    let glob = "*a".repeat(60) + "b";
    assert!(!fits(&glob, &"a".repeat(2000)));
}
