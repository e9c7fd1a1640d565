//! Guards outside: a program, a service, or a tool of another server. One document goes there, one answer comes back, within a deadline.
//!
//! Whatever goes wrong on the way is a typed error, and every one of them denies.

mod answer;
mod command;
mod document;
mod http;
mod mcp;
#[cfg(test)]
mod tests;

use premath_tusk::policy::{Guard, GuardSubject, GuardrailStage, SelfTestFailure};

pub use self::command::{CommandGuard, CommandGuardSettings, GuardNetwork};
pub use self::http::{HttpGuard, HttpGuardError, HttpGuardSettings};
pub use self::mcp::{McpGuard, McpGuardSettings};

/// What a guard outside is tried with when nobody said what it must let pass.
const HARMLESS: &str = "premath tries this guard before it is needed; this text is harmless";

/// Has a guard look at what it must find, if anybody said what, and at what it must let pass.
fn self_test(
    guard: &dyn Guard,
    must_find: Option<&str>,
    must_pass: Option<&str>,
) -> Result<(), SelfTestFailure> {
    let failure = |what: String| SelfTestFailure { guard: guard.id().to_owned(), what };
    let stage = guard.stages().first().copied().unwrap_or(GuardrailStage::Input);
    let triggers = |text: &str| {
        let answer = guard.check(&GuardSubject { stage, tool: None, text, paths: &[] });
        answer.map(|report| report.is_triggered()).map_err(|error| failure(error.to_string()))
    };
    if triggers(must_pass.unwrap_or(HARMLESS))? {
        return Err(failure("the harmless sample was taken for something".to_owned()));
    }
    match must_find {
        Some(text) if !triggers(text)? => Err(failure("the sample it must find was not found".to_owned())),
        Some(_) | None => Ok(()),
    }
}
