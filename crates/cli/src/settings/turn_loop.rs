//! `[loop]`: what a run may use and how it works when the command line does not say.
//!
//! A repository may ask for less than a person allows, never for more: a limit is lowered, a wall is raised, a scope is
//! left out. A key that means nothing is refused here, since a misspelt limit would be none.

use std::borrow::Cow;

use premath_host::{CodeSettings, LoopSettings, Setting, UnpricedModels};
use premath_kernel::ActionMode;
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::{CodeLimits, ContextLimits, Limits, OnFull};
use toml::Spanned;
use toml::de::DeValue;

use super::field::{Field, Limit, MOST};
use super::{Owner, Reading, echo};
use crate::error::CliError;

/// Takes one key of `[loop]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = key.get_ref().as_ref();
    let path = format!("$.loop.{}", echo(name));
    let settings = &mut reading.loaded.settings.turn_loop;
    let field = Field { place, owner, value, path };
    match name {
        "action_mode" => {
            field.action_mode(&mut settings.action_mode)?;
        }
        "code" => return code(settings, &field),
        "autonomous" => settings.autonomous = Some(field.trigger()?),
        "checkpoint_before" => field.extend(&mut settings.checkpoint_before)?,
        "edit_surfaces" => field.edit_surfaces(&mut settings.edit_surfaces)?,
        "on_full" => settings.on_full = Some(field.on_full()?),
        "profile" => field.profile(&mut settings.profile)?,
        "scopes" => field.scopes(&mut settings.scopes)?,
        "unpriced" => field.unpriced(&mut settings.unpriced)?,
        "max_cost_usd" => {
            let micros = field.dollars()?;
            field.lower(&mut settings.max_cost_micros, Limits::standard().cost_micros, micros)?;
        }
        _ => match limit(settings, name) {
            Some(limit) => field.limit(limit)?,
            None => {
                return Err(field.refused("there is no such key; docs/reference/configuration.md has all"));
            }
        },
    }
    Ok(())
}

/// Takes `[loop.code]`.
fn code(settings: &mut LoopSettings, field: &Field<'_, '_>) -> Result<(), CliError> {
    let table = field.value.get_ref().as_table().ok_or_else(|| field.refused("expected a table"))?;
    for (key, value) in table {
        let path = format!("{}.{}", field.path, echo(key.get_ref()));
        let field = Field { place: field.place, owner: field.owner, value, path };
        match budget(&mut settings.code, key.get_ref()) {
            Some(limit) => field.limit(limit)?,
            None => {
                return Err(field.refused("there is no such key; docs/reference/configuration.md has all"));
            }
        }
    }
    Ok(())
}

/// The most steps of a program: nobody can interrupt it while it computes, so that it computes for seconds at most.
const MOST_FUEL: u64 = 200_000_000;

/// A budget of programs: what is usual is what a repository cannot go beyond.
fn budget<'s>(settings: &'s mut CodeSettings, name: &str) -> Option<Limit<'s>> {
    let usual = CodeLimits::standard();
    let (slot, ceiling, least, most) = match name {
        "calls" => (&mut settings.calls, usual.calls, 0, 100_000),
        "depth" => (&mut settings.depth, usual.depth, 100, 1_000_000),
        "fuel" => (&mut settings.fuel, usual.fuel, 1_000, MOST_FUEL),
        "memory" => (&mut settings.memory, usual.memory, 1 << 20, 4 << 30),
        "output" => (&mut settings.output, usual.output, 1_024, 64 << 20),
        "result_bytes" => (&mut settings.result_bytes, usual.result_bytes, 1_024, 1 << 20),
        _other => return None,
    };
    Some(Limit { slot, ceiling: Some(ceiling), least, most })
}

fn limit<'s>(settings: &'s mut LoopSettings, name: &str) -> Option<Limit<'s>> {
    let (limits, context) = (Limits::standard(), ContextLimits::standard());
    let minutes = limits.wall_millis.map(|millis| millis / 60_000);
    let (slot, ceiling, least, most) = match name {
        "max_turns" => (&mut settings.max_turns, limits.turns, 1, MOST),
        "max_tool_calls" => (&mut settings.max_tool_calls, limits.tool_calls, 1, MOST),
        "max_tokens" => (&mut settings.max_tokens, limits.tokens, 1, MOST),
        "max_minutes" => (&mut settings.max_minutes, minutes, 1, MOST / 60_000),
        "max_workers" => (&mut settings.max_workers, limits.workers, 0, MOST),
        "max_depth" => (&mut settings.max_depth, limits.depth, 0, MOST),
        "identical_calls" => (&mut settings.identical_calls, limits.identical_calls, 1, MOST),
        "checkpoint_every" => (&mut settings.checkpoint_every, limits.checkpoint_every, 1, MOST),
        "parallel" => (&mut settings.parallel, Some(limits.parallel), 1, 128),
        "answer_calls" => (&mut settings.answer_calls, Some(limits.answer_calls.unwrap_or(128)), 1, 128),
        "context_tokens" => (&mut settings.context_tokens, Some(context.max_tokens), 1, MOST),
        "result_bytes" => (&mut settings.result_bytes, Some(context.result_bytes), 1024, 4 << 20),
        "output_tokens" => (&mut settings.output_tokens, Some(context.output_tokens), 1, MOST),
        _other => return None,
    };
    Some(Limit { slot, ceiling, least, most })
}

