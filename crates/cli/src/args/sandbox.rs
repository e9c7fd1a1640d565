//! `sandbox check` and `sandbox run`, as they are typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Format;

/// Arguments of `sandbox`.
#[derive(Debug, Args)]
pub(crate) struct SandboxArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: SandboxVerb,
}

impl SandboxArgs {
    /// Why a command may run where the platform has no sandbox.
    pub(crate) fn without_sandbox(&self) -> Option<&str> {
        match &self.verb {
            SandboxVerb::Check(_) => None,
            SandboxVerb::Run(args) => args.without_sandbox.as_deref(),
        }
    }
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxVerb {
    /// Try every layer and say what is enforced on this machine
    #[command(after_help = "Example:\n  premath sandbox check")]
    Check(SandboxCheckArgs),
    /// Run one command inside the sandbox
    #[command(
        after_help = "Example:\n  premath sandbox run -- cargo test\n  premath sandbox run --profile isolated --timeout 10 -- sh -c 'ls; id'\n\n\
                      Ends with 0 when the command did, with 1 when it failed or was refused; --json has its exit code."
    )]
    Run(Box<SandboxRunArgs>),
}

/// Arguments of `sandbox check`.
#[derive(Debug, Args)]
pub(crate) struct SandboxCheckArgs {
    /// Report what is missing without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `sandbox run`.
#[derive(Debug, Args)]
pub(crate) struct SandboxRunArgs {
    /// Which walls stand around the command
    #[arg(long, value_enum, default_value_t = ProfileName::WorkspaceWrite)]
    pub(crate) profile: ProfileName,
    /// Where it runs; the current folder when nothing is said
    #[arg(long, value_name = "FOLDER")]
    pub(crate) workdir: Option<PathBuf>,
    /// Seconds until it is ended with everything it started
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,
    /// A variable it is given; nothing else of this environment reaches it
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) env: Vec<(String, String)>,
    /// What it reads on standard input; - passes ours on
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin: Option<PathBuf>,
    /// How many bytes of each output are kept; more lose their middle
    #[arg(long, value_name = "BYTES")]
    pub(crate) output_bytes: Option<u64>,
    /// How much memory one process may use
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory_bytes: Option<u64>,
    /// How much disk space it may take before it is killed [default: 8 GiB]
    #[arg(long, value_name = "BYTES")]
    pub(crate) disk_bytes: Option<u64>,
    /// How many processes it may be
    #[arg(long, value_name = "COUNT")]
    pub(crate) processes: Option<u64>,
    /// Run it without walls where this platform has none, and why; recorded in the evidence
    #[arg(long, value_name = "REASON")]
    pub(crate) without_sandbox: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}

/// The profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// Reads the folder and the system, writes only its own temporary folder, no network
    ReadOnly,
    /// Also writes the folder, but for what is protected in it
    WorkspaceWrite,
    /// Also reaches servers over TCP
    Network,
    /// As workspace-write, in namespaces of its own
    Isolated,
}

impl ProfileName {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Network => "network",
            Self::Isolated => "isolated",
        }
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "it must be NAME=VALUE".to_owned())?;
    if name.is_empty() {
        return Err("the name must not be empty".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Seconds with up to three decimals, in milliseconds.
fn seconds(text: &str) -> Result<u64, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        if !digits(whole) || !digits(part) || part.len() > 3 {
            return None;
        }
        let part: u64 = format!("{part:0<3}").parse().ok()?;
        whole.parse::<u64>().ok()?.checked_mul(1_000)?.checked_add(part).filter(|millis| *millis > 0)
    };
    read().ok_or_else(|| "it must be a number of seconds above 0, such as 30 or 0.5".to_owned())
}
