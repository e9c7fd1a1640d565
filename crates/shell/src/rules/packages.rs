//! Package managers: what they install from outside of their registry, and what they publish.

use super::{Call, begins};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "npm" | "yarn" | "pnpm" | "bun" | "npx" | "bunx" | "pnpx" => node(interpreter, call),
        "pip" | "pip3" | "pipx" | "uv" | "uvx" | "poetry" | "pdm" | "conda" | "mamba" => {
            python(interpreter, call)
        }
        "cargo" => cargo(interpreter, call),
        "go" => go(interpreter, call),
        "gem" | "bundle" | "composer" | "cpan" | "cpanm" | "luarocks" | "twine" | "flit" | "hatch" => {
            others(interpreter, call)
        }
        "brew" | "apt" | "apt-get" | "dpkg" | "rpm" | "yum" | "dnf" | "pacman" | "apk" | "snap"
        | "flatpak" | "port" | "zypper" | "winget" | "choco" => system(interpreter, call),
        "deno" => {
            if call.args.iter().any(is_address) {
                installs(interpreter);
            }
        }
        _ => return None,
    }
    Some(Flow::output())
}

fn installs(interpreter: &mut Interpreter<'_>) {
    let reason = "installs or runs a package from outside of its usual registry";
    interpreter.ask(RiskClass::Install, Reach::Network, reason);
}

fn publishes(interpreter: &mut Interpreter<'_>) {
    interpreter.ask(RiskClass::Exfiltration, Reach::Network, "publishes a package");
}

/// Whether a package is named by an address and not by its name in a registry.
fn is_address(arg: &Arg) -> bool {
    let text = arg.shown();
    ["http://", "https://", "git+", "git://", "ssh://", "git@", "github:", "gitlab:", "bitbucket:", "ftp://"]
        .iter()
        .any(|prefix| text.contains(prefix))
}

fn uses_registry(interpreter: &mut Interpreter<'_>, call: &Call<'_>, names: &[&str]) {
    for registry in call.values(names) {
        let is_usual = [
            "registry.npmjs.org",
            "pypi.org",
            "rubygems.org",
            "registry.yarnpkg.com",
            "test.pypi.org",
            "download.pytorch.org",
        ]
        .iter()
        .any(|usual| registry.text.contains(&format!("//{usual}")));
        if !is_usual && !super::network::is_local(&registry) {
            installs(interpreter);
        }
    }
}

fn node(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["--registry", "-C", "--prefix", "--filter", "-w", "--workspace"]);
    uses_registry(interpreter, call, &["--registry"]);
    let first = words.first().map(String::as_str).unwrap_or_default();
    match first {
        "publish" => publishes(interpreter),
        "unpublish" | "deprecate" | "owner" | "access" => {
            interpreter.ask(RiskClass::Destructive, Reach::Network, "changes a published package");
        }
        "token" | "adduser" | "login" | "whoami" if first != "whoami" => {
            interpreter.ask(RiskClass::Secrets, Reach::Network, "handles the credentials of a registry");
        }
        "config" | "set"
            if begins(&words, "config set") || begins(&words, "config delete") || first == "set" =>
        {
            let key = words
                .get(usize::from(first == "config") + usize::from(first == "config"))
                .cloned()
                .unwrap_or_default();
            if key.contains("registry") || key.contains("proxy") {
                installs(interpreter);
            }
            interpreter.ask(RiskClass::Persistence, Reach::Machine, "changes how every later install works");
        }
        "config" if begins(&words, "config get") && call.joined().to_ascii_lowercase().contains("token") => {
            interpreter.ask(RiskClass::Secrets, Reach::Machine, "prints a credential");
        }
        _ => {
            if call.args.iter().any(is_address) {
                installs(interpreter);
            }
            for text in call.values(&["-c", "--call"]) {
                if matches!(call.name, "npx" | "npm") {
                    interpreter.run_argument(&text, &[], Flow::output());
                }
            }
        }
    }
}

fn python(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    uses_registry(
        interpreter,
        call,
        &[
            "-i",
            "--index-url",
            "--extra-index-url",
            "--index",
            "--default-index",
            "-f",
            "--find-links",
            "--trusted-host",
        ],
    );
    let words = call.words(&["-r", "-c", "-t", "--python"]);
    if begins(&words, "publish") {
        publishes(interpreter);
    }
    if begins(&words, "config set") || begins(&words, "config edit") {
        interpreter.ask(RiskClass::Persistence, Reach::Machine, "changes how every later install works");
    }
    if call.args.iter().any(is_address) && words.first().is_none_or(|first| first != "config") {
        let is_usual = call.values(&["-i", "--index-url", "--extra-index-url"]);
        if call
            .args
            .iter()
            .any(|arg| is_address(arg) && !is_usual.iter().any(|usual| arg.text.contains(&usual.text)))
        {
            installs(interpreter);
        }
    }
}

