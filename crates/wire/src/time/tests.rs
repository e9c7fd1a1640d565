//! What counts as a time.

use premath_kernel::Moment;

use super::{format_time, parse_time, to_millis};

#[test]
fn a_time_survives_being_written_and_read() {
    for text in ["2026-11-15T07:12:52Z", "1969-12-31T23:59:59.5Z", "2026-11-15T07:12:52.000000001Z"] {
        assert_eq!(format_time(parse_time(text).unwrap()), text);
    }
}

#[test]
fn another_offset_is_the_same_moment() {
    assert_eq!(parse_time("2025-10-16T13:51:36.908757-07:00"), parse_time("2025-10-16T20:51:36.908757Z"));
}

#[test]
fn what_rfc_3339_does_not_allow_is_refused() {
    for text in [
        "",
        "now",
        "20261115T071252Z",
        "2026-11-15",
        "2026-11-15T07:12Z",
        "2026-11-15T07:12:52",
        "2026-11-15 07:12:52Z",
        "2026-11-15T07:12:52+0900",
        "2026-11-15T07:12:52,5Z",
        "2026-11-15T07:12:52.Z",
        "2026-13-15T07:12:52Z",
        "2026-02-30T07:12:52Z",
        "2026-11-15T24:12:52Z",
        "2026-11-15T07:12:60Z",
        "+002026-11-15T07:12:52Z",
        "2026-11-15T07:12:52z",
        "2026-11-15T07:12:52Z ",
        "2026-11-15T07:12:52.1234567890Z",
        "2026-11-15T07:12:52+24:00",
    ] {
        assert_eq!(parse_time(text), None, "{text}");
    }
}

#[test]
fn milliseconds_are_what_is_kept() {
    let moment = Moment::new(5, 123_456_789).unwrap();
    assert_eq!(format_time(to_millis(moment)), "1970-01-01T00:00:05.123Z");
}
