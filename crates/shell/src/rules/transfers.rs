//! Programs that fetch and send files: `curl`, `wget`, `scp`, `rsync` and the like.

use super::Call;
use super::network::{self, is_local};
use crate::arg::Arg;
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Options of `curl` that take a value.
const CURL_VALUED: [&str; 45] = [
    "-o",
    "--output",
    "-H",
    "--header",
    "-d",
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "-F",
    "--form",
    "-X",
    "--request",
    "-u",
    "--user",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-b",
    "--cookie",
    "-c",
    "--cookie-jar",
    "-T",
    "--upload-file",
    "-m",
    "--max-time",
    "-x",
    "--proxy",
    "-w",
    "--write-out",
    "-K",
    "--config",
    "--connect-timeout",
    "--retry",
    "--retry-delay",
    "--cacert",
    "--cert",
    "--key",
    "--json",
    "--url",
    "--resolve",
    "-r",
    "--range",
    "--output-dir",
];
const WGET_VALUED: [&str; 14] = [
    "-O",
    "--output-document",
    "-P",
    "--directory-prefix",
    "-o",
    "-a",
    "--header",
    "-U",
    "--user-agent",
    "-t",
    "-T",
    "-i",
    "--method",
    "-Q",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "curl" | "xh" | "http" | "https" | "httpie" | "curlie" => Some(curl(interpreter, call)),
        "wget" | "wget2" | "aria2c" | "axel" => Some(wget(interpreter, call)),
        "scp" | "sftp" | "ftp" | "lftp" | "rclone" | "ncftp" | "croc" | "magic-wormhole" | "wormhole"
        | "transfer" => {
            send(interpreter, call);
            Some(Flow::output())
        }
        "rsync" => {
            rsync(interpreter, call);
            Some(Flow::output())
        }
        _ => None,
    }
}

fn from_network() -> Flow {
    Flow { text: None, origin: Origin { network: true, ..Origin::default() } }
}

fn curl(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let urls: Vec<Arg> =
        call.positionals(&CURL_VALUED).into_iter().cloned().chain(call.values(&["--url"])).collect();
    let is_all_local = !urls.is_empty() && urls.iter().all(is_local);
    let bodies = call.values(&[
        "-d",
        "--data",
        "--data-raw",
        "--data-binary",
        "--data-ascii",
        "--data-urlencode",
        "--json",
        "-F",
        "--form",
        "-T",
        "--upload-file",
    ]);
    if !is_all_local {
        for body in &bodies {
            sent_body(interpreter, call, body);
        }
        for word in
            urls.iter().chain(&call.values(&["-A", "--user-agent", "-e", "--referer", "-b", "--cookie"]))
        {
            sent_word(interpreter, word);
        }
        for header in call.values(&["-H", "--header"]) {
            if header.has_output && (header.origin.secret || header.origin.local) {
                sent_word(interpreter, &header);
            }
        }
    }
    for path in call.values(&["-K", "--config"]) {
        interpreter.touch_unknown(&path);
    }
    let folder = call.value(&["--output-dir"]);
    let mut saved = call.values(&["-o", "--output"]);
    let names_by_address = call.has('O', "--remote-name") || call.mentions("--remote-name-all");
    if names_by_address {
        saved.extend(urls.iter().map(file_name));
    }
    for path in &saved {
        let path = match &folder {
            Some(folder) => path.with_text(format!("{}/{}", folder.text, path.text)),
            None => path.clone(),
        };
        if !path.is("-") && !path.is("/dev/null") {
            save(interpreter, &path, is_all_local);
        }
    }
    match (is_all_local, saved.is_empty()) {
        (true, _) => Flow::output(),
        (false, true) => from_network(),
        (false, false) => Flow::output(),
    }
}

fn save(interpreter: &mut Interpreter<'_>, path: &Arg, is_local: bool) {
    interpreter.write(path);
    interpreter.keep_file(path, if is_local { Flow::output() } else { from_network() });
}

/// The last name of an address.
fn file_name(url: &Arg) -> Arg {
    let shown = url.shown();
    let name = shown.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    Arg::known(if name.is_empty() { "index.html" } else { name })
}

/// What is sent as the body of a request.
fn sent_body(interpreter: &mut Interpreter<'_>, call: &Call<'_>, body: &Arg) {
    let text = body.text.as_str();
    let is_upload = call.values(&["-T", "--upload-file"]).contains(body);
    let is_raw = call.values(&["--data-raw"]).contains(body);
    let file = match text.split_once('@').or_else(|| text.split_once("=<")) {
        Some((before, file)) if !is_raw && (before.is_empty() || before.ends_with('=')) => Some(file),
        _ if is_upload => Some(text),
        _ => None,
    };
    match file {
        Some("-" | ".") => network::sends_input(interpreter, call.input),
        Some(file) => sends_file(interpreter, &body.with_text(file)),
        None => sent_word(interpreter, body),
    }
}

/// A file that is sent to another machine.
pub(super) fn sends_file(interpreter: &mut Interpreter<'_>, path: &Arg) {
    let place = interpreter.place(path);
    let is_secret = interpreter.scene.is_secret(&place)
        || interpreter.scene.own(&place).is_some()
        || (place.whole.starts_with("/etc/") && place.inside.is_none());
    if is_secret {
        interpreter.deny(RiskClass::Exfiltration, Reach::Network, "sends credentials to another machine");
    } else {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "sends files to another machine");
    }
}

