//! Checks that premath makes itself, without a process: `premath:store`, `premath:graph` and `premath:issue`.
//!
//! A check that cannot be made has failed. It must not change anything.

use std::sync::Arc;

use premath_bd::StoreError;
use premath_bd::issues::{FileIssues, IssueStore as _};
use premath_kernel::Object;
use serde_json::json;

use super::run::InstructionScope;
use crate::table::{ActionError, Host};

const PREFIX: &str = "premath:";

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltIn {
    /// Issue memory can be read.
    Store,
    /// No cycle and no dependency on nothing among what is active.
    Graph,
    /// The issues of the scope are there, not closed, and not held back.
    Issue,
}

impl BuiltIn {
    /// The check that a policy calls so; `None` for a shell command, or a name of ours that there is not.
    pub(super) fn of(command: &str) -> Option<Result<Self, String>> {
        let name = command.strip_prefix(PREFIX)?.trim();
        Some(match name {
            "store" => Ok(Self::Store),
            "graph" => Ok(Self::Graph),
            "issue" => Ok(Self::Issue),
            other => Err(format!("there is no check `{PREFIX}{other}`")),
        })
    }

    /// Whether it passes; why not, when it does not.
    pub(super) fn run(self, host: &Host<'_>, scope: Option<&InstructionScope>) -> Result<(), String> {
        let outcome = match self {
            Self::Store => store(host),
            Self::Graph => graph(host),
            Self::Issue => issues(host, scope),
        };
        outcome.unwrap_or_else(|error| Err(error.to_string()))
    }
}

fn open(host: &Host<'_>) -> FileIssues {
    FileIssues::new(Arc::clone(&host.workspace.disk), host.workspace.issues_path(None))
}

fn store(host: &Host<'_>) -> Result<Result<(), String>, ActionError> {
    let store = open(host);
    match store.view().map(drop) {
        // A folder without issue memory has none that could be wrong; no change of issues passes its store.
        Ok(()) | Err(StoreError::Missing { .. }) => {}
        Err(StoreError::DerivedDamaged { .. }) => {
            store.discard_index()?;
            drop(store.view()?);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Ok(()))
}

fn graph(host: &Host<'_>) -> Result<Result<(), String>, ActionError> {
    let scope = Object::fields().field("graphScope", "active").finish();
    let found = host.call("dep.diagnostics", &scope)?;
    if found.result_class != "rejected" {
        return Ok(Ok(()));
    }
    Ok(Err(format!("the graph is not sound: {}", found.failure_classes.join(", "))))
}

fn issues(host: &Host<'_>, scope: Option<&InstructionScope>) -> Result<Result<(), String>, ActionError> {
    let Some(InstructionScope::Issues(issues)) = scope else {
        return Ok(Err("the scope names no issue".to_owned()));
    };
    let store = open(host);
    let view = store.view()?;
    for id in issues {
        let Some(facts) = view.facts(id)? else { return Ok(Err(format!("there is no issue `{id}`"))) };
        if facts.status.is_resolved() {
            return Ok(Err(format!("issue `{id}` is closed")));
        }
        if view.is_held_back(&facts)? {
            return Ok(Err(format!("issue `{id}` waits for a dependency")));
        }
    }
    Ok(Ok(()))
}

/// What a check of ours is, for its digest: it has no output.
pub(super) fn described(command: &str, failure: Option<&str>) -> String {
    json!({"command": command, "failure": failure}).to_string()
}
