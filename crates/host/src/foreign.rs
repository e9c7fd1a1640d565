//! Tools of other servers over a repository: what its person approved, what a run gets of it, and what is blocked.
//!
//! Nothing is started that nobody approved, and a signature counts only when it is that of the person of this door. It must
//! not believe what a server says of itself, and decides nothing about a call.

mod blocked;
mod identity;

use std::sync::Arc;

use premath_bd::{ToolPin, ToolPinStore};
use premath_kernel::{Digest, Value};
use premath_tusk::tools::foreign::{
    Admission, BlockedClass, BlockedTool, ForeignDefinition, ForeignError, ForeignServer, ForeignTool,
    ForeignTools, admit,
};
use premath_tusk::tools::{Tool, ToolSpec};

use self::blocked::NotOffered;
use self::identity::RepositoryFiles;
use crate::agent::{AgentDoor, RunRefused};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// How many blocked tools a run names.
const NAMED: usize = 64;

/// The file with what was approved.
pub(crate) fn store(workspace: &Workspace) -> ToolPinStore {
    let path = workspace.lane(None, ToolPinStore::FILE_NAME);
    ToolPinStore::new(Arc::clone(&workspace.disk), path)
}

/// What the person of a door approved here. Rows of others, and of other places, are not among it.
#[derive(Debug)]
pub(crate) struct Approved {
    rows: Vec<ToolPin>,
    files: RepositoryFiles,
}

impl Approved {
    pub(crate) fn read(
        workspace: &Workspace,
        door: &dyn AgentDoor,
        place: &str,
    ) -> Result<Self, ActionError> {
        let credential = match door.credential() {
            // Where nobody can sign, nothing counts as signed.
            Err(ActionError::Unavailable { .. }) => None,
            found => found?,
        };
        let files = RepositoryFiles::of(workspace);
        let Some(credential) = credential else { return Ok(Self { rows: Vec::new(), files }) };
        let mut rows = store(workspace).read()?;
        rows.retain(|row| row.is_signed_by(&credential, place));
        Ok(Self { rows, files })
    }

    /// What was approved of a tool, or of a server itself.
    pub(crate) fn of(&self, server: &str, tool: Option<&str>) -> Option<&ToolPin> {
        let is_meant = |row: &&ToolPin| row.approved.server == server && row.approved.tool.as_deref() == tool;
        self.rows.iter().find(is_meant)
    }

    fn pin(&self, server: &str, tool: &str) -> Option<Digest> {
        self.of(server, Some(tool)).and_then(|row| Digest::claimed(&row.approved.digest))
    }

    /// Whether a server may be started: the person's own file names it, or the person agreed to this very one.
    pub(crate) fn lets_start(&self, server: &ForeignServer) -> bool {
        let is_the_same = |row: &ToolPin| row.approved.digest == self.identity_digest(server).as_str();
        server.is_own || self.of(&server.name, None).is_some_and(is_the_same)
    }

    /// Who a server is, as a person is shown it.
    pub(crate) fn identity(&self, server: &ForeignServer) -> Value<'static> {
        self.files.identity(server)
    }

    /// The digest of who a server is.
    pub(crate) fn identity_digest(&self, server: &ForeignServer) -> Digest {
        self.files.identity_digest(server)
    }

    /// What was approved of the tools of a server.
    pub(crate) fn tools_of(&self, server: &str) -> impl Iterator<Item = &ToolPin> {
        self.rows.iter().filter(move |row| row.approved.server == server && row.approved.tool.is_some())
    }

    /// What becomes of the tools of a server that lists these.
    pub(crate) fn admit(&self, server: &ForeignServer, listed: &[ForeignDefinition]) -> Admission {
        admit(server, listed, &|tool| self.pin(&server.name, tool))
    }

    /// What was approved of a server, is used, and is not among everything that it lists.
    pub(crate) fn missing<'a>(
        &'a self,
        server: &'a ForeignServer,
        listed: &'a [ForeignDefinition],
    ) -> impl Iterator<Item = (&'a ToolPin, BlockedTool)> {
        self.tools_of(&server.name).filter_map(move |pin| {
            let tool = pin.approved.tool.clone()?;
            let is_gone = server.uses(&tool) && !listed.iter().any(|one| one.name == tool);
            let blocked = BlockedTool {
                server: server.name.clone(),
                tool: Some(tool),
                scope: server.scope.clone(),
                class: BlockedClass::Missing,
                detail: format!("{} was approved, and the server does not define it", pin.approved.digest),
                was_approved: true,
            };
            is_gone.then_some((pin, blocked))
        })
    }
}

/// What a run gets of other servers.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Its tools.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// What it does not get, and why.
    pub(crate) blocked: Vec<BlockedTool>,
}

impl Found {
    /// The tools of every server whose scope is asked for; of every server where nobody asks for anything.
    pub(crate) fn look(
        workspace: &Workspace,
        door: &dyn AgentDoor,
        scopes: Option<&[String]>,
    ) -> Result<Self, ActionError> {
        let port = door.foreign();
        let is_asked = |server: &&ForeignServer| scopes.is_none_or(|scopes| scopes.contains(&server.scope));
        let servers: Vec<ForeignServer> = port.servers().iter().filter(is_asked).cloned().collect();
        let mut found = Self::default();
        if servers.is_empty() {
            return Ok(found);
        }
        let approved = Approved::read(workspace, door, &port.place())?;
        for server in &servers {
            found.take(server, &approved, &port, door);
        }
        Ok(found)
    }

