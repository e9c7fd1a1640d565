//! `[[guardrails.command]]`, `[[guardrails.http]]` and `[[guardrails.mcp]]`: guards that are programs, services or tools of
//! other servers, as a file names them.

use std::path::Path;
use std::time::Duration;

use premath_guards::StageActions;
use premath_host::Setting;
use premath_tusk::policy::{GuardAction, GuardrailStage};
use premath_tusk::tools::foreign::is_server_name;
use toml::Spanned;
use toml::de::DeValue;

use crate::error::CliError;
use crate::settings::field::Field;
use crate::settings::{echo, is_name};

/// The names that are taken.
const BUILT_IN: [&str; 6] = ["injection", "paths", "pii", "secrets", "size", "urls"];
const DEADLINE: Duration = Duration::from_secs(2);
const LONGEST: u64 = 60_000;

/// A guard outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutsideGuard {
    /// Its name among the guards.
    pub(crate) name: String,
    /// What is asked.
    pub(crate) reached: Reached,
    /// What is done about what it finds, and when it looks.
    pub(crate) actions: StageActions,
    /// How long it has.
    pub(crate) deadline: Duration,
    /// A text that it must find something in when it is tried.
    pub(crate) must_find: Option<String>,
    /// A text that it must let pass when it is tried.
    pub(crate) must_pass: Option<String>,
}

/// How a guard outside is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reached {
    /// A program and its arguments.
    Program(String, Vec<String>),
    /// A service.
    Service(String),
    /// A server of `[mcp.servers]`, and a tool of it.
    Tool(String, String),
}

impl OutsideGuard {
    /// The key and the value that `config show` shows.
    pub(super) fn shown(&self) -> (String, String) {
        let stage = |stage: &GuardrailStage| {
            let action = self.actions.at(*stage).map_or("", GuardAction::token);
            format!("{}:{action}", stage.token())
        };
        let stages = self.actions.stages().iter().map(stage).collect::<Vec<_>>().join(" ");
        let (kind, asked) = match &self.reached {
            Reached::Program(program, arguments) => {
                ("command", std::iter::once(program).chain(arguments).cloned().collect::<Vec<_>>().join(" "))
            }
            Reached::Service(url) => ("http", url.clone()),
            Reached::Tool(server, tool) => ("mcp", format!("{server}/{tool}")),
        };
        let value = format!("{asked} ({stages}, {} ms)", self.deadline.as_millis());
        (format!("guardrails.{kind}.{}", self.name), value)
    }
}

/// What one table says.
#[derive(Debug, Default)]
struct Said {
    name: Option<String>,
    run: Option<Vec<String>>,
    url: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    stages: Option<Vec<GuardrailStage>>,
    action: Option<GuardAction>,
    deadline: Option<Duration>,
    must_find: Option<String>,
    must_pass: Option<String>,
}

impl Field<'_, '_> {
    /// The guards of one list.
    pub(super) fn outside(
        &self,
        kind: &str,
        known: &[Setting<OutsideGuard>],
    ) -> Result<Vec<Setting<OutsideGuard>>, CliError> {
        let wanted = format!("expected a list of tables, as [[guardrails.{kind}]] makes them");
        let items = self.value.get_ref().as_array().ok_or_else(|| self.refused(&wanted))?;
        let mut guards: Vec<Setting<OutsideGuard>> = Vec::new();
        for (at, value) in items.iter().enumerate() {
            let path = format!("{}[{at}]", self.path);
            let field = Field { place: self.place, owner: self.owner, value, path };
            let guard = field.guard(kind, &wanted)?;
            let is_taken = BUILT_IN.contains(&guard.name.as_str())
                || known.iter().chain(&guards).any(|other| other.value.name == guard.name);
            if is_taken {
                return Err(field.refused(&format!("there is a guard `{}` already", echo(&guard.name))));
            }
            guards.push(field.setting(guard));
        }
        Ok(guards)
    }

