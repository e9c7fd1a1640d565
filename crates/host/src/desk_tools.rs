//! What a model may do with the desk: look at its files, ask for changes of them, and propose a plan.
//!
//! A tool that asks says what would come of it and hands out an intent, which is applied after the turn is closed and
//! admitted (I2); until then nothing has changed. None of them knows who the user is from its arguments, and none approves.

mod ask;
mod definitions;
mod effects;
mod failure;
mod look;
mod pieces;
mod plan;
mod retrieve;
mod shelf;

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_tusk::tools::{SpecError, Tool};

use self::ask::AskTool;
use self::look::LookTool;
use self::plan::ProposePlan;
use self::retrieve::RetrievalSearch;
use self::shelf::Shelf;
use crate::retrieval::Retrieval;
use crate::workspace::Workspace;

/// The scopes of the desk that a person grants.
pub const DESK_SCOPES: [&str; 4] = ["desk:read", "desk:write", "desk:create", "desk:delete"];
/// What the tool that proposes needs. Nobody grants it: it comes with every scope that changes something.
pub const PLAN_SCOPE: &str = "desk:plan";

/// The tools over one repository's desk.
#[derive(Debug, Clone)]
pub struct DeskTools {
    workspace: Workspace,
    run_id: String,
    retrieval: Option<Arc<Retrieval>>,
}

impl DeskTools {
    /// The tools for a run over the desk of a workspace. Its door is not used.
    #[must_use]
    pub fn new(workspace: &Workspace, run_id: &str) -> Self {
        Self { workspace: workspace.clone(), run_id: run_id.to_owned(), retrieval: None }
    }

    /// The same, with a search over the texts of the desk.
    #[must_use]
    pub fn with_retrieval(self, retrieval: Arc<Retrieval>) -> Self {
        Self { retrieval: Some(retrieval), ..self }
    }

    /// Every tool, in the order in which they are offered: those that look, write, create, delete, the search over
    /// texts where there is one, and the plan.
    ///
    /// # Errors
    /// Never, as long as their own definitions are well formed; a test holds them to it.
    pub fn tools(&self) -> Result<Vec<Arc<dyn Tool>>, SpecError> {
        let shelf = Arc::new(Shelf::new(&self.workspace));
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for definition in definitions::LOOKING {
            tools.push(Arc::new(LookTool::new(definition, Arc::clone(&shelf))?));
        }
        for definition in definitions::ASKING {
            tools.push(Arc::new(AskTool::new(definition, Arc::clone(&shelf))?));
        }
        if let Some(retrieval) = &self.retrieval {
            tools.push(Arc::new(RetrievalSearch::new(Arc::clone(&shelf), Arc::clone(retrieval))?));
        }
        tools.push(Arc::new(ProposePlan::new(shelf, &self.run_id)?));
        Ok(tools)
    }

    /// The tools that some scopes give, in their order.
    ///
    /// # Errors
    /// As [`Self::tools`].
    pub fn granted(&self, scopes: &BTreeSet<String>) -> Result<Vec<Arc<dyn Tool>>, SpecError> {
        let scopes = with_implied(scopes.clone());
        Ok(self.tools()?.into_iter().filter(|tool| scopes.contains(&tool.spec().scope)).collect())
    }
}

/// The scopes with what comes along: whoever may change a desk may look at it, and may propose a plan.
#[must_use]
pub fn with_implied(mut scopes: BTreeSet<String>) -> BTreeSet<String> {
    let changes = DESK_SCOPES.iter().skip(1).any(|scope| scopes.contains(*scope));
    if changes {
        scopes.extend(DESK_SCOPES.first().map(|scope| (*scope).to_owned()));
        scopes.insert(PLAN_SCOPE.to_owned());
    } else {
        scopes.remove(PLAN_SCOPE);
    }
    scopes
}
