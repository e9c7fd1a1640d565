//! Where a session of work lands, and the working tree it works in: decided before anything is taken.
//!
//! A person's own checkout is never worked in: without `--worktree` a worker gets a working tree of its own beside the
//! repository. Where there is no repository of git, work stays in its folder.

use std::path::{Path, PathBuf};

use premath_tusk::version_control::{VersionControl, VersionControlError};

use super::super::request::WorkRequest;
use crate::agent::RunRefused as Refused;
use crate::settings::LandMode;
use crate::table::{ActionError, Host};
use crate::workspace::shown;

/// What was said on the command line about landing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct LandingWishes {
    pub(in super::super) mode: Option<LandMode>,
    pub(in super::super) target: Option<String>,
}

/// Where the work of a session lands.
#[derive(Debug, Clone)]
pub(in super::super) struct Landing<'b> {
    pub(super) git: &'b dyn VersionControl,
    pub(in super::super) mode: LandMode,
    /// The main working tree.
    pub(super) repository: PathBuf,
    /// The working tree of this session.
    pub(super) tree: PathBuf,
    /// Whether that tree was made for workers.
    pub(super) is_own: bool,
    /// Where issue memory is below the top of the repository.
    pub(super) prefix: PathBuf,
    pub(super) target: String,
    pub(super) remote: String,
}

/// What a session works with.
#[derive(Debug)]
pub(in super::super) struct ResolvedWork<'b> {
    pub(in super::super) request: WorkRequest,
    /// None where work stays in its folder.
    pub(in super::super) landing: Option<Landing<'b>>,
}

impl<'b> Landing<'b> {
    /// The folder that commands of the session run in.
    pub(super) fn folder(&self) -> PathBuf {
        self.tree.join(&self.prefix)
    }

    /// The top of the clean checkout for verification.
    pub(super) fn verification_tree(&self) -> PathBuf {
        let name = self.tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.tree.with_file_name(format!("{name}.verify"))
    }

    /// Why no work can begin that is to be landed here, such as local changes on the target.
    pub(in super::super) fn begin_refusal(&self) -> Option<Refused> {
        let failure = self.target_refusal().unwrap_or_else(Some)?;
        Some(refused(failure.class, &failure.detail, "work that is done could not be landed"))
    }

    /// Resolves where a session lands, and makes its working tree where it needs one.
    pub(in super::super) fn resolve(
        host: &Host<'b>,
        mut request: WorkRequest,
        worker: &str,
    ) -> Result<Result<ResolvedWork<'b>, Refused>, ActionError> {
        let settings = &host.workspace.settings.work;
        let wanted = request.landing.mode.or_else(|| settings.land.as_ref().map(|land| land.value));
        if wanted == Some(LandMode::Off) {
            return Ok(Ok(ResolvedWork { request, landing: None }));
        }
        let git = host.agent.version_control();
        let root = absolute_root(host)?;
        let Some((repository, head)) = repository_of(git, &root)? else {
            if wanted.is_none() {
                return Ok(Ok(ResolvedWork { request, landing: None }));
            }
            return Ok(Err(refused(
                "landing_no_repository",
                "there is no git repository with a commit here",
                "`git init`, then `git commit`; or land = \"off\" in [work] of premath.toml",
            )));
        };
        let configured = settings.target.as_ref().map(|target| target.value.clone());
        let Some(target) = request.landing.target.clone().or(configured).or(head) else {
            return Ok(Err(refused(
                "landing_target_missing",
                "no branch is checked out, so there is no target to land on",
                "name one with --target, or in [work] of premath.toml",
            )));
        };
        if git.resolve(&repository, &format!("refs/heads/{target}")).map_err(unavailable)?.is_none() {
            let detail = format!("there is no branch `{target}`");
            return Ok(Err(refused("landing_target_missing", &detail, "`git branch` lists the branches")));
        }
        let prefix = root.strip_prefix(&repository).map(Path::to_owned).unwrap_or_default();
        let (tree, is_own) = match working_tree(git, &repository, &request, worker)? {
            Ok(found) => found,
            Err(_) if wanted.is_none() => return Ok(Ok(ResolvedWork { request, landing: None })),
            Err(refused) => return Ok(Err(refused)),
        };
        if let Err(error) = git.ready_to_commit(&repository) {
            let hint = "a step commits what it verified: docs/reference/landing.md";
            return Ok(Err(refused(error.fault.class(), &error.to_string(), hint)));
        }
        let mode = wanted.unwrap_or(LandMode::Branch);
        let remote = settings.remote().to_owned();
        let landing = Self { git, mode, repository, tree, is_own, prefix, target, remote };
        request.worktree = Some(landing.folder());
        Ok(Ok(ResolvedWork { request, landing: Some(landing) }))
    }
}

