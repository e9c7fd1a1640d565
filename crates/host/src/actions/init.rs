//! `workspace.init`: a folder made ready for premath. What is there already stays as it is.

mod detect_baseline;
pub(crate) mod example;
mod git;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_bd::issues::FileIssues;
use premath_bd::{Access, Disk, GITIGNORE, Permit, StoreError};
use premath_kernel::Value;
use premath_wire::v1::{ImportAnswer, InitAnswer, InitStep, RefusedAnswer, RefusedBecause};
use schemars::JsonSchema;
use serde::Deserialize;

use self::detect_baseline::detect_baseline;
use super::issue::{arguments, told};
use super::issue_upkeep::{must_hold_rows, place_file, read, take_over};
use crate::authority::{has_policies, policies_folder, written_default};
use crate::settings::{IdForm, Settings};
use crate::table::{ActionError, Answer, Host};
use crate::work::{DEFAULT_RETRY_POLICY, RETRY_POLICY_PATH};
use crate::workspace::{DoorRefusal, shown};

const ACTION: &str = "workspace.init";

/// Where another tool keeps its issues.
const BEADS: &str = ".beads/issues.jsonl";

const CONFIGURATION: &str = "\
# What differs from the defaults. `premath config show` prints every value and where it comes from.

[mutation]
# What a person's terminal may change: \"operator\" (issue memory), \"instruction-linked\" (nothing without an
# instruction) or \"human-override\" (issue memory, with --override-reason).
# cli = \"operator\"
# What closing an issue needs in a run: \"verified\" (a command below that passed, a judge, or your approval) or
# \"unverified\".
# closing = \"verified\"
# Commands that verify the work, beside the `Verification:` lines of an issue.
# verify = [\"make check\"]

[issues]
# What new ids look like: \"short\" (bd-k3f9: two branches do not give the same one) or \"sequential\" (bd-7).
{ids}
# Where issue memory is, from this folder.
# path = \".premath/issues.jsonl\"
# What new ids begin with.
# prefix = \"bd\"

[session]
# Command that says how things stand before any work. `boot`, `step` and workers need one; \"none\" where there is
# nothing to check.
";

/// What `init` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InitArgs {
    /// A file of issues to take over.
    import: Option<String>,
    /// A folder to make with an example in it.
    example: Option<String>,
}

/// `workspace.init`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: InitArgs = arguments(args)?;
    let example = told(args.example.as_deref()).map(PathBuf::from);
    if let Some(folder) = &example
        && let Some(refused) = example::refuse_occupied(host, folder)?
    {
        return Ok(refused);
    }
    let root = example.clone().unwrap_or_else(|| host.workspace.root.clone());
    // An example has the defaults, whatever this folder is configured to.
    let issues = match &example {
        Some(folder) => folder.join(Settings::ISSUES_PATH),
        None => host.workspace.issues_path(None),
    };
    let mut made = Making { disk: host.workspace.disk.as_ref(), steps: Vec::new() };
    let is_new = made.is_new(&issues)?;
    let sources = sources(host, &root, made.is_empty(&issues)?, &args)?;
    // The door is asked before anything is made: who may not change issue memory does not get a new one either.
    if (is_new || !sources.is_empty())
        && let Err(refusal) = host.workspace.door.permit(ACTION)
    {
        return refused(&refusal, &issues);
    }
    // Without git there are no branches that could give one id twice; issues that are there were numbered.
    let is_shared = example.is_none() && made.is_in_git(&root) && made.is_empty(&issues)?;
    let ids = if is_shared { IdForm::Short } else { IdForm::Sequential };
    let (store, baseline) = prepare(&mut made, host, (&root, example.is_some(), ids), &issues)?;
    let mut imported = Vec::new();
    for (source, bytes) in &sources {
        match taken(host, &store, source, bytes)? {
            Ok(answer) => imported.push(answer),
            Err(refusal) => return refused(&refusal, &issues),
        }
    }
    if example.is_some()
        && let Err(refusal) = example::fill(host, &mut made, &root, &store)?
    {
        return refused(&refusal, &issues);
    }
    let changed = made.steps.iter().any(|step| step.made) || imported.iter().any(|answer| answer.written > 0);
    Answer::new(
        "accepted",
        &InitAnswer {
            action: ACTION.to_owned(),
            root: if root.as_os_str().is_empty() { ".".to_owned() } else { shown(&root) },
            issues_path: shown(&issues),
            changed,
            steps: made.steps,
            imported,
            baseline,
        },
    )
}

