//! What git says about commits, asked in the sandbox without leave to write anything.
//!
//! The configuration of a person or a machine has no say, and no program that the repository's own configuration names is
//! started on purpose. It must not take a class from what git prints: only from how it ends.

use std::path::PathBuf;
use std::time::Duration;

use premath_bd::Access;
use premath_tusk::sandbox::{
    Ending, ExecutionLimits, Interrupt, Profile, SandboxCommand, SandboxError, SandboxRun, StateAccess,
};
use premath_tusk::tools::ProtectedPaths;
use premath_wire::v1::RangeEnd;

use super::stop::{RequiredClass, Stop};
use crate::actions::issue::invalid;
use crate::table::{ActionError, Host};

/// So much may git print about a range.
const MOST_OUTPUT: u64 = 32 << 20;
/// The longest name of a commit.
const LONGEST_NAME: usize = 512;

/// What every question says, whatever the repository's configuration does.
const SETTINGS: [&str; 6] =
    ["--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];
/// What in the working tree is not as in a tree. The index is a fresh one: that of the repository can be told to look away from
/// files (`assume-unchanged`, `skip-worktree`, a sparse checkout). What only this clone ignores counts; what the tree's own
/// `.gitignore` names does not.
const LOOK: &str = r#"set -eu
export GIT_INDEX_FILE="${TMPDIR:-/tmp}/premath-look-$$"
trap 'rm -f "$GIT_INDEX_FILE"' EXIT
look() {
    git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.quotePath=false -c core.sparseCheckout=false \
        -c core.ignoreStat=false -c core.untrackedCache=false "$@"
}
look read-tree "$1"
look diff --no-ext-diff --no-textconv --no-renames --ignore-submodules=dirty --name-only -z "$1"
look ls-files --others -z --exclude-per-directory=.gitignore
"#;

/// Git, at the root of the repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct Git<'h> {
    host: &'h Host<'h>,
}

impl<'h> Git<'h> {
    pub(super) const fn new(host: &'h Host<'h>) -> Self {
        Self { host }
    }

    /// The commit that a name stands for.
    pub(super) fn commit(&self, name: &str, key: &str) -> Result<RangeEnd, Stop> {
        let name = checked_name(name, key)?;
        let Some(commit) = self.resolved(&format!("{name}^{{commit}}"))? else {
            self.must_be_a_repository()?;
            let detail = format!("`{name}` names no commit here");
            return Err(RequiredClass::RefUnknown
                .refuse(detail, "`git log` shows which there are; fetch the history where it is missing"));
        };
        let tree = self.resolved(&format!("{commit}^{{tree}}"))?.ok_or_else(|| {
            RequiredClass::RefUnknown.refuse(format!("commit {commit} has no tree"), "`git fsck` says more")
        })?;
        Ok(RangeEnd { name: name.to_owned(), commit, tree })
    }

    /// The paths that differ between two trees, as git prints them: fields that end with a zero byte.
    pub(super) fn changed(&self, from: &str, to: &str) -> Result<Vec<u8>, Stop> {
        // The limit is said, or the configuration of a person would decide which renames are found.
        let run = self.run(&["diff-tree", "-r", "-z", "-M", "-l1000", "--name-status", from, to])?;
        let bytes = said(&run)?;
        bytes.ok_or_else(|| {
            Stop::Failed(ActionError::Unavailable {
                what: format!("git cannot compare {from} with {to}"),
                hint: "`git fsck` says whether the history is whole".to_owned(),
            })
        })
    }

    /// What in the working tree is not as in a commit; nothing when they are the same.
    pub(super) fn unlike(&self, end: &RangeEnd) -> Result<Option<String>, Stop> {
        let head = self.resolved("HEAD^{tree}")?;
        if head.as_deref() != Some(end.tree.as_str()) {
            return Ok(Some(format!("the working tree is not at `{}`", end.name)));
        }
        let run = self.script(LOOK, &end.tree)?;
        let Some(bytes) = said(&run)? else {
            return Ok(Some("git cannot look at the working tree".to_owned()));
        };
        let mut paths = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        // Our own lanes grow while work goes on, and are nobody's source.
        let is_ours = |path: &str| path.starts_with(".premath/") || path.starts_with("artifacts/");
        let first = paths.find(|path| !path.is_empty() && !is_ours(path) && !self.is_stand_in(path));
        Ok(first.map(|path| format!("`{path}` is not as in `{}`", end.name)))
    }

