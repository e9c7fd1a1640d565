//! Wrappers that take their command apart: other users, lists of arguments from the input, texts.

use super::{Unwrapped, assignment, command_at, elevates, first_word, unknown_argument};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;

/// The most arguments that are taken from an input that is known.
const MOST_ARGUMENTS: usize = 64;

/// `sudo` and its relatives.
pub(super) fn elevated(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    args: &[Arg],
    input: &Flow,
) -> Unwrapped {
    elevates(interpreter);
    let is_user_switch = matches!(name, "su" | "runuser");
    if is_user_switch && let Some(index) = args.iter().position(|arg| arg.is("-c") || arg.is("--command")) {
        if let Some(text) = args.get(index + 1) {
            interpreter.run_argument(text, &[], input.clone());
        }
        return Unwrapped::Done(Flow::output());
    }
    let valued: &[&str] = match name {
        "sudo" => {
            &["-u", "-g", "-h", "-p", "-C", "-T", "-r", "-t", "-D", "-R", "--user", "--group", "--chdir"]
        }
        "doas" => &["-u", "-C"],
        "nsenter" => &["-t", "--target", "-S", "-G"],
        "systemd-run" => &["-p", "-u", "--unit", "--property", "-E", "--on-calendar", "--on-active"],
        "runuser" => &["-u", "-g", "-G"],
        "pkexec" => &["--user"],
        "setpriv" => &["--reuid", "--regid"],
        _ => &[],
    };
    let skipped = usize::from(matches!(name, "gosu" | "su-exec" | "chroot"));
    let mut index = first_word(args, valued) + skipped;
    while let Some((variable, value)) = args.get(index).and_then(assignment) {
        crate::rules::variables::check_assignment(interpreter, &variable, &value);
        index += 1;
    }
    if name == "sudoedit" {
        for path in args.iter().skip(index) {
            interpreter.write(path);
        }
        return Unwrapped::Done(Flow::output());
    }
    if is_user_switch { Unwrapped::Done(Flow::output()) } else { command_at(args, index) }
}

/// `xargs`: a command with arguments from the input.
pub(super) fn xargs(interpreter: &mut Interpreter<'_>, args: &[Arg], input: &mut Flow) -> Unwrapped {
    let valued = ["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--max-args", "--max-procs", "--delimiter"];
    let start = first_word(args, &valued);
    let replace = args.iter().take(start).position(|arg| arg.text.starts_with("-I")).and_then(|index| {
        let arg = args.get(index)?;
        match arg.text.strip_prefix("-I") {
            Some(rest) if !rest.is_empty() => Some(rest.to_owned()),
            _ => args.get(index + 1).map(|arg| arg.text.clone()),
        }
    });
    let mark = replace.or_else(|| {
        let is_default = |arg: &Arg| arg.is("-i") || arg.text.starts_with("--replace");
        args.iter().take(start).any(is_default).then(|| "{}".to_owned())
    });
    let command: Vec<Arg> = match args.get(start..) {
        Some(command) if !command.is_empty() => command.to_vec(),
        _ => vec![Arg::known("echo")],
    };
    let more: Vec<Arg> = match &input.text {
        // With a mark each line is one argument.
        Some(text) if mark.is_some() => {
            text.lines().map(str::trim_start).take(MOST_ARGUMENTS).map(Arg::known).collect()
        }
        Some(text) => text.split_whitespace().take(MOST_ARGUMENTS).map(Arg::known).collect(),
        None => vec![unknown_argument(input)],
    };
    let filled = filled(command, mark.as_deref(), &more);
    *input = Flow::empty();
    let flow = interpreter.run(filled, input.clone());
    Unwrapped::Done(flow)
}

/// A command with arguments in the place of a mark, or behind it.
fn filled(command: Vec<Arg>, mark: Option<&str>, more: &[Arg]) -> Vec<Arg> {
    let Some(mark) = mark.filter(|mark| !mark.is_empty()) else {
        return command.into_iter().chain(more.iter().cloned()).collect();
    };
    let mut whole = Vec::new();
    for word in command {
        if !word.text.contains(mark) {
            whole.push(word);
            continue;
        }
        for value in more {
            let mut one = word.with_text(word.text.replace(mark, &value.text));
            one.has_output |= value.has_output;
            one.origin = one.origin.or(value.origin);
            whole.push(one);
        }
    }
    whole
}

/// `parallel`: a command with arguments from the input or behind `:::`.
pub(super) fn parallel(interpreter: &mut Interpreter<'_>, args: &[Arg], input: &mut Flow) -> Unwrapped {
    let valued =
        ["-j", "--jobs", "-a", "-n", "-N", "-I", "--delay", "--timeout", "--joblog", "-S", "--colsep"];
    let start = first_word(args, &valued);
    let rest = args.get(start..).unwrap_or_default();
    let cut = rest.iter().position(|arg| arg.text.starts_with(":::")).unwrap_or(rest.len());
    let command = rest.get(..cut).unwrap_or_default();
    let given = rest.get(cut + 1..).unwrap_or_default();
    let more: Vec<Arg> = match (&input.text, given.is_empty()) {
        (_, false) => given.to_vec(),
        (Some(text), true) => text.lines().take(MOST_ARGUMENTS).map(Arg::known).collect(),
        (None, true) => vec![unknown_argument(input)],
    };
    if command.is_empty() {
        for text in &more {
            interpreter.run_argument(text, &[], Flow::output());
        }
        return Unwrapped::Done(Flow::output());
    }
    let has_mark = command.iter().any(|arg| arg.text.contains("{}"));
    let words = filled(command.to_vec(), has_mark.then_some("{}"), &more);
    // A command of one word is a text for a shell.
    match words.as_slice() {
        [text, ..] if text.text.contains(' ') => {
            interpreter.run_argument(text, &[], Flow::output());
            Unwrapped::Done(Flow::output())
        }
        _ => Unwrapped::Command(words),
    }
}

/// Wrappers whose command is one text, or several words of one.
pub(super) fn text_runners(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    args: &[Arg],
    input: &Flow,
) -> Unwrapped {
    let (valued, skipped): (&[&str], usize) = match name {
        "watch" => (&["-n", "--interval"], 0),
        "flock" => (&["-w", "-E", "--timeout"], 1),
        _ => (&[], 0),
    };
    if let Some(index) = args.iter().position(|arg| arg.is("-c") || arg.is("--command") || arg.is("-qc"))
        && let Some(text) = args.get(index + 1)
    {
        interpreter.run_argument(text, &[], input.clone());
        return Unwrapped::Done(Flow::output());
    }
    if name == "script" {
        return Unwrapped::NotAWrapper;
    }
    let start = first_word(args, valued) + skipped;
    let words = args.get(start..).unwrap_or_default();
    match words {
        [] => Unwrapped::Done(Flow::output()),
        _ if name == "watch" => {
            let text = words.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
            interpreter.run_argument(&Arg::known(text), &[], input.clone());
            Unwrapped::Done(Flow::output())
        }
        _ => command_at(args, start),
    }
}