/// A repository that begins anew does not go on from one that was here before: what this clone knew of it is forgotten.
fn forget_records(disk: &dyn Disk, root: &Path) -> Result<(), StoreError> {
    let forgotten = disk.clone_auth().map_or(Ok(()), |auth| auth.forget_records(disk, root));
    forgotten.map_err(|source| StoreError::Io {
        doing: "forget the records of",
        path: root.join(".premath"),
        source,
    })
}

/// The folders and files every repository has.
fn prepare(
    made: &mut Making<'_>,
    host: &Host<'_>,
    (root, is_example, ids): (&Path, bool, IdForm),
    issues: &Path,
) -> Result<(FileIssues, Option<String>), ActionError> {
    made.folder(root)?;
    let home = root.join(".premath");
    if host.workspace.disk.list(&home).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        forget_records(host.workspace.disk.as_ref(), root)?;
    }
    made.folder(&home)?;
    if let Some(folder) = issues.parent() {
        made.folder(folder)?;
    }
    made.file(&root.join(".premath/.gitignore"), GITIGNORE.as_bytes())?;
    let baseline = configuration(made, root, (is_example, ids))?;
    if is_example || made.is_in_git(root) {
        git::share(made, root, issues)?;
    }
    let policy = root.join(RETRY_POLICY_PATH);
    made.folder(&root.join("policies"))?;
    made.folder(&root.join("policies/control"))?;
    made.file(&policy, DEFAULT_RETRY_POLICY.as_bytes())?;
    made.folder(&policies_folder(root))?;
    let instructions = policies_folder(root).join("default.json");
    // A policy beside one that somebody wrote would grant what theirs does not.
    if !is_example && !has_policies(host.workspace.disk.as_ref(), root)? {
        made.file(&instructions, written_default().as_bytes())?;
    }
    let store = FileIssues::new(std::sync::Arc::clone(&host.workspace.disk), issues.to_owned());
    if made.is_new(issues)? {
        store.create()?;
        made.note(issues, true);
    } else {
        made.note(issues, false);
    }
    git::install_merge_driver(made, root, issues)?;
    Ok((store, baseline))
}

/// Writes the configuration where there is none, with the command that the folder is tested by; gives the command back.
fn configuration(
    made: &mut Making<'_>,
    root: &Path,
    (is_example, ids): (bool, IdForm),
) -> Result<Option<String>, ActionError> {
    let path = root.join("premath.toml");
    let is_new = made.is_new(&path)?;
    let found = match (is_new, is_example) {
        (false, _) => None,
        (true, true) => Some(example::BASELINE.to_owned()),
        (true, false) => detect_baseline(made.disk, root)?,
    };
    let line = match &found {
        Some(command) => format!("baseline = \"{command}\"\n"),
        None => "# baseline = \"make test\"\n".to_owned(),
    };
    let ids = match ids {
        IdForm::Short => format!("ids = \"{ids}\""),
        IdForm::Sequential => format!("# ids = \"{ids}\""),
    };
    let configuration = CONFIGURATION.replace("{ids}", &ids);
    made.file(&path, format!("{configuration}{line}").as_bytes())?;
    Ok(found)
}

