//! Where issue memory may be: inside its repository, or where the person's own configuration allows it.
//!
//! A repository is somebody else's word, and a link in it too: every link is followed before a path is judged. It must not open
//! issue memory.

use std::path::Path;

use premath_host::{Layer, Settings};

use crate::agent::governance::STEP_TOKEN;
use crate::error::CliError;
use crate::exit::Exit;
use crate::system;

/// The class of the refusal.
const CLASS: &str = "issues.outside_repository";
/// What to do about it.
const HINT: &str = "keep issue memory inside the repository, or allow the place in your own configuration file: [issues] \
                    outside = [\"/path/to/issues.jsonl\"]";

/// Refuses a configured issue memory outside of its repository.
pub(super) fn check_configured(root: &Path, settings: &Settings) -> Result<(), CliError> {
    let named = &settings.issues_path;
    let path = root.join(&named.value);
    if is_allowed(root, &path, settings) {
        return Ok(());
    }
    let place = match &named.layer {
        Layer::File { name, line } => format!(" ({name}, line {line})"),
        Layer::Default | Layer::Environment { .. } => " (a link leads there)".to_owned(),
    };
    Err(refused(
        &format!("`{}` is outside the repository{place}", named.value.escape_debug()),
        "$.issues.path",
    ))
}

/// Refuses an issue memory that a flag names outside of the repository, unless a person typed it at a terminal.
pub(super) fn check_named(root: &Path, typed: &str, settings: &Settings) -> Result<(), CliError> {
    let is_person = || system::is_attended() && !system::is_set(STEP_TOKEN) && !system::is_below_an_agent();
    let is_blank = typed.trim().is_empty();
    // Without a repository there is nothing that it could be outside of.
    if is_blank
        || !system::is_repository(root)
        || is_allowed(root, Path::new(typed.trim()), settings)
        || is_person()
    {
        return Ok(());
    }
    let what = format!("`{}` is outside the repository, and no person typed it", typed.trim().escape_debug());
    Err(refused(&what, "$.issues"))
}

fn is_allowed(root: &Path, path: &Path, settings: &Settings) -> bool {
    system::is_below(root, path)
        || settings.issues_outside.value.iter().any(|allowed| system::is_below(Path::new(allowed), path))
}

fn refused(what: &str, path: &str) -> CliError {
    CliError {
        exit: Exit::Invalid,
        message: format!("{CLASS}: {what} at {path}"),
        hints: vec![HINT.to_owned()],
    }
}
