//! Variables whose values change what programs do: which libraries they load, whose configuration counts.

use crate::arg::Arg;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Checks a value that a shell evaluates by itself, wherever the variable is set.
pub(crate) fn check_value(interpreter: &mut Interpreter<'_>, name: &str, value: &Arg) {
    let is_prompt = matches!(name, "PS0" | "PS1" | "PS2" | "PS4" | "PROMPT_COMMAND");
    if is_prompt && (value.text.contains("$(") || value.text.contains('`') || name == "PROMPT_COMMAND") {
        let reason = "sets a text that the shell runs by itself";
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
    }
    check_arithmetic(interpreter, value);
}

/// Checks a text that a shell may evaluate as arithmetic: a substitution in an index runs.
pub(crate) fn check_arithmetic(interpreter: &mut Interpreter<'_>, value: &Arg) {
    let index = value.text.split_once(['[', crate::arg::OPEN_SET]).map(|(_, index)| index);
    if index.is_some_and(|index| index.contains("$(") || index.contains('`')) {
        let reason = "holds a substitution that runs when it is taken for a number";
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
    }
}

/// Checks a variable that a command gets, or that is exported.
pub(crate) fn check_assignment(interpreter: &mut Interpreter<'_>, name: &str, value: &Arg) {
    match name {
        "LD_PRELOAD"
        | "LD_LIBRARY_PATH"
        | "LD_AUDIT"
        | "DYLD_INSERT_LIBRARIES"
        | "BASH_ENV"
        | "ENV"
        | "PROMPT_COMMAND"
        | "PYTHONSTARTUP"
        | "PERL5OPT"
        | "RUBYOPT" => {
            let reason = "makes a program load code that it would not load by itself";
            interpreter.ask(RiskClass::Privilege, Reach::Machine, reason);
        }
        "PREMATH_CONFIG" | "XDG_STATE_HOME" | "XDG_CONFIG_HOME" | "CLAUDE_CONFIG_DIR" | "CODEX_HOME" => {
            let reason = "changes where premath or an agent reads its configuration and keeps its state";
            interpreter.deny(RiskClass::OwnFiles, Reach::Workspace, reason);
        }
        "GIT_SSH_COMMAND"
        | "GIT_EXTERNAL_DIFF"
        | "GIT_PROXY_COMMAND"
        | "GIT_PAGER"
        | "GIT_EDITOR"
        | "PAGER"
        | "EDITOR"
        | "VISUAL"
        | "GIT_SEQUENCE_EDITOR" => {
            interpreter.run_argument(value, &[], crate::flow::Flow::output());
        }
        "RUSTC_WRAPPER" | "RUSTC_WORKSPACE_WRAPPER" | "RUSTC" | "CMAKE_C_COMPILER_LAUNCHER"
            if value.text.contains('/') && interpreter.place(value).inside.is_none() =>
        {
            let reason = "makes a build run a program from elsewhere";
            interpreter.ask(RiskClass::Privilege, Reach::Machine, reason);
        }
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "GIT_CONFIG" | "GIT_DIR" | "GIT_TEMPLATE_DIR" => {
            interpreter.touch_unknown(value);
        }
        _ if name.starts_with("PREMATH_") => {
            interpreter.ask(RiskClass::OwnFiles, Reach::Workspace, "changes how premath works");
        }
        _ => {}
    }
}
