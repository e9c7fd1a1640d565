//! The action table as a tool reaches it: the repository's own issue memory behind a door that stays shut.

use premath_bd::Permit;
use premath_bd::issues::{IssueRow, IssueView, Operation};
use premath_kernel::IssueTarget;
use premath_tusk::tools::{ToolFailure, closest};
use std::sync::Arc;

use super::describe::quoted;
use super::failure::failure;
use super::targets::issue_targets;
use crate::actions::conformance::{Case, SourceError, VectorSource};
use crate::actions::issue::IssueLane;
use crate::agent::NoAgent;
use crate::outside::{NoModels, NoSandbox};
use crate::table::{ActionError, Host};
use crate::workspace::{DoorRefusal, MutationDoor, Workspace};

/// A door that no tool comes through.
#[derive(Debug)]
struct ShutDoor;

impl MutationDoor for ShutDoor {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        Err(DoorRefusal {
            class: "mutation.use_evidence_missing",
            detail: format!("a tool does not do `{action}` by itself"),
            hint: "ask for the change; it is made after the turn is closed and admitted".to_owned(),
        })
    }
}

/// No vectors: no tool runs them.
#[derive(Debug)]
struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Err(SourceError::Empty)
    }
}

/// Reads the issue memory of a repository.
#[derive(Debug)]
pub(super) struct Reader {
    workspace: Workspace,
}

impl Reader {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { workspace: Workspace { door: Arc::new(ShutDoor), ..workspace.clone() } }
    }

    pub(super) const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    pub(super) fn host(&self) -> Host<'_> {
        Host {
            vectors: &NoVectors,
            workspace: &self.workspace,
            models: &NoModels,
            sandbox: &NoSandbox,
            agent: &NoAgent,
        }
    }

    /// Refuses the first of these issues that is not there, with those whose ids are like its own. Each comes with the
    /// pointer to the argument that names it.
    pub(super) fn must_exist(&self, named: &[(String, &str)]) -> Result<(), ToolFailure> {
        if named.is_empty() {
            return Ok(());
        }
        let host = self.host();
        let lane = IssueLane::open(&host, "issue.show", None);
        let missing = lane.reading(|view| missing(view, named)).map_err(failure)?;
        let Some((pointer, id, near)) = missing else { return Ok(()) };
        let message = format!("there is no issue {}; issue_list shows what there is", quoted(&id));
        let mut failure = ToolFailure::new("issue_not_found", message).with_closest(near);
        failure.pointers.push(pointer);
        Err(failure)
    }

    /// The issues that an operation changes, with what they descend from.
    pub(super) fn issue_targets(&self, operation: &Operation) -> Result<Vec<IssueTarget>, ToolFailure> {
        let host = self.host();
        let lane = IssueLane::open(&host, "issue.show", None);
        lane.reading(|view| issue_targets(view, operation)).map_err(failure)
    }

    /// Those of these issues that are there, with their titles.
    pub(super) fn titles(&self, named: &[(String, &str)]) -> Result<Vec<(String, String)>, ToolFailure> {
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let host = self.host();
        let lane = IssueLane::open(&host, "issue.show", None);
        lane.reading(|view| titles(view, named)).map_err(failure)
    }
}

fn titles(view: &dyn IssueView, named: &[(String, &str)]) -> Result<Vec<(String, String)>, ActionError> {
    let mut titles = Vec::with_capacity(named.len());
    for (_, id) in named {
        let Some(place) = view.find(id)? else { continue };
        let row = IssueRow::read(&view.line(place)?);
        let title = row.as_ref().and_then(|row| row.text("title")).unwrap_or_default();
        titles.push(((*id).to_owned(), title.to_owned()));
    }
    Ok(titles)
}

type Missing = (String, String, Vec<String>);

fn missing(view: &dyn IssueView, named: &[(String, &str)]) -> Result<Option<Missing>, ActionError> {
    for (pointer, id) in named {
        if view.find(id)?.is_none() {
            let graph = view.graph()?;
            let near = closest(id, graph.facts.iter().map(|facts| facts.id.as_str()));
            return Ok(Some((pointer.clone(), (*id).to_owned(), near)));
        }
    }
    Ok(None)
}
