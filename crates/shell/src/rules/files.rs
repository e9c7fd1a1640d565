//! Programs that change files: delete, move, copy, link, overwrite, change permissions.

use super::Call;
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};
use crate::scene::Zone;

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "rm" | "grm" | "unlink" | "srm" | "shred" | "trash" | "rimraf" | "del" | "wipe" => {
            remove(interpreter, call)
        }
        "rmdir" => {
            for path in call.positionals(&[]) {
                interpreter.guarded(path);
            }
        }
        "mv" | "gmv" | "rename" => relocate(interpreter, call),
        "cp" | "gcp" | "install" | "ditto" => copy(interpreter, call),
        "ln" | "gln" | "link" => {
            let paths = call.positionals(&["-t", "-S"]);
            for path in &paths {
                interpreter.create(path);
            }
            if let Some(name) = paths.last().filter(|_| call.has('f', "--force")) {
                interpreter.write(name);
            }
        }
        "dd" | "dcfldd" => convert(interpreter, call),
        "truncate" => {
            for path in call.positionals(&["-s", "--size", "-r"]) {
                interpreter.empty(path);
            }
        }
        "tee" | "sponge" => return Some(tee(interpreter, call)),
        "touch" | "mkdir" | "mkfifo" | "mknod" => {
            for path in call.positionals(&["-m", "-t", "-d", "-r"]) {
                interpreter.create(path);
            }
        }
        "chmod" => permissions(interpreter, call),
        "chown" | "chgrp" | "setfacl" | "chattr" | "xattr" | "chflags" => owners(interpreter, call),
        "sed" | "gsed" => return Some(sed(interpreter, call)),
        "patch" => patch(interpreter, call),
        "tar" | "gtar" | "bsdtar" => archive(interpreter, call),
        "unzip" | "unrar" | "7z" | "zip" | "cpio" | "ar" => packed(interpreter, call),
        _ => return None,
    }
    Some(Flow::terminal())
}

fn remove(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let is_recursive = call.has('r', "--recursive")
        || call.has('R', "")
        || matches!(call.name, "shred" | "rimraf" | "wipe" | "srm" | "trash");
    if call.mentions("--no-preserve-root") {
        interpreter.deny(RiskClass::Destructive, Reach::Machine, "deletes the whole file system");
    }
    for path in call.positionals(&["-n", "-s", "--iterations"]) {
        interpreter.delete(path, is_recursive);
    }
}

/// Sources and the target of a command that moves or copies.
fn ends<'c>(call: &Call<'c>, valued: &[&str]) -> (Vec<&'c Arg>, Option<Arg>) {
    let mut paths = call.positionals(valued);
    let target = match call.value(&["-t", "--target-directory"]) {
        Some(target) => Some(target),
        None if paths.len() > 1 => paths.pop().cloned(),
        None => None,
    };
    (paths, target)
}

fn relocate(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let (sources, target) = ends(call, &["-t", "--target-directory", "-S"]);
    let is_lost = target.as_ref().is_some_and(|target| target.text.starts_with("/dev/"));
    for source in sources {
        let place = interpreter.place(source);
        let zone = interpreter.scene.zone(&place);
        let is_own = interpreter.scene.own(&place).is_some() || interpreter.scene.is_protected(&place);
        if is_lost || is_own || interpreter.scene.holds_root(&place) || place.could_have(".git") {
            interpreter.delete(source, true);
        } else if matches!(zone, Zone::System | Zone::Outside) {
            let reason = "moves files from outside of the repository";
            interpreter.ask(RiskClass::Destructive, Reach::Machine, reason);
        }
        if interpreter.scene.is_secret(&place) {
            interpreter.read(source);
        }
    }
    if let Some(target) = target {
        let place = interpreter.place(&target);
        if interpreter.scene.zone(&place) != Zone::Sink {
            interpreter.write(&target);
        }
    }
}

fn copy(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let (sources, target) = ends(call, &["-t", "--target-directory", "-S", "-m", "-o", "-g"]);
    let mut is_empty = false;
    let mut flow = None;
    for source in sources {
        is_empty |= source.is("/dev/null");
        flow = Some(interpreter.input_file(source));
    }
    if call.mentions("/dev/null") && target.is_some() {
        is_empty = true;
    }
    if let Some(target) = target {
        if is_empty {
            interpreter.empty(&target);
        } else {
            interpreter.write(&target);
        }
        if let Some(flow) = flow {
            interpreter.keep_file(&target, flow);
        }
    }
}

fn convert(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for arg in call.args {
        if let Some(path) = arg.text.strip_prefix("of=") {
            interpreter.write(&arg.with_text(path));
        }
        if let Some(path) = arg.text.strip_prefix("if=")
            && !path.starts_with("/dev/")
        {
            interpreter.read(&arg.with_text(path));
        }
    }
}

fn tee(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let appends = call.has('a', "--append");
    let is_empty = call.input.text.as_deref().is_some_and(|text| text.trim().is_empty());
    for path in call.positionals(&[]) {
        if is_empty && !appends {
            interpreter.empty(path);
        } else {
            interpreter.write(path);
        }
        interpreter.keep_file(path, call.input.clone());
    }
    call.input.clone()
}

