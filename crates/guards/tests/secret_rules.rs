//! R20: what a leak scanner of the real world finds, the redactor takes out; what only nearly is a secret stays.
//!
//! For each rule of the test data texts are made that match it, in surroundings of source code and configuration, and
//! near misses with one feature broken. Both are checked with the rules themselves before they count.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test reads its data, fails loudly and prints what it counted"
)]

#[path = "secret_rules/rules.rs"]
mod rules;
#[path = "secret_rules/texts.rs"]
mod texts;

use premath_guards::Redactor;
use premath_testkit::test_data;

use self::rules::{Rule, Rules};
use self::texts::{Maker, Sample};

/// How many texts a rule gets.
struct Effort {
    rules: usize,
    matches: usize,
    misses: usize,
}

fn effort() -> Effort {
    if std::env::var_os("PREMATH_PROVE").is_some() {
        Effort { rules: usize::MAX, matches: 40, misses: 40 }
    } else {
        Effort { rules: 50, matches: 6, misses: 6 }
    }
}

#[derive(Debug, Default)]
struct Count {
    all: usize,
    wrong: usize,
    by_rule: Vec<(String, usize, usize)>,
}

impl Count {
    fn add(&mut self, rule: &str, all: usize, wrong: usize) {
        self.all += all;
        self.wrong += wrong;
        if wrong > 0 {
            self.by_rule.push((rule.to_owned(), wrong, all));
        }
    }
}

/// What came of some rules.
#[derive(Debug, Default)]
struct Outcome {
    matches: Count,
    misses: Count,
    without_match: Vec<String>,
    without_miss: Vec<String>,
    /// Rules of which no match bears the label that the rule is called after.
    unlabelled: Vec<String>,
}

/// Makes texts for some of the rules and has them redacted; a near miss is one that no rule of `all` matches.
fn try_rules<'r>(some: impl Iterator<Item = &'r Rule>, all: &'r Rules, effort: &Effort) -> Outcome {
    let redactor = Redactor::new();
    let mut outcome = Outcome::default();
    for rule in some {
        let mut maker = Maker::new(rule, all);
        let found = maker.matches(effort.matches);
        let near = maker.misses(effort.misses);
        if found.is_empty() {
            outcome.without_match.push(rule.id.clone());
        }
        if near.is_empty() {
            outcome.without_miss.push(rule.id.clone());
        }
        let leaked = found.iter().filter(|sample| leaks(&redactor, sample)).count();
        outcome.matches.add(&rule.id, found.len(), leaked);
        let touched = near.iter().filter(|text| redactor.redact(text).text != text.as_str()).count();
        outcome.misses.add(&rule.id, near.len(), touched);
        let has_label = |sample: &Sample| {
            redactor.redact(&sample.text).findings.iter().any(|finding| rule.id.starts_with(&finding.label))
        };
        if !found.iter().any(has_label) {
            outcome.unlabelled.push(rule.id.clone());
        }
        if std::env::var_os("PREMATH_SHOW_SAMPLES").is_some() {
            for sample in found.iter().filter(|sample| leaks(&redactor, sample)).take(2) {
                eprintln!("LEAK {} {:?} in {:?}", rule.id, sample.secret, sample.text);
            }
            for text in near.iter().filter(|text| redactor.redact(text).text != text.as_str()).take(2) {
                eprintln!("TOUCHED {} {text:?} {:?}", rule.id, redactor.redact(text));
            }
        }
    }
    outcome
}

impl Outcome {
    fn hold(&self) {
        let Self { matches, misses, without_match, without_miss, .. } = self;
        eprintln!("matches: {} of {} leaked {:?}", matches.wrong, matches.all, matches.by_rule);
        eprintln!("near misses: {} of {} touched {:?}", misses.wrong, misses.all, misses.by_rule);
        eprintln!("no match could be made of {without_match:?}; no near miss of {without_miss:?}");
        assert!(without_match.is_empty(), "{without_match:?}");
        assert!(matches.wrong * 100 <= matches.all, "{} of {} leaked", matches.wrong, matches.all);
        assert!(misses.wrong * 100 <= misses.all, "{} of {} touched", misses.wrong, misses.all);
    }
}

fn scanner_rules() -> Option<Rules> {
    let folder = test_data("gitleaks")?;
    let text = std::fs::read_to_string(folder.join("gitleaks.toml")).expect("the rules cannot be read");
    let rules = Rules::read(&text);
    assert_eq!(rules.len(), 221, "the test data is another edition");
    Some(rules)
}

fn vendor_rules() -> Rules {
    Rules::read(include_str!("secret_rules/vendors.toml"))
}

/// A slice takes every nth rule, so that it is not one letter of the alphabet.
fn slice<'r>(rules: &'r [Rule], effort: &Effort) -> impl Iterator<Item = &'r Rule> {
    let step = (rules.len() / effort.rules.min(rules.len())).max(1);
    rules.iter().step_by(step).take(effort.rules)
}

#[test]
fn what_a_leak_scanner_finds_is_redacted_and_near_misses_are_left() {
    let Some(rules) = scanner_rules() else { return };
    let count = rules.len();
    let all = rules.with(vendor_rules());
    let effort = effort();
    let scanner = all.all().get(..count).expect("the rules come first");
    try_rules(slice(scanner, &effort), &all, &effort).hold();
}

#[test]
fn every_token_format_of_a_vendor_is_redacted_under_its_label_and_near_misses_are_left() {
    let vendors = vendor_rules();
    let count = vendors.len();
    assert!(count >= 130, "{count}");
    let all = match scanner_rules() {
        Some(rules) => vendors.with(rules),
        None => vendors,
    };
    // Each of them, also in a slice: a table has a row for each.
    let effort = Effort { rules: usize::MAX, ..effort() };
    let outcome = try_rules(all.all().iter().take(count), &all, &effort);
    outcome.hold();
    assert!(outcome.without_miss.len() * 20 <= count, "{:?}", outcome.without_miss);
    assert!(outcome.unlabelled.is_empty(), "{:?}", outcome.unlabelled);
}

/// Whether the secret, or what is left of it after its first or last character, is still there.
fn leaks(redactor: &Redactor, sample: &Sample) -> bool {
    let redacted = redactor.redact(&sample.text);
    redacted.text.contains(&sample.secret)
}
