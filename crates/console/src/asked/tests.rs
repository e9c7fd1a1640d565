//! Queries are read as browsers write them.

use super::{decoded, query};

#[test]
fn escapes_are_undone_and_broken_ones_refused() {
    assert_eq!(decoded("a%20b+c%C3%A4").as_deref(), Some("a b cä"));
    for broken in ["%", "%2", "%zz", "%ff"] {
        assert_eq!(decoded(broken), None, "{broken}");
    }
}

#[test]
fn a_query_is_taken_apart_in_order() {
    let read = query("a=1&b=x%26y&a=2&c&&=d").unwrap();
    let read: Vec<(&str, &str)> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(read, [("a", "1"), ("b", "x&y"), ("a", "2"), ("c", ""), ("", "d")]);
}

#[test]
fn a_query_has_an_end() {
    assert!(query(&"a=1&".repeat(63)).is_ok());
    assert_eq!(query(&"a=1&".repeat(65)).unwrap_err().status.as_u16(), 400);
    assert_eq!(query(&"a".repeat(9_000)).unwrap_err().status.as_u16(), 400);
}
