//! Interpreters of other languages: programs in an argument or in the input.
//!
//! The language is not parsed. The texts in the program are taken out of it, and what it calls tells what it may do with them:
//! run commands, delete, write, send, or run a text that it computes.

mod text;

use self::text::{Strings, joined_lists};
use super::Call;
use crate::arg::Arg;
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    let base = call.name.trim_end_matches(|one: char| one.is_ascii_digit() || one == '.');
    let options: &[&str] = match base {
        "python" | "pypy" | "ipython" | "micropython" => &["-c"],
        "node" | "nodejs" | "deno" | "bun" => &["-e", "--eval", "-p", "--print", "-pe", "eval"],
        "perl" => &["-e", "-E"],
        "ruby" | "irb" => &["-e"],
        "php" => &["-r"],
        "lua" | "luajit" | "julia" | "rscript" | "r" | "elixir" | "groovy" | "scala" | "osascript"
        | "raku" => &["-e"],
        "awk" | "gawk" | "mawk" | "nawk" => return Some(awk(interpreter, call)),
        _ => return None,
    };
    let programs = program_arguments(call, options);
    if programs.is_empty() {
        let files = call.positionals(&["-m", "-W", "-X", "-r", "--require", "-I"]);
        match files.first() {
            Some(file) if !file.is("-") => {
                if call.mentions("-m") {
                    return Some(module(interpreter, call));
                }
                interpreter.run_program_file(file);
            }
            _ if call.mentions("-m") => return Some(module(interpreter, call)),
            _ => input_program(interpreter, call),
        }
    }
    for program in &programs {
        argument_program(interpreter, program);
    }
    in_place_edits(interpreter, call, base);
    Some(program_output(call, &programs))
}

/// Programs that stand in arguments; letters may be joined: `-ne`, `-pi -e`.
fn program_arguments(call: &Call<'_>, options: &[&str]) -> Vec<Arg> {
    let mut found = Vec::new();
    for (index, arg) in call.args.iter().enumerate() {
        let is_exact = options.contains(&arg.text.as_str());
        let is_joined = arg.is_option()
            && !arg.text.starts_with("--")
            && arg.text.len() > 2
            && arg.text.len() < 8
            && options
                .iter()
                .any(|option| option.len() == 2 && arg.text.ends_with(option.trim_start_matches('-')));
        if is_exact || is_joined {
            found.extend(call.args.get(index + 1).cloned());
        } else if let Some(text) =
            options.iter().filter(|option| option.len() == 2).find_map(|option| arg.text.strip_prefix(option))
            && !text.is_empty()
        {
            found.push(arg.with_text(text));
        }
    }
    found
}

fn program_output(call: &Call<'_>, programs: &[Arg]) -> Flow {
    let is_secret = programs.iter().any(|program| program.text.contains("environ"));
    Flow::output().joined(call.input.origin).joined(Origin { secret: is_secret, ..Origin::default() })
}

fn argument_program(interpreter: &mut Interpreter<'_>, program: &Arg) {
    if program.origin.network {
        interpreter.ask(RiskClass::Install, Reach::Network, "runs what the network delivers");
    } else if program.has_output || (program.has_unknown() && program.text.chars().count() < 4) {
        interpreter.ask(
            RiskClass::Obscured,
            Reach::Workspace,
            "runs a program that is only known when it runs",
        );
    }
    judge_program(interpreter, &program.shown());
}

/// A program in the input.
fn input_program(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    match &call.input.text {
        Some(text) => judge_program(interpreter, &text.clone()),
        None if *call.input == Flow::terminal() => {}
        None => interpreter.run_unknown(call.input),
    }
}

/// `python -m`: modules that serve, send or install.
fn module(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let Some(index) = call.args.iter().position(|arg| arg.is("-m")) else { return Flow::output() };
    let Some(module) = call.args.get(index + 1) else { return Flow::output() };
    let name = module.text.split('.').next().unwrap_or_default().to_owned();
    let rest = call.args.get(index + 2..).unwrap_or_default();
    match name.as_str() {
        "pip" | "pipx" | "uv" | "poetry" | "twine" | "pdm" | "base64" => {
            let mut words = vec![Arg::known(name)];
            words.extend(rest.iter().cloned());
            interpreter.run(words, call.input.clone())
        }
        _ => Flow::output(),
    }
}

fn in_place_edits(interpreter: &mut Interpreter<'_>, call: &Call<'_>, base: &str) {
    let edits = matches!(base, "perl" | "ruby")
        && call.args.iter().any(|arg| {
            arg.text.starts_with("-i")
                || (arg.is_option()
                    && !arg.text.starts_with("--")
                    && arg.text.contains('i')
                    && arg.text.len() < 6)
        });
    if edits {
        for path in call.positionals(&["-e", "-E", "-pe", "-ne", "-pie"]) {
            interpreter.write(path);
        }
    }
}

