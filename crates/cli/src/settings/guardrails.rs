//! `[guardrails]`: what the guards that are built in do about what they find, and the guards outside.
//!
//! A repository may make them stricter, never milder, and starts no program and asks no service unless the person's own
//! file lets it. It must not build a guard.

mod outside;

use std::borrow::Cow;

use premath_guards::{
    GuardSettings, PathSettings, PiiKinds, PiiSettings, SizeSettings, StageActions, UrlSettings,
};
use premath_host::Setting;
use premath_tusk::policy::{GuardAction, GuardrailStage};
use toml::Spanned;
use toml::de::DeValue;

pub(crate) use self::outside::{OutsideGuard, Reached};
use super::field::{Field, Limit};
use super::{Owner, Reading, echo};
use crate::error::CliError;

/// What `[guardrails]` says. What is absent has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GuardrailSettings {
    secrets: Option<Setting<Treatment>>,
    pii: Option<Setting<Treatment>>,
    injection: Option<Setting<Treatment>>,
    hosts: Option<Setting<Vec<String>>>,
    paths: Option<Setting<Vec<String>>>,
    max_argument_bytes: Option<Setting<u64>>,
    /// Whether a repository may bring guards of its own: the person's to say.
    repository_guards: Option<Setting<bool>>,
    /// Guards outside, in the order they were named.
    pub(crate) outside: Vec<Setting<OutsideGuard>>,
}

/// What is done about what a guard finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    Off,
    Flag,
    Redact,
    Ask,
    Block,
}

impl Treatment {
    const ALL: [Self; 5] = [Self::Off, Self::Flag, Self::Redact, Self::Ask, Self::Block];

    const fn token(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Flag => "flag",
            Self::Redact => "redact",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// The guards whose treatment can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Secrets,
    Pii,
    Injection,
}

impl Kind {
    /// What holds when nobody says.
    const fn standard(self) -> Treatment {
        match self {
            Self::Secrets => Treatment::Redact,
            Self::Pii => Treatment::Off,
            Self::Injection => Treatment::Flag,
        }
    }

    /// What a treatment means at what goes in and at what comes out. Nobody is asked about what has come out already, and
    /// what cannot be cut out of arguments keeps them from being used.
    const fn actions(self, treatment: Treatment) -> StageActions {
        use GuardAction::{Ask, Block, Flag, Redact};
        let (input, output) = match (self, treatment) {
            (_, Treatment::Off) => return StageActions::NONE,
            (_, Treatment::Flag) => (Flag, Flag),
            (_, Treatment::Block) => (Block, Block),
            (Self::Secrets, Treatment::Redact) => (Block, Redact),
            (Self::Pii | Self::Injection, Treatment::Redact) => (Flag, Redact),
            (Self::Secrets | Self::Pii, Treatment::Ask) => (Ask, Redact),
            (Self::Injection, Treatment::Ask) => (Ask, Flag),
        };
        StageActions { input: Some(input), output: Some(output), ..StageActions::NONE }
    }
}

/// Whether one set of actions is at no stage milder than another.
fn is_as_strict(one: &StageActions, other: &StageActions) -> bool {
    GuardrailStage::ALL.into_iter().all(|stage| one.at(stage) >= other.at(stage))
}

/// Takes one key of `[guardrails]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = key.get_ref().as_ref();
    let path = format!("$.guardrails.{}", echo(name));
    let settings = &mut reading.loaded.guardrails;
    let field = Field { place, owner, value, path };
    match name {
        "secrets" => field.treatment(&mut settings.secrets, Kind::Secrets),
        "pii" => field.treatment(&mut settings.pii, Kind::Pii),
        "injection" => field.treatment(&mut settings.injection, Kind::Injection),
        "hosts" => field.allowed(&mut settings.hosts),
        "paths" => field.allowed(&mut settings.paths),
        "max_argument_bytes" => {
            let ceiling = u64::try_from(SizeSettings::default().max_bytes).ok();
            let slot = &mut settings.max_argument_bytes;
            field.limit(Limit { slot, ceiling, least: 1024, most: 16 << 20 })
        }
        "repository_guards" => field.repository_guards(&mut settings.repository_guards),
        "command" | "http" | "mcp" => {
            let is_let = settings.repository_guards.as_ref().is_some_and(|one| one.value);
            if owner == Owner::Repository && !is_let {
                return Err(field.not_let());
            }
            let more = field.outside(name, &settings.outside)?;
            settings.outside.extend(more);
            Ok(())
        }
        _other => Err(field.refused("there is no such key; docs/reference/configuration.md has all")),
    }
}

