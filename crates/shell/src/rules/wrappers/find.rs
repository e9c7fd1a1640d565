//! `find` and `fd`: what they run or delete, for the files they would find.

use super::Unwrapped;
use crate::arg::{Arg, QUESTION, STAR};
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;

/// Tests whose pattern names what is found.
const NAME_TESTS: [&str; 6] = ["-name", "-iname", "-path", "-ipath", "-wholename", "-regex"];

/// Looks at what a search runs.
pub(super) fn find(interpreter: &mut Interpreter<'_>, name: &str, args: &[Arg], input: &Flow) -> Unwrapped {
    if matches!(name, "fd" | "fdfind") {
        return fd(interpreter, args);
    }
    let roots: Vec<Arg> = args
        .iter()
        .skip_while(|arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P"))
        .take_while(|arg| !arg.is_option() && !matches!(arg.text.as_str(), "(" | "!"))
        .cloned()
        .collect();
    let roots = if roots.is_empty() { vec![Arg::known(".")] } else { roots };
    let found = found_paths(&roots, args);
    for (index, arg) in args.iter().enumerate() {
        match arg.text.as_str() {
            "-delete" => {
                for path in &found {
                    interpreter.delete(path, false);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = args.get(index + 1..).unwrap_or_default();
                let command: Vec<Arg> =
                    rest.iter().take_while(|arg| !matches!(arg.text.as_str(), ";" | "+")).cloned().collect();
                run_for(interpreter, &command, &found, input);
            }
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                if let Some(path) = args.get(index + 1) {
                    interpreter.write(path);
                }
            }
            _ => {}
        }
    }
    Unwrapped::Done(listing(interpreter, &found))
}

/// The names that a search prints.
fn listing(interpreter: &Interpreter<'_>, found: &[Arg]) -> Flow {
    let is_secret = found.iter().any(|path| interpreter.scene.is_secret(&interpreter.place(path)));
    Flow { text: None, origin: Origin { local: true, secret: is_secret, ..Origin::default() } }
}

/// Paths that stand for what a search finds: below each root, whatever the tests of names allow.
fn found_paths(roots: &[Arg], args: &[Arg]) -> Vec<Arg> {
    let mut names = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let is_negated = index
            .checked_sub(1)
            .and_then(|before| args.get(before))
            .is_some_and(|before| before.is("!") || before.is("-not"));
        if NAME_TESTS.contains(&arg.text.as_str()) && !is_negated {
            names.extend(args.get(index + 1).map(|pattern| pattern_of(&pattern.text)));
        }
    }
    let has_depth_of_roots =
        args.windows(2).any(|two| matches!(two, [one, zero] if one.is("-maxdepth") && zero.is("0")));
    if names.is_empty() || has_depth_of_roots {
        names = vec![STAR.to_string()];
    }
    let below = |root: &Arg| {
        let root = root.clone();
        names
            .iter()
            .map(move |name| root.with_text(format!("{}/{name}", root.text.trim_end_matches('/'))))
            .collect::<Vec<_>>()
    };
    roots.iter().flat_map(below).collect()
}

/// A quoted pattern with its signs as marks.
fn pattern_of(text: &str) -> String {
    text.chars()
        .map(|one| match one {
            '*' => STAR,
            '?' => QUESTION,
            other => other,
        })
        .collect()
}

fn run_for(interpreter: &mut Interpreter<'_>, command: &[Arg], found: &[Arg], input: &Flow) {
    for path in found {
        let filled: Vec<Arg> = command
            .iter()
            .map(|arg| match arg.text.as_str() {
                "{}" => path.clone(),
                text => arg.with_text(text.replace("{}", &path.text)),
            })
            .collect();
        interpreter.run(filled, input.clone());
    }
}

fn fd(interpreter: &mut Interpreter<'_>, args: &[Arg]) -> Unwrapped {
    let Some(index) =
        args.iter().position(|arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
    else {
        return Unwrapped::Done(Flow::output());
    };
    let mut command: Vec<Arg> = args.get(index + 1..).unwrap_or_default().to_vec();
    let ending = args.windows(2).find_map(|two| match two {
        [option, value] if option.is("-e") || option.is("--extension") => {
            Some(format!("{STAR}.{}", value.text))
        }
        _ => None,
    });
    let path = Arg::known(format!("./{}", ending.unwrap_or_else(|| STAR.to_string())));
    if !command.iter().any(|arg| arg.text.contains("{}")) {
        command.push(Arg::known("{}"));
    }
    run_for(interpreter, &command, &[path], &Flow::output());
    Unwrapped::Done(Flow::output())
}