/// How far a profile lets commands reach, from the least.
const fn reach(profile: Profile) -> u8 {
    match profile {
        Profile::ReadOnly => 0,
        Profile::Isolated => 1,
        Profile::WorkspaceWrite => 2,
        Profile::Network => 3,
    }
}

impl Field<'_, '_> {
    /// A program makes many calls before anybody sees what the first came to, so only a person says that a run has programs.
    fn action_mode(&self, slot: &mut Option<Setting<ActionMode>>) -> Result<(), CliError> {
        let mode = self.word(&ActionMode::ALL, ActionMode::token)?;
        let before = slot.as_ref().map(|setting| setting.value);
        if self.owner == Owner::Repository && mode == ActionMode::Code && before != Some(ActionMode::Code) {
            let what = "a repository cannot let models write programs; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(mode));
        Ok(())
    }

    fn trigger(&self) -> Result<Setting<String>, CliError> {
        const WANTED: &str = "expected { trigger = \"what was measured\" }";
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(WANTED))?;
        let mut trigger = None;
        for (key, value) in table {
            if key.get_ref() != "trigger" {
                return Err(self.refused(WANTED));
            }
            trigger = Some(self.place.string(value, &format!("{}.trigger", self.path))?.to_owned());
        }
        trigger.map(|trigger| self.setting(trigger)).ok_or_else(|| self.refused(WANTED))
    }

    fn extend(&self, slot: &mut Option<Setting<Vec<String>>>) -> Result<(), CliError> {
        let mut list = slot.take().map(|setting| setting.value).unwrap_or_default();
        let more = self.place.strings(self.value, &self.path)?;
        list.extend(more.into_iter().filter(|tool| !list.contains(tool)).collect::<Vec<_>>());
        *slot = Some(self.setting(list));
        Ok(())
    }

    fn on_full(&self) -> Result<Setting<OnFull>, CliError> {
        let text = self.place.string(self.value, &self.path)?;
        let known = OnFull::ALL.into_iter().find(|one| one.token() == text).ok_or_else(|| {
            let allowed = OnFull::ALL.map(OnFull::token).join(", ");
            self.refused(&format!("`{}` is none of {allowed}", echo(text)))
        })?;
        Ok(self.setting(known))
    }

    fn profile(&self, slot: &mut Option<Setting<Profile>>) -> Result<(), CliError> {
        let text = self.place.string(self.value, &self.path)?;
        let known = Profile::ALL.into_iter().find(|one| one.as_str() == text).ok_or_else(|| {
            let allowed = Profile::ALL.map(Profile::as_str).join(", ");
            self.refused(&format!("`{}` is none of {allowed}", echo(text)))
        })?;
        let before = slot.as_ref().map_or(LoopSettings::PROFILE, |setting| setting.value);
        if self.owner == Owner::Repository && reach(known) > reach(before) {
            let what = "a repository cannot let commands reach further; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(known));
        Ok(())
    }

    /// Both files may take a surface away; only a person gives one back.
    fn edit_surfaces(&self, slot: &mut Option<Setting<Vec<String>>>) -> Result<(), CliError> {
        let list = self.place.strings(self.value, &self.path)?;
        if let Some(other) = list.iter().find(|name| !LoopSettings::EDIT_SURFACES.contains(&name.as_str())) {
            let known = LoopSettings::EDIT_SURFACES.join(", ");
            return Err(self.refused(&format!("`{}` is none of {known}", echo(other))));
        }
        let before = slot.as_ref().filter(|_| self.owner == Owner::Repository);
        if let Some(name) = before.and_then(|before| list.iter().find(|name| !before.value.contains(name))) {
            let what = format!(
                "a repository cannot let `{}` change files, which your own file does not",
                echo(name)
            );
            return Err(self.refused(&what));
        }
        *slot = Some(self.setting(list));
        Ok(())
    }

    /// A cost limit is the person's, so only the person says that it does not hold for some models.
    fn unpriced(&self, slot: &mut Option<Setting<UnpricedModels>>) -> Result<(), CliError> {
        let word = self.word(&UnpricedModels::ALL, UnpricedModels::token)?;
        let before = slot.as_ref().map(|setting| setting.value);
        if self.owner == Owner::Repository
            && word == UnpricedModels::Allow
            && before != Some(UnpricedModels::Allow)
        {
            let what = "a repository cannot allow models without a price; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(word));
        Ok(())
    }

    fn scopes(&self, slot: &mut Option<Setting<Vec<String>>>) -> Result<(), CliError> {
        let list = self.place.strings(self.value, &self.path)?;
        let before = slot.as_ref().filter(|_| self.owner == Owner::Repository);
        if let Some(scope) = before.and_then(|before| list.iter().find(|scope| !before.value.contains(scope)))
        {
            let what = format!("a repository cannot grant `{}`, which your own file does not", echo(scope));
            return Err(self.refused(&what));
        }
        *slot = Some(self.setting(list));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
