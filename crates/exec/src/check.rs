//! The self-test: the helper runs behind the walls of every profile and tries each of them.
//!
//! A layer counts as enforced only when something it forbids was tried and refused.

use std::collections::BTreeMap;
use std::os::unix::fs::{DirBuilderExt as _, chown};
use std::path::Path;
use std::time::Duration;

use nix::unistd::geteuid;
use premath_tusk::sandbox::{
    Ending, ExecutionLimits, Interrupt, LayerReport, LayerState, Profile, SandboxCommand, SandboxError,
    SandboxReport, StateAccess,
};

use crate::helper::{Trial, TrialReport};
use crate::layer::Layer;
use crate::linux::OsSandbox;
use crate::plan::{Identity, Inside};
use crate::private_folder::PrivateFolder;

/// The user that owns nothing, by convention.
const NOBODY: u32 = 65534;

/// What came of the profiles.
type Tried = BTreeMap<Profile, Result<TrialReport, SandboxError>>;

/// Tries every layer of every profile.
pub(crate) fn check(sandbox: &OsSandbox) -> Result<SandboxReport, SandboxError> {
    let system = |source| SandboxError::System { doing: "preparing the self-test".to_owned(), source };
    let base = PrivateFolder::base().map_err(system)?;
    // User 0 tries with a workdir of somebody else, so that not being user 0 is tried too.
    let owner = geteuid().is_root().then_some(Identity { user: NOBODY, group: NOBODY });
    let folder = PrivateFolder::make(&base, owner).map_err(system)?;
    let workdir = folder.path().to_path_buf();
    for inner in [".git", ".git/hooks", ".git/objects", ".git/objects/pack", "sub"] {
        let inner = workdir.join(inner);
        std::fs::DirBuilder::new().mode(0o755).create(&inner).map_err(system)?;
        if let Some(owner) = owner {
            chown(inner, Some(owner.user), Some(owner.group)).map_err(system)?;
        }
    }
    let tried: Tried =
        Profile::ALL.into_iter().map(|profile| (profile, try_profile(sandbox, profile, &workdir))).collect();
    Ok(report(&tried))
}

fn try_profile(sandbox: &OsSandbox, profile: Profile, workdir: &Path) -> Result<TrialReport, SandboxError> {
    let command = SandboxCommand {
        program: "the self-test".to_owned(),
        arguments: Vec::new(),
        workdir: workdir.to_path_buf(),
        profile,
        environment: Vec::new(),
        stdin: Vec::new(),
        limits: ExecutionLimits { wall: Duration::from_secs(20), ..ExecutionLimits::default() },
        state: StateAccess::default(),
    };
    let run = sandbox.run_inside(Inside::Trial, &command, &Interrupt::default())?;
    let invalid = |detail: String| SandboxError::Invalid { detail };
    if run.ending != Ending::Exited(0) {
        return Err(invalid(format!("the self-test ended as {:?}", run.ending)));
    }
    let mut report: TrialReport =
        serde_json::from_slice(&run.stdout.head).map_err(|error| invalid(error.to_string()))?;
    // A profile is only asked about the layers it was run with.
    let enforced = |trial: &Trial| run.evidence.layers.iter().any(|name| name == trial.layer.as_str());
    report.trials.retain(enforced);
    Ok(report)
}

fn report(tried: &Tried) -> SandboxReport {
    let layers: Vec<LayerReport> = Layer::ALL.into_iter().map(|layer| of_layer(layer, tried)).collect();
    let usable = Profile::ALL.into_iter().filter(|profile| is_usable(*profile, tried)).collect();
    let reads_history =
        |profile: &Profile| matches!(tried.get(profile), Some(Ok(report)) if report.reads_history);
    let reading_history = Profile::ALL.into_iter().filter(reads_history).collect();
    SandboxReport { layers, usable, reading_history }
}

fn is_usable(profile: Profile, tried: &Tried) -> bool {
    tried.get(&profile).is_some_and(|trials| {
        let holds = |trials: &[Trial]| !trials.is_empty() && trials.iter().all(|trial| trial.held);
        trials.as_ref().is_ok_and(|report| holds(&report.trials))
    })
}

fn of_layer(layer: Layer, tried: &Tried) -> LayerReport {
    let trials: Vec<&Trial> = tried
        .values()
        .flatten()
        .flat_map(|report| &report.trials)
        .filter(|trial| trial.layer == layer)
        .collect();
    let broken = trials.iter().find(|trial| !trial.held);
    let (state, detail) = match (broken, trials.is_empty()) {
        (Some(trial), _) => (LayerState::Broken, format!("not so: {}", trial.detail)),
        (None, false) => (LayerState::Enforced, details(&trials)),
        (None, true) => (LayerState::Unavailable, why_not(layer, tried)),
    };
    LayerReport { layer: layer.as_str().to_owned(), state, required_by: layer.required_by(), detail }
}

fn details(trials: &[&Trial]) -> String {
    let mut all: Vec<&str> = Vec::new();
    for trial in trials {
        if !all.contains(&trial.detail.as_str()) {
            all.push(&trial.detail);
        }
    }
    all.join("; ")
}

/// What the system said about a layer, or what kept it from being tried.
fn why_not(layer: Layer, tried: &Tried) -> String {
    let refusals = || tried.values().filter_map(|trials| trials.as_ref().err());
    let own = refusals().find_map(|error| match error {
        SandboxError::LayerUnavailable { layer: named, detail, .. } if named == layer.as_str() => {
            Some(detail.clone())
        }
        SandboxError::LayerUnavailable { .. }
        | SandboxError::NoSandbox
        | SandboxError::Workdir { .. }
        | SandboxError::Program { .. }
        | SandboxError::Invalid { .. }
        | SandboxError::System { .. } => None,
    });
    own.or_else(|| refusals().next().map(|error| format!("not tried: {error}")))
        .unwrap_or_else(|| "no profile used it".to_owned())
}
