//! The walls, by name, and which profile cannot do without which.

use premath_tusk::sandbox::Profile;
use serde::{Deserialize, Serialize};

/// One wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Layer {
    /// Bounding set dropped where the system lets us, every other set empty.
    Capabilities,
    /// No variable of ours but a short list.
    Environment,
    /// Nothing open but standard input, output and error.
    Descriptors,
    /// Files, TCP and the scopes.
    Landlock,
    /// Own mounts.
    MountNamespace,
    /// No network but the one inside.
    NetworkNamespace,
    /// Set-user-id programs give nothing.
    NoNewPrivileges,
    /// Own process numbers; the tree ends with its first process.
    PidNamespace,
    /// Paths of the workdir that stay as they are.
    ProtectedPaths,
    /// Processor time, memory, processes, file size, descriptors, no core files.
    ResourceLimits,
    /// The filter of system calls.
    Seccomp,
    /// Own session without a terminal.
    Session,
    /// Not user 0.
    UnprivilegedUser,
    /// Own users.
    UserNamespace,
}

impl Layer {
    /// Every layer.
    pub(crate) const ALL: [Self; 14] = [
        Self::Capabilities,
        Self::Environment,
        Self::Descriptors,
        Self::Landlock,
        Self::MountNamespace,
        Self::NetworkNamespace,
        Self::NoNewPrivileges,
        Self::PidNamespace,
        Self::ProtectedPaths,
        Self::ResourceLimits,
        Self::Seccomp,
        Self::Session,
        Self::UnprivilegedUser,
        Self::UserNamespace,
    ];

    /// The name that reports and evidence use.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Capabilities => "capabilities",
            Self::Environment => "environment",
            Self::Descriptors => "descriptors",
            Self::Landlock => "landlock",
            Self::MountNamespace => "mount-namespace",
            Self::NetworkNamespace => "network-namespace",
            Self::NoNewPrivileges => "no-new-privileges",
            Self::PidNamespace => "pid-namespace",
            Self::ProtectedPaths => "protected-paths",
            Self::ResourceLimits => "resource-limits",
            Self::Seccomp => "seccomp",
            Self::Session => "session",
            Self::UnprivilegedUser => "unprivileged-user",
            Self::UserNamespace => "user-namespace",
        }
    }

    /// Whether it is one of the namespaces, which only `isolated` cannot do without.
    pub(crate) const fn is_namespace(self) -> bool {
        match self {
            Self::MountNamespace | Self::NetworkNamespace | Self::PidNamespace | Self::UserNamespace => true,
            Self::Capabilities
            | Self::Environment
            | Self::Descriptors
            | Self::Landlock
            | Self::NoNewPrivileges
            | Self::ProtectedPaths
            | Self::ResourceLimits
            | Self::Seccomp
            | Self::Session
            | Self::UnprivilegedUser => false,
        }
    }

    /// The profiles that refuse to run without it.
    pub(crate) fn required_by(self) -> Vec<Profile> {
        if self == Self::UnprivilegedUser {
            Vec::new()
        } else if self.is_namespace() {
            vec![Profile::Isolated]
        } else {
            Profile::ALL.to_vec()
        }
    }
}
