//! Walks a script as a shell would, without running anything: assignments, folders, functions and pipes are followed, and each
//! simple command goes to the rules.
//!
//! It follows every branch. Work is bounded: commands, nested texts and their bytes; what is beyond is a risk of its own.

mod command;
mod nested;
mod redirects;
mod state;

use std::rc::Rc;

pub(crate) use state::State;

use crate::FileTouch;
use crate::arg::{Arg, without_marks};
use crate::ast::Statement;
use crate::flow::Flow;
use crate::parser::{SyntaxFault, parse};
use crate::risk::{Decision, Reach, Risk, RiskClass};
use crate::rules;
use crate::scene::{Place, Scene};

/// The most simple commands that are looked at.
const MOST_COMMANDS: usize = 4_000;
/// The most bytes of texts inside of texts.
const MOST_NESTED_BYTES: usize = 256 * 1024;
/// The deepest nesting of texts and functions.
const DEEPEST: usize = 12;
/// The longest part of a command that is shown.
const LONGEST_PART: usize = 100;

/// One walk over a script.
#[derive(Debug)]
pub(crate) struct Interpreter<'s> {
    pub(crate) scene: &'s Scene,
    pub(crate) state: State,
    risks: Vec<Risk>,
    /// The text that is walked over, for showing parts of it.
    source: Rc<[char]>,
    /// The part of it that is looked at.
    part: String,
    depth: usize,
    commands_left: usize,
    bytes_left: usize,
    /// Functions that are running.
    functions: Vec<String>,
    /// Whether the statement is one of several in a pipeline.
    in_pipeline: bool,
    /// Whether the command that is looked at has assignments.
    has_assignments: bool,
}

impl<'s> Interpreter<'s> {
    pub(crate) fn new(scene: &'s Scene) -> Self {
        Self {
            scene,
            state: State::new(scene),
            risks: Vec::new(),
            source: Rc::from([]),
            part: String::new(),
            depth: 0,
            commands_left: MOST_COMMANDS,
            bytes_left: MOST_NESTED_BYTES,
            functions: Vec::new(),
            in_pipeline: false,
            has_assignments: false,
        }
    }

    pub(crate) fn into_risks(self) -> Vec<Risk> {
        self.risks
    }

    /// Judges a whole command.
    pub(crate) fn judge(&mut self, text: &str) {
        let text = without_marks(text);
        self.source = text.chars().collect();
        self.part = bounded(self.source.iter().copied());
        match parse(&text) {
            Ok(script) => {
                self.statement(&script, Flow::terminal());
            }
            Err(fault) => self.unreadable(fault),
        }
    }

    /// Judges a path that a file tool touches.
    pub(crate) fn judge_path(&mut self, path: &str, touch: FileTouch) {
        let path = Arg::known(without_marks(path));
        self.part = bounded(path.text.chars());
        match touch {
            FileTouch::Read => self.read(&path),
            FileTouch::Write => self.write(&path),
        }
    }

    fn unreadable(&mut self, fault: SyntaxFault) {
        let reason = match fault {
            SyntaxFault::TooLong => "is longer than what is checked",
            SyntaxFault::TooDeep => "nests deeper than what is checked",
            SyntaxFault::Invalid => "cannot be read as a shell command",
        };
        self.ask(RiskClass::Unreadable, Reach::Workspace, reason);
    }

    /// Walks over a statement with what it reads, and returns what it prints.
    pub(crate) fn statement(&mut self, statement: &Statement, input: Flow) -> Flow {
        match statement {
            Statement::Command(command) => {
                let flow = self.command(command, input);
                self.environment_ends(flow)
            }
            Statement::Pipeline(stages) => {
                let outer = std::mem::replace(&mut self.in_pipeline, true);
                let flow = stages.iter().fold(input, |flow, stage| {
                    let mut flow = self.statement(stage, flow);
                    // What comes through a pipe is never the terminal's.
                    flow.origin.local |= flow.text.is_none();
                    flow
                });
                self.in_pipeline = outer;
                self.environment_ends(flow)
            }
            Statement::Sequence(statements) => {
                let mut whole = Flow::empty();
                for statement in statements {
                    let flow = self.statement(statement, input.clone());
                    whole.origin = whole.origin.or(flow.origin);
                    whole.text = match (whole.text, flow.text) {
                        (Some(before), Some(text)) => Some(before + &text),
                        _ => None,
                    };
                }
                whole
            }
            Statement::Subshell(body) => {
                let folder = self.state.folder.clone();
                let flow = self.statement(body, input);
                self.state.folder = folder;
                flow
            }
            Statement::Function { name, body } => {
                rules::own::check_definition(self, name);
                self.state.functions.insert(name.clone(), Rc::clone(body));
                Flow::empty()
            }
            Statement::Loop { variable, values, body } => {
                let values: Vec<Arg> = values.iter().flat_map(|word| self.expand_all(word)).collect();
                if values.is_empty() {
                    self.state.forget(variable);
                }
                for value in values {
                    self.state.assign(variable, value);
                }
                self.statement(body, input)
            }
            Statement::Redirected { body, redirects } => {
                let input = self.redirect(redirects, input);
                let flow = self.statement(body, input);
                self.keep_output(redirects, &flow);
                flow
            }
            Statement::Evaluated(words) => {
                for word in words {
                    for arg in self.expand_all(word) {
                        rules::variables::check_arithmetic(self, &arg);
                    }
                }
                Flow::empty()
            }
        }
    }

    /// What a statement prints for good: the environment has credentials.
    fn environment_ends(&mut self, mut flow: Flow) -> Flow {
        if flow.origin.environment && !self.in_pipeline {
            self.environment_printed();
            flow.origin.environment = false;
        }
        flow
    }

    /// Says that the environment is printed.
    pub(crate) fn environment_printed(&mut self) {
        self.ask(RiskClass::Secrets, Reach::Machine, "prints credentials of the environment");
    }

    /// Whether the command that is looked at has assignments.
    pub(crate) const fn has_assignments(&self) -> bool {
        self.has_assignments
    }

    /// A path as it is seen from where the script is.
    pub(crate) fn place(&self, path: &Arg) -> Place {
        self.scene.place(path, self.state.folder.as_deref())
    }

    pub(crate) fn ask(&mut self, class: RiskClass, reach: Reach, reason: impl Into<String>) {
        self.risk(class, Decision::Ask, reach, reason.into());
    }

    pub(crate) fn deny(&mut self, class: RiskClass, reach: Reach, reason: impl Into<String>) {
        self.risk(class, Decision::Deny, reach, reason.into());
    }

    fn risk(&mut self, class: RiskClass, decision: Decision, reach: Reach, reason: String) {
        let risk = Risk { class, decision, reach, part: self.part.clone(), reason };
        if !self.risks.contains(&risk) {
            self.risks.push(risk);
        }
    }
}

/// A part of a text on one line, bounded.
fn bounded(characters: impl Iterator<Item = char>) -> String {
    let text: String = characters.take(LONGEST_PART * 4).collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |character: char| if character.is_control() { ' ' } else { crate::arg::unmark(character) };
    let shown: String = line.chars().take(LONGEST_PART).map(plain).collect();
    if line.chars().count() > LONGEST_PART { format!("{shown}…") } else { shown }
}