    fn guard(&self, kind: &str, wanted: &str) -> Result<OutsideGuard, CliError> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.refused(wanted))?;
        let mut said = Said::default();
        for (key, value) in table {
            let path = format!("{}.{}", self.path, echo(key.get_ref()));
            let field = Field { place: self.place, owner: self.owner, value, path };
            field.member(kind, key.get_ref(), &mut said)?;
        }
        let reached = match (said.run, said.url, said.server.zip(said.tool)) {
            (Some(run), _, _) => self.program(&run)?,
            (None, Some(url), _) => Reached::Service(url),
            (None, None, Some((server, tool))) => Reached::Tool(server, tool),
            (None, None, None) => {
                let wanted = "expected `run` with a program, `url`, or `server` and `tool`";
                return Err(self.refused(wanted));
            }
        };
        let action = said.action.unwrap_or(GuardAction::Block);
        let stages = said.stages.unwrap_or_else(|| vec![GuardrailStage::Input, GuardrailStage::Output]);
        let at = |stage: GuardrailStage| stages.contains(&stage).then_some(action);
        Ok(OutsideGuard {
            name: said.name.ok_or_else(|| self.refused("expected a `name`"))?,
            reached,
            actions: StageActions {
                pre_flight: at(GuardrailStage::PreFlight),
                input: at(GuardrailStage::Input),
                output: at(GuardrailStage::Output),
            },
            deadline: said.deadline.unwrap_or(DEADLINE),
            must_find: said.must_find,
            must_pass: said.must_pass,
        })
    }

    fn member(&self, kind: &str, name: &str, said: &mut Said) -> Result<(), CliError> {
        match (kind, name) {
            (_, "name") => said.name = Some(self.name()?),
            ("command", "run") => said.run = Some(self.place.strings(self.value, &self.path)?),
            ("http", "url") => said.url = Some(self.place.string(self.value, &self.path)?.to_owned()),
            ("mcp", "server") => said.server = Some(self.server_named()?),
            ("mcp", "tool") => said.tool = Some(self.tool_named()?),
            (_, "stages") => said.stages = Some(self.stages()?),
            (_, "action") => said.action = Some(self.word(&GuardAction::ALL, GuardAction::token)?),
            (_, "deadline_ms") => said.deadline = Some(self.deadline()?),
            (_, "must_find") => said.must_find = Some(self.place.string(self.value, &self.path)?.to_owned()),
            (_, "must_pass") => said.must_pass = Some(self.place.string(self.value, &self.path)?.to_owned()),
            _other => {
                return Err(self.refused("there is no such key; docs/reference/configuration.md has all"));
            }
        }
        Ok(())
    }

    fn name(&self) -> Result<String, CliError> {
        let name = self.place.string(self.value, &self.path)?;
        if name.len() <= 64 && is_name(name) {
            return Ok(name.to_owned());
        }
        Err(self.refused(&format!("`{}` is not made of letters, digits, `.`, `_` and `-`", echo(name))))
    }

    /// Whether there is such a server is not known here: the file that names it may be read later.
    fn server_named(&self) -> Result<String, CliError> {
        let name = self.place.string(self.value, &self.path)?;
        if is_server_name(name) {
            return Ok(name.to_owned());
        }
        Err(self.refused(&format!("`{}` is no name of a server", echo(name))))
    }

    fn tool_named(&self) -> Result<String, CliError> {
        let name = self.place.string(self.value, &self.path)?;
        if name.is_empty() {
            return Err(self.refused("expected the name of a tool, as the server says it"));
        }
        Ok(name.to_owned())
    }

    /// A program with a folder before it is meant from where the configuration is, like every file that one names.
    fn program(&self, run: &[String]) -> Result<Reached, CliError> {
        let (program, arguments) =
            run.split_first().ok_or_else(|| self.refused("expected a program and its arguments"))?;
        let is_relative = program.contains('/') && !Path::new(program).is_absolute();
        let program = if is_relative {
            self.place.folder.join(program).to_string_lossy().into_owned()
        } else {
            program.clone()
        };
        Ok(Reached::Program(program, arguments.to_vec()))
    }

    fn stages(&self) -> Result<Vec<GuardrailStage>, CliError> {
        let wanted = "expected a list of pre_flight, input and output";
        let items = self.value.get_ref().as_array().filter(|items| !items.is_empty());
        let items = items.ok_or_else(|| self.refused(wanted))?;
        let stage = |item: &Spanned<DeValue<'_>>| {
            let path = self.path.clone();
            let field = Field { place: self.place, owner: self.owner, value: item, path };
            field.word(&GuardrailStage::ALL, |stage: GuardrailStage| stage.token())
        };
        items.iter().map(stage).collect()
    }

    fn deadline(&self) -> Result<Duration, CliError> {
        let millis = self.value.get_ref().as_integer().and_then(|text| text.as_str().parse::<u64>().ok());
        let millis = millis.filter(|millis| (1..=LONGEST).contains(millis)).map(Duration::from_millis);
        millis.ok_or_else(|| self.refused(&format!("expected a whole number from 1 to {LONGEST}")))
    }
}
