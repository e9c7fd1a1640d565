//! Configuration: `premath.toml` of the repository and the person's own file, read, checked, and every value with the
//! line it stands on.
//!
//! A key we do not know is worth a warning, because a newer premath may know it, but not where it may have been a limit;
//! a value that cannot be is refused.

mod field;
mod guard;
mod guardrails;
mod mcp;
pub(crate) mod models;
mod policy;
mod retention;
pub(crate) mod telemetry;
mod tools;
mod turn_loop;
mod work;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use premath_host::{ClosingRule, IdForm, Layer, Setting, Settings, TerminalAuthority};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(crate) use self::guardrails::{GuardrailSettings, OutsideGuard, Reached};
pub(crate) use self::mcp::McpSettings;
use self::models::ModelSettings;
use crate::error::CliError;
use crate::exit::Exit;

/// The file in the root of a repository.
pub(crate) const FILE_NAME: &str = "premath.toml";

/// The sections of a file.
const SECTIONS: [&str; 14] = [
    "guard",
    "guardrails",
    "issues",
    "loop",
    "mcp",
    "models",
    "mutation",
    "policy",
    "retention",
    "sandbox",
    "session",
    "telemetry",
    "tools",
    "work",
];

/// What files say.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// The values that count.
    pub(crate) settings: Settings,
    /// Providers and prices.
    pub(crate) models: ModelSettings,
    /// What commands may reach.
    pub(crate) sandbox: SandboxSettings,
    /// What guards do about what they find.
    pub(crate) guardrails: GuardrailSettings,
    /// Other servers.
    pub(crate) mcp: McpSettings,
    /// Keys that mean nothing, one line each.
    pub(crate) warnings: Vec<String>,
}

/// What commands in the sandbox may reach. Only a person opens a wall; a repository may close more of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SandboxSettings {
    /// `sandbox.readable`
    pub(crate) readable: Vec<String>,
    /// `sandbox.writable`
    pub(crate) writable: Vec<String>,
    /// `sandbox.sockets`
    pub(crate) sockets: Vec<String>,
    /// `sandbox.protected`
    pub(crate) protected: Vec<PathBuf>,
}

impl Loaded {
    /// The same when every file is read: checked for what only all of them together say, and with what is shown of models
    /// and guards in the settings.
    pub(crate) fn settled(mut self) -> Result<Self, CliError> {
        policy::check_role(&self.settings.policy)?;
        self.settings.model_chain = self.models.chain();
        self.settings.model_entries = self.models.entries();
        self.settings.guard_entries = self.guardrails.entries();
        self.settings.mcp_entries = self.mcp.entries();
        Ok(self)
    }
}

/// Whose file it is. A repository is somebody else's word: it may choose models, and name no server that it is not on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The person who types.
    Person,
    /// Whoever wrote the repository.
    Repository,
}

/// Reads the text of a repository's configuration over nothing.
pub(crate) fn read(text: &str) -> Result<Loaded, CliError> {
    read_over(
        Loaded::default(),
        text,
        &Source { name: FILE_NAME, folder: Path::new(""), owner: Owner::Repository },
    )
}

/// Where a text comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'s> {
    /// What it is called in messages.
    pub(crate) name: &'s str,
    /// The folder that the files it names are meant from.
    pub(crate) folder: &'s Path,
    /// Whose word it is.
    pub(crate) owner: Owner,
}

/// Reads the text of a configuration; what it says counts more than what was loaded before.
pub(crate) fn read_over(loaded: Loaded, text: &str, source: &Source<'_>) -> Result<Loaded, CliError> {
    let place = Place { text, name: source.name, folder: source.folder };
    let mut reading = Reading { place, owner: source.owner, loaded };
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        reading.place.refused_at(&format!("not TOML: {}", one_line(error.message())), "$", line)
    })?;
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        match (name, value.get_ref()) {
            (name, DeValue::Table(section)) if SECTIONS.contains(&name) => {
                for (key, value) in section {
                    reading.take(name, key, value)?;
                }
            }
            (name, _) if SECTIONS.contains(&name) => {
                return Err(reading.place.refused("expected a table", &format!("$.{name}"), value));
            }
            _ => reading.warn(key, name),
        }
    }
    Ok(reading.loaded)
}