/// A word that is part of a request.
pub(super) fn sent_word(interpreter: &mut Interpreter<'_>, word: &Arg) {
    if word.origin.secret {
        interpreter.deny(RiskClass::Exfiltration, Reach::Network, "sends credentials to another machine");
    } else if word.has_output && word.origin.local {
        interpreter.ask(
            RiskClass::Exfiltration,
            Reach::Network,
            "sends what a command prints to another machine",
        );
    } else if word.variables.iter().any(|name| super::secrets::is_secret_variable(name)) {
        interpreter.ask(
            RiskClass::Exfiltration,
            Reach::Network,
            "sends a credential of the environment to another machine",
        );
    }
}

fn wget(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    let urls: Vec<Arg> = call.positionals(&WGET_VALUED).into_iter().cloned().collect();
    let is_all_local = !urls.is_empty() && urls.iter().all(is_local);
    if !is_all_local {
        for path in call.values(&["--post-file", "--body-file"]) {
            sends_file(interpreter, &path);
        }
        for word in urls.iter().chain(&call.values(&["--post-data", "--body-data", "--header"])) {
            sent_word(interpreter, word);
        }
    }
    for program in call.values(&["--use-askpass"]) {
        interpreter.run_argument(&program, &[], Flow::output());
    }
    let prints = call.args.iter().any(|arg| {
        matches!(arg.text.as_str(), "-O-" | "-qO-" | "--output-document=-" | "-qO" | "-nvO-")
            || (arg.text.starts_with('-') && arg.text.ends_with("O-"))
    }) || call.value(&["-O", "--output-document"]).is_some_and(|path| path.is("-"));
    let prints = prints
        || call.args.windows(2).any(
            |two| matches!(two, [one, dash] if one.text.ends_with('O') && one.is_option() && dash.is("-")),
        );
    if prints {
        return if is_all_local { Flow::output() } else { from_network() };
    }
    let folder = call.value(&["-P", "--directory-prefix", "-d", "--dir"]);
    let named = call.values(&["-O", "--output-document", "-o", "--out"]);
    let paths = if named.is_empty()
        || call.name.starts_with("wget") && call.values(&["-O", "--output-document"]).is_empty()
    {
        urls.iter().map(file_name).collect()
    } else {
        named
    };
    for path in paths {
        let path = match &folder {
            Some(folder) => path.with_text(format!("{}/{}", folder.text, path.text)),
            None => path,
        };
        save(interpreter, &path, is_all_local);
    }
    Flow::output()
}

/// Whether a path names another machine.
fn is_remote(path: &Arg) -> bool {
    let text = path.shown();
    text.contains("::")
        || text.starts_with("rsync://")
        || text
            .split_once(':')
            .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/') && host.len() > 1)
}

fn send(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let paths = call.positionals(&["-i", "-P", "-o", "-F", "-l", "-S", "-c", "-J", "-b"]);
    for option in call.values(&["-o"]) {
        network::ssh_option(interpreter, &option);
    }
    match call.name {
        "scp" => {
            let Some((target, sources)) = paths.split_last() else { return };
            if is_remote(target) {
                for source in sources {
                    sends_file(interpreter, source);
                }
            } else {
                interpreter.write(target);
            }
        }
        "rclone" => {
            let verb = paths.first().map(|verb| verb.text.clone()).unwrap_or_default();
            match verb.as_str() {
                "copy" | "sync" | "move" | "copyto" | "moveto" | "rcat" => {
                    interpreter.ask(
                        RiskClass::Exfiltration,
                        Reach::Network,
                        "copies files to or from another machine",
                    );
                }
                "delete" | "purge" | "deletefile" | "rmdirs" | "cleanup" => {
                    interpreter.ask(
                        RiskClass::Destructive,
                        Reach::Network,
                        "deletes files on another machine",
                    );
                }
                _ => {}
            }
        }
        _ => interpreter.ask(
            RiskClass::Exfiltration,
            Reach::Network,
            "opens a connection that files can be sent over",
        ),
    }
}

fn rsync(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let valued = [
        "-e",
        "--rsh",
        "--exclude",
        "--include",
        "--rsync-path",
        "-f",
        "--filter",
        "--log-file",
        "-T",
        "--exclude-from",
    ];
    for text in call.values(&["-e", "--rsh", "--rsync-path"]) {
        interpreter.run_argument(&text, &[], Flow::output());
    }
    if call.has('n', "--dry-run") {
        return;
    }
    let paths = call.positionals(&valued);
    let Some((target, sources)) = paths.split_last() else { return };
    if is_remote(target) {
        for source in sources {
            sends_file(interpreter, source);
        }
        return;
    }
    for source in sources {
        interpreter.read(source);
    }
    let deletes = call.args.iter().any(|arg| arg.text.starts_with("--delete")) || call.mentions("--del");
    let removes = call.mentions("--remove-source-files");
    if deletes {
        interpreter.delete(target, true);
    } else {
        interpreter.write(target);
    }
    if removes {
        for source in sources {
            interpreter.delete(source, true);
        }
    }
}
