//! Why a command did not run. A refusal is told apart from an accident.

use std::path::PathBuf;

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A layer that the profile requires cannot be put up here.
    #[error("the profile `{profile}` requires `{layer}`, which this system does not give: {detail}")]
    LayerUnavailable {
        /// The profile.
        profile: String,
        /// The layer.
        layer: String,
        /// What the system said.
        detail: String,
    },
    /// This platform has no sandbox at all, and no operator allowed to run without one.
    #[error("this platform has no sandbox")]
    NoSandbox,
    /// The folder to run in is not one.
    #[error("the workdir `{}` cannot be used: {detail}", path.display())]
    Workdir {
        /// The folder.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// The program is not there or not a program.
    #[error("`{program}` cannot be started: {detail}")]
    Program {
        /// The program.
        program: String,
        /// Why.
        detail: String,
    },
    /// Something in the request is not one.
    #[error("the command is invalid: {detail}")]
    Invalid {
        /// What.
        detail: String,
    },
    /// The system failed in the middle of it; whatever ran was killed.
    #[error("{doing}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}
