//! Shells and their builtins: texts they run, folders they enter, names they define.

use super::Call;
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

const SHELLS: [&str; 12] =
    ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "pwsh"];

/// Whether a program is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        name if SHELLS.contains(&name) => Some(shell(interpreter, call)),
        "eval" => Some(eval(interpreter, call)),
        "source" | "." => Some(source(interpreter, call)),
        "trap" => {
            if let Some(text) = call.args.first() {
                interpreter.run_argument(text, &[], Flow::output());
            }
            Some(Flow::empty())
        }
        "alias" => {
            alias(interpreter, call);
            Some(Flow::empty())
        }
        "cd" | "pushd" | "popd" => {
            enter(interpreter, call);
            Some(Flow::empty())
        }
        "export" | "declare" | "typeset" | "local" | "readonly" => Some(declare(interpreter, call)),
        "unset" | "let" => {
            for name in call.positionals(&[]) {
                super::variables::check_arithmetic(interpreter, name);
                if call.name == "unset" {
                    interpreter.state.assign(&name.text, Arg::known(""));
                }
            }
            Some(Flow::empty())
        }
        "hash" | "compgen" | "complete" | "bind" | "enable" => Some(loads_code(interpreter, call)),
        "shift" | "return" | "exit" | "break" | "continue" | "wait" | "umask" | "ulimit" | "getopts"
        | "shopt" | "jobs" | "bg" | "fg" | "disown" | "unalias" | "sleep" => Some(Flow::empty()),
        "set" => Some(if call.args.is_empty() { super::secrets::environment() } else { Flow::empty() }),
        "read" | "mapfile" | "readarray" => {
            let is_raw = call.name != "read" || call.has('r', "");
            for text in call.values(&["-C"]) {
                interpreter.run_argument(&text, &[], Flow::output());
            }
            for name in call.positionals(&["-p", "-d", "-n", "-t", "-u", "-i", "-C", "-c"]) {
                super::variables::check_arithmetic(interpreter, name);
                read_variable(interpreter, name, call.input, is_raw);
            }
            Some(Flow::empty())
        }
        "history" | "fc" if call.has('c', "") || call.has('d', "") => {
            interpreter.ask(RiskClass::Destructive, Reach::Machine, "deletes the history of the shell");
            Some(Flow::empty())
        }
        _ => None,
    }
}

/// A shell: `-c text`, a file, or its input.
fn shell(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let mut args = call.args.iter().enumerate();
    while let Some((index, arg)) = args.next() {
        let is_letters = arg.text.starts_with(['-', '+']) && !arg.text.starts_with("--");
        if is_letters && arg.text.contains('c') && !arg.is("-norc") || arg.is("--command") {
            let rest = call.args.get(index + 1..).unwrap_or_default();
            // Options may stand between `-c` and its text.
            let skipped = rest.iter().take_while(|arg| arg.is_option()).count();
            let Some(text) = rest.get(skipped) else { return Flow::output() };
            let positional = rest.get(skipped + 2..).unwrap_or_default();
            return interpreter.run_argument(text, positional, call.input.clone());
        }
        match arg.text.as_str() {
            "-o" | "+o" | "-O" | "+O" => {
                args.next();
            }
            "--rcfile" | "--init-file" => {
                if let Some((_, file)) = args.next() {
                    interpreter.run_file(file, Flow::output());
                }
            }
            "-s" | "-" | "--" | "/dev/stdin" => {}
            _ if arg.is_option() => {}
            _ if call.has('s', "") => break,
            _ => return interpreter.run_file(arg, call.input.clone()),
        }
    }
    if call.args.iter().any(|arg| matches!(arg.text.as_str(), "--version" | "--help" | "-n")) {
        return Flow::output();
    }
    match (&call.input.text, call.input.origin.script) {
        // An interactive shell: nothing is known of what it will run, and nothing runs by itself.
        (None, false) if !is_piped(call.input) => Flow::output(),
        _ => interpreter.run_flow(call.input, Flow::output()),
    }
}

/// Whether an input comes from somewhere, and is not just the terminal's.
fn is_piped(input: &Flow) -> bool {
    *input != Flow::terminal()
}

fn eval(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let Some(first) = call.args.first() else { return Flow::empty() };
    let mut whole = first.clone();
    for arg in call.args.iter().skip(1) {
        whole.text.push(' ');
        whole.text.push_str(&arg.text);
        whole.has_output |= arg.has_output;
        whole.origin = whole.origin.or(arg.origin);
    }
    let positional = interpreter.state.positional.clone();
    interpreter.run_argument(&whole, &positional, call.input.clone())
}

fn source(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    match call.args.first() {
        Some(path) => interpreter.run_file(path, call.input.clone()),
        None => Flow::empty(),
    }
}

fn alias(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for arg in call.args {
        if let Some((name, text)) = arg.text.split_once('=') {
            super::own::check_definition(interpreter, name);
            interpreter.state.aliases.insert(name.to_ascii_lowercase(), text.to_owned());
        }
    }
}

/// `cd`: where the script goes on.
fn enter(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let target = call.positionals(&[]).first().map(|arg| (*arg).clone());
    interpreter.state.folder = match (call.name, target) {
        ("popd", _) => Some(interpreter.scene.folder.clone()),
        (_, None) => Some("~".to_owned()),
        (_, Some(target)) if target.is("-") => Some(interpreter.scene.folder.clone()),
        (_, Some(target)) if target.plain().is_none() => None,
        (_, Some(target)) => {
            let place = interpreter.place(&target);
            Some(match &place.inside {
                Some(inside) => format!("{}/{inside}", interpreter.scene.root),
                None => place.whole,
            })
        }
    };
}

/// `export`: its assignments are the parser's to find; what is left are names and options.
fn declare(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    if call.has('n', "") && call.name != "export" {
        let reason = "lets a variable stand for another one";
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
    }
    for arg in call.args {
        super::variables::check_arithmetic(interpreter, arg);
        if let Some((name, value)) = arg.text.split_once('=') {
            interpreter.state.assign(name, arg.with_text(value));
        }
    }
    let prints_all = call.args.is_empty() && !interpreter.has_assignments()
        || call.args.len() == 1 && (call.has('p', "") || call.has('x', ""));
    if prints_all && call.name != "local" { super::secrets::environment() } else { Flow::empty() }
}

/// Builtins that run a text, or let a name stand for another program.
fn loads_code(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let option = match call.name {
        "hash" => "-p",
        "bind" => "-x",
        "enable" => "-f",
        _ => "-C",
    };
    for text in call.values(&[option]) {
        if matches!(call.name, "compgen" | "complete") {
            interpreter.run_argument(&text, &[], Flow::output());
        } else {
            let reason = "lets a name stand for another program";
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
        }
    }
    Flow::output()
}

fn read_variable(interpreter: &mut Interpreter<'_>, name: &Arg, input: &Flow, is_raw: bool) {
    let value = match &input.text {
        // A backslash joins what it stands before, without `-r`.
        Some(text) if !is_raw => Arg::known(text.trim_end_matches('\n').replace('\\', "")),
        Some(text) => Arg::known(text.trim_end_matches('\n')),
        None => Arg {
            text: crate::arg::UNKNOWN.to_string(),
            has_output: false,
            origin: input.origin,
            ..Arg::default()
        },
    };
    interpreter.state.assign(&name.text, value);
}
