//! How times read.

use premath_wire::time::parse_time;

use super::relative;

#[test]
fn times_read_as_a_person_says_them() {
    let now = parse_time("2026-11-15T12:00:00Z").unwrap();
    for (text, said) in [
        ("2026-11-15T12:00:00Z", "just now"),
        ("2026-11-15T11:59:56.5Z", "just now"),
        ("2026-11-15T11:59:48Z", "12 s ago"),
        ("2026-11-15T11:57:00Z", "3 min ago"),
        ("2026-11-15T07:00:00Z", "5 h ago"),
        ("2026-11-14T10:00:00Z", "26 h ago"),
        ("2026-11-11T11:00:00Z", "4 d ago"),
        ("2026-01-02T11:00:00Z", "2026-01-02"),
        ("2026-11-15T12:40:00Z", "in 40 min"),
        ("2026-11-15T14:00:00+01:00", "in 1 h"),
        ("2029-11-15T14:00:00Z", "2029-11-15"),
        ("yesterday", "yesterday"),
        ("\u{1b}[31m", "\\u{1b}[31m"),
    ] {
        assert_eq!(relative(text, now), said, "{text:?}");
    }
}
