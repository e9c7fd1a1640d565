//! What boot, step, stop and a worker are asked for, and what it means.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_bd::SessionStore;
use premath_bd::issues::{FileIssues, IssueStore as _};

use premath_kernel::{DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, MIN_TTL_SECONDS, Value};
use premath_tusk::sandbox::Interrupt;
use premath_wire::InputError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::active_issue::{self, Said};
use super::landing::LandingWishes;
use super::place::Place;
use super::scheme_work::read_program;
use crate::actions::issue::{arguments, invalid, told};
use crate::agent::RunRefused as Refused;
use crate::settings::{Baseline, LandMode};
use crate::table::{ActionError, Host};
use crate::workspace::{Workspace, shown};

/// How long a command may take when nobody says.
const DEFAULT_SECONDS: u64 = 1_800;

/// What they take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkArgs {
    /// Who works; the session of the repository itself when absent.
    worker_id: Option<String>,
    /// Where the work is done; the root when absent.
    worktree: Option<String>,
    /// What does the work: a shell command, `agent`, `agent:MODEL` or `scheme:FILE`.
    work_cmd: Option<String>,
    /// What says whether the work is done: a shell command.
    verify_cmd: Option<String>,
    /// The most steps.
    steps: Option<u64>,
    /// The instruction to work under; steps get their own when absent.
    instruction: Option<String>,
    /// How long a lease lasts, in seconds.
    ttl_seconds: Option<u64>,
    /// How long the work may take, in seconds.
    work_timeout: Option<u64>,
    /// How long a verification may take, in seconds.
    verify_timeout: Option<u64>,
    /// Where finished work goes: `off`, `branch`, `merge` or `push`; the configuration decides when absent.
    land: Option<String>,
    /// The branch that work lands on; the configuration decides when absent.
    target: Option<String>,
    /// `PREMATH_ACTIVE_ISSUE_ID`
    active_issue_id: Option<String>,
    /// `PREMATH_ISSUE_ID`
    issue_id: Option<String>,
    /// `PREMATH_HARNESS_SESSION_PATH`
    session_path: Option<String>,
}

/// What does the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkCommand {
    /// A command line for `sh`.
    Shell(String),
    /// The agent, with a model or the configured ones.
    Agent {
        /// Which.
        model: Option<String>,
    },
    /// A program over the host.
    Scheme {
        /// Its file, from the root of the repository.
        file: String,
    },
}

impl WorkCommand {
    fn read(text: &str) -> Self {
        if let Some(file) = text.strip_prefix("scheme:") {
            return Self::Scheme { file: file.trim().to_owned() };
        }
        match (text, text.strip_prefix("agent:")) {
            ("agent", _) => Self::Agent { model: None },
            (_, Some(model)) => Self::Agent { model: told(Some(model)).map(str::to_owned) },
            (line, None) => Self::Shell(line.to_owned()),
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct WorkRequest {
    pub(super) worker_id: Option<String>,
    pub(super) worktree: Option<PathBuf>,
    pub(super) work: Option<WorkCommand>,
    pub(super) verify: Option<String>,
    pub(super) steps: Option<u64>,
    pub(super) instruction: Option<String>,
    pub(super) ttl_seconds: u64,
    pub(super) work_limit: Duration,
    pub(super) verify_limit: Duration,
    pub(super) landing: LandingWishes,
    /// Whether each step verifies the base it begins from, so that the session need not look at how things stand.
    pub(super) verifies_base: bool,
    pub(super) active_issue_id: Option<String>,
    pub(super) issue_id: Option<String>,
    pub(super) session_path: Option<PathBuf>,
}

impl WorkRequest {
    /// Reads arguments.
    ///
    /// # Errors
    /// The first of them that cannot be read.
    pub fn read(args: &Value<'_>) -> Result<Self, InputError> {
        let args: WorkArgs = arguments(args)?;
        let text = |said: &Option<String>| told(said.as_deref()).map(str::to_owned);
        let seconds = |said: Option<u64>, name: &str| match said {
            None => Ok(Duration::from_secs(DEFAULT_SECONDS)),
            Some(0) => Err(invalid("expected at least one second", name)),
            Some(seconds) => Ok(Duration::from_secs(seconds)),
        };
        let ttl_seconds = args.ttl_seconds.unwrap_or(DEFAULT_TTL_SECONDS);
        if !(MIN_TTL_SECONDS..=MAX_TTL_SECONDS).contains(&ttl_seconds) {
            let what = format!("a lease lasts {MIN_TTL_SECONDS} to {MAX_TTL_SECONDS} seconds");
            return Err(invalid(what, "ttlSeconds"));
        }
        Ok(Self {
            worker_id: text(&args.worker_id),
            worktree: text(&args.worktree).map(PathBuf::from),
            work: text(&args.work_cmd).map(|line| WorkCommand::read(&line)),
            verify: text(&args.verify_cmd),
            steps: args.steps,
            instruction: text(&args.instruction),
            ttl_seconds,
            work_limit: seconds(args.work_timeout, "workTimeout")?,
            verify_limit: seconds(args.verify_timeout, "verifyTimeout")?,
            landing: LandingWishes { mode: land_mode(args.land.as_deref())?, target: text(&args.target) },
            verifies_base: false,
            active_issue_id: text(&args.active_issue_id),
            issue_id: text(&args.issue_id),
            session_path: text(&args.session_path).map(PathBuf::from),
        })
    }

    /// What landing for a person works with: no work, only a verification.
    pub(super) fn for_landing(verify: Option<String>, landing: LandingWishes) -> Self {
        let limit = Duration::from_secs(DEFAULT_SECONDS);
        Self {
            worker_id: None,
            worktree: None,
            work: None,
            verify,
            steps: None,
            instruction: None,
            ttl_seconds: DEFAULT_TTL_SECONDS,
            work_limit: limit,
            verify_limit: limit,
            landing,
            verifies_base: true,
            active_issue_id: None,
            issue_id: None,
            session_path: None,
        }
    }

    /// Reads arguments; without a verification, that of the configuration counts.
    ///
    /// # Errors
    /// The first of them that cannot be read.
    pub(super) fn read_in(workspace: &Workspace, args: &Value<'_>) -> Result<Self, InputError> {
        let mut request = Self::read(args)?;
        if let (None, Baseline::Command(command)) = (&request.verify, workspace.settings.baseline()) {
            request.verify = Some(command.to_owned());
        }
        Ok(request)
    }

    /// Work begins from a known state: something has to say what it is, or a person has to say that nothing does.
    pub(super) fn baseline_missing(&self, workspace: &Workspace) -> Option<Refused> {
        let is_missing = self.verify.is_none() && workspace.settings.baseline() == Baseline::Unset;
        is_missing.then(|| Refused {
            class: "session_baseline_missing".to_owned(),
            detail: "nothing says how things stand before any work".to_owned(),
            hint: "add `[session]` with `baseline = \"COMMAND\"` to premath.toml (`\"none\"` where there is nothing to \
                   check), or name a command with --verify-cmd"
                .to_owned(),
        })
    }

    /// The environment names an issue that is not there.
    pub(super) fn unknown_issue(&self, workspace: &Workspace) -> Result<Option<Refused>, ActionError> {
        let Some(id) = active_issue::named(self.said()) else { return Ok(None) };
        let store = FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None));
        Ok(store.view()?.find(&id)?.is_none().then(|| active_issue::unknown(&id)))
    }

    /// Whether somebody who was asked for this could begin: said before anything is started.
    ///
    /// # Errors
    /// Arguments that cannot be read, or something outside that is not there.
    pub fn check(host: &Host<'_>, args: &Value<'_>) -> Result<Option<Refused>, ActionError> {
        let request = Self::read_in(host.workspace, args)?;
        if let Some(missing) = request.baseline_missing(host.workspace) {
            return Ok(Some(missing));
        }
        request.commands()?;
        let unsupported = request.unsupported();
        if unsupported.is_none() {
            request.ready(host)?;
        }
        Ok(unsupported)
    }

    /// The issue that was named, in the environment or in the session; none where nobody named one.
    pub(super) fn bound(&self, workspace: &Workspace, place: &Place) -> Result<Option<String>, Refused> {
        let session = match &self.session_path {
            Some(path) => SessionStore::new(Arc::clone(&workspace.disk), path.clone()),
            None => place.session(workspace),
        };
        active_issue::bound(self.said(), &session)
    }

    fn said(&self) -> Said<'_> {
        Said { active: self.active_issue_id.as_deref(), issue: self.issue_id.as_deref() }
    }