fn permissions(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    // `-x` and the like are modes.
    let is_mode = |arg: &&Arg| arg.is_option() && arg.text.chars().skip(1).all(|one| "rwxXst".contains(one));
    let mut paths = call.positionals(&["--reference"]);
    let mode = match call.args.iter().find(is_mode) {
        Some(mode) => mode.text.clone(),
        None if paths.is_empty() => return,
        None => paths.remove(0).text.clone(),
    };
    let is_recursive = call.has('R', "--recursive");
    let digits: String = mode.chars().filter(char::is_ascii_digit).collect();
    let sets_user = (mode.contains('s') && mode.contains('+'))
        || (digits.len() == 4 && !digits.starts_with('0') && !digits.starts_with('1'));
    let opens = digits.ends_with('7')
        || digits.ends_with('6') && digits.len() >= 3
        || mode.contains("o+w")
        || mode.contains("a+w")
        || mode.contains("+rwx") && !mode.contains("u+");
    let closes = digits.len() >= 3 && digits.trim_start_matches('0').is_empty();
    if sets_user {
        interpreter.deny(
            RiskClass::Privilege,
            Reach::Machine,
            "makes a program run with the rights of its owner",
        );
    }
    for path in paths {
        if interpreter.guarded(path) {
            continue;
        }
        let place = interpreter.place(path);
        match interpreter.scene.zone(&place) {
            Zone::System | Zone::Device | Zone::Outside if is_recursive => {
                interpreter.deny(
                    RiskClass::Destructive,
                    Reach::Machine,
                    "changes permissions of folders outside of the repository",
                );
            }
            Zone::System | Zone::Device => {
                interpreter.ask(RiskClass::Privilege, Reach::Machine, "changes permissions of the system");
            }
            Zone::Outside | Zone::Workspace | Zone::Temporary | Zone::Sink | Zone::Unknown
                if opens || closes =>
            {
                interpreter.ask(
                    RiskClass::Privilege,
                    Reach::Workspace,
                    "opens files to every user, or closes them to all",
                );
            }
            Zone::Outside | Zone::Workspace | Zone::Temporary | Zone::Sink | Zone::Unknown => {}
        }
    }
}

fn owners(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for path in call.positionals(&["-m", "-x", "--from"]).into_iter().skip(1) {
        if interpreter.guarded(path) {
            continue;
        }
        let place = interpreter.place(path);
        let is_outside =
            matches!(interpreter.scene.zone(&place), Zone::System | Zone::Outside | Zone::Device);
        if is_outside && call.has('R', "--recursive") {
            interpreter.deny(
                RiskClass::Destructive,
                Reach::Machine,
                "changes the owner of folders outside of the repository",
            );
        } else if call.name != "xattr" {
            interpreter.ask(RiskClass::Privilege, Reach::Machine, "changes the owner or attributes of files");
        }
    }
}

fn sed(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let is_in_place = call.args.iter().any(|arg| {
        let text = arg.text.as_str();
        text.starts_with("--in-place")
            || (text.starts_with("-i")
                || (text.starts_with('-') && !text.starts_with("--") && text.contains('i') && text.len() < 6))
    });
    let scripts = call.values(&["-e", "--expression"]);
    let mut files = call.positionals(&["-e", "-f", "-l", "--expression", "--file"]);
    let scripts = if scripts.is_empty() && !call.has('\0', "--file") && !files.is_empty() {
        vec![files.remove(0).clone()]
    } else {
        scripts
    };
    for script in &scripts {
        sed_script(interpreter, &script.shown());
    }
    let mut whole = if files.is_empty() { call.input.clone() } else { Flow::output() };
    for file in files {
        if is_in_place {
            interpreter.write(file);
        } else {
            let flow = interpreter.input_file(file);
            whole.origin = whole.origin.or(flow.origin);
        }
    }
    whole.text = None;
    whole
}

/// Commands of a `sed` script that run a shell or write a file.
fn sed_script(interpreter: &mut Interpreter<'_>, script: &str) {
    for command in script.split([';', '\n', '{', '}']) {
        let address_end =
            command.find(|one: char| !one.is_ascii_digit() && !"$, ".contains(one)).unwrap_or(0);
        let rest = command.get(address_end..).unwrap_or_default();
        if let Some(text) = rest.strip_prefix("e ") {
            interpreter.run_text(text, Flow::output());
        }
        if let Some(path) = rest.strip_prefix("w ") {
            interpreter.write(&Arg::known(path.trim()));
        }
    }
    let is_evaluating = script.starts_with('s')
        && script.chars().nth(1).is_some_and(|sign| {
            let flags = script.rsplit(sign).next().unwrap_or_default();
            flags.contains('e') && flags.len() < 5
        });
    if is_evaluating {
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, "runs lines of its input as commands");
    }
}

fn patch(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let files = call.positionals(&["-i", "-d", "-o", "-r", "-D", "-F"]);
    for file in &files {
        interpreter.write(file);
    }
    if files.is_empty() && call.input.text.is_none() {
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, "changes files that only the patch names");
    }
}

fn archive(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let letters = call.args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    let is_letters = |letter: char| !letters.starts_with("--") && letters.contains(letter);
    let creates = is_letters('c') || call.mentions("--create") || is_letters('r') || is_letters('u');
    for action in call.values(&["--checkpoint-action", "--to-command", "-I", "--use-compress-program"]) {
        let text = action.text.strip_prefix("exec=").unwrap_or(&action.text).to_owned();
        interpreter.run_argument(&action.with_text(text), &[], Flow::output());
    }
    for folder in call.values(&["-C", "--directory"]) {
        interpreter.write(&folder);
    }
    if creates {
        for path in call
            .positionals(&["-C", "--directory", "-f", "--exclude"])
            .into_iter()
            .skip(usize::from(is_letters('f')))
        {
            interpreter.read(path);
        }
    }
}

fn packed(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    if call.name == "zip" {
        for path in call.positionals(&["-x", "-i"]).into_iter().skip(1) {
            interpreter.read(path);
        }
        return;
    }
    for folder in call.values(&["-d"]) {
        interpreter.write(&folder);
    }
}
