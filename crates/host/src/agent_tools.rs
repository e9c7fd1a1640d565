//! What a model may do with issue memory: tools that are thin over the action table.
//!
//! A tool that reads calls its action behind a door that stays shut. A tool that asks for a change reads its arguments as
//! its action does and hands out an intent, which is applied after the turn is closed and admitted (I2). Neither must use
//! the door of the workspace, nor another issue memory than the repository's.

mod ask;
mod describe;
mod failure;
mod lines;
mod read;
mod shut;
mod targets;

use std::sync::Arc;

use premath_bd::issues::Holder;
use premath_tusk::tools::{SpecError, Tool};

use self::ask::AskTool;
use self::read::ReadTool;
use self::shut::Reader;
use crate::workspace::Workspace;

/// The tools over one repository's issue memory.
#[derive(Debug, Clone)]
pub struct IssueTools {
    workspace: Workspace,
    holder: Option<(String, Holder)>,
}

impl IssueTools {
    /// The tools over the issue memory of a workspace. Its door is not used.
    #[must_use]
    pub fn new(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone(), holder: None }
    }

    /// The same for a run that holds an issue: changes of that issue show the lease.
    #[must_use]
    pub fn holding(self, issue: impl Into<String>, holder: Holder) -> Self {
        Self { holder: Some((issue.into(), holder)), ..self }
    }

    /// The tools.
    ///
    /// # Errors
    /// Never, as long as their own definitions are well formed; a test holds them to it.
    pub fn tools(&self) -> Result<Vec<Arc<dyn Tool>>, SpecError> {
        let reader = Arc::new(Reader::new(&self.workspace));
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for definition in read::DEFINITIONS {
            tools.push(Arc::new(ReadTool::new(definition, Arc::clone(&reader))?));
        }
        let holder = Arc::new(self.holder.clone());
        for definition in ask::DEFINITIONS {
            tools.push(Arc::new(AskTool::new(definition, Arc::clone(&reader), Arc::clone(&holder))?));
        }
        Ok(tools)
    }
}

/// The tools over the issue memory of a workspace, for a run that holds nothing.
///
/// # Errors
/// Never, as long as their own definitions are well formed.
pub fn issue_tools(workspace: &Workspace) -> Result<Vec<Arc<dyn Tool>>, SpecError> {
    IssueTools::new(workspace).tools()
}
