//! What the result row of a command must name, whatever became of it: where, behind which walls, what.
//!
//! A command that was refused has a row too, so this is worked out from the call alone. It must not depend on the machine:
//! equal calls of equal runs have equal rows.

use std::time::Duration;

use premath_kernel::{Digest, Object};
use serde_json::Value;

use crate::tools::context::ToolContext;
use crate::tools::work_path::WorkPath;

/// What the result row of a command must name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellRow {
    /// The folder below the workdir of the run; `.` is that itself. A call that named none we can read ran nowhere, and
    /// has `.`.
    pub workdir: String,
    /// The profile of the sandbox.
    pub profile: &'static str,
    /// The digest of the command line, the folder as it was named, the profile and the time-out.
    pub command_digest: Digest,
}

impl ShellRow {
    /// The row of a call of `shell`, whatever its arguments are: also of one that its schema or a policy refused.
    #[must_use]
    pub fn of(arguments: &Value, context: &ToolContext<'_>) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let named = text("workdir").unwrap_or_default();
        let workdir = WorkPath::read(named, context.workdir).ok();
        let profile = context.profile.as_str();
        let timeout = timeout(arguments.get("timeout_seconds").and_then(Value::as_f64), context.limits.wall);
        let command = Object::fields()
            .field("command", text("command").unwrap_or_default())
            .field("profile", profile)
            .field("timeoutMs", u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX))
            .field("workdir", workdir.as_ref().map_or(named, WorkPath::as_str));
        let command_digest = Digest::of(&command.finish());
        let workdir = workdir.unwrap_or_else(WorkPath::root).as_str().to_owned();
        Self { workdir, profile, command_digest }
    }
}

/// How long a command may take: what was asked for, where the run allows it.
pub(super) fn timeout(seconds: Option<f64>, most: Duration) -> Duration {
    let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    asked.map_or(most, |asked| asked.min(most))
}
