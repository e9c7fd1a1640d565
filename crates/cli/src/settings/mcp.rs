//! `[mcp.servers.<name>]`: servers whose tools runs may use, and on which terms.
//!
//! A server is a program that is started or an address that is spoken with. The person's own file may name any; what a
//! repository names is not started before the person approved it, and nothing of either is offered that nobody approved. It
//! must not start or reach anything.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use premath_host::Setting;
use premath_tusk::tools::Risk;
use premath_tusk::tools::foreign::{ForeignServer, Handshake, Reach, is_server_name};
use toml::Spanned;
use toml::de::DeValue;

use super::field::Field;
use super::{Owner, Reading, echo, is_name};
use crate::error::CliError;
use crate::system;

const RISKS: [Risk; 4] = [Risk::Read, Risk::Create, Risk::Write, Risk::Destructive];
/// The longest that anybody waits for a server, in seconds.
const LONGEST: u64 = 3600;
/// The most bytes of an answer that are kept, and the least that make sense.
const BYTES: (u64, u64) = (1024, 3 << 20);
/// The most servers.
const SERVERS: usize = 32;
const WANTED: &str = "expected tables, as [mcp.servers.<name>] makes them";
const UNKNOWN: &str = "there is no such key; docs/reference/configuration.md has all";

/// What `[mcp]` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct McpSettings {
    /// The servers, in the order they were named.
    pub(crate) servers: Vec<Setting<ForeignServer>>,
}

impl McpSettings {
    /// Every value as `config show` shows it, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(String, Setting<String>)> {
        let shown = |one: &Setting<ForeignServer>| {
            let server = &one.value;
            let terms = format!("{}, {} s", server.risk.token(), server.deadline.as_secs());
            let value = format!("{} ({terms}, {})", server.shown(), server.scope);
            (format!("mcp.servers.{}", server.name), Setting { value, layer: one.layer.clone() })
        };
        let mut entries: Vec<_> = self.servers.iter().map(shown).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        entries
    }
}

/// Takes one key of `[mcp]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let path = format!("$.mcp.{}", echo(key.get_ref()));
    let field = Field { place, owner, value, path };
    if key.get_ref() != "servers" {
        return Err(field.refused(UNKNOWN));
    }
    let table = value.get_ref().as_table().ok_or_else(|| field.refused(WANTED))?;
    for (name, value) in table {
        let path = format!("{}.{}", field.path, echo(name.get_ref()));
        let field = Field { place, owner, value, path };
        let servers = &mut reading.loaded.mcp.servers;
        if servers.iter().any(|one| one.value.name == name.get_ref().as_ref()) {
            return Err(field.refused("your own file has a server of this name already"));
        }
        if servers.len() >= SERVERS {
            return Err(field.refused(&format!("there are at most {SERVERS} servers")));
        }
        let server = field.server(name.get_ref())?;
        servers.push(field.setting(server));
    }
    Ok(())
}

/// What one table says.
#[derive(Debug, Default)]
struct Said {
    command: Option<String>,
    arguments: Option<Vec<String>>,
    environment: Option<Vec<String>>,
    folder: Option<String>,
    url: Option<String>,
    token: Option<String>,
    headers: Option<BTreeMap<String, String>>,
}

