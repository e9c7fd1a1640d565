//! Whether a request shows what a turn expects, and if not, what it shows instead.

use premath_tusk::model::ToolOutcome;

use super::shown::{ShownPart, ShownRequest};
use crate::scenario::{Expectation, ExpectedResult};

/// How much of what was shown a message repeats, in characters.
const ECHO: usize = 200;

/// Checks everything that is expected; the first thing that is not so is the message.
pub(super) fn check(expect: &Expectation, shown: &ShownRequest) -> Result<(), String> {
    contains("user text", expect.user_contains.as_deref(), shown.newest_user_text())?;
    contains("system text", expect.system_contains.as_deref(), &shown.system)?;
    for tool in &expect.tools_include {
        if !shown.tools.contains(tool) {
            return Err(format!("expected tool `{tool}`, was shown `{}`", echo(&shown.tools.join(", "))));
        }
    }
    for tool in &expect.tools_exclude {
        if shown.tools.contains(tool) {
            return Err(format!("expected no tool `{tool}`, was shown `{}`", echo(&shown.tools.join(", "))));
        }
    }
    for result in &expect.tool_results {
        tool_result(result, shown)?;
    }
    match expect.messages {
        Some(wanted) if u64::try_from(shown.messages.len()) != Ok(wanted) => {
            Err(format!("expected {wanted} messages, was shown {}", shown.messages.len()))
        }
        Some(_) | None => Ok(()),
    }
}

fn contains(what: &str, wanted: Option<&str>, shown: &str) -> Result<(), String> {
    match wanted {
        Some(wanted) if !shown.contains(wanted) => {
            Err(format!("expected {what} with `{}`, was shown `{}`", echo(wanted), echo(shown)))
        }
        Some(_) | None => Ok(()),
    }
}

fn tool_result(wanted: &ExpectedResult, shown: &ShownRequest) -> Result<(), String> {
    let fits = |part: &ShownPart| match part {
        ShownPart::Text(_) => false,
        ShownPart::Result { id, content, outcome } => {
            wanted.id.as_ref().is_none_or(|wanted| wanted == id)
                && wanted.contains.as_ref().is_none_or(|wanted| content.contains(wanted.as_str()))
                && wanted.outcome.is_none_or(|wanted| outcome.is_none_or(|outcome| outcome == wanted))
        }
    };
    if shown.newest_parts().iter().any(fits) {
        return Ok(());
    }
    let results = shown.newest_parts().iter().filter_map(|part| match part {
        ShownPart::Text(_) => None,
        ShownPart::Result { id, content, outcome } => {
            Some(format!("{id}{}: {content}", outcome_name(*outcome)))
        }
    });
    let results: Vec<String> = results.collect();
    let id = wanted.id.as_deref().unwrap_or("any call");
    let text = wanted.contains.as_deref().unwrap_or_default();
    let outcome = outcome_name(wanted.outcome);
    Err(format!(
        "expected a result of {id}{outcome} with `{}`, was shown `{}`",
        echo(text),
        echo(&results.join(" | "))
    ))
}

fn outcome_name(outcome: Option<ToolOutcome>) -> &'static str {
    match outcome {
        Some(ToolOutcome::Ok) => " (ok)",
        Some(ToolOutcome::Error) => " (error)",
        None => "",
    }
}

/// The beginning of a text, on one line.
fn echo(text: &str) -> String {
    let mut characters = text.chars();
    let mut kept: String = characters
        .by_ref()
        .take(ECHO)
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}
