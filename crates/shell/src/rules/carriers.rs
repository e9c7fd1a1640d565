//! Programs that no rule knows, and some that rules know, may run their arguments: commands and texts among them count.
//!
//! Only words that begin like a command that can do harm are taken for one, so that sentences stay sentences.

use super::Call;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Programs that a carrier would be used to hide.
const CARRIED: [&str; 34] = [
    "rm", "dd", "shred", "mv", "truncate", "find", "chmod", "chown", "sh", "bash", "zsh", "dash", "ksh",
    "eval", "sudo", "doas", "su", "curl", "wget", "nc", "ncat", "socat", "ssh", "scp", "python", "python3",
    "perl", "ruby", "node", "git", "crontab", "premath", "tee", "mkfs",
];
/// Words before a command in the languages of some carriers.
const LEADING: [&str; 4] = ["spawn", "exec", "run", "!"];
/// Programs whose arguments are texts, patterns or names of packages, or whose commands other rules look at.
const TEXT_TAKERS: [&str; 52] = [
    "echo",
    "printf",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "git",
    "gh",
    "glab",
    "sed",
    "awk",
    "gawk",
    "jq",
    "yq",
    "cat",
    "ls",
    "man",
    "which",
    "type",
    "whence",
    "where",
    "command",
    "apropos",
    "tldr",
    "cheat",
    "brew",
    "apt",
    "apt-get",
    "apt-cache",
    "dnf",
    "yum",
    "pacman",
    "apk",
    "pip",
    "pip3",
    "cargo",
    "test",
    "[",
    "export",
    "alias",
    "case",
    "say",
    "logger",
    "premath",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "ssh",
];
/// Options whose value is a command, of programs whose other arguments are not.
const RUNNING_OPTIONS: [&str; 10] = [
    "-P",
    "--pager",
    "--pre",
    "--exec",
    "--command",
    "--run",
    "--shell",
    "-TT",
    "--preview",
    "--unzip-command",
];

/// Checks the arguments of a program for commands that it may run.
pub(super) fn check_arguments(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    match call.name {
        "make" | "gmake" | "bmake" => check_makefile(interpreter, call),
        "rg" if call.value(&["--pre"]).is_some() => {
            let reason = "runs a program on every file that it searches";
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
        }
        "tclsh" | "wish" | "expect" if call.has('c', "") || *call.input != Flow::terminal() => {
            let reason = "runs a program in a language that is not checked";
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, reason);
        }
        _ => {}
    }
    let takes_text = TEXT_TAKERS.contains(&call.name);
    for (index, arg) in call.args.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| call.args.get(index));
        let is_value = before.is_some_and(|before| RUNNING_OPTIONS.contains(&before.text.as_str()));
        if takes_text && !(is_value && matches!(call.name, "man" | "rg")) {
            continue;
        }
        let value = arg.text.split_once('=').map_or(arg.text.as_str(), |(_, value)| value);
        let value = value.trim_start_matches(['+', '!', ' ']);
        if value.contains(char::is_whitespace) {
            run_text(interpreter, value);
        } else if is_carried(value) && !arg.is_option() && is_command_place(call, index) {
            let words = call.args.get(index..).unwrap_or_default().to_vec();
            interpreter.run(words, Flow::output());
            return;
        }
    }
}

/// A makefile that the command itself holds: its recipes are commands.
fn check_makefile(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for file in call.values(&["-f", "--file", "--makefile"]) {
        let flow = match &file.process {
            Some(process) => (**process).clone(),
            None if file.is("-") => call.input.clone(),
            None => interpreter.known_file(&file).unwrap_or_else(Flow::empty),
        };
        match &flow.text {
            Some(text) => {
                for recipe in text.lines().filter_map(|line| line.strip_prefix('\t')) {
                    interpreter.run_text(recipe.trim_start_matches(['@', '-', '+']), Flow::terminal());
                }
            }
            None => interpreter.run_unknown(&flow),
        }
    }
}

/// Whether an argument could begin a command: more follows it, and the program is none of those that rules look behind.
fn is_command_place(call: &Call<'_>, index: usize) -> bool {
    index + 1 < call.args.len() && !super::shells::is_shell(call.name)
}

fn run_text(interpreter: &mut Interpreter<'_>, text: &str) {
    let mut rest = text.trim_start();
    while let Some((first, more)) = rest.split_once(char::is_whitespace)
        && LEADING.contains(&first)
    {
        rest = more.trim_start();
    }
    if rest.split_whitespace().next().is_some_and(is_carried) {
        interpreter.run_text_if_readable(rest);
    }
}

/// Whether a word names a program that a carrier would be used to hide.
pub(crate) fn is_carried(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    CARRIED.contains(&name)
}