    fn take(
        &mut self,
        server: &ForeignServer,
        approved: &Approved,
        port: &Arc<dyn ForeignTools>,
        door: &dyn AgentDoor,
    ) {
        match listed(server, approved, port.as_ref(), door) {
            Err((class, detail)) => {
                let (name, scope) = (server.name.clone(), server.scope.clone());
                let was_approved = approved.tools_of(&name).next().is_some();
                self.blocked.push(BlockedTool {
                    server: name,
                    tool: None,
                    scope,
                    class,
                    detail,
                    was_approved,
                });
            }
            Ok(admission) => {
                self.blocked.extend(admission.blocked);
                let tool = |admitted| -> Arc<dyn Tool> {
                    Arc::new(ForeignTool::new(&server.name, admitted, Arc::clone(port)))
                };
                self.tools.extend(admission.tools.into_iter().map(tool));
            }
        }
    }

    /// What is blocked, a line each, as the beginning of a run keeps it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |one: &BlockedTool| format!("{}: {}: {}", one.class.code(), one.shown(), one.detail);
        let mut lines: Vec<String> = self.blocked.iter().take(NAMED).map(line).collect();
        let more = self.blocked.len().saturating_sub(NAMED);
        if more > 0 {
            lines.push(format!("and {more} more; `premath tools check` names them"));
        }
        lines
    }

    /// Why a run that asks for these scopes by name does not begin: it asked for something that was approved once and is
    /// blocked now, or for a server of which there is nothing.
    pub(crate) fn refusal(&self, scopes: &[String]) -> Option<RunRefused> {
        for scope in scopes.iter().filter(|scope| scope.starts_with("mcp:")) {
            let is_there = self.tools.iter().any(|tool| tool.spec().scope == *scope);
            let mut blocked = self.blocked.iter().filter(|one| one.scope == *scope);
            let is_serious = |one: &&BlockedTool| {
                one.was_approved
                    || !matches!(one.class, BlockedClass::Unpinned | BlockedClass::InvisibleCharacters)
            };
            let first = if is_there { blocked.find(is_serious) } else { blocked.next() };
            if let Some(one) = first {
                return Some(RunRefused {
                    class: one.class.code().to_owned(),
                    detail: format!(
                        "`{scope}` was asked for, and {} is blocked: {}",
                        one.shown(),
                        one.detail
                    ),
                    hint: format!(
                        "`premath tools check {}` shows it, `premath tools approve` approves it",
                        one.server
                    ),
                });
            }
        }
        None
    }
}

fn listed(
    server: &ForeignServer,
    approved: &Approved,
    port: &dyn ForeignTools,
    door: &dyn AgentDoor,
) -> Result<Admission, (BlockedClass, String)> {
    if !approved.lets_start(server) {
        let what = match approved.of(&server.name, None) {
            None => "the repository names it, and nobody agreed that it is started",
            Some(_) => "another server was approved under this name, or its files were other ones",
        };
        return Err((BlockedClass::ServerUnapproved, what.to_owned()));
    }
    if approved.tools_of(&server.name).next().is_none() {
        return Err((BlockedClass::Unpinned, "nobody approved any of its tools".to_owned()));
    }
    let listed = port.list(&server.name, &door.interrupt()).map_err(|error| unanswered(&error))?;
    let mut admission = approved.admit(server, &listed);
    admission.blocked.extend(approved.missing(server, &listed).map(|(_, blocked)| blocked));
    Ok(admission)
}

/// The pin of a tool that the person of a door approved, for whoever calls it beside a run; none where it may not be called.
///
/// # Errors
/// What was approved cannot be read.
pub fn approved_tool(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    server: &str,
    tool: &str,
) -> Result<Option<Digest>, ActionError> {
    let port = door.foreign();
    let Some(server) = port.servers().iter().find(|one| one.name == server) else { return Ok(None) };
    let approved = Approved::read(workspace, door, &port.place())?;
    let may_call = approved.lets_start(server) && server.uses(tool);
    Ok(approved.pin(&server.name, tool).filter(|_| may_call))
}

/// The tools that were approved, by what was approved of them: nobody is asked whether they are still so.
pub(crate) fn remembered(
    workspace: &Workspace,
    door: &dyn AgentDoor,
) -> Result<Vec<Arc<dyn Tool>>, ActionError> {
    let port = door.foreign();
    if port.servers().is_empty() {
        return Ok(Vec::new());
    }
    let approved = Approved::read(workspace, door, &port.place())?;
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for server in port.servers() {
        let read = |pin: &ToolPin| ForeignDefinition::from_value(&pin.approved.definition).ok();
        let listed: Vec<_> = approved.tools_of(&server.name).filter_map(read).collect();
        let tool = |admitted| -> Arc<dyn Tool> {
            Arc::new(ForeignTool::new(&server.name, admitted, Arc::clone(&port)))
        };
        tools.extend(approved.admit(server, &listed).tools.into_iter().map(tool));
    }
    Ok(tools)
}

/// Why a server gave no answer. Its own words are not in it.
pub(crate) fn unanswered(error: &ForeignError) -> (BlockedClass, String) {
    (BlockedClass::ServerUnreachable, error.to_string())
}

/// The tools of other servers that a run began with: each as it was, or one that does nothing and says why.
pub(crate) fn again(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    specs: &[ToolSpec],
) -> Result<Vec<Arc<dyn Tool>>, ActionError> {
    let wanted: Vec<&ToolSpec> = specs.iter().filter(|spec| spec.scope.starts_with("mcp:")).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let scopes: Vec<String> = wanted.iter().map(|spec| spec.scope.clone()).collect();
    let found = Found::look(workspace, door, Some(&scopes))?;
    let tool = |spec: &ToolSpec| -> Arc<dyn Tool> {
        match found.tools.iter().find(|tool| tool.spec().digest() == spec.digest()) {
            Some(tool) => Arc::clone(tool),
            None => Arc::new(NotOffered::new(spec.clone(), &found.blocked)),
        }
    };
    Ok(wanted.into_iter().map(tool).collect())
}
