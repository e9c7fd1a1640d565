//! What is to be run, where, and within which limits.

use std::path::PathBuf;
use std::time::Duration;

/// Which walls stand around a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Reads the workdir and the system; writes only to a private temporary folder; no network.
    ReadOnly,
    /// Also writes the workdir, but for its protected paths; no network.
    WorkspaceWrite,
    /// As `WorkspaceWrite`, with TCP and DNS to the outside.
    Network,
    /// As `WorkspaceWrite`, inside user, mount, pid and network namespaces, which are required.
    Isolated,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::WorkspaceWrite, Self::Network, Self::Isolated];

    /// The name that configuration and evidence use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Network => "network",
            Self::Isolated => "isolated",
        }
    }

    /// Whether it hides the history of a repository together with its files.
    #[must_use]
    pub const fn hides_history(self) -> bool {
        match self {
            Self::Isolated => true,
            Self::ReadOnly | Self::WorkspaceWrite | Self::Network => false,
        }
    }
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCommand {
    /// The program: a path, or a name that is looked up in the sandbox's own `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs. It must exist.
    pub workdir: PathBuf,
    /// The walls.
    pub profile: Profile,
    /// Variables it is given beside the few that every command gets. Nothing else of our environment reaches it.
    pub environment: Vec<(String, String)>,
    /// What it reads on standard input.
    pub stdin: Vec<u8>,
    /// How much it may use.
    pub limits: ExecutionLimits,
    /// What it may read of premath's own folder.
    pub state: StateAccess,
}

/// What a command may read of `.premath` in its workdir: journals, desk, approvals and audit are data of other scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateAccess {
    /// These files, relative to the workdir, and nothing else.
    Files(Vec<String>),
    /// Everything, for commands that premath itself chose.
    All,
}

impl Default for StateAccess {
    fn default() -> Self {
        Self::Files(Vec::new())
    }
}

/// How much a command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecutionLimits {
    /// Wall time.
    pub wall: Duration,
    /// Processor time of one process.
    pub cpu: Duration,
    /// Address space of one process, in bytes.
    pub memory: u64,
    /// Processes of the whole tree.
    pub processes: u64,
    /// The largest file it may write, in bytes.
    pub file_size: u64,
    /// Disk space that the whole tree may take, in bytes.
    pub disk: u64,
    /// Open descriptors of one process.
    pub descriptors: u64,
    /// How much of each of standard output and standard error is kept, in bytes.
    pub output: u64,
}

impl Default for ExecutionLimits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self {
            wall: Duration::from_secs(120),
            cpu: Duration::from_secs(120),
            memory: 4 * GIB,
            processes: 512,
            file_size: 2 * GIB,
            disk: 8 * GIB,
            descriptors: 1024,
            output: 256 * 1024,
        }
    }
}