impl Field<'_, '_> {
    fn treatment(&self, slot: &mut Option<Setting<Treatment>>, kind: Kind) -> Result<(), CliError> {
        let wanted = self.word(&Treatment::ALL, Treatment::token)?;
        let before = slot.as_ref().map_or_else(|| kind.standard(), |setting| setting.value);
        if self.owner == Owner::Repository && !is_as_strict(&kind.actions(wanted), &kind.actions(before)) {
            let what = "a repository cannot make a guard milder; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(wanted));
        Ok(())
    }

    fn allowed(&self, slot: &mut Option<Setting<Vec<String>>>) -> Result<(), CliError> {
        let list = self.place.strings(self.value, &self.path)?;
        let before = slot.as_ref().filter(|_| self.owner == Owner::Repository);
        if let Some(more) = before.and_then(|before| list.iter().find(|one| !before.value.contains(one))) {
            let what = format!("a repository cannot allow `{}`, which your own file does not", echo(more));
            return Err(self.refused(&what));
        }
        *slot = Some(self.setting(list));
        Ok(())
    }

    fn repository_guards(&self, slot: &mut Option<Setting<bool>>) -> Result<(), CliError> {
        let is_let = self.value.get_ref().as_bool().ok_or_else(|| self.refused("expected true or false"))?;
        if self.owner == Owner::Repository && is_let {
            let what = "a repository cannot let itself bring guards; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(is_let));
        Ok(())
    }

    fn not_let(&self) -> CliError {
        let mut error = self.refused("a repository starts no programs and asks no services by itself");
        let hint = "if you trust it, set `guardrails.repository_guards = true` in your own file, or name the guard there";
        error.hints = vec![hint.to_owned()];
        error
    }
}

impl GuardrailSettings {
    /// What the guards that are built in are told.
    pub(crate) fn built_in(&self) -> GuardSettings {
        let standard = GuardSettings::default();
        let wanted = |slot: &Option<Setting<Treatment>>, kind: Kind| {
            let treatment = slot.as_ref().map_or_else(|| kind.standard(), |setting| setting.value);
            kind.actions(treatment)
        };
        let pii = wanted(&self.pii, Kind::Pii);
        let size = self.max_argument_bytes.as_ref().map(|most| SizeSettings {
            max_bytes: usize::try_from(most.value).unwrap_or(usize::MAX),
            ..SizeSettings::default()
        });
        let hosts =
            |hosts: &Setting<Vec<String>>| UrlSettings { hosts: hosts.value.clone(), schemes: Vec::new() };
        GuardSettings {
            secrets: wanted(&self.secrets, Kind::Secrets),
            pii: (pii != StageActions::NONE)
                .then(|| PiiSettings { actions: pii, kinds: PiiKinds::default() }),
            injection: wanted(&self.injection, Kind::Injection),
            urls: self.hosts.as_ref().map(hosts),
            paths: self.paths.as_ref().map(|paths| PathSettings { allowed: paths.value.clone() }),
            size: size.or(standard.size),
        }
    }

    /// Every value as `config show` shows it, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(String, Setting<String>)> {
        let treatment = |name: &str, slot: &Option<Setting<Treatment>>, kind: Kind| {
            let said = slot
                .as_ref()
                .map(|one| Setting { value: one.value.token().to_owned(), layer: one.layer.clone() });
            let said = said.unwrap_or_else(|| Setting::default_value(kind.standard().token().to_owned()));
            (format!("guardrails.{name}"), said)
        };
        let list = |name: &str, slot: &Option<Setting<Vec<String>>>| {
            let said =
                slot.as_ref().map(|one| Setting { value: one.value.join(", "), layer: one.layer.clone() });
            (format!("guardrails.{name}"), said.unwrap_or_else(|| Setting::default_value("any".to_owned())))
        };
        let bytes = self.max_argument_bytes.as_ref();
        let bytes = bytes.map(|one| Setting { value: one.value.to_string(), layer: one.layer.clone() });
        let bytes =
            bytes.unwrap_or_else(|| Setting::default_value(SizeSettings::default().max_bytes.to_string()));
        let is_let = self.repository_guards.as_ref();
        let is_let = is_let.map(|one| Setting { value: one.value.to_string(), layer: one.layer.clone() });
        let mut entries = vec![
            list("hosts", &self.hosts),
            treatment("injection", &self.injection, Kind::Injection),
            ("guardrails.max_argument_bytes".to_owned(), bytes),
            list("paths", &self.paths),
            treatment("pii", &self.pii, Kind::Pii),
            (
                "guardrails.repository_guards".to_owned(),
                is_let.unwrap_or_else(|| Setting::default_value("false".to_owned())),
            ),
            treatment("secrets", &self.secrets, Kind::Secrets),
        ];
        entries.extend(self.outside.iter().map(|guard| {
            let (key, value) = guard.value.shown();
            (key, Setting { value, layer: guard.layer.clone() })
        }));
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        entries
    }
}

#[cfg(test)]
mod tests;
