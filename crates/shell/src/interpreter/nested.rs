//! Texts inside of a script that a shell runs: arguments of `sh -c`, `eval`, input of an interpreter, files the script wrote.

use std::rc::Rc;

use super::{DEEPEST, Interpreter};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::parser::parse_at;
use crate::risk::{Reach, RiskClass};

impl Interpreter<'_> {
    /// Takes one more level of nesting, if there is one.
    pub(super) fn goes_deeper(&mut self) -> bool {
        if self.depth >= DEEPEST {
            self.ask(RiskClass::Unreadable, Reach::Workspace, "nests deeper than what is checked");
            return false;
        }
        self.depth += 1;
        true
    }

    /// Runs a text in a shell.
    pub(crate) fn run_text(&mut self, text: &str, input: Flow) -> Flow {
        let left = self.bytes_left.checked_sub(text.len());
        let Some(left) = left else {
            self.ask(RiskClass::Unreadable, Reach::Workspace, "runs more text than is checked");
            return Flow::output();
        };
        self.bytes_left = left;
        if !self.goes_deeper() {
            return Flow::output();
        }
        let outer = std::mem::replace(&mut self.source, text.chars().collect::<Rc<[char]>>());
        let flow = match parse_at(text, self.depth) {
            Ok(script) => self.statement(&script, input),
            Err(fault) => {
                self.unreadable(fault);
                Flow::output()
            }
        };
        self.source = outer;
        self.depth -= 1;
        flow
    }

    /// Runs a text in a shell, with more words behind it.
    pub(super) fn run_text_with(&mut self, text: &str, words: &[Arg], input: Flow) -> Flow {
        let mut whole = text.to_owned();
        for word in words {
            whole.push(' ');
            match word.plain() {
                Some(plain) => whole.push_str(&quoted(plain)),
                None => whole.push_str("\"$unknown\""),
            }
        }
        self.run_text(&whole, input)
    }

    /// Runs what a flow holds in a shell: its text where it is known, else by where it comes from.
    pub(crate) fn run_flow(&mut self, flow: &Flow, input: Flow) -> Flow {
        if let Some(text) = &flow.text {
            return self.run_text(text, input);
        }
        self.run_unknown(flow);
        Flow::output()
    }

    /// A program whose text is only known when it runs.
    pub(crate) fn run_unknown(&mut self, flow: &Flow) {
        let origin = flow.origin;
        if origin.network {
            self.ask(RiskClass::Install, Reach::Network, "runs what the network delivers");
        } else if origin.decoded || !origin.script {
            self.ask(RiskClass::Obscured, Reach::Workspace, "runs a text that is only known when it runs");
        }
    }

    /// Runs a text that may be a command, and may be anything else.
    pub(crate) fn run_text_if_readable(&mut self, text: &str) {
        if parse_at(text, self.depth).is_ok() {
            self.run_text(text, Flow::terminal());
        }
    }

    /// Looks at a file that an interpreter of another language runs, where it is known what is in it.
    pub(crate) fn run_program_file(&mut self, path: &Arg) {
        let known = match &path.process {
            Some(process) => Some((**process).clone()),
            None => self.known_file(path),
        };
        match known {
            Some(Flow { text: Some(text), .. }) => crate::rules::programs::judge_program(self, &text),
            Some(flow) => self.run_unknown(&flow),
            None => {}
        }
    }

    /// What the script wrote into a file.
    pub(crate) fn known_file(&self, path: &Arg) -> Option<Flow> {
        self.state.files.get(&self.place(path).whole).cloned()
    }

    /// Runs an argument that holds a text for a shell.
    pub(crate) fn run_argument(&mut self, text: &Arg, positional: &[Arg], input: Flow) -> Flow {
        let Some(plain) = text.plain().map(str::to_owned).or_else(|| self.with_unknowns_as_variables(text))
        else {
            // A script of the repository is run as a file; as an argument it could be any text.
            let origin = crate::flow::Origin { script: false, ..text.origin };
            self.run_unknown(&Flow { text: None, origin });
            return Flow::output();
        };
        let outer = std::mem::replace(&mut self.state.positional, positional.to_vec());
        let flow = self.run_text(&plain, input);
        self.state.positional = outer;
        flow
    }

    /// A text of which only arguments are unknown: they become variables that nobody sets. Where the name of a command could be
    /// unknown, that is seen when it runs.
    fn with_unknowns_as_variables(&self, text: &Arg) -> Option<String> {
        let is_nearly_all = text.text.chars().filter(|one| !crate::arg::is_mark(*one)).count() < 3;
        if is_nearly_all || text.origin.network {
            return None;
        }
        let mut whole = String::new();
        for character in text.text.chars() {
            match character {
                crate::arg::UNKNOWN => whole.push_str("$unknown"),
                other => whole.push(crate::arg::unmark(other)),
            }
        }
        Some(whole)
    }

    /// Runs a file as a script, where it is known what is in it.
    pub(crate) fn run_file(&mut self, path: &Arg, input: Flow) -> Flow {
        if let Some(process) = path.process.clone() {
            return self.run_flow(&process, input);
        }
        let place = self.place(path);
        if place.whole == "/dev/stdin" || place.whole == "/proc/self/fd/0" {
            return self.run_flow(&input.clone(), input);
        }
        if place.whole.starts_with("/dev/fd/") || place.whole.starts_with("/proc/self/fd/") {
            return self.run_flow(&Flow::output(), input);
        }
        match self.state.files.get(&place.whole).cloned() {
            Some(flow) if flow.text.is_some() || flow.origin.network || flow.origin.decoded => {
                self.run_flow(&flow, input)
            }
            _ => Flow::output(),
        }
    }
}

/// A text in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
