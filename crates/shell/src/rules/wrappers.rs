//! Commands that run another command: what is behind them counts, and what they add to it.

mod find;
mod lists;

use crate::arg::{Arg, UNKNOWN};
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// What a word in the place of a command turned out to be.
#[derive(Debug)]
pub(crate) enum Unwrapped {
    /// A wrapper, with the command it runs.
    Command(Vec<Arg>),
    /// A wrapper whose command was looked at.
    Done(Flow),
    /// No wrapper.
    NotAWrapper,
}

/// A wrapper: its name, its options that take a value, and how many words stand before the command.
struct Wrapper(&'static str, &'static [&'static str], usize);

const WRAPPERS: &[Wrapper] = &[
    Wrapper("nohup", &[], 0),
    Wrapper("setsid", &[], 0),
    Wrapper("builtin", &[], 0),
    Wrapper("exec", &["-a"], 0),
    Wrapper("time", &["-f", "-o", "--format", "--output"], 0),
    Wrapper("nice", &["-n", "--adjustment"], 0),
    Wrapper("ionice", &["-c", "-n", "-p"], 0),
    Wrapper("chrt", &["-p"], 1),
    Wrapper("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    Wrapper("gtimeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    Wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    Wrapper("unbuffer", &[], 0),
    Wrapper("busybox", &[], 0),
    Wrapper("toybox", &[], 0),
    Wrapper("noglob", &[], 0),
    Wrapper("nocorrect", &[], 0),
    Wrapper("taskset", &["-p"], 1),
    Wrapper("numactl", &[], 0),
    Wrapper("cpulimit", &["-l", "-p", "-e"], 0),
    Wrapper("strace", &["-o", "-e", "-s", "-p", "-u", "-E", "-P"], 0),
    Wrapper("ltrace", &["-o", "-e", "-s", "-p", "-u"], 0),
    Wrapper("proxychains", &["-f"], 0),
    Wrapper("proxychains4", &["-f"], 0),
    Wrapper("torsocks", &[], 0),
    Wrapper("torify", &[], 0),
    Wrapper("faketime", &[], 1),
    Wrapper("caffeinate", &["-t", "-w"], 0),
    Wrapper("arch", &[], 0),
    Wrapper("rlwrap", &["-f", "-H"], 0),
    Wrapper("eatmydata", &[], 0),
    Wrapper("chronic", &[], 0),
    Wrapper("xvfb-run", &["-s", "-n", "-e", "-f"], 0),
    Wrapper("dbus-run-session", &[], 0),
    Wrapper("fakeroot", &[], 0),
    Wrapper("ld.so", &[], 0),
    Wrapper("ld-linux-x86-64.so.2", &[], 0),
    Wrapper("pipenv", &[], 1),
    Wrapper("systemd-inhibit", &[], 0),
];

/// Commands of package managers that run a program of the project: the words before it.
const PROJECT_RUNNERS: &[(&str, &[&str])] = &[
    ("uv", &["run"]),
    ("poetry", &["run"]),
    ("pdm", &["run"]),
    ("rye", &["run"]),
    ("bundle", &["exec"]),
    ("pnpm", &["exec"]),
    ("pnpm", &["dlx"]),
    ("yarn", &["exec"]),
    ("npm", &["exec", "--"]),
    ("mise", &["exec", "--"]),
    ("doppler", &["run", "--"]),
    ("op", &["run", "--"]),
    ("asdf", &["exec"]),
    ("rbenv", &["exec"]),
    ("pyenv", &["exec"]),
    ("rustup", &["run", "*"]),
    ("direnv", &["exec", "*"]),
];

/// Looks behind a wrapper.
pub(crate) fn unwrap(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    words: &[Arg],
    input: &mut Flow,
) -> Unwrapped {
    let args = words.get(1..).unwrap_or_default();
    if let Some(Wrapper(_, valued, skipped)) = WRAPPERS.iter().find(|wrapper| wrapper.0 == name) {
        let start = first_word(args, valued) + skipped;
        return command_at(args, start);
    }
    for (runner, prefix) in PROJECT_RUNNERS {
        let begins = *runner == name
            && prefix.iter().zip(args).filter(|(wanted, arg)| **wanted == "*" || arg.is(wanted)).count()
                == prefix.len();
        if begins && args.len() > prefix.len() {
            return command_at(args, prefix.len());
        }
    }
    match name {
        "command" => match args.first() {
            Some(first) if first.is("-v") || first.is("-V") => Unwrapped::NotAWrapper,
            _ => command_at(args, first_word(args, &[])),
        },
        "env" => environment(interpreter, args),
        "sudo" | "doas" | "pkexec" | "gosu" | "su-exec" | "setpriv" | "runuser" | "su" | "chroot"
        | "nsenter" | "unshare" | "systemd-run" | "sudoedit" => {
            lists::elevated(interpreter, name, args, input)
        }
        "xargs" | "gxargs" => lists::xargs(interpreter, args, input),
        "parallel" => lists::parallel(interpreter, args, input),
        "find" | "gfind" | "fd" | "fdfind" => find::find(interpreter, name, args, input),
        "watch" | "entr" | "script" | "flock" => lists::text_runners(interpreter, name, args, input),
        _ => Unwrapped::NotAWrapper,
    }
}

/// The index of the first word that is no option.
fn first_word(args: &[Arg], valued: &[&str]) -> usize {
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        if arg.is("--") {
            return index + 1;
        }
        if !arg.is_option() {
            return index;
        }
        index += if valued.contains(&arg.text.as_str()) { 2 } else { 1 };
    }
    index
}

fn command_at(args: &[Arg], start: usize) -> Unwrapped {
    match args.get(start..) {
        Some(command) if !command.is_empty() => Unwrapped::Command(command.to_vec()),
        _ => Unwrapped::Done(Flow::empty()),
    }
}

/// `env`: variables, then a command; alone it prints the environment.
fn environment(interpreter: &mut Interpreter<'_>, args: &[Arg]) -> Unwrapped {
    if let Some(text) = split_string(args) {
        interpreter.run_argument(&text, &[], Flow::output());
        return Unwrapped::Done(Flow::output());
    }
    let mut index = first_word(args, &["-u", "-C", "--unset", "--chdir"]);
    // `env` takes whatever stands before `=` for a name.
    let any_name =
        |arg: &Arg| arg.text.split_once('=').map(|(name, value)| (name.to_owned(), arg.with_text(value)));
    while let Some((name, value)) = args.get(index).and_then(any_name) {
        super::variables::check_assignment(interpreter, &name, &value);
        interpreter.state.assign(&name, value);
        index += 1;
    }
    match args.get(index..) {
        Some(command) if !command.is_empty() => Unwrapped::Command(command.to_vec()),
        _ => Unwrapped::Done(super::secrets::environment()),
    }
}

/// `env -S 'command arguments'`
fn split_string(args: &[Arg]) -> Option<Arg> {
    let index = args.iter().take_while(|arg| arg.is_option()).position(|arg| {
        arg.text.starts_with("-S") || arg.text.starts_with("--split-string") || arg.is("-iS") || arg.is("-vS")
    })?;
    let arg = args.get(index)?;
    match arg.text.strip_prefix("-S").or_else(|| arg.text.strip_prefix("--split-string=")) {
        Some(rest) if !rest.is_empty() => Some(arg.with_text(rest)),
        _ => args.get(index + 1).cloned(),
    }
}

fn assignment(arg: &Arg) -> Option<(String, Arg)> {
    let (name, value) = arg.text.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    is_name.then(|| (name.to_owned(), arg.with_text(value)))
}

/// An argument that is only known when the command runs.
fn unknown_argument(input: &Flow) -> Arg {
    Arg { text: UNKNOWN.to_string(), has_output: true, origin: input.origin, ..Arg::default() }
}

/// Says that a command runs with other rights.
fn elevates(interpreter: &mut Interpreter<'_>) {
    interpreter.ask(RiskClass::Privilege, Reach::Machine, "runs with the rights of another user");
}