    /// What a sandbox puts in the place of a protected name while a command runs, and leaves when it is killed: empty.
    fn is_stand_in(&self, path: &str) -> bool {
        let workspace = self.host.workspace;
        ProtectedPaths::names().iter().any(|name| name.path == path)
            && workspace
                .disk
                .open(&workspace.root.join(path), Access::Read)
                .and_then(|file| file.stat())
                .is_ok_and(|stat| stat.length == 0)
    }

    fn resolved(&self, name: &str) -> Result<Option<String>, Stop> {
        let run = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", name])?;
        let text = said(&run)?.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
        let is_id = |id: &String| id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(text.filter(is_id))
    }

    fn must_be_a_repository(&self) -> Result<(), Stop> {
        let run = self.run(&["rev-parse", "--git-dir"])?;
        if run.ending == Ending::Exited(0) {
            return Ok(());
        }
        Err(Stop::Failed(ActionError::Unavailable {
            what: "git finds no repository here that it may read".to_owned(),
            hint: "`git init` makes one; what a working tree refers to outside its folder must be readable in the sandbox: docs/reference/configuration.md"
                .to_owned(),
        }))
    }

    fn run(&self, arguments: &[&str]) -> Result<SandboxRun, Stop> {
        let first = SETTINGS.iter().chain(arguments).map(|&word| word.to_owned()).collect();
        self.sandboxed("git", first)
    }

    /// Several questions at once, about one tree, with an index of their own.
    fn script(&self, script: &str, tree: &str) -> Result<SandboxRun, Stop> {
        self.sandboxed("sh", ["-c", script, "sh", tree].map(str::to_owned).to_vec())
    }

    fn sandboxed(&self, program: &str, arguments: Vec<String>) -> Result<SandboxRun, Stop> {
        let root = &self.host.workspace.root;
        let workdir = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
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
            workdir,
            profile: Profile::ReadOnly,
            environment: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            stdin: Vec::new(),
            limits: ExecutionLimits {
                wall: Duration::from_secs(120),
                output: MOST_OUTPUT,
                ..ExecutionLimits::default()
            },
            state: StateAccess::All,
        };
        self.host.sandbox.run(&command, &Interrupt::default()).map_err(|error| match error {
            SandboxError::System { .. } => Stop::Failed(error.into()),
            SandboxError::LayerUnavailable { .. }
            | SandboxError::NoSandbox
            | SandboxError::Workdir { .. }
            | SandboxError::Program { .. }
            | SandboxError::Invalid { .. } => Stop::Failed(ActionError::Unavailable {
                what: format!("git cannot be asked: {error}"),
                hint: "`premath sandbox check` says what works on this machine".to_owned(),
            }),
        })
    }
}

/// What git printed when it ended well; nothing when it did not.
fn said(run: &SandboxRun) -> Result<Option<Vec<u8>>, Stop> {
    if run.ending != Ending::Exited(0) {
        return Ok(None);
    }
    if run.stdout.cut_bytes() > 0 {
        let detail = format!("git printed {} bytes about it", run.stdout.total_bytes);
        return Err(RequiredClass::DeltaTooLarge.refuse(detail, "check a shorter range"));
    }
    Ok(Some(run.stdout.head.clone()))
}

/// A name of a commit, which must not be anything else to git: no option, no range, no path.
fn checked_name<'n>(name: &'n str, key: &str) -> Result<&'n str, Stop> {
    let name = name.trim();
    let has_bad = name.chars().any(|letter| letter.is_control() || letter.is_whitespace() || letter == ':');
    if name.is_empty() || name.len() > LONGEST_NAME || name.starts_with('-') || name.contains("..") || has_bad
    {
        return Err(
            invalid("expected the name of one commit, such as `main`, `HEAD~1` or its id", key).into()
        );
    }
    Ok(name)
}
