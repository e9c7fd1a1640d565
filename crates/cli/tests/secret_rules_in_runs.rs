//! R20 through every artifact: what a leak scanner of the real world finds is said by a model, put into arguments, read from
//! files and printed by commands; afterwards it is in no file that premath keeps, and in nothing that it prints.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test reads its data, fails loudly and prints what it counted"
)]

#[expect(dead_code, reason = "this test reads no documents")]
mod folder;
#[path = "../../guards/tests/secret_rules/rules.rs"]
mod rules;
#[expect(dead_code, reason = "the other test of these rules uses the rest")]
#[path = "../../guards/tests/secret_rules/texts.rs"]
mod texts;

use std::path::Path;

use folder::Folder;
use premath_testkit::test_data;

use self::rules::Rules;
use self::texts::{Maker, Sample};

/// How many rules share a run.
const TOGETHER: usize = 10;
/// In so many places is each secret.
const PLACES: [&str; 4] = ["said", "argument", "file", "output"];

/// A secret, where it was put, and the rule it is made for.
struct Planted {
    rule: String,
    place: &'static str,
    secret: String,
}

fn effort() -> usize {
    if std::env::var_os("PREMATH_PROVE").is_some() { usize::MAX } else { 50 }
}

/// As a string of TOML, which writes them as JSON does but for one character.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace('\u{7f}', "\\u007f")
}

/// One turn per rule: says one secret, calls with another, reads a third, has a fourth printed.
fn turn(folder: &Folder, number: usize, samples: &[Sample]) -> String {
    let [said, argument, file, output] = samples else { panic!("a sample for every place") };
    folder.write(&format!("file-{number}.txt"), &file.text);
    folder.write(&format!("output-{number}.txt"), &output.text);
    let said = quoted(&format!("Look at this:\n{}\nI go on.", said.text));
    let argument = quoted(&argument.text);
    format!(
        "[[turn]]\ntext = {said}\n\
         [[turn.call]]\nid = \"argument-{number}\"\ntool = \"issue_add\"\narguments = {{ title = \"kept\", description = {argument} }}\n\
         [[turn.call]]\nid = \"file-{number}\"\ntool = \"fs_read\"\narguments = {{ path = \"file-{number}.txt\" }}\n\
         [[turn.call]]\nid = \"output-{number}\"\ntool = \"shell\"\n\
         arguments = {{ command = \"cat output-{number}.txt; cat output-{number}.txt >&2\", workdir = \".\" }}\n"
    )
}

fn every_file(path: &Path, take: &mut dyn FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, take);
        } else {
            take(&path, &std::fs::read(&path).unwrap());
        }
    }
}

/// The secret as it is, and as it stands in JSON, once and twice over.
fn spellings(secret: &str) -> Vec<String> {
    let inner = |text: &str| {
        let quoted = serde_json::to_string(text).unwrap();
        quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap().to_owned()
    };
    let once = inner(secret);
    let twice = inner(&once);
    let mut all = vec![secret.to_owned(), once, twice];
    all.dedup();
    all
}

fn leaks(artifact: &str, bytes: &[u8], planted: &[Planted], found: &mut Vec<String>) {
    for one in planted {
        let is_in =
            |spelling: &String| bytes.windows(spelling.len()).any(|window| window == spelling.as_bytes());
        if spellings(&one.secret).iter().any(is_in) {
            found.push(format!("{} ({}) in {artifact}", one.rule, one.place));
        }
    }
}

/// Runs some rules' secrets through a repository and says where they are afterwards.
fn leaked(rules: &[(String, Vec<Sample>)], format: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let mut scene = "name = \"leaky\"\n".to_owned();
    let mut planted = Vec::new();
    for (number, (rule, samples)) in rules.iter().enumerate() {
        scene.push_str(&turn(&folder, number, samples));
        planted.extend(samples.iter().zip(PLACES).map(|(sample, place)| Planted {
            rule: rule.clone(),
            place,
            secret: sample.secret.clone(),
        }));
    }
    scene.push_str("[[turn]]\ntext = \"Done.\"\n");
    folder.write("scene.toml", &scene);
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one", "--max-turns", "40"];
    let ran = folder.run(&[&run[..], format].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let mut found = Vec::new();
    leaks("what the run prints", ran.stdout.as_bytes(), &planted, &mut found);
    leaks("what the run warns of", ran.stderr.as_bytes(), &planted, &mut found);
    let name = |path: &Path| path.strip_prefix(folder.path()).unwrap().display().to_string();
    every_file(&folder.path().join(".premath"), &mut |path, bytes| {
        leaks(&name(path), bytes, &planted, &mut found);
    });
    for command in [
        &["runs", "export", "one"][..],
        &["turn", "show", "one.t0001", "--full"],
        &["audit", "query", "--json"],
    ] {
        leaks(&format!("{command:?}"), folder.run(command).stdout.as_bytes(), &planted, &mut found);
    }
    found
}

#[test]
fn no_secret_of_a_leak_scanner_or_a_vendor_is_in_anything_a_run_leaves_or_prints() {
    let Some(data) = test_data("gitleaks") else { return };
    let text = std::fs::read_to_string(data.join("gitleaks.toml")).expect("the rules cannot be read");
    let vendors = include_str!("../../guards/tests/secret_rules/vendors.toml");
    let rules = Rules::read(&text).with(Rules::read(vendors));
    let step = (rules.len() / effort().min(rules.len())).max(1);
    let samples: Vec<(String, Vec<Sample>)> = rules
        .all()
        .iter()
        .step_by(step)
        .take(effort())
        .map(|rule| (rule.id.clone(), Maker::new(rule, &rules).matches(PLACES.len())))
        .filter(|(_, samples)| samples.len() == PLACES.len())
        .collect();
    assert!(samples.len() >= effort().min(200), "{} rules have samples", samples.len());
    let (mut bad, mut told) = (std::collections::BTreeSet::new(), Vec::new());
    for (number, rules) in samples.chunks(TOGETHER).enumerate() {
        let format: &[&str] = if number % 2 == 0 { &[] } else { &["--json"] };
        for leak in leaked(rules, format) {
            bad.insert(leak.split(" in ").next().unwrap().to_owned());
            told.push(leak);
        }
    }
    let all = samples.len() * PLACES.len();
    eprintln!("{} of {all} secrets are somewhere: {told:#?}", bad.len());
    assert!(bad.len() * 100 <= all, "{} of {all} are somewhere", bad.len());
}
