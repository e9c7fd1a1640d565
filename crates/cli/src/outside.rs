//! The sandbox that commands run in, from configuration and flags. Must not decide what it allows.

use std::path::{Path, PathBuf};

use premath_exec::{OsSandbox, SandboxConfig};

use crate::settings::SandboxSettings;
use crate::system;

/// What a command asks of the outside beyond the configuration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes<'a> {
    /// Where exchanges with models are kept.
    pub(crate) record: Option<&'a Path>,
    /// Why a command may run where the platform has no sandbox.
    pub(crate) without_sandbox: Option<&'a str>,
    /// The instruction that a change is linked to, and what to call the turn that asks for it.
    pub(crate) instruction: Option<(&'a str, Option<&'a str>)>,
    /// Whether the person named the root with `--root`.
    pub(crate) names_root: bool,
    /// Whether this process stays to answer the questions of its runs.
    pub(crate) answers_runs: bool,
}

/// The sandbox. Where this program cannot be found it cannot be its helper either, and every run is refused.
pub(crate) fn sandbox(settings: SandboxSettings, without_sandbox: Option<&str>) -> OsSandbox {
    let paths = |texts: Vec<String>| texts.into_iter().map(PathBuf::from).collect();
    OsSandbox::new(SandboxConfig {
        helper: system::own_program().unwrap_or_default(),
        extra_protected: settings.protected,
        readable: paths(settings.readable),
        writable: paths(settings.writable),
        sockets: paths(settings.sockets),
        connect_ports: None,
        operator_override: without_sandbox.map(ToOwned::to_owned),
    })
}