fn absolute_root(host: &Host<'_>) -> Result<PathBuf, ActionError> {
    let root = &host.workspace.root;
    if root.is_absolute() {
        return Ok(std::path::absolute(root).unwrap_or_else(|_| root.clone()));
    }
    let workdir = host.agent.workdir()?;
    Ok(if root.as_os_str().is_empty() { workdir } else { workdir.join(root) })
}

/// The main working tree of the repository, and the branch that it has checked out.
type FoundRepository = Option<(PathBuf, Option<String>)>;

fn repository_of(git: &dyn VersionControl, root: &Path) -> Result<FoundRepository, ActionError> {
    let Some(repository) = git.main_folder(root).map_err(unavailable)? else { return Ok(None) };
    let head = git.head(&repository).map_err(unavailable)?;
    Ok(head.map(|head| (repository, head.branch)))
}

/// The working tree of a session: the one that was named, or its own beside the repository.
fn working_tree(
    git: &dyn VersionControl,
    repository: &Path,
    request: &WorkRequest,
    worker: &str,
) -> Result<Result<(PathBuf, bool), Refused>, ActionError> {
    let named = match &request.worktree {
        None => None,
        Some(folder) => match git.top_folder(folder).map_err(unavailable)? {
            Some(top) if git.main_folder(folder).map_err(unavailable)?.as_deref() == Some(repository) => {
                Some(top)
            }
            Some(_) | None => {
                let detail = format!("`{}` is no working tree of this repository", shown(folder));
                let hint = "make one with `git worktree add --detach PATH`, or let the worker make its own";
                return Ok(Err(refused("landing_worktree_foreign", &detail, hint)));
            }
        },
    };
    if let Some(top) = named.filter(|top| top != repository) {
        let is_own = top.starts_with(own_trees(repository));
        return Ok(Ok((top, is_own)));
    }
    let tree = own_trees(repository).join(worker);
    if git.top_folder(&tree).map_err(unavailable)?.as_deref() != Some(tree.as_path()) {
        let head = git.resolve(repository, "HEAD").map_err(unavailable)?;
        let Some(head) = head else {
            return Ok(Err(refused("landing_no_repository", "the repository has no commit", "`git commit`")));
        };
        git.clean_checkout(repository, &head, &tree).map_err(unavailable)?;
    }
    Ok(Ok((tree, true)))
}

/// Where working trees of workers are: `parser.worktrees` beside `parser`.
pub(super) fn own_trees(repository: &Path) -> PathBuf {
    let name = repository.file_name().unwrap_or_default().to_string_lossy().into_owned();
    repository.with_file_name(format!("{name}.worktrees"))
}

pub(super) fn refused(class: &str, detail: &str, hint: &str) -> Refused {
    Refused { class: class.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() }
}

/// Git gives no answer where it must.
#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
pub(super) fn unavailable(error: VersionControlError) -> ActionError {
    ActionError::Unavailable {
        what: format!("environment_git: {error}"),
        hint: "`git status` in the repository says whether git works there".to_owned(),
    }
}
