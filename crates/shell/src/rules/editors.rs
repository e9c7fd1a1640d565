//! Editors and pagers that are told to run something, and the files they open.

use super::Call;
use crate::flow::Flow;
use crate::interpreter::Interpreter;

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "vi" | "vim" | "nvim" | "view" | "ex" | "nano" | "pico" | "emacs" | "ed" | "red" | "code"
        | "subl" | "micro" | "kak" | "hx" => {}
        _ => return None,
    }
    for arg in call.args {
        let text = arg.text.strip_prefix('+').unwrap_or(&arg.text);
        let text = text.trim_start_matches([':', '%']);
        if let Some(command) = text.strip_prefix('!') {
            interpreter.run_argument(&arg.with_text(command), &[], Flow::terminal());
        }
        for marker in ["system(", "shell-command", "call-process"] {
            if let Some((_, rest)) = text.split_once(marker) {
                let command: String = rest
                    .trim_start_matches([' ', '"', '\'', '('])
                    .chars()
                    .take_while(|one| !"\"')".contains(*one))
                    .collect();
                interpreter.run_argument(&arg.with_text(command), &[], Flow::terminal());
            }
        }
    }
    if matches!(call.name, "ed" | "ex" | "red" | "vi" | "vim" | "nvim")
        && let Some(script) = &call.input.text
    {
        let script = script.clone();
        for line in script.lines() {
            if let Some(command) = line.trim_start().trim_start_matches(':').strip_prefix('!') {
                interpreter.run_text(command, Flow::terminal());
            }
        }
    }
    for path in call.positionals(&["-c", "--cmd", "-S", "-u", "-eval", "--eval", "-l", "--load", "-p"]) {
        if path.text.starts_with('+') {
            continue;
        }
        // Opening a file is not yet changing it, but nothing looks again before it is saved.
        if interpreter.scene.own(&interpreter.place(path)).is_some() {
            interpreter.create(path);
        }
    }
    Some(Flow::output())
}
