//! Variables whose values change what programs do: which libraries they load, whose configuration counts.

use crate::arg::Arg;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

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
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "GIT_CONFIG" | "GIT_DIR" | "GIT_TEMPLATE_DIR" => {
            interpreter.touch_unknown(value);
        }
        _ if name.starts_with("PREMATH_") => {
            interpreter.ask(RiskClass::OwnFiles, Reach::Workspace, "changes how premath works");
        }
        _ => {}
    }
}
