//! `[policy]`: in which role runs work, what a role may have at most, what a day may cost, who may observe.
//!
//! A repository may give less than a person does, never more. A key that means nothing is refused, since a misspelt ceiling
//! would be none.

use std::borrow::Cow;

use premath_host::{Layer, PolicySettings, Setting};
use premath_tusk::policy::Observability;
use toml::Spanned;
use toml::de::DeValue;

use super::field::{Field, Limit, MOST};
use super::{Owner, Reading, echo, is_name};
use crate::error::CliError;
use crate::exit::Exit;

/// A day: longer than that nobody remembers what the question was.
const LONGEST_WAIT: u64 = 86_400;
const UNKNOWN: &str = "there is no such key; docs/reference/configuration.md has all";

/// Takes one key of `[policy]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = key.get_ref().as_ref();
    let path = format!("$.policy.{}", echo(name));
    let settings = &mut reading.loaded.settings.policy;
    let field = Field { place, owner, value, path };
    match name {
        "role" => field.role(settings),
        "roles" => field.roles(settings),
        "observability" => field.observability(&mut settings.observability),
        "max_daily_tool_calls" => {
            let slot = &mut settings.daily_tool_calls;
            field.limit(Limit { slot, ceiling: None, least: 1, most: MOST })
        }
        "max_daily_cost_usd" => {
            let micros = field.dollars()?;
            field.lower(&mut settings.daily_cost_micros, None, micros)
        }
        "approval_seconds" => {
            let (slot, ceiling) = (&mut settings.approval_seconds, Some(PolicySettings::APPROVAL_SECONDS));
            field.limit(Limit { slot, ceiling, least: 1, most: LONGEST_WAIT })
        }
        _other => Err(field.refused(UNKNOWN)),
    }
}

/// Whether the role that runs work in is one that some file defines. Files define roles for each other, so this is asked
/// when all of them are read.
pub(super) fn check_role(settings: &PolicySettings) -> Result<(), CliError> {
    let Some(role) = &settings.role else { return Ok(()) };
    let Err(what) = settings.check_role(&role.value) else { return Ok(()) };
    let (place, mend) = match &role.layer {
        Layer::File { name, line } => (format!(" ({name}, line {line})"), format!("line {line} of {name}")),
        Layer::Environment { variable } => (format!(" (${variable})"), format!("${variable}")),
        Layer::Default => (String::new(), "`policy.role`".to_owned()),
    };
    Err(CliError {
        exit: Exit::Invalid,
        message: format!("input.field_invalid: {what}{place} at $.policy.role"),
        hints: vec![format!("mend {mend}, or say what the role may have: `policy.roles.<name>.scopes`")],
    })
}

/// How many see what is observed, from the fewest.
const fn audience(mode: Observability) -> u8 {
    match mode {
        Observability::Disabled => 0,
        Observability::InternalProcessor => 1,
        Observability::Dashboard => 2,
    }
}

/// Whether a pattern of scopes admits nothing that a ceiling does not.
fn is_within(pattern: &str, ceiling: &[String]) -> bool {
    let resource = |pattern: &str| pattern.split_once(':').map(|(resource, _)| format!("{resource}:*"));
    ceiling.iter().any(|above| above == "*" || above == pattern || resource(pattern).as_ref() == Some(above))
}

/// A scope, `resource:*` or `*`.
fn is_pattern(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && is_name(word);
    text == "*"
        || text
            .split_once(':')
            .is_some_and(|(resource, verb)| is_word(resource) && (verb == "*" || is_word(verb)))
}

impl Field<'_, '_> {
    fn role(&self, settings: &mut PolicySettings) -> Result<(), CliError> {
        let role = self.place.string(self.value, &self.path)?;
        self.role_name(role)?;
        if let (Owner::Repository, Some(ceiling)) = (self.owner, settings.ceiling()) {
            let other = settings.roles.get(role).map(|scopes| scopes.value.as_slice());
            let is_less = other.is_some_and(|other| other.iter().all(|one| is_within(one, ceiling)));
            if !is_less {
                let what = format!(
                    "a repository cannot take the role `{}`, which has more than yours; say this in your own file",
                    echo(role)
                );
                return Err(self.refused(&what));
            }
        }
        settings.role = Some(self.setting(role.to_owned()));
        Ok(())
    }

    fn role_name(&self, role: &str) -> Result<(), CliError> {
        if role.len() <= 64 && is_name(role) {
            return Ok(());
        }
        let what = format!("`{}` is not made of letters, digits, `.`, `_` and `-`", echo(role));
        Err(self.refused(&what))
    }

    fn roles(&self, settings: &mut PolicySettings) -> Result<(), CliError> {
        let wanted = "expected a table of roles, each with `scopes`";
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(wanted))?;
        for (key, value) in table {
            let role = key.get_ref().as_ref();
            self.role_name(role)?;
            let path = format!("{}.{}", self.path, echo(role));
            let of_role = Field { place: self.place, owner: self.owner, value, path };
            of_role.ceiling(role, settings)?;
        }
        Ok(())
    }

    fn ceiling(&self, role: &str, settings: &mut PolicySettings) -> Result<(), CliError> {
        let wanted = "expected `scopes`, a list such as [\"files:read\", \"desk:*\"]";
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(wanted))?;
        for (key, value) in table {
            let path = format!("{}.{}", self.path, echo(key.get_ref()));
            let field = Field { place: self.place, owner: self.owner, value, path };
            if key.get_ref() != "scopes" {
                return Err(field.refused(UNKNOWN));
            }
            let scopes = field.patterns(settings.roles.get(role))?;
            settings.roles.insert(role.to_owned(), scopes);
        }
        if settings.roles.contains_key(role) { Ok(()) } else { Err(self.refused(wanted)) }
    }

    fn patterns(&self, before: Option<&Setting<Vec<String>>>) -> Result<Setting<Vec<String>>, CliError> {
        let scopes = self.place.strings(self.value, &self.path)?;
        if let Some(bad) = scopes.iter().find(|scope| !is_pattern(scope)) {
            let what = format!("`{}` is no scope; `files:read`, `desk:*` and `*` are", echo(bad));
            return Err(self.refused(&what));
        }
        let before = before.filter(|_| self.owner == Owner::Repository);
        if let Some(more) =
            before.and_then(|before| scopes.iter().find(|scope| !is_within(scope, &before.value)))
        {
            let what =
                format!("a repository cannot give a role `{}`, which your own file does not", echo(more));
            return Err(self.refused(&what));
        }
        Ok(self.setting(scopes))
    }

    fn observability(&self, slot: &mut Option<Setting<Observability>>) -> Result<(), CliError> {
        let mode = self.word(&Observability::ALL, Observability::token)?;
        let before = slot.as_ref().map_or_else(Observability::default, |setting| setting.value);
        if self.owner == Owner::Repository && audience(mode) > audience(before) {
            let what = "a repository cannot let more be observed; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(mode));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
