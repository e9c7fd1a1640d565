//! Files, standard input and this very program: the only place of the command that touches the system.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

mod awaited_file;
mod client_token;
mod clones;
mod entries;
mod line_editor;
mod measure;
mod memory;
mod outside;
mod person;
mod playground;
mod project_root;
mod signals;
mod terminal;
mod watchdog;

use std::io::{ErrorKind, Read, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use premath_host::{Case, SourceError, VectorSource};
use premath_wire::strict::Limits;

use crate::error::CliError;
use crate::settings::FILE_NAME;

pub(crate) use self::awaited_file::{AwaitedFile, Purpose};
pub(crate) use self::client_token::{TokenOf, client_token};
pub(crate) use self::clones::Clones;
pub(crate) use self::entries::{EntryKind, entries, kind_behind, kind_of};
pub(crate) use self::line_editor::{LineEditor, Typed, Typing};
pub(crate) use self::measure::{
    Scratch, Spoken, Usage, claims_per_second, measured_run, own_usage, plain_shell, run_together, said_by,
    write_lines,
};
pub(crate) use self::memory::{behind_links, is_below, kept_memory, names_of};
pub(crate) use self::outside::{
    HeldFile, absolute, empty_folder, fresh_folder, hold_file, is_attended, is_folder, key_of,
    open_in_browser, own_program, person_config, person_config_folder, read_bytes, real_folder, replace_file,
    worktree_missing, write_new,
};
pub(crate) use self::person::person_secret;
pub(crate) use self::playground::{Ear, Playground, contents, copy_program, put_again, put_file, put_link};
pub(crate) use self::project_root::{broad_directory, repository_root};
pub(crate) use self::signals::{
    CurrentWork, Ticking, every_tick, on_interrupt, on_stdin_end, pause, told_to_end,
};
pub(crate) use self::terminal::{
    TerminalLine, discard_typed_ahead, has_screen, read_terminal_line, shows_output, typed_line,
};
pub(crate) use self::watchdog::{blocks_when_lost, is_heard};

/// Reads a file, or standard input for `-`. Stops one byte behind what the decoder would take.
pub(crate) fn read_input(path: &Path) -> Result<Vec<u8>, CliError> {
    read_named(path, "--input takes a readable file, or - for standard input")
}

/// Standard input up to a limit and one byte more. What is beyond is read and dropped, so that whoever writes is not
/// interrupted, and memory does not grow with it.
pub(crate) fn read_bounded_input(most: usize) -> Result<Vec<u8>, CliError> {
    let failed = |error: std::io::Error| {
        let what = format!("cannot read standard input: {error}");
        CliError::environment(what, "send one event on standard input")
    };
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let mut input = std::io::stdin().lock();
    let mut bytes = Vec::new();
    input.by_ref().take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > most {
        std::io::copy(&mut input, &mut std::io::sink()).map_err(failed)?;
    }
    Ok(bytes)
}

/// Folders of premath's own outside of every repository: its state, and the person's configuration.
pub(crate) fn own_folders() -> Vec<String> {
    let configuration = person_config_folder();
    let folders = person::state_folder().into_iter().chain(configuration);
    folders.map(|folder| folder.to_string_lossy().into_owned()).collect()
}

/// The same for a file that another flag names.
pub(crate) fn read_named(path: &Path, hint: &str) -> Result<Vec<u8>, CliError> {
    let limit = u64::try_from(Limits::default().max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| {
        let what = format!("cannot read `{}`: {error}", path.display());
        CliError::environment(what, hint)
    })?;
    Ok(bytes)
}

/// Makes a folder the current one. Only for the beginning of a command, when nothing was read yet.
pub(crate) fn go_to(folder: &Path) -> std::io::Result<()> {
    std::env::set_current_dir(folder)
}

/// Whether a folder is the root of a repository of premath's.
pub(crate) fn is_repository(folder: &Path) -> bool {
    is_root(folder)
}

/// Something else of those names is a stand-in that holds the place while a command runs in the sandbox.
fn is_root(folder: &Path) -> bool {
    folder.join(".premath").is_dir() || folder.join(FILE_NAME).is_file()
}

/// The roots of the repositories that a file belongs to: by its name, and by where that name leads.
pub(crate) fn owners(file: &Path) -> Vec<PathBuf> {
    let named = std::path::absolute(file);
    let real = std::fs::canonicalize(file);
    // A file that is not there yet may still have a folder that a link leads to.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder =
        std::fs::canonicalize(folder.unwrap_or_else(|| Path::new("."))).map(|folder| folder.join("file"));
    let owner = |file: PathBuf| file.ancestors().skip(1).find(|above| is_root(above)).map(Path::to_path_buf);
    let mut owners: Vec<PathBuf> = [named, real, folder].into_iter().flatten().filter_map(owner).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

/// A path that was typed here, as it is noted for whoever stands elsewhere: from the root when it is below it.
pub(crate) fn noted_path(root: &Path, typed: &str) -> String {
    let typed = typed.trim();
    let Ok(here) = std::env::current_dir() else { return typed.to_owned() };
    if typed.is_empty() {
        return String::new();
    }
    let mut whole = here.clone();
    let mut parts = Path::new(typed).components().peekable();
    // Only at the front: behind a name, which may be a link, `..` leads elsewhere.
    while let Some(part) = parts.next_if(|part| matches!(part, Component::CurDir | Component::ParentDir)) {
        if part == Component::ParentDir {
            whole.pop();
        }
    }
    whole.push(parts.collect::<PathBuf>());
    let root = if root.as_os_str().is_empty() { here.as_path() } else { root };
    whole.strip_prefix(root).unwrap_or(&whole).to_string_lossy().into_owned()
}

/// A text file that need not be there.
pub(crate) fn read_optional(path: &Path) -> Result<Option<String>, CliError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // Somebody put it there, so that it is not there must not count as nothing said.
        Err(error) if error.kind() == ErrorKind::NotFound && std::fs::symlink_metadata(path).is_ok() => {
            let what = format!("`{}` is a link that leads nowhere", path.display());
            Err(CliError::environment(what, "mend the link, or take it away"))
        }
        // A folder that is a file is a stand-in of the sandbox, left behind by somebody who was killed: nothing is in it.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => {
            let what = format!("cannot read `{}`: {error}", path.display());
            Err(CliError::environment(what, "make it a readable text file"))
        }
    }
}

