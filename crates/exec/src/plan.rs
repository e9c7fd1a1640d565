//! What the parent tells the helper and what the helper answers, as strict JSON over their socket.
//!
//! The plan is complete: the helper decides nothing but whether it can be carried out.

use std::path::PathBuf;

use premath_tusk::sandbox::Profile;
use serde::{Deserialize, Serialize};

use crate::layer::Layer;
use crate::protected::Kind;

/// The descriptors that travel with a plan, in this order: standard input, output, error, and the workdir.
pub(crate) const DESCRIPTORS: usize = 4;

/// Everything the helper needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) walls: Walls,
    pub(crate) inside: Inside,
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// The command's own folder for temporary files.
    pub(crate) private: PathBuf,
    /// Where the command finds it.
    pub(crate) temporary: PathBuf,
    /// Protected paths that are absent.
    pub(crate) stand_ins: StandIns,
}

/// What is made for the length of a run so that absent protected paths can be held, relative to the workdir.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StandIns {
    /// Each absent path, and what stands in for it.
    pub(crate) paths: Vec<(PathBuf, Kind)>,
    /// Folders that have to be made above them.
    pub(crate) parents: Vec<PathBuf>,
}

/// What runs behind the walls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Inside {
    /// The program that the plan names.
    Program,
    /// The helper itself, to try the walls from inside.
    Trial,
}

/// What stands around the command. This, and what the helper found, is what the profile digest is taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Walls {
    pub(crate) profile: String,
    pub(crate) workdir: PathBuf,
    pub(crate) is_workdir_writable: bool,
    pub(crate) network: Network,
    pub(crate) with_namespaces: bool,
    /// Who the command runs as, when that is not who we are.
    pub(crate) identity: Option<Identity>,
    /// What may be read and executed beside the workdir, resolved.
    pub(crate) readable: Vec<PathBuf>,
    /// Links to recreate in a root of our own, such as `/bin`, and where they lead.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// What may be written beside the workdir, resolved.
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) guard: Guard,
    /// What stays as it is, relative to the workdir.
    pub(crate) protected: Vec<PathBuf>,
    /// Files that have nothing in them for the command, relative to the workdir.
    pub(crate) hidden: Vec<PathBuf>,
    /// Folders that have nothing in them for the command, relative to the workdir.
    pub(crate) hidden_folders: Vec<PathBuf>,
    /// What may be read of premath's own folder.
    pub(crate) state: State,
    /// Unix sockets of the workdir that may be connected to, relative to it. Without any there are no Unix sockets.
    pub(crate) sockets: Vec<PathBuf>,
    /// Whether the parent counts the processes of the tree in a control group.
    pub(crate) has_process_group: bool,
    pub(crate) limits: Limits,
}

/// What of the network is reachable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Network {
    /// Nothing.
    None,
    /// TCP to any port, and UDP, which names are resolved with.
    Any,
    /// TCP to these ports, and UDP.
    Ports(Vec<u16>),
}

/// What may be read of premath's own folder in the workdir.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// These files, relative to the workdir.
    Files(Vec<PathBuf>),
    /// Everything; also where the workdir has no such folder.
    All,
}

/// How protected paths are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Guard {
    /// Nothing of the workdir is writable.
    Unwritable,
    /// Each protected path exists and is mounted over itself, read-only.
    Mounts,
    /// Writing is granted to every other entry instead of the workdir: no new names at its top.
    Entries,
}

/// A user and a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    pub(crate) user: u32,
    pub(crate) group: u32,
}

/// How much one process, or the tree, may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) cpu_seconds: u64,
    pub(crate) memory: u64,
    pub(crate) processes: u64,
    pub(crate) file_size: u64,
    pub(crate) disk: u64,
    pub(crate) descriptors: u64,
}

/// What the helper says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Message {
    /// A wall could not be put up. Nothing ran.
    Refused(Refusal),
    /// The walls stand, but the program could not be started.
    NotStarted { detail: String },
    /// The program runs.
    Started(Facts),
    /// The program ended, and with it everything it started.
    Ended(Ended),
}

/// A wall that could not be put up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    pub(crate) layer: Layer,
    pub(crate) detail: String,
}

impl Refusal {
    /// A layer that failed while something was done.
    pub(crate) fn new(layer: Layer, doing: &str, error: impl std::fmt::Display) -> Self {
        Self { layer, detail: format!("{doing}: {error}") }
    }
}

/// What the walls came to here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    pub(crate) layers: Vec<Layer>,
    pub(crate) landlock_abi: u32,
    pub(crate) filter: String,
    pub(crate) user: u32,
    pub(crate) group: u32,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Whether it was ended because it took too much disk space.
    pub(crate) is_over_disk_limit: bool,
    pub(crate) user_microseconds: u64,
    pub(crate) system_microseconds: u64,
}

/// Whether a profile writes the workdir.
pub(crate) const fn writes_workdir(profile: Profile) -> bool {
    match profile {
        Profile::ReadOnly => false,
        Profile::WorkspaceWrite | Profile::Network | Profile::Isolated => true,
    }
}
