//! Processes and the OS sandbox around them; the one resolver of file names below a root.
//!
//! A layer that a profile requires and the system lacks refuses the command. Nothing here may run a command with fewer
//! walls than its evidence says. How each wall stands: docs/adr/0009.

#[cfg(target_os = "linux")]
mod beneath;
mod capture;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod check;
mod clock;
#[cfg(target_os = "linux")]
mod companion;
mod config;
mod digest;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod extra;
mod git;
mod git_content;
mod git_merge_driver;
mod git_worktrees;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod hidden;
mod layer;
#[cfg(target_os = "linux")]
mod linux;
mod own_child;
#[cfg(target_os = "linux")]
mod placeholder;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod private_folder;
#[cfg(target_os = "linux")]
mod process_group;
#[cfg(target_os = "linux")]
mod protected;
#[cfg(target_os = "linux")]
mod raw;
#[cfg(target_os = "linux")]
mod readable;
mod request;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod work_files;
#[cfg(target_os = "linux")]
mod work_tree;
mod worktree;

#[cfg(target_os = "linux")]
pub use beneath::{Access, Beneath, Entry, PathError};
#[cfg(target_os = "linux")]
pub use companion::{Companion, CompanionCommand, CompanionStreams};
pub use config::SandboxConfig;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{OsSandbox, helper_entry};
pub use git::GitCommand;
pub use git_content::{CommittedVersion, committed_versions};
pub use git_merge_driver::{MERGE_DRIVER, MergeDriverState, install_merge_driver, merge_driver_state};
pub use git_worktrees::{Removal, Worktree, WorktreeError};
#[cfg(target_os = "linux")]
pub use helper::helper_entry;
#[cfg(target_os = "linux")]
pub use linux::OsSandbox;
pub use own_child::{ChildEnd, run_own_child};
#[cfg(target_os = "linux")]
pub use protected::protected_paths;
pub use worktree::{git_common_folder, has_git};