/// `awk`: `system()`, pipes to commands, and files it prints into.
fn awk(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let mut words = call.positionals(&["-F", "-v", "-f", "--file", "--assign"]);
    let has_file = call.has('f', "--file");
    let program = (!has_file && !words.is_empty()).then(|| words.remove(0).clone());
    if let Some(program) = &program {
        let text = program.shown();
        let strings = Strings::of(&text);
        let runs = text.contains("system(")
            || text.contains("| getline")
            || text.contains("|getline")
            || text.contains("| \"")
            || text.contains("|\"");
        for string in &strings.texts {
            if runs {
                interpreter.run_text(string, Flow::terminal());
            }
            if text.contains('>') {
                let path = Arg::known(string.clone());
                let place = interpreter.place(&path);
                if interpreter.scene.own(&place).is_some() || interpreter.scene.is_protected(&place) {
                    interpreter.write(&path);
                }
            }
        }
        if runs && (strings.texts.is_empty() || program.has_output) {
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, "runs a command that it computes");
        }
        if text.contains("ENVIRON") && text.contains("in ENVIRON") {
            interpreter.environment_printed();
        }
    }
    let in_place =
        call.args.windows(2).any(|two| matches!(two, [one, other] if one.is("-i") && other.is("inplace")));
    let mut flow = call.input.clone();
    for file in words {
        if in_place {
            interpreter.write(file);
        }
        flow.origin = flow.origin.or(interpreter.input_file(file).origin);
    }
    flow.text = None;
    flow.origin.script = false;
    flow
}

/// What a program calls, in the languages that are known here.
const RUNS: [&str; 28] = [
    "os.system",
    "subprocess",
    "popen",
    "child_process",
    "execsync",
    "spawn",
    "system(",
    "system ",
    "exec(",
    "exec ",
    "execfile",
    "shell_exec",
    "passthru",
    "proc_open",
    "backtick",
    "`",
    "os.exec",
    "pty.",
    "open3",
    "io.popen",
    "os.execute",
    "kernel.exec",
    "do shell script",
    "qx",
    "commands.getoutput",
    "invoke-expression",
    "bun.$",
    "run(",
];
const DELETES: [&str; 20] = [
    "rmtree",
    "os.remove",
    "os.unlink",
    "unlink",
    "rmsync",
    "rmdir",
    "rm_rf",
    "rm_r",
    "fs.rm",
    "file.delete",
    "fileutils.rm",
    "removedirs",
    "remove_tree",
    "deltree",
    ".rm(",
    "rimraf",
    "removesync",
    "emptydir",
    "shutil.move",
    "truncate",
];
const WRITES: [&str; 16] = [
    "writefile",
    "write_text",
    "write_bytes",
    ".write",
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'wb'",
    "\"wb\"",
    "appendfile",
    "createwritestream",
    "file.write",
    "os.rename",
    "shutil.copy",
    "symlink",
];
const SENDS: [&str; 20] = [
    "urlopen",
    "requests.",
    "http.client",
    "httpx",
    "socket",
    "fetch(",
    "http.request",
    "https.request",
    "net::http",
    "lwp",
    "axios",
    "open-uri",
    "curl_exec",
    "smtplib",
    "ftplib",
    "paramiko",
    "websocket",
    "urllib",
    "aiohttp",
    "net.connect",
];
const COMPUTES: [&str; 22] = [
    "eval(",
    "eval ",
    "exec(",
    "b64decode",
    "fromcharcode",
    "__import__",
    "getattr(",
    "compile(",
    "new function(",
    "atob(",
    "pack(",
    "unhexlify",
    "fromhex",
    "codecs.decode",
    "marshal",
    "chr(",
    "rot13",
    "decode(",
    "buffer.from(",
    "globals()",
    "importlib",
    "unescape(",
];

