//! What whoever builds a sandbox says about it. Defaults give the least.

use std::path::PathBuf;

/// How commands are run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxConfig {
    /// The program that is started again as the helper: one whose `main` calls [`crate::helper_entry`] first.
    pub helper: PathBuf,
    /// More paths that stay read-only, relative to the workdir; and absolute ones, where they lie below it and are there.
    pub extra_protected: Vec<PathBuf>,
    /// More folders and files that every command may read and execute, such as a toolchain below a home.
    pub readable: Vec<PathBuf>,
    /// More folders that commands of the writable profiles may write.
    pub writable: Vec<PathBuf>,
    /// Unix sockets of the workdir that commands may connect to, relative to it or absolute. Without any, commands have no
    /// Unix sockets.
    pub sockets: Vec<PathBuf>,
    /// The TCP ports that the `network` profile may connect to; any when `None`.
    pub connect_ports: Option<Vec<u16>>,
    /// Why an operator lets commands run where the platform has no sandbox at all. It opens nothing where it has one.
    pub operator_override: Option<String>,
}
