//! Programs that print, filter or decode: what flows through them.

use super::Call;
use crate::arg::Arg;
use crate::decode;
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;

/// Programs that print what is in files, or what they read.
const READERS: [&str; 45] = [
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "cmp",
    "comm",
    "jq",
    "nl",
    "tac",
    "od",
    "hexdump",
    "strings",
    "bat",
    "batcat",
    "sort",
    "uniq",
    "cut",
    "paste",
    "column",
    "fold",
    "fmt",
    "join",
    "expand",
    "zcat",
    "bzcat",
    "xzcat",
    "look",
    "view",
    "most",
    "pygmentize",
    "hd",
    "csvlook",
    "csvcut",
    "mlr",
    "split",
    "xmllint",
];
/// Programs that look at names, sizes and sums alone, or at nothing.
const LOOKERS: [&str; 48] = [
    "ls",
    "ll",
    "dir",
    "exa",
    "eza",
    "lsd",
    "tree",
    "stat",
    "file",
    "wc",
    "du",
    "df",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "md5",
    "cksum",
    "b2sum",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "test",
    "[",
    "true",
    "false",
    ":",
    "date",
    "whoami",
    "id",
    "uname",
    "hostname",
    "uptime",
    "seq",
    "yes",
    "cal",
    "tput",
    "clear",
    "nproc",
    "free",
    "ps",
    "top",
    "htop",
    "lsof",
    "tty",
    "expr",
];
/// Options of readers whose value is no file.
const VALUED: [&str; 22] = [
    "-n",
    "-c",
    "-e",
    "-m",
    "-A",
    "-B",
    "-C",
    "-d",
    "-f",
    "-t",
    "-k",
    "-g",
    "-w",
    "-s",
    "-o",
    "--type",
    "--glob",
    "--lines",
    "--bytes",
    "--include",
    "--exclude",
    "--exclude-dir",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "echo" => Some(echo(call)),
        "printf" => Some(print_formatted(interpreter, call)),
        "test" | "[" | "[[" => {
            for arg in call.args {
                super::variables::check_arithmetic(interpreter, arg);
            }
            Some(Flow::empty())
        }
        "pwd" => interpreter.state.folder.clone().map(Flow::known),
        "which" | "type" | "whence" | "command" | "where" => Some(located(call)),
        name if is_environment_hook(name, call) => Some(Flow::empty()),
        "mktemp" => Some(Flow::known("/tmp/tmp.file")),
        "pgrep" | "pidof" => {
            call.positionals(&["-u", "-P", "-t"]).last().map(|name| Flow::known(format!("pid:{}", name.text)))
        }
        "base64" | "gbase64" | "base32" | "xxd" | "rev" | "tr" | "uudecode" | "gunzip" | "gzip"
        | "bunzip2" | "xz" | "unxz" | "zstd" | "openssl" | "gpg" | "gpg2" | "age" => {
            decoded(interpreter, call)
        }
        name if LOOKERS.contains(&name) => {
            Some(if matches!(name, "true" | ":" | "false") { Flow::empty() } else { Flow::output() })
        }
        name if READERS.contains(&name) => Some(read_files(interpreter, call)),
        _ => None,
    }
}

/// Programs whose output is made to be run by `eval`: they set variables of the shell.
fn is_environment_hook(name: &str, call: &Call<'_>) -> bool {
    let first = call.args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    match name {
        "ssh-agent" | "dircolors" | "keychain" | "register-python-argcomplete" | "lesspipe" => true,
        "direnv" => matches!(first, "hook" | "export"),
        "pyenv" | "rbenv" | "nodenv" | "goenv" | "jenv" | "zoxide" | "starship" | "atuin" => first == "init",
        "brew" => first == "shellenv",
        "mise" | "rtx" => matches!(first, "activate" | "env"),
        "fnm" | "opam" | "docker-machine" => first == "env",
        "minikube" => first == "docker-env",
        "conda" | "mamba" | "micromamba" => first.starts_with("shell"),
        "luarocks" => first == "path",
        _ => false,
    }
}

