//! Other servers, put together: programs through `exec`, variables through the environment, the protocol through `mcp`.

use std::io;
use std::path::Path;
use std::sync::Arc;

use premath_exec::{Companion, CompanionCommand, CompanionStreams};
use premath_mcp::{Client, Launch, Launched, ProgramToStart, RunningProgram};
use premath_tusk::tools::foreign::{ForeignTools, NoForeignTools};

use crate::settings::McpSettings;
use crate::system;

/// What every program needs to find its own things. Nothing of premath's is among it.
const USUAL: [&str; 9] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// The servers that the configuration of a repository names.
pub(crate) fn servers(settings: &McpSettings, root: &Path) -> Arc<dyn ForeignTools> {
    if settings.servers.is_empty() {
        return Arc::new(NoForeignTools);
    }
    let servers = settings.servers.iter().map(|server| server.value.clone()).collect();
    let named = Some(root).filter(|root| !root.as_os_str().is_empty());
    // A place that cannot be told is one that nothing was approved for.
    let place = system::real_folder(named.unwrap_or_else(|| Path::new(".")));
    let place = place.map(|place| place.to_string_lossy().into_owned()).unwrap_or_default();
    Arc::new(Client::new(servers, place, Arc::new(Programs)))
}

#[derive(Debug)]
struct Programs;

#[derive(Debug)]
struct Running(#[expect(dead_code, reason = "it is held so that it ends with us")] Companion);

impl RunningProgram for Running {}

impl Launch for Programs {
    fn start(&self, program: &ProgramToStart<'_>) -> io::Result<Launched> {
        let usual = USUAL.iter().copied();
        let names = usual.chain(program.environment.iter().map(String::as_str));
        let environment: Vec<(String, String)> =
            names.filter_map(|name| Some((name.to_owned(), system::variable(name)?))).collect();
        let (companion, CompanionStreams { input, output, errors }) = Companion::start(&CompanionCommand {
            program: program.program,
            arguments: program.arguments,
            environment: &environment,
            folder: Path::new(program.folder),
        })?;
        Ok(Launched { input, output, errors, program: Box::new(Running(companion)) })
    }

    fn variable(&self, name: &str) -> Option<String> {
        system::variable(name)
    }
}