/// Files to take rows over from, read before anything is made. Another tool's file is only taken into empty issue memory:
/// later it would undo what was done here since. Empty, not new: an `init` that was interrupted is finished by the next.
fn sources(
    host: &Host<'_>,
    root: &Path,
    is_empty: bool,
    args: &InitArgs,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ActionError> {
    let disk = host.workspace.disk.as_ref();
    let mut sources = Vec::new();
    if is_empty {
        let beads = root.join(BEADS);
        match read(disk, &beads) {
            Ok(bytes) => sources.push((beads, bytes)),
            Err(ActionError::Store(StoreError::Missing { .. })) => {}
            Err(ActionError::Store(StoreError::Io { source, .. }))
                if source.kind() == ErrorKind::NotADirectory => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(named) = told(args.import.as_deref()).map(PathBuf::from) {
        let bytes = read(disk, &named)?;
        must_hold_rows(&shown(&named), &bytes)?;
        sources.push((named, bytes));
    }
    Ok(sources)
}

fn taken(
    host: &Host<'_>,
    store: &FileIssues,
    source: &Path,
    bytes: &[u8],
) -> Result<Result<ImportAnswer, DoorRefusal>, ActionError> {
    match host.workspace.door.permit(ACTION) {
        Ok(Permit::Maintenance(grant)) => take_over(host, store, grant, &shown(source), bytes).map(Ok),
        Ok(Permit::Turn(_) | Permit::Lease(_) | Permit::Operator(_)) => Ok(Err(DoorRefusal {
            class: "permit_mismatch",
            detail: "the permit is not for housekeeping".to_owned(),
            hint: "run the command from a terminal".to_owned(),
        })),
        Err(refusal) => Ok(Err(refusal)),
    }
}

fn refused(refusal: &DoorRefusal, issues: &Path) -> Result<Answer, ActionError> {
    Answer::refused(
        refusal.class,
        &RefusedAnswer {
            action: ACTION.to_owned(),
            issues_path: shown(issues),
            refused: RefusedBecause {
                class: refusal.class.to_owned(),
                detail: refusal.detail.clone(),
                hint: refusal.hint.clone(),
            },
        },
    )
}

/// What is made, step by step.
pub(crate) struct Making<'d> {
    disk: &'d dyn Disk,
    steps: Vec<InitStep>,
}

impl Making<'_> {
    fn note(&mut self, path: &Path, made: bool) {
        let path = shown(path);
        if self.steps.iter().all(|step| step.path != path) {
            self.steps.push(InitStep { path, made });
        }
    }

    /// Whether the folder is in a repository of git.
    fn is_in_git(&self, root: &Path) -> bool {
        self.disk.clone_auth().is_some_and(|auth| auth.is_in_git(root))
    }

    /// Whether there is no such file.
    fn is_new(&self, path: &Path) -> Result<bool, StoreError> {
        match self.disk.open(path, Access::Read) {
            Ok(_) => Ok(false),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(source) => Err(StoreError::Io { doing: "open", path: path.to_owned(), source }),
        }
    }

    /// Whether there is nothing in such a file, or no such file.
    fn is_empty(&self, path: &Path) -> Result<bool, StoreError> {
        let looked = match self.disk.open(path, Access::Read) {
            Ok(file) => file.stat().map(|stat| stat.length == 0),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        };
        looked.map_err(|source| StoreError::Io { doing: "open", path: path.to_owned(), source })
    }

    fn folder(&mut self, path: &Path) -> Result<(), StoreError> {
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        let made = match self.disk.list(path) {
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(source) => return Err(StoreError::Io { doing: "list", path: path.to_owned(), source }),
        };
        if made {
            let failed = |source| StoreError::Io { doing: "make", path: path.to_owned(), source };
            self.disk.create_folder(path).map_err(failed)?;
            let above = path.parent().filter(|above| !above.as_os_str().is_empty());
            let above = above.unwrap_or_else(|| Path::new("."));
            self.disk.sync_folder(above).map_err(failed)?;
        }
        self.note(path, made);
        Ok(())
    }

    /// Sees to it that a file of lines has these, each known by how it begins; what is there stays.
    fn lines(&mut self, path: &Path, comment: &str, lines: &[(&str, String)]) -> Result<(), ActionError> {
        let mut text = match read(self.disk, path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(ActionError::Store(StoreError::Missing { .. })) => String::new(),
            Err(error) => return Err(error),
        };
        let known: Vec<&str> = text.lines().map(str::trim).collect();
        let is_there = |begin: &str| {
            known.iter().any(|line| {
                line.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
            })
        };
        let wanted: Vec<&String> =
            lines.iter().filter(|(begin, _)| !is_there(begin)).map(|(_, line)| line).collect();
        let made = !wanted.is_empty();
        if made {
            let mut added = format!("{comment}\n");
            for line in wanted {
                added.push_str(line);
                added.push('\n');
            }
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&added);
            place_file(self.disk, path, text.as_bytes())?;
        }
        self.note(path, made);
        Ok(())
    }

    fn file(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let made = self.is_new(path)?;
        if made {
            place_file(self.disk, path, bytes)?;
        }
        self.note(path, made);
        Ok(())
    }
}