/// A text and what it is called.
#[derive(Debug, Clone, Copy)]
struct Place<'t> {
    text: &'t str,
    name: &'t str,
    folder: &'t Path,
}

impl Place<'_> {
    fn line(self, value: &Spanned<DeValue<'_>>) -> usize {
        line_of(self.text, value.span().start)
    }

    fn layer(self, value: &Spanned<DeValue<'_>>) -> Layer {
        Layer::File { name: self.name.to_owned(), line: self.line(value) }
    }

    fn string<'v>(self, value: &'v Spanned<DeValue<'_>>, path: &str) -> Result<&'v str, CliError> {
        match value.get_ref().as_str().map(str::trim) {
            Some("") => Err(self.refused("must not be blank", path, value)),
            Some(text) => Ok(text),
            None => Err(self.refused("expected a string", path, value)),
        }
    }

    fn strings(self, value: &Spanned<DeValue<'_>>, path: &str) -> Result<Vec<String>, CliError> {
        let items = value.get_ref().as_array().ok_or_else(|| self.refused("expected a list", path, value))?;
        items.iter().map(|item| self.string(item, path).map(ToOwned::to_owned)).collect()
    }

    fn refused(self, what: &str, path: &str, value: &Spanned<DeValue<'_>>) -> CliError {
        self.refused_at(what, path, self.line(value))
    }

    fn refused_at(self, what: &str, path: &str, line: usize) -> CliError {
        CliError {
            exit: Exit::Invalid,
            message: format!("input.field_invalid: {what} ({}, line {line}) at {path}", self.name),
            hints: vec![format!("mend line {line} of {}", self.name)],
        }
    }

    fn unknown(self, key: &Spanned<Cow<'_, str>>, name: &str) -> String {
        let line = line_of(self.text, key.span().start);
        let name: String = name.chars().take(64).flat_map(char::escape_debug).collect();
        format!("{}:{line}: `{name}` is unknown and has no effect", self.name)
    }
}

struct Reading<'t> {
    place: Place<'t>,
    owner: Owner,
    loaded: Loaded,
}

