//! A `main` as runners expect it: lists tests by name, runs those that are asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::{behaviour, cases, missing_layers, variant};

/// A test and its name.
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) run: Box<dyn Fn()>,
}

impl Test {
    pub(crate) fn new(name: impl Into<String>, run: impl Fn() + 'static) -> Self {
        Test { name: name.into(), run: Box::new(run) }
    }
}

fn all() -> Vec<Test> {
    let mut tests = behaviour::tests();
    tests.extend(missing_layers::tests());
    tests.extend(variant::tests(&cases::all()));
    tests
}

pub(crate) fn main(arguments: &[String]) -> ExitCode {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        // Nothing here is ignored.
        if !has("--ignored") {
            all().iter().for_each(|test| println!("{}: test", test.name));
        }
        return ExitCode::SUCCESS;
    }
    let words: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let is_asked_for = |test: &Test| {
        words.is_empty()
            || words
                .iter()
                .any(|word| if has("--exact") { test.name == **word } else { test.name.contains(*word) })
    };
    let chosen: Vec<Test> = all().into_iter().filter(is_asked_for).collect();
    let failed: Vec<&Test> =
        chosen.iter().filter(|test| catch_unwind(AssertUnwindSafe(|| (test.run)())).is_err()).collect();
    failed.iter().for_each(|test| println!("FAILED {}", test.name));
    println!("{} run, {} failed", chosen.len(), failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