fn echo(call: &Call<'_>) -> Flow {
    let mut args = call.args;
    let mut has_escapes = false;
    let mut ends_line = true;
    while let [first, rest @ ..] = args {
        match first.text.as_str() {
            "-n" => ends_line = false,
            "-e" => has_escapes = true,
            "-ne" | "-en" => (ends_line, has_escapes) = (false, true),
            "-E" => {}
            _ => break,
        }
        args = rest;
    }
    let texts: Option<Vec<String>> = args.iter().map(printed).collect();
    let Some(texts) = texts else { return unknown(call.args) };
    let mut text = texts.join(" ");
    if has_escapes {
        text = decode::echo_escapes(&text);
    }
    if ends_line {
        text.push('\n');
    }
    Flow::known(text)
}

/// An argument as it is printed: patterns that match nothing stand for themselves.
fn printed(arg: &Arg) -> Option<String> {
    (!arg.has_unknown()).then(|| arg.shown())
}

fn print_formatted(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let (variable, args) = match call.args {
        [first, rest @ ..] if first.is("--") => (None, rest),
        [first, name, rest @ ..] if first.is("-v") => (Some(name), rest),
        all => (None, all),
    };
    let texts: Option<Vec<String>> = args.iter().map(printed).collect();
    let printed = texts.as_deref().and_then(|texts| match texts {
        [format, rest @ ..] => decode::printf(format, rest),
        [] => Some(String::new()),
    });
    let flow = printed.map_or_else(|| unknown(call.args), Flow::known);
    let Some(variable) = variable else { return flow };
    super::variables::check_arithmetic(interpreter, variable);
    let text = flow.text.unwrap_or_else(|| crate::arg::UNKNOWN.to_string());
    let value = Arg { text, origin: flow.origin, ..Arg::default() };
    interpreter.state.assign(&variable.text, value);
    Flow::empty()
}

/// What is printed of arguments that are only known when it runs.
fn unknown(args: &[Arg]) -> Flow {
    let origin = args.iter().fold(Origin::default(), |origin, arg| origin.or(arg.origin));
    let is_secret =
        args.iter().any(|arg| arg.variables.iter().any(|name| super::secrets::is_secret_variable(name)));
    let secret = Origin { secret: is_secret, environment: is_secret, ..Origin::NONE };
    Flow { text: None, origin: origin.or(secret) }
}

/// `which premath`: where programs lie.
fn located(call: &Call<'_>) -> Flow {
    match call.positionals(&[]).first().and_then(|name| name.plain()) {
        Some(name) => Flow::known(format!("/usr/local/bin/{name}\n")),
        None => Flow::output(),
    }
}

/// Files that are read, or else the input.
pub(super) fn read_files(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let skips_pattern = matches!(
        call.name,
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "jq" | "look" | "mlr"
    ) && !call.has('\0', "--files");
    let valued: &[&str] = if call.name == "cat" { &[] } else { &VALUED };
    let files: Vec<&Arg> = call.positionals(valued).into_iter().skip(usize::from(skips_pattern)).collect();
    if let Some(path) = call.value(&["-o", "--output"]).filter(|_| call.name == "sort") {
        interpreter.write(&path);
    }
    let files: Vec<&Arg> = files.into_iter().filter(|file| !file.is("-")).collect();
    if files.is_empty() {
        let passes =
            matches!(call.name, "cat" | "less" | "more" | "bat") && call.positionals(valued).len() <= 1;
        let narrows = is_narrow_search(call);
        let mut flow = call.input.clone();
        if !passes {
            flow.text = None;
        }
        flow.origin.secret &= !narrows;
        flow.origin.environment &= !narrows;
        flow.origin.script &= passes;
        return flow;
    }
    let searches_folders =
        call.has('r', "--recursive") || call.has('R', "") || matches!(call.name, "rg" | "ag" | "ack");
    let mut whole = Flow::empty();
    for file in files {
        if searches_folders {
            secret_search(interpreter, call, file);
        }
        let flow = interpreter.input_file(file);
        whole.origin = whole.origin.or(flow.origin);
        whole.text =
            whole.text.zip(flow.text).map(|(before, text)| before + &text).filter(|_| call.name == "cat");
    }
    whole.origin.script &= call.name == "cat";
    whole
}

