//! Whether a configuration can run at all, said before anything is taken or written for it. It must not mend one.

use premath_kernel::{ActionMode, ExecutionPattern};

use super::limits::Limits;
use super::terms::TermsError;
use super::workflow::{Judge, Workflow};
use crate::tools::CatalogueError;

/// Why there is no machine for a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Programs have nothing to run in.
    #[error("action mode `code` needs the tool `code_execution`")]
    CodeMode,
    /// Whoever makes something does not judge it.
    #[error("`{model}` would judge its own work; name another model or a command as the evaluator")]
    SelfJudging {
        /// Who.
        model: String,
    },
    /// A pattern without its parts.
    #[error("pattern `{pattern}` needs {what}")]
    Incomplete {
        /// The pattern.
        pattern: &'static str,
        /// What is not there.
        what: &'static str,
    },
    /// A tool that cannot be used.
    #[error("the tools of the run cannot be used")]
    Tools(#[from] CatalogueError),
    /// A policy that cannot be used.
    #[error("the policies of the run cannot be used")]
    Terms(#[from] TermsError),
}

/// Whether a workflow can run with these models, on this issue, within these limits.
///
/// # Errors
/// The first thing that speaks against it.
pub fn check(
    workflow: &Workflow,
    action_mode: ActionMode,
    models: &[String],
    issue_id: Option<&str>,
    limits: &Limits,
) -> Result<(), ConfigError> {
    let incomplete = |what| Err(ConfigError::Incomplete { pattern: workflow.pattern.token(), what });
    if action_mode == ActionMode::Code && workflow.pattern == ExecutionPattern::OrchestratorWorkers {
        return incomplete("action mode `json`: programs do not ask for workers");
    }
    if let Some(Judge::Model { reference, .. }) = workflow.evaluator.as_ref().map(|one| &one.judge)
        && models.contains(reference)
    {
        return Err(ConfigError::SelfJudging { model: reference.clone() });
    }
    match workflow.pattern {
        ExecutionPattern::Parallel if workflow.branches.is_empty() => incomplete("at least one branch"),
        ExecutionPattern::Route if workflow.routes.is_empty() => incomplete("at least one route"),
        ExecutionPattern::EvaluatorOptimizer if workflow.evaluator.is_none() => incomplete("an evaluator"),
        ExecutionPattern::Single
        | ExecutionPattern::Chain
        | ExecutionPattern::Route
        | ExecutionPattern::Parallel
        | ExecutionPattern::OrchestratorWorkers
        | ExecutionPattern::EvaluatorOptimizer => {
            if workflow.spawns() && issue_id.is_none() {
                return incomplete("an issue, which its workers are children of");
            }
            if workflow.needs_workers() > limits.workers.unwrap_or(u64::MAX) {
                return incomplete("more workers than the limit of workers allows");
            }
            if workflow.needs_workers() > 0 && limits.depth == Some(0) {
                return incomplete("workers, which the limit of depth does not allow");
            }
            Ok(())
        }
    }
}
