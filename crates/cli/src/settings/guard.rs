//! `[guard]`: what the hook for other agents may count on. Only the person's own file says it: a repository that vouches for a
//! sandbox would switch the guard off for whoever clones it. A key that means nothing is refused.

use std::borrow::Cow;

use premath_host::AgentSandbox;
use toml::Spanned;
use toml::de::DeValue;

use super::field::Field;
use super::{Owner, Reading, echo};
use crate::error::CliError;

/// Takes one key of `[guard]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = key.get_ref().as_ref();
    let field = Field { place, owner, value, path: format!("$.guard.{}", echo(name)) };
    if name != "agent_sandbox" {
        return Err(field.refused("there is no such key; docs/reference/configuration.md has all"));
    }
    if owner == Owner::Repository {
        return Err(
            field.refused("a repository cannot vouch for the sandbox of an agent; say this in your own file")
        );
    }
    let sandbox = field.word(&AgentSandbox::ALL, AgentSandbox::token)?;
    reading.loaded.settings.agent_sandbox = field.setting(sandbox);
    Ok(())
}
