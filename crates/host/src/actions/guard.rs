//! `guard.decide`: what becomes of what another agent is about to do, or has done.

use premath_kernel::Value;
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, token};
use crate::hook::{self, HookFormat};
use crate::table::{ActionError, Answer, Host};

/// What `guard.decide` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DecideArgs {
    /// Whose hook: `claude-code` or `codex`.
    format: String,
    /// The event, as it was sent.
    event: String,
    /// Other names of the root, such as one that goes over a link.
    #[serde(default)]
    roots: Vec<String>,
}

/// `guard.decide`
pub(crate) fn decide(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DecideArgs = arguments(args)?;
    let format = token(&args.format, "format", &HookFormat::ALL, HookFormat::token)?;
    let decision = hook::decide(host, format, &args.roots, &args.event)?;
    match &decision.code {
        Some(code) => Answer::refused(code, &decision),
        None => Answer::new("accepted", &decision),
    }
}
