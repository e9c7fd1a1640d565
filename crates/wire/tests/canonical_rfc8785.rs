//! Canonical bytes against the vectors of RFC 8785, 100,000 published numbers and an independent implementation.
//!
//! The vectors stay outside the repository; without them a test reports a named skip.

#![expect(clippy::disallowed_methods, reason = "these tests read their vectors from files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader};

use premath_kernel::{Number, encode};
use premath_testkit::test_data;
use premath_wire::InputClass;
use premath_wire::strict::{Limits, parse};
use proptest::prelude::*;

#[test]
fn the_files_of_the_rfc_have_their_published_bytes() {
    let Some(folder) = test_data("jcs-rfc8785") else {
        return;
    };
    let folder = folder.join("testdata");
    for name in ["arrays", "french", "structures", "unicode", "values", "weird"] {
        let input = fs::read(folder.join("input").join(name).with_extension("json")).unwrap();
        let output = fs::read(folder.join("output").join(name).with_extension("json")).unwrap();
        let hex = fs::read_to_string(folder.join("outhex").join(name).with_extension("txt")).unwrap();
        let hex: Vec<u8> = hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        let ours = encode(&parse(&input, Limits::default()).unwrap());
        assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&output), "{name}");
        assert_eq!(ours, hex, "{name}");
        assert_eq!(encode(&parse(&output, Limits::default()).unwrap()), output, "{name}");
    }
}

#[test]
fn a_hundred_thousand_numbers_are_spelt_as_ecmascript_spells_them() {
    let Some(folder) = test_data("jcs-rfc8785") else {
        return;
    };
    let file = File::open(folder.join("es6testfile100k.txt.gz")).unwrap();
    let mut count = 0;
    for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
        let line = line.unwrap();
        let (bits, expected) = line.split_once(',').unwrap();
        let double = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let number = Number::float(double).unwrap();
        assert_eq!(encode(&number.into()), expected.as_bytes(), "{bits}");
        // However it is spelt, the decoder reads the same double or refuses it for the same reason.
        let spelling = format!("{double:e}");
        match (parse(spelling.as_bytes(), Limits::default()), parse(expected.as_bytes(), Limits::default())) {
            (Ok(given), Ok(canonical)) => {
                assert_eq!((given, canonical), (number.into(), number.into()), "{bits}")
            }
            (Err(given), Err(canonical)) => {
                assert_eq!((given.class, &given.what), (canonical.class, &canonical.what), "{bits}");
                assert_eq!(given.class, InputClass::FieldInvalid, "{bits}");
            }
            (given, canonical) => panic!("{bits}: {given:?} but {canonical:?}"),
        }
        count += 1;
    }
    assert_eq!(count, 100_000);
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        any::<String>(),
        "[a-z\"\\\\\u{0}-\u{1f}\u{7f}-\u{9f}\u{d7ff}\u{e000}-\u{ffff}\u{10000}-\u{10ffff}]{0,12}"
    ];
    let safe = 9_007_199_254_740_991_i64;
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-safe..=safe).prop_map(Into::into),
        any::<f64>()
            .prop_filter("as a literal it would be an unsafe integer", |double| {
                double.is_finite() && (double.fract() != 0.0 || double.abs() <= 1e15)
            })
            .prop_map(Into::into),
        text.clone().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            prop::collection::btree_map(text.clone(), inner, 0..8)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// A document with one place deleted, doubled or overwritten.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::sample::select(b"{}[]\",:\\u0123456789eE+-.tfn \n\x00\x1f\x7f\xc3\xff".to_vec());
    (any_json(), any::<prop::sample::Index>(), bytes, 0..3).prop_map(|(value, at, byte, kind)| {
        let mut text = serde_json::to_vec(&value).unwrap();
        let at = at.index(text.len());
        match kind {
            0 => drop(text.remove(at)),
            1 => text.insert(at, byte),
            _ => text.splice(at..=at, [byte]).for_each(drop),
        }
        text
    })
}

proptest! {
    #[test]
    fn an_independent_implementation_gives_the_same_bytes(value in any_json()) {
        let text = serde_json::to_vec(&value).unwrap();
        let ours = encode(&parse(&text, Limits::default()).unwrap());
        let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(String::from_utf8_lossy(&ours), String::from_utf8_lossy(&theirs));
    }

    #[test]
    fn canonical_bytes_are_a_fixed_point(value in any_json()) {
        let pretty = serde_json::to_vec_pretty(&value).unwrap();
        let parsed = parse(&pretty, Limits::default()).unwrap();
        let bytes = encode(&parsed);
        prop_assert_eq!(encode(&parse(&bytes, Limits::default()).unwrap()), bytes);
    }

    #[test]
    fn nothing_is_accepted_that_serde_json_refuses(text in mutated()) {
        if let Err(theirs) = serde_json::from_slice::<serde_json::Value>(&text) {
            let ours = parse(&text, Limits::default());
            prop_assert!(ours.is_err(), "{theirs}: {ours:?}");
        }
    }

    #[test]
    fn whatever_is_refused_is_refused_with_a_place(text in mutated()) {
        if let Err(error) = parse(&text, Limits::default()) {
            let position = error.position.unwrap();
            prop_assert!(position.line >= 1 && position.column >= 1 && position.column <= text.len() + 1);
            prop_assert!(!error.to_string().contains(char::is_control), "{}", error);
        }
    }
}
