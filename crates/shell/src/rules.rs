//! What is known of programs: for each family of them, which calls put something at risk.
//!
//! A program that no family knows may do anything with the paths it is given; only what is known to read is taken to read.

pub(crate) mod carriers;
pub(crate) mod containers;
pub(crate) mod databases;
pub(crate) mod editors;
pub(crate) mod files;
pub(crate) mod git;
pub(crate) mod network;
pub(crate) mod own;
pub(crate) mod packages;
pub(crate) mod printers;
pub(crate) mod programs;
pub(crate) mod secrets;
pub(crate) mod services;
pub(crate) mod shells;
pub(crate) mod system;
pub(crate) mod touch;
pub(crate) mod transfers;
pub(crate) mod variables;
pub(crate) mod wrappers;

use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;

/// One call of a program.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    /// The program without its folder, in small letters.
    pub(crate) name: &'c str,
    /// Its arguments.
    pub(crate) args: &'c [Arg],
    /// What it reads.
    pub(crate) input: &'c Flow,
    /// The word that named it.
    pub(crate) first: &'c Arg,
}

/// A family of programs: what it makes of a call, or nothing where it does not know the program.
type Family = fn(&mut Interpreter<'_>, &Call<'_>) -> Option<Flow>;

const FAMILIES: [Family; 15] = [
    shells::apply,
    printers::apply,
    own::apply,
    secrets::apply,
    files::apply,
    git::apply,
    transfers::apply,
    network::apply,
    packages::apply,
    system::apply,
    containers::apply,
    services::apply,
    databases::apply,
    editors::apply,
    programs::apply,
];

/// Applies the rules to a call, and returns what it prints.
pub(crate) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    if call.first.text.contains('/') {
        let file = interpreter.run_file(call.first, call.input.clone());
        if file.text.is_some() {
            return file;
        }
    }
    carriers::check_arguments(interpreter, call);
    for family in FAMILIES {
        if let Some(flow) = family(interpreter, call) {
            return flow;
        }
    }
    for arg in call.args {
        interpreter.touch_unknown(arg);
    }
    Flow::output().joined(call.input.origin)
}

impl<'c> Call<'c> {
    /// Whether an option is given: a letter among short ones, or a whole word.
    pub(crate) fn has(&self, short: char, long: &str) -> bool {
        self.args.iter().take_while(|arg| !arg.is("--")).any(|arg| {
            let text = arg.text.as_str();
            let is_short = short != '\0'
                && text.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(short));
            is_short || (!long.is_empty() && option_is(text, long))
        })
    }

    /// The value of an option: behind it, behind `=`, or joined to its letter.
    pub(crate) fn value(&self, names: &[&str]) -> Option<Arg> {
        self.values(names).into_iter().next()
    }

    /// All values of an option that may be given several times.
    pub(crate) fn values(&self, names: &[&str]) -> Vec<Arg> {
        let mut found = Vec::new();
        for (index, arg) in self.args.iter().enumerate() {
            for name in names {
                let Some(rest) = arg.text.strip_prefix(name) else { continue };
                if rest.is_empty() {
                    found.extend(self.args.get(index + 1).cloned());
                } else if let Some(value) = rest.strip_prefix('=') {
                    found.push(arg.with_text(value));
                } else if !name.starts_with("--") && name.len() == 2 {
                    found.push(arg.with_text(rest));
                }
            }
        }
        found
    }

    /// Arguments that are no options, nor values of those that take one.
    pub(crate) fn positionals(&self, valued: &[&str]) -> Vec<&'c Arg> {
        let mut found = Vec::new();
        let mut args = self.args.iter();
        while let Some(arg) = args.next() {
            if arg.is("--") {
                found.extend(args);
                break;
            }
            if !arg.is_option() {
                found.push(arg);
            } else if valued.contains(&arg.text.as_str()) {
                args.next();
            }
        }
        found
    }

    /// The words that name a subcommand, in small letters.
    pub(crate) fn words(&self, valued: &[&str]) -> Vec<String> {
        self.positionals(valued).iter().map(|arg| arg.text.to_ascii_lowercase()).collect()
    }

    /// Whether one of the arguments is this word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.args.iter().any(|arg| arg.text.eq_ignore_ascii_case(word))
    }

    /// All arguments as one text, for programs whose arguments are words of a language.
    pub(crate) fn joined(&self) -> String {
        self.args.iter().map(Arg::shown).collect::<Vec<_>>().join(" ")
    }
}

fn option_is(text: &str, long: &str) -> bool {
    text.strip_prefix(long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Whether words begin like this; `*` is any word.
pub(crate) fn begins(words: &[String], pattern: &str) -> bool {
    let mut given = words.iter();
    pattern.split(' ').all(|wanted| given.next().is_some_and(|word| wanted == "*" || word == wanted))
}
