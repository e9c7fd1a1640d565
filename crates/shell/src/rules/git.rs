//! Git: work that is thrown away, history that is rewritten, configuration that runs commands, data that leaves.

mod push;

use super::{Call, begins};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "git" => {}
        "git-filter-repo" | "bfg" => {
            interpreter.ask(RiskClass::History, Reach::Workspace, "rewrites the history of the repository");
            return Some(Flow::output());
        }
        "svn" | "hg" => {
            let words = call.words(&["-r"]);
            let discards = ["revert", "strip", "purge", "cleanup"].iter().any(|verb| begins(&words, verb))
                || (begins(&words, "update") && call.has('C', "--clean"));
            if discards {
                destroys(interpreter, "throws away changes that are not committed");
            }
            return Some(Flow::output());
        }
        _ => return None,
    }
    let folder = interpreter.state.folder.clone();
    let start = global_options(interpreter, call.args);
    let args = call.args.get(start..).unwrap_or_default();
    if let Some((subcommand, rest)) = args.split_first() {
        let inner = Call { name: "git", args: rest, input: call.input, first: call.first };
        match subcommand.plain() {
            Some(name) => subcommands(interpreter, name, &inner),
            None => interpreter.ask(
                RiskClass::Obscured,
                Reach::Workspace,
                "runs a command of Git that is only known when it runs",
            ),
        }
    }
    interpreter.state.folder = folder;
    let is_root = begins(&call.words(&[]), "rev-parse") && call.mentions("--show-toplevel");
    Some(if is_root { Flow::known(interpreter.scene.root.clone()) } else { Flow::output() })
}

/// Passes over the options before the subcommand; where they lead counts, and what they run.
fn global_options(interpreter: &mut Interpreter<'_>, args: &[Arg]) -> usize {
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        match arg.text.as_str() {
            "-C" => {
                let folder = args.get(index + 1).map(|path| interpreter.place(path).whole);
                interpreter.state.folder = folder;
                index += 2;
            }
            "-c" | "--config-env" => {
                if let Some(pair) = args.get(index + 1) {
                    let (key, value) = pair.text.split_once('=').unwrap_or((pair.text.as_str(), ""));
                    configured(interpreter, key, Some(&pair.with_text(value)), false);
                }
                index += 2;
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix" => index += 2,
            _ if arg.is_option() => index += 1,
            _ => break,
        }
    }
    index
}

fn subcommands(interpreter: &mut Interpreter<'_>, name: &str, call: &Call<'_>) {
    match name {
        "push" => push::push(interpreter, call),
        "send-email" | "request-pull" | "bundle" => {
            interpreter.ask(RiskClass::Exfiltration, Reach::Network, "hands commits to somebody else");
        }
        "filter-branch" | "filter-repo" | "replace" | "fast-import" => {
            for text in call.values(&[
                "--tree-filter",
                "--index-filter",
                "--msg-filter",
                "--env-filter",
                "--commit-filter",
            ]) {
                interpreter.run_argument(&text, &[], Flow::output());
            }
            history(interpreter, "rewrites the history of the repository");
        }
        "reflog" if matches!(call.words(&[]).first().map(String::as_str), Some("expire" | "delete")) => {
            history(interpreter, "deletes the record that lost commits are brought back from");
        }
        "gc" | "prune" if call.joined().contains("prune") || name == "prune" => {
            history(interpreter, "deletes commits that nothing points to any more");
        }
        "update-ref" if call.has('d', "--delete") => history(interpreter, "deletes a branch or a tag"),
        "rebase" if call.mentions("--root") => history(interpreter, "rewrites the history of the repository"),
        "rebase" | "bisect" => {
            for text in call.values(&["-x", "--exec"]) {
                interpreter.run_argument(&text, &[], Flow::output());
            }
            if name == "bisect" && call.args.first().is_some_and(|first| first.is("run")) {
                interpreter.run(call.args.get(1..).unwrap_or_default().to_vec(), Flow::output());
            }
        }
        "submodule" if call.args.iter().any(|arg| arg.is("foreach")) => {
            let command = call.args.iter().skip_while(|arg| !arg.is("foreach")).skip(1);
            let command: Vec<Arg> = command.filter(|arg| !arg.is("--recursive")).cloned().collect();
            match command.as_slice() {
                [text] => interpreter.run_argument(text, &[], Flow::output()),
                _ => interpreter.run(command, Flow::output()),
            };
        }
        "branch" if call.has('D', "") || (call.has('d', "--delete") && call.has('f', "--force")) => {
            history(interpreter, "deletes a branch with commits that may be nowhere else");
        }
        "branch" if call.has('f', "--force") || call.has('M', "") => {
            history(interpreter, "moves a branch by force")
        }
        "tag" if call.has('d', "--delete") || call.has('f', "--force") => {
            history(interpreter, "deletes or moves a tag")
        }
        _ => working_tree(interpreter, name, call),
    }
}

