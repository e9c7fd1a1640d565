//! What the result row of a command must name, whatever became of it: where, behind which walls, what.
//!
//! A command that was refused has a row too, so this is worked out from the call alone. It must not depend on the machine:
//! equal calls of equal runs have equal rows.

use std::path::Path;
use std::time::Duration;

use premath_kernel::{Digest, Object};
use serde_json::Value;

use crate::evidence::ShellRow;
use crate::tools::work_path::WorkPath;

impl ShellRow {
    /// The row of a call of `shell`, whatever its arguments are: also of one that its schema or a policy refused.
    #[must_use]
    pub fn of(arguments: &Value, workdir: &Path, profile: &str, most: Duration) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let named = text("workdir").unwrap_or_default();
        let folder = WorkPath::read(named, workdir).ok();
        let timeout = timeout(arguments.get("timeout_seconds").and_then(Value::as_f64), most);
        let command = Object::fields()
            .field("command", text("command").unwrap_or_default())
            .field("profile", profile)
            .field("timeoutMs", u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX))
            .field("workdir", folder.as_ref().map_or(named, WorkPath::as_str));
        let command_digest = Digest::of(&command.finish()).as_str().to_owned();
        let workdir = folder.unwrap_or_else(WorkPath::root).as_str().to_owned();
        Self { workdir, profile: profile.to_owned(), command_digest, observed: None }
    }
}

/// How long a command may take: what was asked for, where the run allows it.
pub(super) fn timeout(seconds: Option<f64>, most: Duration) -> Duration {
    let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    asked.map_or(most, |asked| asked.min(most))
}