impl Field<'_, '_> {
    fn server(&self, name: &str) -> Result<ForeignServer, CliError> {
        if !is_server_name(name) {
            let what = "a server is named with letters, digits, `-` and single `_` within, at most 32";
            return Err(self.refused(what));
        }
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(WANTED))?;
        let mut said = Said::default();
        let nowhere = Reach::Service { url: String::new(), token: None, headers: BTreeMap::new() };
        let mut server = ForeignServer::new(name, nowhere);
        server.is_own = self.owner == Owner::Person;
        for (key, value) in table {
            let path = format!("{}.{}", self.path, echo(key.get_ref()));
            let field = Field { place: self.place, owner: self.owner, value, path };
            if !field.reach(key.get_ref(), &mut said)? && !field.terms(key.get_ref(), &mut server)? {
                return Err(field.refused(UNKNOWN));
            }
        }
        server.reach = self.reached(said)?;
        Ok(server)
    }

    /// Takes what says how a server is reached.
    fn reach(&self, name: &str, said: &mut Said) -> Result<bool, CliError> {
        let text = || self.place.string(self.value, &self.path).map(str::to_owned);
        match name {
            "command" => said.command = Some(text()?),
            "args" => said.arguments = Some(self.place.strings(self.value, &self.path)?),
            "env" => said.environment = Some(self.variables()?),
            "cwd" => said.folder = Some(text()?),
            "url" => said.url = Some(text()?),
            "token_env" => said.token = Some(self.variable(&text()?)?),
            "headers" => said.headers = Some(self.headers()?),
            _other => return Ok(false),
        }
        Ok(true)
    }

    /// Takes what says on which terms a server is used.
    fn terms(&self, name: &str, server: &mut ForeignServer) -> Result<bool, CliError> {
        match name {
            "deadline_seconds" => server.deadline = Duration::from_secs(self.number(1, LONGEST)?),
            "start_seconds" => server.start = Duration::from_secs(self.number(1, LONGEST)?),
            "output_bytes" => server.output_bytes = self.number(BYTES.0, BYTES.1)?,
            "allow" => server.allow = Some(self.place.strings(self.value, &self.path)?),
            "deny" => server.deny = self.place.strings(self.value, &self.path)?,
            "idempotent" => server.idempotent = self.place.strings(self.value, &self.path)?,
            "risk" => server.risk = self.word(&RISKS, Risk::token)?,
            "risks" => server.risks = self.risks()?,
            "tools" => server.targets = self.tool_targets()?,
            "scope" => server.scope = self.scope()?,
            "protocol" => server.handshake = self.word(&Handshake::ALL, Handshake::token)?,
            "defer" => {
                let said = self.value.get_ref().as_bool();
                server.is_deferred = said.ok_or_else(|| self.refused("expected true or false"))?;
            }
            _other => return Ok(false),
        }
        Ok(true)
    }

    fn reached(&self, said: Said) -> Result<Reach, CliError> {
        match (said.command, said.url) {
            (Some(command), None) => {
                if said.token.is_some() || said.headers.is_some() {
                    return Err(self.refused("`token_env` and `headers` belong to a server with a `url`"));
                }
                let folder = self.place.folder;
                let base = system::absolute(Some(folder).filter(|folder| !folder.as_os_str().is_empty()));
                let base = base.map_err(|_| self.refused("the folder of this file has no absolute path"))?;
                let base = Path::new(&base);
                let is_relative = command.contains('/') && !Path::new(&command).is_absolute();
                let program =
                    if is_relative { base.join(&command).to_string_lossy().into_owned() } else { command };
                let folder = base.join(said.folder.unwrap_or_default());
                // An empty name joined leaves a slash behind that means nothing.
                let folder = folder.components().collect::<std::path::PathBuf>();
                Ok(Reach::Program {
                    program,
                    arguments: said.arguments.unwrap_or_default(),
                    environment: said.environment.unwrap_or_default(),
                    folder: folder.to_string_lossy().into_owned(),
                })
            }
            (None, Some(url)) => {
                if said.arguments.is_some() || said.environment.is_some() || said.folder.is_some() {
                    return Err(self.refused("`args`, `env` and `cwd` belong to a server with a `command`"));
                }
                Ok(Reach::Service { url, token: said.token, headers: said.headers.unwrap_or_default() })
            }
            (Some(_), Some(_)) => Err(self.refused("expected `command` or `url`, not both")),
            (None, None) => Err(self.refused("expected `command` with a program, or `url`")),
        }
    }

    fn number(&self, least: u64, most: u64) -> Result<u64, CliError> {
        let number = self.value.get_ref().as_integer().and_then(|text| text.as_str().parse::<u64>().ok());
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.refused(&format!("expected a whole number from {least} to {most}")))
    }

    fn scope(&self) -> Result<String, CliError> {
        let scope = self.place.string(self.value, &self.path)?;
        let verb = scope.strip_prefix("mcp:").filter(|verb| !verb.is_empty() && is_name(verb));
        verb.map(|_| scope.to_owned()).ok_or_else(|| self.refused("expected `mcp:` and a name"))
    }

    fn risks(&self) -> Result<BTreeMap<String, Risk>, CliError> {
        let table = self.value.get_ref().as_table();
        let table = table.ok_or_else(|| self.refused("expected a table of tools and their risks"))?;
        let one = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let path = format!("{}.{}", self.path, echo(name.get_ref()));
            let field = Field { place: self.place, owner: self.owner, value, path };
            Ok((name.get_ref().to_string(), field.word(&RISKS, Risk::token)?))
        };
        table.iter().map(one).collect()
    }

    /// `tools.<tool>.target`: per tool the arguments that say what a call acts on.
    fn tool_targets(&self) -> Result<BTreeMap<String, Vec<String>>, CliError> {
        let wanted = "expected tables, as [mcp.servers.<name>.tools.<tool>] makes them";
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(wanted))?;
        let mut targets = BTreeMap::new();
        for (tool, value) in table {
            let path = format!("{}.{}", self.path, echo(tool.get_ref()));
            let field = Field { place: self.place, owner: self.owner, value, path };
            let terms = value.get_ref().as_table().ok_or_else(|| field.refused(wanted))?;
            for (key, value) in terms {
                let path = format!("{}.{}", field.path, echo(key.get_ref()));
                let field = Field { place: self.place, owner: self.owner, value, path };
                if key.get_ref() != "target" {
                    return Err(field.refused(UNKNOWN));
                }
                let names = self.place.strings(value, &field.path)?;
                // The name ends at the first `=` where a target is read back.
                let is_plain = |name: &String| !name.trim().is_empty() && !name.contains('=');
                if names.is_empty() || !names.iter().all(is_plain) {
                    return Err(field.refused("expected the names of one or more arguments of the tool"));
                }
                targets.insert(tool.get_ref().to_string(), names);
            }
        }
        Ok(targets)
    }

    /// The name of a variable. What premath itself goes by is not handed on.
    fn variable(&self, name: &str) -> Result<String, CliError> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.chars().all(is_letter) && !name.starts_with("PREMATH_") {
            return Ok(name.to_owned());
        }
        Err(self.refused(&format!("`{}` is no variable that is handed to a server", echo(name))))
    }

    fn variables(&self) -> Result<Vec<String>, CliError> {
        let names = self.place.strings(self.value, &self.path)?;
        names.iter().map(|name| self.variable(name)).collect()
    }

    fn headers(&self) -> Result<BTreeMap<String, String>, CliError> {
        let table = self.value.get_ref().as_table();
        let table = table.ok_or_else(|| self.refused("expected a table of headers and variables"))?;
        let one = |(name, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let path = format!("{}.{}", self.path, echo(name.get_ref()));
            let variable = self.variable(self.place.string(value, &path)?)?;
            Ok((name.get_ref().to_string(), variable))
        };
        table.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests;
