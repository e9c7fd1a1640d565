//! What git says about the files of a workdir: which are clean, and which it ignores. Asked in the sandbox without leave to
//! write anything, and only when a name appears that was not there at the last answer.
//!
//! No program that the repository's configuration names is started on purpose. It must not take a file for clean that git
//! was told to look away from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use premath_kernel::Digest;

use crate::sandbox::{Ending, ExecutionLimits, Interrupt, Profile, Sandbox, SandboxCommand, StateAccess};

/// The most bytes that git prints.
const MOST_OUTPUT: u64 = 32 << 20;
/// The largest blob whose digest is worked out, and the most bytes of all blobs of one question.
const LARGEST_BLOB: u64 = 8 << 20;
const MOST_BLOBS: u64 = 24 << 20;

/// Two questions, one start of the sandbox: the index with its flags, then what differs from it, is untracked or ignored.
const LIST: &str = r#"set -eu
look() {
    git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.quotePath=false -c core.untrackedCache=false "$@"
}
look ls-files -s -v -z
printf '\0'
look status --porcelain=v2 -z --untracked-files=all --ignored=matching --no-renames --ignore-submodules=all
"#;

/// What git said.
#[derive(Debug, Default)]
pub(super) struct GitListing {
    /// Whether git was there to be asked.
    is_git: bool,
    /// The blobs of clean files.
    clean: BTreeMap<String, String>,
    ignored_folders: BTreeSet<String>,
    ignored_files: BTreeSet<String>,
}

impl GitListing {
    /// A workdir that is no repository: nothing is clean, nothing is ignored.
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// Asks git. None when it does not answer: there is no repository here that it can read.
    pub(super) fn ask(sandbox: &dyn Sandbox, workdir: &Path, interrupt: &Interrupt) -> Option<Self> {
        let arguments = ["-c", LIST, "sh"].map(str::to_owned).to_vec();
        let output = run(sandbox, "sh", arguments, Vec::new(), workdir, interrupt)?;
        Self::read(&output)
    }

    fn read(output: &[u8]) -> Option<Self> {
        let mut listing = Self { is_git: true, ..Self::default() };
        let mut fields = output.split(|byte| *byte == 0);
        for field in fields.by_ref().take_while(|field| !field.is_empty()) {
            listing.take_indexed(std::str::from_utf8(field).ok());
        }
        for field in fields {
            // A name that is no text is in no list: it is looked at like any file that git does not know.
            let Ok(line) = std::str::from_utf8(field) else { continue };
            match line.split_once(' ') {
                Some(("!", path)) => match path.strip_suffix('/') {
                    Some(folder) => listing.ignored_folders.insert(folder.to_owned()),
                    None => listing.ignored_files.insert(path.to_owned()),
                },
                Some(("1", rest)) => {
                    changed_path(rest, 7).is_some_and(|path| listing.clean.remove(path).is_some())
                }
                Some(("u", rest)) => {
                    changed_path(rest, 9).is_some_and(|path| listing.clean.remove(path).is_some())
                }
                Some(_) | None => false,
            };
        }
        Some(listing)
    }

    /// One entry of the index: `H 100644 <blob> 0\t<path>`. Other letters than `H` are files git does not look at.
    fn take_indexed(&mut self, line: Option<&str>) {
        let Some((head, path)) = line.and_then(|line| line.split_once('\t')) else { return };
        let mut words = head.split(' ');
        let (tag, mode, blob, stage) = (words.next(), words.next(), words.next(), words.next());
        let is_file = mode.is_some_and(|mode| mode.starts_with("100") || mode == "120000");
        if let (Some("H"), true, Some(blob), Some("0")) = (tag, is_file, blob, stage) {
            self.clean.insert(path.to_owned(), blob.to_owned());
        }
    }

    /// Whether git was there to be asked.
    pub(super) const fn is_git(&self) -> bool {
        self.is_git
    }

    /// The blob of a file that was clean.
    pub(super) fn clean_blob(&self, path: &str) -> Option<&str> {
        self.clean.get(path).map(String::as_str)
    }

