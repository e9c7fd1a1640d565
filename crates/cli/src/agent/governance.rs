//! What governs runs at this terminal: the rules of the repository or ours, the guards, and the credential of the person.
//!
//! Rules that cannot be loaded deny everything, and say why. It must not decide anything itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::desk::PersonCredential;
use premath_guards::{
    CommandGuard, CommandGuardSettings, GuardSettings, HttpGuard, HttpGuardSettings, McpGuard,
    McpGuardSettings, built_in,
};
use premath_host::ActionError;
use premath_kernel::Digest;
use premath_rules::{DenyAll, RulePack};
use premath_tusk::policy::{Governor, Guard, Guards, Rules};
use premath_tusk::sandbox::Sandbox;
use premath_tusk::tools::ToolSpec;
use premath_tusk::tools::foreign::ForeignTools;

use super::rule_files::{GUARDRAILS, sources};
use crate::settings::{GuardrailSettings, OutsideGuard, Reached};
use crate::system;

/// What the sandbox sets for every command in it.
pub(crate) const STEP_TOKEN: &str = "PREMATH_STEP_TOKEN";

/// The governor of a repository for a run with these tools.
pub(crate) fn governor(
    root: &Path,
    settings: &GuardSettings,
    outside: Vec<Arc<dyn Guard>>,
    tools: &[ToolSpec],
) -> Result<Arc<Governor>, ActionError> {
    let packaged = system::read_optional(&root.join(GUARDRAILS)).map_err(|error| unusable(&error.message))?;
    let settings = with_package(settings.clone(), packaged.as_deref().map(str::as_bytes))?;
    // Neither needs the other, and whoever calls from a hook waits for both.
    let (rules, guards) = std::thread::scope(|scope| {
        let loading = scope.spawn(|| rules(root, tools));
        let guards = guards_of(&settings).map(|mut guards| {
            guards.extend(outside);
            Guards::boot(guards)
        });
        let broken = |_| -> Arc<dyn Rules> {
            Arc::new(DenyAll::new("policies/governor", "they broke while they were loaded"))
        };
        (loading.join().unwrap_or_else(broken), guards)
    });
    Ok(Arc::new(Governor::new(rules, guards?)))
}

fn unusable(why: &str) -> ActionError {
    ActionError::Unavailable {
        what: format!("the guards cannot be set up: {why}"),
        hint: "mend [guardrails] in premath.toml, or guardrails.json of the policy package".to_owned(),
    }
}

/// Settings with what a package asks for beyond them.
pub(crate) fn with_package(
    settings: GuardSettings,
    document: Option<&[u8]>,
) -> Result<GuardSettings, ActionError> {
    match document {
        None => Ok(settings),
        Some(document) => settings.with_package(document).map_err(|error| unusable(&error.to_string())),
    }
}

/// The guards that settings ask for.
pub(crate) fn guards_of(settings: &GuardSettings) -> Result<Vec<Arc<dyn Guard>>, ActionError> {
    let guards = built_in(settings).map_err(|error| unusable(&error.to_string()))?;
    Ok(guards.into_iter().map(Arc::from).collect())
}

/// What guards outside are asked through.
pub(crate) struct Ways<'w> {
    /// Where programs run.
    pub(crate) workdir: &'w Path,
    /// What they run in.
    pub(crate) sandbox: &'w Arc<dyn Sandbox>,
    /// Other servers.
    pub(crate) servers: &'w Arc<dyn ForeignTools>,
    /// What the person approved of a tool of one of them.
    pub(crate) pin: &'w dyn Fn(&str, &str) -> Result<Option<Digest>, ActionError>,
}

/// The guards outside that the configuration names.
pub(crate) fn outside(
    settings: &GuardrailSettings,
    ways: &Ways<'_>,
) -> Result<Vec<Arc<dyn Guard>>, ActionError> {
    settings.outside.iter().map(|guard| reached(&guard.value, ways)).collect()
}

fn reached(guard: &OutsideGuard, ways: &Ways<'_>) -> Result<Arc<dyn Guard>, ActionError> {
    let (must_find, must_pass) = (guard.must_find.clone(), guard.must_pass.clone());
    match &guard.reached {
        Reached::Program(program, arguments) => {
            let settings = CommandGuardSettings {
                arguments: arguments.clone(),
                actions: guard.actions,
                deadline: guard.deadline,
                must_find,
                must_pass,
                ..CommandGuardSettings::new(guard.name.as_str(), program.as_str(), ways.workdir.to_path_buf())
            };
            Ok(Arc::new(CommandGuard::new(settings, Arc::clone(ways.sandbox))))
        }
        Reached::Tool(server, tool) => {
            let settings = McpGuardSettings {
                pin: (ways.pin)(server, tool)?,
                actions: guard.actions,
                deadline: guard.deadline,
                must_find,
                must_pass,
                ..McpGuardSettings::new(guard.name.as_str(), server.as_str(), tool.as_str())
            };
            Ok(Arc::new(McpGuard::new(settings, Arc::clone(ways.servers))))
        }
        Reached::Service(url) => {
            let settings = HttpGuardSettings {
                actions: guard.actions,
                deadline: guard.deadline,
                must_find,
                must_pass,
                ..HttpGuardSettings::new(guard.name.as_str(), url.as_str())
            };
            match HttpGuard::new(settings) {
                Ok(guard) => Ok(Arc::new(guard)),
                Err(error) => Err(ActionError::Unavailable {
                    what: error.to_string(),
                    hint: "mend [[guardrails.http]] in the configuration; `premath config show` says where it is"
                        .to_owned(),
                }),
            }
        }
    }
}

/// The rules that a repository has, or ours. What cannot be read or loaded denies everything.
pub(crate) fn rules(root: &Path, tools: &[ToolSpec]) -> Arc<dyn Rules> {
    let sources = match sources(root) {
        Ok(sources) => sources,
        Err((file, why)) => return Arc::new(DenyAll::new(&file, &why)),
    };
    match RulePack::load(&sources, tools) {
        Ok(pack) => Arc::new(pack),
        Err(errors) => Arc::new(DenyAll::from(&errors)),
    }
}

/// What the person at this terminal signs with. It is made where there is none yet; a process that premath started for a
/// step is never a person, and has none. It must not lie in what tools reach.
pub(crate) fn credential(reached: &[PathBuf]) -> Result<Option<PersonCredential>, ActionError> {
    if system::is_set(STEP_TOKEN) {
        return Ok(None);
    }
    let Some(secret) = system::person_secret(reached).map_err(|error| ActionError::Unavailable {
        what: format!("the credential of the person cannot be used: {error}"),
        hint: "it is a file of 32 bytes in the state folder of premath, readable by you and by no tool"
            .to_owned(),
    })?
    else {
        return Ok(None);
    };
    let name = system::variable("USER").or_else(|| system::variable("LOGNAME"));
    Ok(Some(PersonCredential::new(name.unwrap_or_else(|| "operator".to_owned()), secret)))
}
