//! The strict decoder against other people's cases: JSONTestSuite, utf8tests and the naughty strings.
//!
//! The data stays outside the repository; without it each test reports a named skip.

#![expect(clippy::disallowed_methods, reason = "these tests read their cases from files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::path::Path;

use premath_kernel::encode;
use premath_testkit::test_data;
use premath_wire::InputClass;
use premath_wire::strict::{Limits, parse};

/// Cases that every JSON parser accepts and the strict profile refuses: an object names each member once.
const REFUSED_BY_PROFILE: [(&str, InputClass); 2] = [
    ("y_object_duplicated_key.json", InputClass::DuplicateKey),
    ("y_object_duplicated_key_and_value.json", InputClass::DuplicateKey),
];

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn every_parsing_case_is_accepted_or_refused_as_its_name_says() {
    let Some(folder) = test_data("json-test-suite") else {
        return;
    };
    let cases = files(&folder.join("test_parsing"));
    assert!(cases.len() >= 318);
    for (name, bytes) in cases {
        let result = parse(&bytes, Limits::default());
        let exception = REFUSED_BY_PROFILE.iter().find(|(refused, _)| *refused == name);
        match (name.split('_').next(), exception) {
            (_, Some((_, class))) => assert_eq!(result.unwrap_err().class, *class, "{name}"),
            (Some("y"), None) => assert!(result.is_ok(), "{name}: {result:?}"),
            (Some("n"), None) => {
                let class = result.unwrap_err().class;
                assert!(matches!(class, InputClass::JsonInvalid | InputClass::TooDeep), "{name}: {class}");
            }
            // Implementation-defined: accepted or refused, but what is accepted has one canonical form.
            _ => {
                if let Ok(value) = result {
                    assert_eq!(parse(&encode(&value), Limits::default()).unwrap(), value, "{name}");
                }
            }
        }
    }
}

#[test]
fn what_the_standard_leaves_open_is_settled() {
    let Some(folder) = test_data("json-test-suite") else {
        return;
    };
    let settled = files(&folder.join("test_parsing")).into_iter().filter(|(name, _)| name.starts_with("i_"));
    let accepted: Vec<String> =
        settled.filter(|(_, bytes)| parse(bytes, Limits::default()).is_ok()).map(|(name, _)| name).collect();
    assert_eq!(accepted, ["i_number_double_huge_neg_exp.json", "i_number_real_underflow.json"]);
}

#[test]
fn no_transform_is_silent() {
    let Some(folder) = test_data("json-test-suite") else {
        return;
    };
    for (name, bytes) in files(&folder.join("test_transform")) {
        let Ok(value) = parse(&bytes, Limits::default()) else {
            continue;
        };
        let theirs: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&encode(&value)).unwrap(),
            normalised(theirs),
            "{name}"
        );
    }
}

/// serde_json keeps 1.0 and 1 apart.
fn normalised(value: serde_json::Value) -> serde_json::Value {
    if let serde_json::Value::Array(items) = value {
        return items.into_iter().map(normalised).collect();
    }
    match value.as_f64() {
        Some(double) if double.fract() == 0.0 => serde_json::from_str(&format!("{double:.0}")).unwrap(),
        _ => value,
    }
}

#[test]
fn a_string_is_read_exactly_when_it_is_utf8() {
    let Some(folder) = test_data("utf8tests") else {
        return;
    };
    let cases = fs::read(folder.join("utf8tests.bin")).unwrap();
    let mut seen = [0, 0];
    for line in cases.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, |byte| *byte == b':');
        let (number, verdict, bytes) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let number = String::from_utf8_lossy(number);
        let document = [b"[\"", bytes, b"\"]"].concat();
        let result = parse(&document, Limits::default());
        if verdict == b"valid" && !bytes.iter().any(|byte| *byte < 0x20) {
            let value = result.unwrap();
            assert_eq!(value.as_array().unwrap()[0].as_text().unwrap().as_bytes(), bytes, "{number}");
            assert_eq!(encode(&value), document, "{number}");
            seen[0] += 1;
        } else {
            let error = result.unwrap_err();
            assert_eq!(
                (error.class, error.path.to_string().as_str()),
                (InputClass::JsonInvalid, "$[0]"),
                "{number}"
            );
            seen[1] += 1;
        }
    }
    assert!(seen[0] > 70 && seen[1] > 130, "{seen:?}");
}

#[test]
fn naughty_strings_survive_a_round_trip() {
    let Some(folder) = test_data("blns") else { return };
    let text = fs::read(folder.join("blns.json")).unwrap();
    let value = parse(&text, Limits::default()).unwrap();
    let bytes = encode(&value);
    assert_eq!(parse(&bytes, Limits::default()).unwrap(), value);
    let theirs: Vec<String> = serde_json::from_slice(&text).unwrap();
    let ours: Vec<&str> = value.as_array().unwrap().iter().map(|item| item.as_text().unwrap()).collect();
    assert_eq!(ours, theirs);
    // Each one also as a member's name.
    let object: std::collections::BTreeMap<&str, usize> =
        ours.iter().enumerate().map(|(at, text)| (*text, at)).collect();
    let text = serde_json::to_vec(&object).unwrap();
    assert_eq!(
        encode(&parse(&text, Limits::default()).unwrap()),
        serde_json_canonicalizer::to_vec(&object).unwrap()
    );
}