fn cargo(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["-p", "--package", "--manifest-path", "--features", "--target"]);
    match words.first().map(String::as_str) {
        Some("publish" | "yank" | "owner") if !call.mentions("--dry-run") => publishes(interpreter),
        Some("login" | "logout") => {
            interpreter.ask(RiskClass::Secrets, Reach::Network, "handles the credentials of a registry");
        }
        Some("install" | "add")
            if call.has('\0', "--git") || call.has('\0', "--index") || call.has('\0', "--registry") =>
        {
            installs(interpreter);
        }
        _ => {}
    }
    for config in call.values(&["--config"]) {
        let text = config.text.to_ascii_lowercase();
        if text.contains("runner") || text.contains("linker") || text.contains("wrapper") {
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, "makes the build run another program");
        }
    }
}

/// Hosts that modules of Go usually come from.
const GO_HOSTS: [&str; 16] = [
    "github.com",
    "gitlab.com",
    "golang.org",
    "google.golang.org",
    "gopkg.in",
    "go.uber.org",
    "k8s.io",
    "sigs.k8s.io",
    "honnef.co",
    "mvdan.cc",
    "cloud.google.com",
    "bitbucket.org",
    "gorm.io",
    "go.opentelemetry.io",
    "goa.design",
    "entgo.io",
];

fn go(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["-o", "-tags", "-ldflags", "-C", "-exec", "-run", "-mod"]);
    let fetches = matches!(words.first().map(String::as_str), Some("install" | "get" | "run"));
    let is_other = |word: &String| {
        let host = word.split('/').next().unwrap_or_default();
        host.contains('.')
            && !host.starts_with('.')
            && word.contains('/')
            && !GO_HOSTS.contains(&host)
            && !host.ends_with(".golang.org")
            && word.contains('@')
    };
    if fetches && words.iter().skip(1).any(is_other) {
        installs(interpreter);
    }
    for text in call.values(&["-exec", "-toolexec"]) {
        interpreter.run_argument(&text, &[], Flow::output());
    }
    if begins(&words, "env") && call.has('w', "") {
        interpreter.ask(RiskClass::Persistence, Reach::Machine, "changes how every later build works");
    }
}

fn others(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["-v", "--version"]);
    match (call.name, words.first().map(String::as_str)) {
        ("gem", Some("push" | "yank" | "owner"))
        | ("twine", Some("upload"))
        | ("flit" | "hatch", Some("publish")) => {
            publishes(interpreter);
        }
        ("gem", Some("install" | "sources")) => {
            uses_registry(interpreter, call, &["-s", "--source", "--add", "-a"])
        }
        _ => {
            if call.args.iter().any(is_address) {
                installs(interpreter);
            }
        }
    }
}

/// Package managers of the system: packages of unusual origin, and anything that is removed.
fn system(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["-o", "-t", "-c"]);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let from_file =
        matches!(call.name, "dpkg" | "rpm") && (call.has('i', "--install") || call.has('U', "--upgrade"));
    let has_file = words.iter().skip(1).any(|word| {
        word.ends_with(".deb") || word.ends_with(".rpm") || word.ends_with(".pkg") || word.ends_with(".apk")
    });
    if call.args.iter().any(is_address) || from_file || has_file || first == "tap" {
        installs(interpreter);
    }
    let removes = matches!(first, "remove" | "purge" | "autoremove" | "erase" | "uninstall")
        || (call.name == "pacman" && call.has('R', ""))
        || (call.name == "dpkg" && (call.has('r', "--remove") || call.has('P', "--purge")));
    if removes {
        interpreter.ask(RiskClass::Destructive, Reach::Machine, "removes packages of the system");
    }
    let installs_system = call.name != "brew"
        && matches!(first, "install" | "add" | "upgrade" | "full-upgrade" | "dist-upgrade" | "localinstall");
    if installs_system {
        interpreter.ask(RiskClass::Install, Reach::Machine, "installs packages for the whole system");
    }
}
