//! kill -9 in the middle of a promotion: the old package or the new one is in force, or nothing is allowed until somebody
//! finishes it; never half of each.

#![expect(clippy::disallowed_methods, reason = "the test looks at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod crash;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crash::{Call, Tracer, Workplace, amount, figures};

/// So many points are in the slice.
const SLICE: usize = 40;
const PROMOTE: [&str; 9] =
    ["policy", "promote", "--from", "next", "--eval", "eval.json", "--redteam", "redteam.json", "--json"];
/// A change that needs no reports: the short form is killed in the middle of this one.
const BACK: [&str; 4] = ["policy", "rollback", "defaults", "--json"];
const GUARDRAILS: &str = r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#;

fn write(place: &Workplace, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Whether everything is done that a promotion takes.
fn is_whole() -> bool {
    std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1")
}

/// A repository with a package in force and another that may follow it.
fn prepared() -> Workplace {
    let place = Workplace::initialised();
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    write(&place, "rows.jsonl", &fs::read_to_string(rows).unwrap());
    write(&place, "policies/guardrails.json", r#"{"injection": {"output": "flag"}}"#);
    write(&place, "policies/notes/old.md", "old\n");
    write(&place, "policies/turned", "a file\n");
    if !is_whole() {
        return place;
    }
    write(&place, "next/guardrails.json", GUARDRAILS);
    write(&place, "next/notes/first.md", "new\n");
    write(&place, "next/turned/second.md", "new\n");
    let eval =
        ["eval", "guardrails", "--dataset", "rows.jsonl", "--package", "next", "--output", "eval.json"];
    place.accepted(&[eval.as_slice(), &["--json"]].concat());
    let probes = ["--package", "next", "--json"];
    let report = place.accepted(&[["redteam", "run"].as_slice(), &probes].concat());
    let path = report.get("reportPath").unwrap().as_str().unwrap();
    fs::copy(place.path().join(path), place.path().join("redteam.json")).unwrap();
    place
}

/// The files in force, without what is only being written.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.file_name().unwrap().to_string_lossy().starts_with('.') {
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            // What decides about instructions and retries is no part of a package.
            if name.starts_with("control/") || name.starts_with("instruction/") {
                continue;
            }
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// The calls from when the log of promotions is held, evenly spread.
fn chosen(calls: &[Call]) -> Vec<&Call> {
    let first = calls.iter().position(|call| call.shown.contains("promotions.jsonl")).unwrap();
    let behind = calls.get(first..).unwrap();
    let wanted = amount(SLICE, behind.len()).min(behind.len());
    (0..wanted).filter_map(|index| behind.get(index * behind.len() / wanted)).collect()
}

#[test]
fn a_promotion_that_is_killed_leaves_one_package_or_nothing_that_is_allowed() {
    let Some(tracer) = Tracer::find() else { return };
    let place = prepared();
    let change: &[&str] = if is_whole() { &PROMOTE } else { &BACK };
    let new = if is_whole() { files(&place.path().join("next")) } else { BTreeMap::new() };
    let old = files(&place.path().join("policies"));
    let run = place.copied();
    let (answer, calls) = tracer.learn(&run, change);
    assert!(answer.is_accepted(), "{answer:?}");
    assert_eq!(files(&run.path().join("policies")), new);
    let (mut kept, mut cut, mut done) = (0, 0, 0);
    for call in chosen(&calls) {
        let place = place.copied();
        let answer = tracer.killed(&place, change, call);
        let at = format!("killed at {} {}: `{}`", call.name, call.nth, call.shown);
        let now = files(&place.path().join("policies"));
        if place.lane("policy/under-way").exists() {
            cut += 1;
            let call = ["--tool", "fs_read", "--args", r#"{"path":"rows.jsonl"}"#, "--json"];
            let explained = place.accepted(&[["policy", "explain"].as_slice(), &call].concat());
            assert_eq!(explained.get("effect").unwrap(), "deny", "{at}: {explained}");
        } else if now == old {
            kept += 1;
            assert!(!answer.is_accepted(), "{at}: acknowledged, and not there");
        } else {
            done += 1;
            assert_eq!(now, new, "{at}");
        }
        // Whoever comes next finds one of the two and can go on.
        place.accepted(change);
        assert_eq!(files(&place.path().join("policies")), new, "{at}");
        assert!(!place.lane("policy/under-way").exists(), "{at}");
        assert_eq!(place.unsound(), None, "{at}");
        place.accepted(&["audit", "verify", "--json"]);
    }
    figures("R1", &[("promotion kept", &kept), ("cut off", &cut), ("done", &done)]);
    assert!(kept > 0 && cut > 0, "the points lie on both sides of the change: {kept}, {cut}, {done}");
}
