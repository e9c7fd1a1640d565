//! Simple commands: assignments, redirections, the name behind wrappers, and the rules for it.

use super::{Interpreter, bounded};
use crate::arg::{Arg, UNKNOWN, could_be, is_mark};
use crate::ast::{Assignment, Command, Piece, Word};
use crate::flow::Flow;
use crate::risk::{Reach, RiskClass};
use crate::rules;

/// The most wrappers around one command.
const MOST_WRAPPERS: usize = 24;

/// Names that a pattern in the place of a command could stand for.
const KNOWN_PROGRAMS: [&str; 24] = [
    "rm", "dd", "mv", "cp", "cat", "sh", "bash", "zsh", "curl", "wget", "nc", "chmod", "chown", "sudo",
    "python3", "perl", "ssh", "scp", "base64", "tee", "find", "mkfs", "shred", "eval",
];

impl Interpreter<'_> {
    pub(super) fn command(&mut self, command: &Command, input: Flow) -> Flow {
        let Some(left) = self.commands_left.checked_sub(1) else {
            self.ask(
                RiskClass::Unreadable,
                Reach::Workspace,
                "belongs to a text with more commands than are checked",
            );
            return Flow::output();
        };
        self.commands_left = left;
        let part = self.part_of(command);
        let outer = std::mem::replace(&mut self.part, part);
        let flow = self.expanded(command, input);
        self.part = outer;
        flow
    }

    fn part_of(&self, command: &Command) -> String {
        let part = self.source.get(command.span.clone()).unwrap_or_default();
        if part.is_empty() { self.part.clone() } else { bounded(part.iter().copied()) }
    }

    fn expanded(&mut self, command: &Command, input: Flow) -> Flow {
        for assignment in &command.assignments {
            self.assign(assignment, command.words.is_empty());
        }
        let input = self.redirect(&command.redirects, input);
        let (first, rest) = match command.words.split_first() {
            Some((first, rest)) => (self.programs(first), rest),
            None => {
                self.truncations(&command.redirects);
                return Flow::empty();
            }
        };
        let rest: Vec<Arg> = rest.iter().flat_map(|word| self.expand_all(word)).collect();
        let mut whole = Flow::empty();
        if self.may_be_nothing(command)
            && rest.first().is_some_and(|arg| rules::carriers::is_carried(&arg.text))
        {
            self.run(rest.clone(), input.clone());
        }
        for mut words in first {
            words.extend(rest.iter().cloned());
            self.has_assignments = !command.assignments.is_empty();
            whole = self.run(words, input.clone());
        }
        if whole.text.as_deref().is_some_and(|text| text.trim().is_empty()) {
            self.truncations(&command.redirects);
        }
        self.keep_output(&command.redirects, &whole);
        whole
    }

    /// Whether the word in the place of a command is variables alone, which are no word where they are empty.
    fn may_be_nothing(&self, command: &Command) -> bool {
        let first = command.words.first();
        first.is_some_and(|word| word.pieces.iter().all(|piece| matches!(piece, Piece::Parameter(_))))
    }

    /// The readings of the word that names a program. A variable that a branch or a subshell sets may be empty after all.
    fn programs(&mut self, word: &Word) -> Vec<Vec<Arg>> {
        let mut readings = self.expand(word);
        if let Some(name) = word.without_parameters().filter(|name| rules::carriers::is_carried(name)) {
            readings.push(vec![Arg::known(name)]);
        }
        readings
    }

    fn assign(&mut self, assignment: &Assignment, is_alone: bool) {
        let values: Vec<Arg> = assignment.values.iter().flat_map(|word| self.expand_quoted(word)).collect();
        if !is_alone || assignment.name.starts_with("PREMATH") {
            for value in &values {
                rules::variables::check_assignment(self, &assignment.name, value);
            }
        }
        for value in &values {
            rules::variables::check_value(self, &assignment.name, value);
        }
        for value in values {
            if assignment.is_append {
                self.state.append(&assignment.name, value);
            } else {
                self.state.assign(&assignment.name, value);
            }
        }
    }

    /// Runs a command: its name and its arguments.
    pub(crate) fn run(&mut self, mut words: Vec<Arg>, mut input: Flow) -> Flow {
        for _ in 0..MOST_WRAPPERS {
            // An expansion to nothing is no word: what stands behind it is the command.
            words.drain(..words.iter().take_while(|word| word.text.is_empty()).count());
            let Some(first) = words.first() else { return Flow::empty() };
            let name = program(first);
            if name.contains(is_mark) {
                return self.unknown_program(&name, &words, &input);
            }
            if let Some(flow) = self.defined(&name, &words, &input) {
                return flow;
            }
            match rules::wrappers::unwrap(self, &name, &words, &mut input) {
                rules::wrappers::Unwrapped::Command(inner) => words = inner,
                rules::wrappers::Unwrapped::Done(flow) => return flow,
                rules::wrappers::Unwrapped::NotAWrapper => {
                    return rules::apply(
                        self,
                        &rules::Call {
                            name: &name,
                            args: words.get(1..).unwrap_or_default(),
                            input: &input,
                            first,
                        },
                    );
                }
            }
        }
        self.ask(RiskClass::Obscured, Reach::Workspace, "is wrapped in more commands than are followed");
        Flow::output()
    }

    /// An alias or a function of the script.
    fn defined(&mut self, name: &str, words: &[Arg], input: &Flow) -> Option<Flow> {
        let arguments = words.get(1..).unwrap_or_default();
        if let Some(text) = self.state.aliases.remove(name) {
            // An alias is not expanded inside of itself.
            let flow = self.run_text_with(&text, arguments, input.clone());
            self.state.aliases.insert(name.to_owned(), text);
            return Some(flow);
        }
        let body = self.state.functions.get(name).cloned()?;
        if self.functions.iter().any(|running| running == name) {
            if self.in_pipeline {
                self.deny(RiskClass::Destructive, Reach::Machine, "starts itself again without end");
            }
            return Some(Flow::output());
        }
        if !self.goes_deeper() {
            return Some(Flow::output());
        }
        self.functions.push(name.to_owned());
        let outer = std::mem::replace(&mut self.state.positional, arguments.to_vec());
        let flow = self.statement(&body, input.clone());
        self.state.positional = outer;
        self.functions.pop();
        self.depth -= 1;
        Some(flow)
    }

    /// A command whose name is only known when it runs.
    fn unknown_program(&mut self, name: &str, words: &[Arg], input: &Flow) -> Flow {
        let origin = words.first().map(|first| first.origin).unwrap_or_default();
        if origin.network {
            self.ask(RiskClass::Install, Reach::Network, "runs what the network delivers");
        } else {
            self.ask(
                RiskClass::Obscured,
                Reach::Workspace,
                "runs a command whose name is only known when it runs",
            );
        }
        // Patterns may stand for programs that are known: what they would do counts as well.
        if !name.contains(UNKNOWN) {
            for known in KNOWN_PROGRAMS.iter().filter(|known| could_be(name, known)) {
                let mut words = words.to_vec();
                if let Some(first) = words.first_mut() {
                    first.text = (*known).to_owned();
                }
                self.run(words, input.clone());
            }
        }
        for word in words.iter().skip(1) {
            self.touch_unknown(word);
        }
        Flow::output()
    }
}

/// The name of a program without its folder.
fn program(word: &Arg) -> String {
    let text = word.text.trim_start_matches('=');
    let name = text.rsplit('/').next().unwrap_or(text);
    match name.chars().next() {
        Some(crate::arg::OPEN_SET) if name.chars().count() == 1 => "[".to_owned(),
        _ => name.to_ascii_lowercase(),
    }
}