/// Subcommands that change files, configuration or what is fetched.
fn working_tree(interpreter: &mut Interpreter<'_>, name: &str, call: &Call<'_>) {
    match name {
        "config" => config(interpreter, call),
        "clean" => clean(interpreter, call),
        "reset" if call.mentions("--hard") || call.mentions("--merge") => {
            destroys(interpreter, "throws away changes that are not committed");
        }
        "checkout" | "restore" | "switch" => checkout(interpreter, name, call),
        "stash" if matches!(call.words(&[]).first().map(String::as_str), Some("drop" | "clear")) => {
            destroys(interpreter, "throws away stashed changes");
        }
        "rm" => remove(interpreter, call),
        "mv" => {
            for path in call.positionals(&[]) {
                interpreter.guarded(path);
            }
        }
        "apply" | "am"
            if !call.mentions("--check") && !call.mentions("--stat") && !call.mentions("--abort") =>
        {
            interpreter.ask(RiskClass::Obscured, Reach::Workspace, "changes files that only the patch names");
        }
        "worktree" if begins(&call.words(&[]), "remove") && call.has('f', "--force") => {
            destroys(interpreter, "deletes a working tree with its changes");
        }
        "credential" | "credential-store" | "credential-cache" | "credential-manager" => {
            interpreter.deny(RiskClass::Secrets, Reach::Machine, "prints stored credentials");
        }
        "add" => {
            for path in call.positionals(&[]) {
                interpreter.read(path);
            }
        }
        "clone" | "fetch" | "pull" | "ls-remote" | "remote" | "submodule" => remote(interpreter, name, call),
        "difftool" | "mergetool" => {
            for text in call.values(&["-x", "--extcmd"]) {
                interpreter.run_argument(&text, &[], Flow::output());
            }
        }
        "show" | "cat-file" | "archive" | "diff" | "log" | "grep" => {
            for path in call.values(&["-o", "--output"]) {
                interpreter.write(&path);
            }
            for text in call.values(&["-O", "--open-files-in-pager"]) {
                if name == "grep" {
                    interpreter.run_argument(&text, &[], Flow::output());
                }
            }
        }
        _ => {}
    }
}

fn history(interpreter: &mut Interpreter<'_>, reason: &str) {
    interpreter.ask(RiskClass::History, Reach::Workspace, reason);
}

fn destroys(interpreter: &mut Interpreter<'_>, reason: &str) {
    interpreter.ask(RiskClass::Destructive, Reach::Workspace, reason);
}

fn clean(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    if call.has('f', "--force") && !call.has('n', "--dry-run") {
        destroys(interpreter, "deletes every file that Git does not know");
    }
}

/// `checkout` and `restore`: branches are fine, files lose their changes.
fn checkout(interpreter: &mut Interpreter<'_>, name: &str, call: &Call<'_>) {
    let creates =
        call.has('b', "--orphan") || call.has('B', "") || call.has('c', "--create") || call.has('C', "");
    let only_staged = name == "restore" && call.has('S', "--staged") && !call.has('W', "--worktree");
    if creates || only_staged {
        return;
    }
    let separator = call.args.iter().position(|arg| arg.is("--"));
    let words = call.positionals(&["-s", "--source", "--conflict"]);
    let named: Vec<&Arg> = match (name, separator) {
        (_, Some(index)) => call.args.iter().skip(index + 1).collect(),
        ("restore", None) => words,
        // A branch, then paths; a word that is a path all by itself.
        (_, None) => words
            .into_iter()
            .enumerate()
            .filter(|(index, arg)| *index > 0 || is_pathlike(arg))
            .map(|(_, arg)| arg)
            .collect(),
    };
    if named.is_empty() {
        if call.has('f', "--force") || call.mentions("--discard-changes") {
            destroys(interpreter, "throws away changes that are not committed");
        }
        return;
    }
    for path in &named {
        interpreter.guarded(path);
    }
    destroys(interpreter, "throws away changes of files that are not committed");
}

fn is_pathlike(arg: &Arg) -> bool {
    matches!(arg.text.as_str(), "." | "./" | ":/") || arg.text.contains(crate::arg::is_mark)
}