    /// Two variables that name different issues.
    pub(super) fn contradiction(&self) -> Option<Refused> {
        active_issue::contradiction(self.said())
    }

    /// The issue that a failure would belong to.
    pub(super) fn active_issue(
        &self,
        workspace: &Workspace,
        place: &Place,
        ready: &[String],
    ) -> Result<String, Refused> {
        active_issue::active_issue(self.bound(workspace, place)?, ready)
    }

    /// Both commands, which a step cannot do without.
    pub(super) fn commands(&self) -> Result<(&WorkCommand, &str), InputError> {
        let work =
            self.work.as_ref().ok_or_else(|| invalid("a step needs something that works", "workCmd"))?;
        let verify = self
            .verify
            .as_deref()
            .ok_or_else(|| invalid("a step needs something that verifies", "verifyCmd"))?;
        Ok((work, verify))
    }

    /// Looks for what a step needs from outside, before anything is taken: its folder, a model where the agent works, a
    /// program where one does.
    ///
    /// # Errors
    /// What is not there.
    pub(super) fn ready(&self, host: &Host<'_>) -> Result<(), ActionError> {
        if let Some(worktree) = &self.worktree
            && host.workspace.disk.list(worktree).is_err()
        {
            return Err(ActionError::Unavailable {
                what: format!("worktree_missing: there is no folder `{}`", shown(worktree)),
                hint: "name a folder that exists".to_owned(),
            });
        }
        if let Some(WorkCommand::Agent { model }) = &self.work {
            let named = model.clone().map_or_else(|| host.agent.default_models(), |model| vec![model]);
            drop(host.agent.answers(&named)?);
        }
        if let Some(WorkCommand::Scheme { file }) = &self.work {
            drop(read_program(host.workspace, file)?);
        }
        Ok(())
    }

    /// What cannot be done at all, said before anything is taken.
    pub(super) fn unsupported(&self) -> Option<Refused> {
        let Some(WorkCommand::Scheme { file }) = &self.work else { return None };
        let is_own = Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
        (file.is_empty() || !is_own).then(|| Refused {
            class: "work_command_unsupported".to_owned(),
            detail: format!("`{file}` is no file of the repository"),
            hint: "name the program from the root of the repository, as in `scheme:work.scm`".to_owned(),
        })
    }
}

fn land_mode(said: Option<&str>) -> Result<Option<LandMode>, InputError> {
    let Some(name) = told(said) else { return Ok(None) };
    let allowed = LandMode::ALL.map(LandMode::token).join(", ");
    LandMode::named(name).map(Some).ok_or_else(|| invalid(format!("expected one of {allowed}"), "land"))
}

/// How whoever started it says that it is enough.
#[derive(Debug, Clone, Default)]
pub struct WorkWishes {
    /// Begin no other step.
    pub drain: Interrupt,
    /// End what runs, give back what is held, and go.
    pub abandon: Interrupt,
}