/// Whether a search lets only lines through that name something harmless.
fn is_narrow_search(call: &Call<'_>) -> bool {
    let pattern =
        call.positionals(&VALUED).first().map(|arg| arg.text.to_ascii_lowercase()).unwrap_or_default();
    let is_search = matches!(call.name, "grep" | "egrep" | "fgrep" | "rg");
    let is_wide = pattern.len() < 2
        || call.has('v', "--invert-match")
        || ["key", "secret", "token", "pass", "cred", "auth", "aws", ".*", "="]
            .iter()
            .any(|word| pattern.contains(word));
    is_search && !is_wide
}

/// A search through a folder that holds credentials.
fn secret_search(interpreter: &mut Interpreter<'_>, call: &Call<'_>, folder: &Arg) {
    let place = interpreter.place(folder);
    let pattern =
        call.positionals(&VALUED).first().map(|arg| arg.text.to_ascii_lowercase()).unwrap_or_default();
    let looks_for_secrets = ["password", "passwd", "secret", "token", "api_key", "apikey", "private key"]
        .iter()
        .any(|word| pattern.contains(word));
    if looks_for_secrets && place.inside.is_none() {
        let reason = "searches for credentials outside of the repository";
        interpreter.ask(crate::risk::RiskClass::Secrets, crate::risk::Reach::Machine, reason);
    }
}

/// Programs that decode: the text where it is known, else where it comes from.
fn decoded(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    let is_decoding = match call.name {
        "base64" | "gbase64" | "base32" => call.has('d', "--decode") || call.has('D', ""),
        "xxd" => call.has('r', "-revert"),
        "openssl" => call.mentions("-d") || call.mentions("base64"),
        "gzip" | "xz" | "zstd" => call.has('d', "--decompress"),
        "gpg" | "gpg2" | "age" => call.has('d', "--decrypt"),
        _ => true,
    };
    if matches!(call.name, "openssl")
        && !matches!(call.args.first().map(|arg| arg.text.as_str()), Some("enc" | "base64"))
    {
        return None;
    }
    if matches!(call.name, "gpg" | "gpg2") && !is_decoding {
        return None;
    }
    let files = match call.name {
        "tr" => Vec::new(),
        _ => call.positionals(&["-w", "-c", "-l", "-s", "-k", "-pass", "-out", "-o", "-K", "-iv"]),
    };
    let files: Vec<&Arg> =
        files.into_iter().filter(|file| !matches!(file.text.as_str(), "-" | "enc" | "base64")).collect();
    let named = call.value(&["-in", "-i"]).filter(|_| call.name == "openssl");
    let mut input = match (files.first(), named) {
        (Some(file), _) => interpreter.input_file(file),
        (None, Some(file)) => interpreter.input_file(&file),
        (None, None) => call.input.clone(),
    };
    let text = input.text.take();
    input.text = match (call.name, text) {
        (_, None) => None,
        ("rev", Some(text)) => {
            Some(text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect())
        }
        ("tr", Some(text)) => translated(call, &text),
        ("base32", Some(text)) if is_decoding => decode::base32(&text),
        ("xxd", Some(text)) if is_decoding => decode::hexadecimal(&text),
        ("base64" | "gbase64" | "openssl", Some(text)) if is_decoding => decode::base64(&text),
        (_, Some(_)) => None,
    };
    if is_decoding && input.text.is_none() && call.name != "tr" {
        input.origin.decoded = true;
    }
    if !is_decoding {
        input.text = None;
    }
    Some(input)
}

fn translated(call: &Call<'_>, text: &str) -> Option<String> {
    let sets = call.positionals(&[]);
    let set = |index: usize| sets.get(index).and_then(|arg| printed(arg));
    match (call.has('d', "--delete"), call.has('c', "--complement") || call.has('C', "")) {
        (_, true) => None,
        (true, false) => decode::translate(text, &set(0)?, None),
        (false, false) => decode::translate(text, &set(0)?, Some(&set(1)?)),
    }
}