fn remove(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for path in call.positionals(&[]) {
        if interpreter.guarded(path) {
            continue;
        }
        if call.has('r', "") || call.has('f', "--force") {
            destroys(interpreter, "deletes files of the repository");
        }
    }
}

/// `git config`: keys whose values are commands, and where hooks lie.
fn config(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.positionals(&["-f", "--file", "--type", "--default", "--blob"]);
    let verbs = ["set", "unset", "get", "list", "edit", "rename-section", "remove-section"];
    let words: Vec<&Arg> =
        words.into_iter().skip_while(|arg| verbs.iter().any(|verb| arg.is(verb))).collect();
    let is_read = call.has('l', "--list")
        || call.mentions("--get")
        || call.mentions("--get-all")
        || call.mentions("--get-regexp")
        || call.mentions("get")
        || call.mentions("list");
    let changes = words.len() > 1
        || call.mentions("--unset")
        || call.mentions("--unset-all")
        || call.mentions("unset")
        || call.mentions("--add");
    for path in call.values(&["-f", "--file"]) {
        if changes {
            interpreter.write(&path);
        }
    }
    if call.has('e', "--edit") || call.mentions("--remove-section") {
        interpreter.ask(RiskClass::OwnFiles, Reach::Workspace, "changes the configuration of Git");
    }
    if let (Some(key), true, false) = (words.first(), changes, is_read) {
        let value = words.get(1).map(|arg| (*arg).clone());
        configured(interpreter, &key.text, value.as_ref(), true);
    }
}

/// A key of the configuration of Git with its value.
fn configured(interpreter: &mut Interpreter<'_>, key: &str, value: Option<&Arg>, is_kept: bool) {
    let key = key.to_ascii_lowercase();
    if key.starts_with("core.hookspath") || key.starts_with("include") || key.starts_with("core.worktree") {
        interpreter.deny(
            RiskClass::OwnFiles,
            Reach::Workspace,
            "changes where Git finds its hooks or its configuration",
        );
        return;
    }
    let is_alias = key.starts_with("alias.");
    let runs = is_alias
        || matches!(
            key.as_str(),
            "core.sshcommand"
                | "core.pager"
                | "core.editor"
                | "core.fsmonitor"
                | "core.askpass"
                | "diff.external"
                | "sequence.editor"
                | "credential.helper"
                | "gpg.program"
                | "core.gitproxy"
                | "init.templatedir"
        )
        || key.ends_with(".cmd")
        || key.ends_with(".clean")
        || key.ends_with(".smudge")
        || key.ends_with(".textconv")
        || key.ends_with(".command")
        || key.starts_with("pager.")
        || (key.starts_with("url.") && key.ends_with("insteadof"));
    if !runs {
        return;
    }
    if let Some(value) = value {
        let text = value.text.strip_prefix('!').map(str::to_owned);
        match (is_alias, text) {
            (true, None) => {
                interpreter.run_argument(
                    &value.with_text(format!("git {}", value.text)),
                    &[],
                    Flow::output(),
                );
            }
            (_, text) => {
                let text = text.unwrap_or_else(|| value.text.clone());
                interpreter.run_argument(&value.with_text(text), &[], Flow::output());
            }
        }
    }
    if is_kept {
        interpreter.ask(RiskClass::Persistence, Reach::Machine, "makes Git run a command from now on");
    }
}

/// Addresses that Git runs a command for.
fn remote(interpreter: &mut Interpreter<'_>, name: &str, call: &Call<'_>) {
    for arg in call.args {
        if let Some(command) = arg.text.strip_prefix("ext::") {
            interpreter.run_argument(&arg.with_text(command), &[], Flow::output());
        }
    }
    for text in call.values(&["--upload-pack", "-u"]) {
        if name != "submodule" {
            interpreter.run_argument(&text, &[], Flow::output());
        }
    }
    for pair in call.values(&["-c", "--config"]).into_iter().filter(|_| name == "clone") {
        let (key, value) = pair.text.split_once('=').unwrap_or((pair.text.as_str(), ""));
        configured(interpreter, key, Some(&pair.with_text(value)), true);
    }
    let words = call.positionals(&["-t", "-m"]);
    if name == "remote"
        && words.first().is_some_and(|word| word.is("add") || word.is("set-url"))
        && let (Some(remote), Some(address)) = (words.get(1), words.get(2))
    {
        let value = (*address).clone();
        interpreter.state.assign(&format!("git remote {}", remote.text), value);
    }
}
