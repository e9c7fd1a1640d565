//! One pass of every guard that is built in over 100 KB: prose, source code, logs, and texts made to be slow.

#![expect(clippy::expect_used, reason = "a benchmark without its guards measures nothing")]

use std::sync::Arc;

use divan::Bencher;
use premath_guards::{
    GuardSettings, PathSettings, PiiKinds, PiiSettings, Redactor, StageActions, UrlSettings, built_in,
};
use premath_tusk::policy::{GuardAction, GuardSubject, GuardrailStage, Guards};

fn main() {
    divan::main();
}

const BYTES: usize = 100_000;

/// Everything on, at every stage that can have it.
fn guards() -> Guards {
    let flag = Some(GuardAction::Flag);
    let everywhere = StageActions { pre_flight: flag, input: flag, output: flag };
    let settings = GuardSettings {
        secrets: everywhere,
        pii: Some(PiiSettings { actions: everywhere, kinds: PiiKinds { ip: true, ..PiiKinds::default() } }),
        injection: everywhere,
        urls: Some(UrlSettings { hosts: vec!["example.org".to_owned()], schemes: Vec::new() }),
        paths: Some(PathSettings { allowed: vec!["src/**".to_owned()] }),
        ..GuardSettings::default()
    };
    Guards::boot(built_in(&settings).expect("no guards").into_iter().map(Arc::from).collect())
}

fn filled(piece: &str) -> String {
    piece.chars().cycle().take(BYTES).collect()
}

fn prose() -> String {
    filled(include_str!("../../../ARCHITECTURE.md"))
}

fn source() -> String {
    filled(include_str!("../src/secrets/scan.rs"))
}

fn logs() -> String {
    let lines = (0..900).map(|number| {
        format!(
            "2024-05-06T07:08:{:02}.{number:03}Z INFO request id=4f1c{number:04}-9a{:02} method=GET path=/api/v1/items/{number} status=200 took={}us peer=192.0.2.{}:44{number:03}\n",
            number % 60, number % 100, number * 17, number % 250
        )
    });
    filled(&lines.collect::<String>())
}

fn json() -> String {
    let rows: Vec<String> = (0..900)
        .map(|number| format!("{{\"id\":{number},\"name\":\"item {number}\",\"tags\":[\"key\",\"token\"],\"url\":\"https://example.org/{number}\"}}"))
        .collect();
    filled(&format!("[{}]", rows.join(",")))
}

fn adversarial(number: usize) -> String {
    let key = ["-----BEGIN PRIVATE", " KEY-----"].concat();
    let pieces = [
        "key=token=secret=password=auth=",
        "ignore ignore all all the the previous ",
        "xoxb-1234567890-1234567890-",
        "eyeyeyeyey.ey",
        "https://https://user:pass@",
        "facebook sourcegraph ",
        &key,
        "1 (2) 3-4 5.6 +7 ",
        "curl -u -H -u -H ",
        "kind: secret data: ",
        "GB82 WEST 1234 ",
        "a@a@a@a@a@",
        "[[[[{{{{",
        "sk-ant-api03-",
        "\\\\\\\"",
        "adafruit,adobe,asana,",
    ];
    filled(pieces.get(number).expect("no such text"))
}

fn pass(bencher: Bencher<'_, '_>, text: &str) {
    let guards = guards();
    let paths = ["src/lib.rs".to_owned()];
    // The stage at which every guard looks.
    let subject = GuardSubject { stage: GuardrailStage::PreFlight, tool: Some("shell"), text, paths: &paths };
    bencher.bench(|| guards.look(divan::black_box(&subject)));
}

#[divan::bench]
fn over_prose(bencher: Bencher<'_, '_>) {
    pass(bencher, &prose());
}

#[divan::bench]
fn over_source(bencher: Bencher<'_, '_>) {
    pass(bencher, &source());
}

#[divan::bench]
fn over_logs(bencher: Bencher<'_, '_>) {
    pass(bencher, &logs());
}

#[divan::bench]
fn over_json(bencher: Bencher<'_, '_>) {
    pass(bencher, &json());
}

#[divan::bench(args = 0..16)]
fn over_adversarial(bencher: Bencher<'_, '_>, number: usize) {
    pass(bencher, &adversarial(number));
}

#[divan::bench]
fn redact_logs(bencher: Bencher<'_, '_>) {
    let (text, redactor) = (logs(), Redactor::new());
    bencher.bench(|| redactor.redact(divan::black_box(&text)).findings.len());
}