/// Judges a program of another language by what it calls and the texts in it.
pub(crate) fn judge_program(interpreter: &mut Interpreter<'_>, program: &str) {
    let lower = program.to_ascii_lowercase();
    let calls = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let (runs, deletes, writes, sends) = (calls(&RUNS), calls(&DELETES), calls(&WRITES), calls(&SENDS));
    let computes = calls(&COMPUTES);
    let strings = Strings::of(program);
    if runs && !is_only_regex_exec(&lower) {
        run_strings(interpreter, program, &strings);
    }
    for string in &strings.texts {
        judge_string(interpreter, string, deletes, writes);
    }
    if deletes && !strings.texts.iter().any(|text| text.contains(['/', '.', '*'])) {
        interpreter.ask(RiskClass::Destructive, Reach::Workspace, "deletes files that it computes");
    }
    let is_secret = strings.texts.iter().any(|text| {
        let place = interpreter.place(&Arg::known(text.clone()));
        interpreter.scene.is_secret(&place)
    });
    if sends && ["pty.", "/bin/sh", "/bin/bash", "dup2"].iter().any(|word| lower.contains(word)) {
        interpreter.deny(RiskClass::Exfiltration, Reach::Network, "hands a shell to another machine");
    }
    if sends {
        let reads = calls(&[
            "open(",
            "readfile",
            "file_get_contents",
            "file.read",
            "read_text",
            "environ",
            "process.env",
            "data=",
        ]);
        if is_secret || lower.contains("environ") && reads {
            interpreter.deny(RiskClass::Exfiltration, Reach::Network, "sends credentials to another machine");
        } else if reads && !is_all_local(&strings) {
            interpreter.ask(
                RiskClass::Exfiltration,
                Reach::Network,
                "reads files and sends data to another machine",
            );
        }
        if computes {
            interpreter.ask(RiskClass::Install, Reach::Network, "runs what the network delivers");
        }
    }
    let prints_environment = [
        "print(os.environ)",
        "dict(os.environ",
        "os.environ.items",
        "console.log(process.env)",
        "stringify(process.env)",
        "env.to_h",
        "p env",
        "%env",
        "var_dump($_env",
    ]
    .iter()
    .any(|call| lower.contains(call));
    if prints_environment {
        interpreter.environment_printed();
    }
    if computes && !sends && is_computed(&lower) {
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, "runs a text that it computes");
    }
}

/// `pattern.exec(text)` of JavaScript is no command.
fn is_only_regex_exec(lower: &str) -> bool {
    let others =
        RUNS.iter().filter(|word| !matches!(**word, "exec(" | "run(" | "`" | "exec " | "system " | "qx"));
    let uses_others = others.into_iter().any(|word| lower.contains(word));
    let has_template = lower.contains('`')
        && (lower.contains("console.") || lower.contains("require(") || lower.contains("const "));
    !uses_others && (lower.contains(".exec(") || has_template || lower.contains("asyncio.run("))
}

/// Whether what is evaluated is not a plain text of the program.
fn is_computed(lower: &str) -> bool {
    let evaluates =
        ["eval(", "eval ", "exec(", "new function(", "__import__", "compile(", "importlib", "globals()"]
            .iter()
            .any(|word| lower.contains(word));
    let is_regex = lower.contains(".exec(") && !lower.contains("eval") && !lower.contains("__import__");
    evaluates && !is_regex
}

fn is_all_local(strings: &Strings) -> bool {
    let mut addresses = strings.texts.iter().filter(|text| text.contains("://")).peekable();
    addresses.peek().is_some() && addresses.all(|text| super::network::is_local(&Arg::known(text.clone())))
}

/// Texts of a program that runs commands: each may be one, and lists of them as well.
fn run_strings(interpreter: &mut Interpreter<'_>, program: &str, strings: &Strings) {
    for list in joined_lists(program) {
        interpreter.run(list.into_iter().map(Arg::known).collect(), Flow::terminal());
    }
    let mut is_any = false;
    for string in &strings.texts {
        if string.contains(' ') || string.len() > 1 {
            is_any = true;
            interpreter.run_text_if_readable(string);
        }
    }
    let concatenated = strings.texts.concat();
    if strings.are_concatenated && strings.texts.len() > 1 {
        interpreter.run_text_if_readable(&concatenated);
    }
    if !is_any || strings.are_concatenated {
        interpreter.ask(RiskClass::Obscured, Reach::Workspace, "runs a command that it computes");
    }
}

/// A text of a program that deletes or writes, taken as a path.
fn judge_string(interpreter: &mut Interpreter<'_>, string: &str, deletes: bool, writes: bool) {
    let is_path = !string.is_empty()
        && string.len() < 512
        && !string.contains(char::is_whitespace)
        && !string.contains("://");
    if !is_path {
        return;
    }
    let path = Arg::known(string.replace('*', crate::arg::STAR.encode_utf8(&mut [0; 4])));
    let place = interpreter.place(&path);
    let is_own = interpreter.scene.own(&place).is_some() || interpreter.scene.is_protected(&place);
    if deletes && (string.contains(['/', '.', '*', '~']) || is_own) {
        interpreter.delete(&path, true);
    } else if writes && (is_own || interpreter.scene.is_startup(&place)) {
        interpreter.write(&path);
    } else if interpreter.scene.is_secret(&place) && string.contains(['/', '.']) {
        interpreter.read(&path);
    }
}
