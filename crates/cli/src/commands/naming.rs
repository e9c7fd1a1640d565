//! Files that a command is told the names of: each is meant under the one name it has, and not over what has another meaning.

use std::path::Path;

use premath_host::{ActionError, Host, lane_checked};
use premath_wire::{InputClass, InputError, JsonPath};

use super::issues_place::check_named;
use crate::args::Store;
use crate::error::CliError;
use crate::exit::Exit;
use crate::system;

/// The issue memory that was named. Where a link leads to it, it is opened where it is: there are its locks.
pub(super) fn named_memory(host: &Host<'_>, store: &Store) -> Result<Option<String>, CliError> {
    let Some(typed) = store.issues.as_deref() else { return Ok(None) };
    check_named(&host.workspace.root, typed, &host.workspace.settings)?;
    settled(host, typed, "issues").map(Some)
}

/// The lane that was named for writing.
pub(super) fn lane_path(
    host: &Host<'_>,
    action: &str,
    typed: Option<&str>,
) -> Result<Option<String>, CliError> {
    let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else {
        return Ok(typed.map(str::to_owned));
    };
    let settled = settled(host, typed, "path")?;
    let root = &host.workspace.root;
    let seen = root.join(system::noted_path(root, &settled));
    lane_checked(host.workspace, action, &seen).map_err(|error| {
        let hint = "leave --path out for the lane of the repository, or name a file of its own";
        CliError { hints: vec![hint.to_owned()], ..CliError::action(ActionError::Input(error)) }
    })?;
    Ok(Some(settled))
}

/// A file under the one name it has: as it was typed where there is no link on the way.
fn settled(host: &Host<'_>, typed: &str, key: &str) -> Result<String, CliError> {
    let path = Path::new(typed.trim());
    let root = &host.workspace.root;
    let invalid = |what: String, hint: &str| {
        let error = InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(key));
        CliError { exit: Exit::Invalid, message: error.to_string(), hints: vec![hint.to_owned()] }
    };
    let behind = system::behind_links(root, path).map_err(|error| {
        let what = format!("`{}` is a link that cannot be followed: {error}", path.display());
        invalid(what, "name the file itself")
    })?;
    let names = system::names_of(path);
    if names > 1 {
        let what = format!("`{}` has {names} names, and every name a lock of its own", path.display());
        return Err(invalid(what, "remove the other hard links, or name a copy of the file"));
    }
    Ok(behind.map_or_else(|| typed.to_owned(), |found| root.join(found).to_string_lossy().into_owned()))
}