    /// Whether a file, or what is not a folder, is ignored.
    pub(super) fn ignores_file(&self, path: &str) -> bool {
        self.ignored_files.contains(path)
    }

    /// Whether a folder is ignored with everything below it.
    pub(super) fn ignores_folder(&self, path: &str) -> bool {
        self.ignored_folders.contains(path)
    }
}

/// The path of a changed entry, behind `fields` words after the kind. The worktree part of its state must say that it
/// differs: what is only staged is clean on disk.
fn changed_path(rest: &str, fields: usize) -> Option<&str> {
    let state = rest.split(' ').next()?;
    let is_unmerged = fields == 9;
    let path = rest.splitn(fields + 1, ' ').nth(fields)?;
    (is_unmerged || state.as_bytes().get(1) != Some(&b'.')).then_some(path)
}

/// The digests of blobs, where each is as long as the file was that it stands for. One whose length differs went through a
/// filter on its way to the disk: its bytes are not those of the file.
pub(super) fn blob_digests(
    sandbox: &dyn Sandbox,
    workdir: &Path,
    blobs: &[(String, u64)],
) -> BTreeMap<String, Digest> {
    let mut asked = Vec::new();
    let mut total = 0_u64;
    for (blob, length) in blobs {
        total = total.saturating_add(*length);
        if *length <= LARGEST_BLOB && total <= MOST_BLOBS {
            asked.push((blob.as_str(), *length));
        }
    }
    if asked.is_empty() {
        return BTreeMap::new();
    }
    let stdin = asked.iter().flat_map(|(blob, _)| [blob.as_bytes(), b"\n"].concat()).collect();
    let arguments = ["--no-pager", "cat-file", "--batch"].map(str::to_owned).to_vec();
    // The command is over; what it left has to be found whether or not somebody wants the end.
    let output = run(sandbox, "git", arguments, stdin, workdir, &Interrupt::default());
    output.map(|output| read_blobs(&output, &asked)).unwrap_or_default()
}

fn read_blobs(mut output: &[u8], asked: &[(&str, u64)]) -> BTreeMap<String, Digest> {
    let mut digests = BTreeMap::new();
    for (blob, length) in asked {
        let Some(end) = output.iter().position(|byte| *byte == b'\n') else { break };
        let (head, rest) = output.split_at(end);
        let head = std::str::from_utf8(head).unwrap_or_default();
        let mut words = head.split(' ');
        let (name, kind, size) = (words.next(), words.next(), words.next());
        let Some(size) = size.filter(|_| kind == Some("blob")).and_then(|size| size.parse::<usize>().ok())
        else {
            // `<name> missing`: one line and no content.
            output = rest.get(1..).unwrap_or_default();
            continue;
        };
        let Some(content) = rest.get(1..=size) else { break };
        if name == Some(blob) && u64::try_from(size) == Ok(*length) {
            digests.insert((*blob).to_owned(), Digest::of_bytes(content));
        }
        output = rest.get(size.saturating_add(2)..).unwrap_or_default();
    }
    digests
}

/// What a program prints when it ends well; nothing when it does not, or prints too much.
fn run(
    sandbox: &dyn Sandbox,
    program: &str,
    arguments: Vec<String>,
    stdin: Vec<u8>,
    workdir: &Path,
    interrupt: &Interrupt,
) -> Option<Vec<u8>> {
    let variables = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
    ];
    let command = SandboxCommand {
        program: program.to_owned(),
        arguments,
        workdir: workdir.to_path_buf(),
        profile: Profile::ReadOnly,
        environment: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        stdin,
        limits: ExecutionLimits {
            wall: Duration::from_secs(120),
            output: MOST_OUTPUT,
            ..ExecutionLimits::default()
        },
        state: StateAccess::All,
    };
    let run = sandbox.run(&command, interrupt).ok()?;
    (run.ending == Ending::Exited(0) && run.stdout.cut_bytes() == 0).then_some(run.stdout.head)
}

#[cfg(test)]
mod tests;
