//! Shell commands of agents that run outside our sandbox: parsed by a shell grammar, expanded as far as the text itself says,
//! and every simple command in them classified by what it puts at risk.
//!
//! A pure function of the text and the scene. It starts nothing, reads no file and no clock; what it cannot read or follow is
//! a risk of its own, so that it never allows what it did not understand.

mod arg;
mod ast;
mod decode;
mod expand;
mod flow;
mod interpreter;
mod parser;
mod risk;
mod rules;
mod scene;

pub use risk::{AgentSandbox, Decision, Judgement, Reach, Risk, RiskClass};
pub use scene::{ProtectedPath, Scene};

use interpreter::Interpreter;

/// What a file tool does with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileTouch {
    /// It reads it.
    Read,
    /// It writes, creates or deletes it.
    Write,
}

/// Judges a shell command.
#[must_use]
pub fn judge_command(text: &str, scene: &Scene) -> Judgement {
    let mut interpreter = Interpreter::new(scene);
    interpreter.judge(text);
    Judgement::new(interpreter.into_risks(), scene.sandbox)
}

/// Judges a path that a file tool is about to touch, by the rules that hold for commands.
#[must_use]
pub fn judge_path(path: &str, touch: FileTouch, scene: &Scene) -> Judgement {
    let mut interpreter = Interpreter::new(scene);
    interpreter.judge_path(path, touch);
    Judgement::new(interpreter.into_risks(), scene.sandbox)
}