/// A variable of the environment that says something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Whether the environment has a variable of that name, whatever it says.
pub(crate) fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

/// Variables that agents set for the commands that they run.
const OF_AGENTS: [&str; 4] = ["CLAUDECODE", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE"];

/// Whether the environment says that an agent started this process. `CODEX_HOME` is what people set.
pub(crate) fn is_below_an_agent() -> bool {
    let is_of_codex = |name: &std::ffi::OsStr| {
        name.as_encoded_bytes().starts_with(b"CODEX_") && name.as_encoded_bytes() != b"CODEX_HOME"
    };
    OF_AGENTS.iter().any(|name| is_set(name)) || std::env::vars_os().any(|(name, _)| is_of_codex(&name))
}

/// How wide the terminal is that standard output goes to; none when it goes elsewhere.
pub(crate) fn terminal_width() -> Option<usize> {
    use std::io::IsTerminal as _;
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    Some(terminal_size::terminal_size_of(stdout).map_or(100, |(width, _)| usize::from(width.0)))
}

/// Makes a folder a git repository with one commit of everything in it. Whether that worked.
pub(crate) fn git_repository(folder: &Path) -> bool {
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(args);
        // Within a hook of another repository these would lead there.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    // The commit is the example's, not a person's, and no setting of the person's must stop it.
    let identity =
        ["-c", "user.name=premath", "-c", "user.email=premath@localhost", "-c", "commit.gpgsign=false"];
    git(&["init", "--quiet"])
        && git(&["add", "--all"])
        && git(&[identity.as_slice(), &["commit", "--quiet", "--no-verify", "--message", "The example"]]
            .concat())
}

/// Conformance vectors in a folder: `<suite>/<group>/<name>/{case,expect}.json`.
#[derive(Debug)]
pub(crate) struct VectorFolder(pub(crate) PathBuf);

impl VectorSource for VectorFolder {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        let mut cases = Vec::new();
        collect(&self.0, &self.0, &mut cases)?;
        cases.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(cases)
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> SourceError {
    SourceError::Unreadable { place: path.display().to_string(), source }
}

fn collect(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> Result<(), SourceError> {
    let read = |path: PathBuf| std::fs::read(&path).map_err(|error| unreadable(&path, error));
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if !path.is_dir() {
            continue;
        }
        if path.join("case.json").exists() {
            let below = path.strip_prefix(root).unwrap_or(&path);
            let name = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            cases.push(Case {
                name,
                case: read(path.join("case.json"))?,
                expect: read(path.join("expect.json"))?,
            });
        } else {
            collect(root, &path, cases)?;
        }
    }
    Ok(())
}

/// The moment from which a wait is measured.
pub(crate) fn stopwatch() -> Instant {
    Instant::now()
}

/// How long something takes, on this machine, now.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let answer = work();
    (answer, start.elapsed())
}

/// Runs this program again under callgrind and returns how many instructions it took. None without valgrind.
pub(crate) fn count_instructions(args: &[&str]) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(args)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let report = String::from_utf8_lossy(&output.stderr);
    let (_, counted) = report.rsplit_once("Collected :")?;
    counted.split_whitespace().next()?.parse().ok()
}

/// How long this program takes from start to end with these arguments and this input. None when it fails.
pub(crate) fn timed_run(args: &[&str], input: &[u8]) -> Option<Duration> {
    let program = std::env::current_exe().ok()?;
    let (status, duration) = timed(|| {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input)?;
        }
        child.wait()
    });
    status.ok().filter(|status| status.success()).map(|_| duration)
}