impl Reading<'_> {
    fn take(
        &mut self,
        section: &str,
        key: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), CliError> {
        let name = format!("{section}.{}", key.get_ref());
        match (name.as_str(), self.owner) {
            ("mutation.cli", Owner::Repository) => self.loaded.settings.terminal = self.terminal(value)?,
            ("mutation.closing", Owner::Repository) => self.loaded.settings.closing = self.closing(value)?,
            ("mutation.verify", Owner::Repository) => {
                self.loaded.settings.verify = self.texts(value, "$.mutation.verify")?;
            }
            ("mutation.verify_tools", Owner::Repository) => {
                self.loaded.settings.verify_tools = self.texts(value, "$.mutation.verify_tools")?;
            }
            ("issues.ids", Owner::Repository) => self.loaded.settings.issue_ids = self.ids(value)?,
            ("issues.path", Owner::Repository) => self.loaded.settings.issues_path = self.path(value)?,
            ("issues.prefix", Owner::Repository) => self.loaded.settings.issue_prefix = self.prefix(value)?,
            ("issues.outside", Owner::Person) => self.loaded.settings.issues_outside = self.outside(value)?,
            ("issues.outside", Owner::Repository) => {
                let what =
                    "a repository cannot allow issue memory outside of itself; say this in your own file";
                return Err(self.place.refused(what, "$.issues.outside", value));
            }
            ("session.baseline", _) => {
                let command = self.place.string(value, "$.session.baseline")?.to_owned();
                let layer = self.place.layer(value);
                self.loaded.settings.baseline = Some(Setting { value: command, layer });
            }
            ("sandbox.readable", Owner::Person) => {
                self.loaded.sandbox.readable = self.place.strings(value, "$.sandbox.readable")?;
            }
            ("sandbox.writable", Owner::Person) => {
                self.loaded.sandbox.writable = self.place.strings(value, "$.sandbox.writable")?;
            }
            ("sandbox.sockets", Owner::Person) => {
                self.loaded.sandbox.sockets = self.place.strings(value, "$.sandbox.sockets")?;
            }
            ("sandbox.protected", _) => {
                let named = self.place.strings(value, "$.sandbox.protected")?;
                self.loaded.sandbox.protected.extend(named.into_iter().map(PathBuf::from));
            }
            ("sandbox.readable" | "sandbox.writable" | "sandbox.sockets", Owner::Repository) => {
                let what = "a repository cannot open the sandbox; say this in your own file";
                return Err(self.place.refused(what, &format!("$.{name}"), value));
            }
            _ if section == "retention" => retention::take(self, key, value)?,
            _ if section == "telemetry" => telemetry::take(self, key, value)?,
            _ if section == "mcp" => mcp::take(self, key, value)?,
            _ if section == "tools" => tools::take(self, key, value)?,
            _ if section == "models" => models::take(self, key, value)?,
            _ if section == "work" => work::take(self, key, value)?,
            _ if section == "loop" => turn_loop::take(self, key, value)?,
            _ if section == "policy" => policy::take(self, key, value)?,
            _ if section == "guard" => guard::take(self, key, value)?,
            _ if section == "guardrails" => guardrails::take(self, key, value)?,
            _ => self.warn(key, &name),
        }
        Ok(())
    }

    fn warn(&mut self, key: &Spanned<Cow<'_, str>>, name: &str) {
        self.loaded.warnings.push(self.place.unknown(key, name));
    }

    fn terminal(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<TerminalAuthority>, CliError> {
        const PATH: &str = "$.mutation.cli";
        let text = self.place.string(value, PATH)?;
        let known = TerminalAuthority::ALL.into_iter().find(|one| one.token() == text).ok_or_else(|| {
            let allowed = TerminalAuthority::ALL.map(TerminalAuthority::token).join(", ");
            self.place.refused(&format!("`{}` is none of {allowed}", echo(text)), PATH, value)
        })?;
        Ok(Setting { value: known, layer: self.place.layer(value) })
    }

    fn closing(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<ClosingRule>, CliError> {
        const PATH: &str = "$.mutation.closing";
        let text = self.place.string(value, PATH)?;
        let known = ClosingRule::ALL.into_iter().find(|one| one.token() == text).ok_or_else(|| {
            let allowed = ClosingRule::ALL.map(ClosingRule::token).join(", ");
            self.place.refused(&format!("`{}` is none of {allowed}", echo(text)), PATH, value)
        })?;
        Ok(Setting { value: known, layer: self.place.layer(value) })
    }

    fn ids(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<IdForm>, CliError> {
        const PATH: &str = "$.issues.ids";
        let text = self.place.string(value, PATH)?;
        let known = IdForm::ALL.into_iter().find(|one| one.token() == text).ok_or_else(|| {
            let allowed = IdForm::ALL.map(IdForm::token).join(", ");
            self.place.refused(&format!("`{}` is none of {allowed}", echo(text)), PATH, value)
        })?;
        Ok(Setting { value: known, layer: self.place.layer(value) })
    }

    fn texts(&self, value: &Spanned<DeValue<'_>>, path: &str) -> Result<Setting<Vec<String>>, CliError> {
        let texts = self.place.strings(value, path)?;
        Ok(Setting { value: texts, layer: self.place.layer(value) })
    }

    fn path(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<String>, CliError> {
        let text = self.place.string(value, "$.issues.path")?;
        Ok(Setting { value: text.to_owned(), layer: self.place.layer(value) })
    }

    /// Files and folders outside of repositories in which issue memory may be.
    fn outside(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<Vec<String>>, CliError> {
        const PATH: &str = "$.issues.outside";
        let allowed = self.place.strings(value, PATH)?;
        if let Some(relative) = allowed.iter().find(|path| !Path::new(path).is_absolute()) {
            let what = format!("`{}` is not an absolute path", echo(relative));
            return Err(self.place.refused(&what, PATH, value));
        }
        Ok(Setting { value: allowed, layer: self.place.layer(value) })
    }

    fn prefix(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<String>, CliError> {
        const PATH: &str = "$.issues.prefix";
        let text = self.place.string(value, PATH)?;
        if text.len() > 64 || !is_name(text) {
            let what = format!("`{}` is not made of letters, digits, `.`, `_` and `-`", echo(text));
            return Err(self.place.refused(&what, PATH, value));
        }
        Ok(Setting { value: text.to_owned(), layer: self.place.layer(value) })
    }
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

fn echo(text: &str) -> String {
    text.chars().take(64).flat_map(char::escape_debug).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
