//! The shape of the work of a run: which of the six patterns, and what its parts are.
//!
//! Plain data that the journal keeps. It must not run anything.

use premath_kernel::{ExecutionPattern, Object, Value};

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, text_list, unreadable};

/// The shape of the work of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workflow {
    /// The pattern.
    pub pattern: ExecutionPattern,
    /// Prompts after one another, behind the opening.
    pub stages: Vec<Stage>,
    /// What the first turn chooses from.
    pub routes: Vec<Route>,
    /// What is worked on at the same time.
    pub branches: Vec<Branch>,
    /// What the model is asked when all branches have returned.
    pub join: Option<String>,
    /// How spawned workers run.
    pub worker: WorkerDefaults,
    /// Who judges.
    pub evaluator: Option<Evaluator>,
}

/// One prompt of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// What the model is asked.
    pub prompt: String,
}

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Its name.
    pub name: String,
    /// When it is the right one.
    pub when: String,
    /// What the model is asked on it.
    pub prompt: String,
}

/// One of several things to do at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// What is to be done.
    pub task: String,
    /// Folders it may read; all when empty.
    pub read: Vec<String>,
    /// Folders it may write; all when both are empty.
    pub write: Vec<String>,
    /// Files that must be there when it is done.
    pub artifacts: Vec<String>,
    /// Who does it; the run's own models when absent.
    pub model: Option<String>,
}

/// How spawned workers run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerDefaults {
    /// Who does their work; the run's own models when absent.
    pub model: Option<String>,
    /// How many turns each may take.
    pub max_turns: Option<u64>,
}

/// Who judges what was made, and how often it may be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluator {
    /// Who judges.
    pub judge: Judge,
    /// The most rounds.
    pub max_rounds: u64,
}

/// Who judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judge {
    /// A command: code 0 is a pass.
    Command(String),
    /// Another model than the one that made it.
    Model {
        /// Which.
        reference: String,
        /// What it is asked.
        prompt: String,
    },
}

impl Workflow {
    /// Turns after one another until the model is done.
    #[must_use]
    pub fn chain() -> Self {
        Self::of(ExecutionPattern::Chain)
    }

    /// A pattern without parts.
    #[must_use]
    pub fn of(pattern: ExecutionPattern) -> Self {
        Self {
            pattern,
            stages: Vec::new(),
            routes: Vec::new(),
            branches: Vec::new(),
            join: None,
            worker: WorkerDefaults::default(),
            evaluator: None,
        }
    }

    /// Whether runs of it spawn workers, which are child issues.
    #[must_use]
    pub fn spawns(&self) -> bool {
        let judged_by_model =
            self.evaluator.as_ref().is_some_and(|evaluator| matches!(evaluator.judge, Judge::Model { .. }));
        matches!(self.pattern, ExecutionPattern::Parallel | ExecutionPattern::OrchestratorWorkers)
            || judged_by_model
    }

    /// How many workers it cannot do without; a model that spawns them decides that itself.
    #[must_use]
    pub fn needs_workers(&self) -> u64 {
        let is_judge = |one: &Evaluator| matches!(one.judge, Judge::Model { .. });
        match self.pattern {
            ExecutionPattern::Parallel => u64::try_from(self.branches.len()).unwrap_or(u64::MAX),
            ExecutionPattern::EvaluatorOptimizer => u64::from(self.evaluator.as_ref().is_some_and(is_judge)),
            ExecutionPattern::Single
            | ExecutionPattern::Chain
            | ExecutionPattern::Route
            | ExecutionPattern::OrchestratorWorkers => 0,
        }
    }

    pub(super) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .non_empty("branches", self.branches.iter().map(branch_value).collect())
            .optional("evaluator", self.evaluator.as_ref().map(evaluator_value))
            .optional("join", self.join.as_deref())
            .field("pattern", self.pattern.token())
            .non_empty("routes", self.routes.iter().map(route_value).collect())
            .non_empty("stages", self.stages.iter().map(stage_value).collect())
            .field(
                "worker",
                Object::fields()
                    .optional("maxTurns", self.worker.max_turns.map(count))
                    .optional("model", self.worker.model.as_deref())
                    .finish(),
            )
            .finish()
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let worker = row.row("worker")?;
        Ok(Self {
            pattern: pattern(row.text("pattern")?)?,
            stages: row
                .rows("stages", |row| Ok(Stage { name: row.owned("name")?, prompt: row.owned("prompt")? }))?,
            routes: row.rows("routes", |row| {
                Ok(Route { name: row.owned("name")?, when: row.owned("when")?, prompt: row.owned("prompt")? })
            })?,
            branches: row.rows("branches", read_branch)?,
            join: row.optional("join")?,
            worker: WorkerDefaults {
                model: worker.optional("model")?,
                max_turns: worker.optional_count("maxTurns")?,
            },
            evaluator: row.optional_row("evaluator")?.map(read_evaluator).transpose()?,
        })
    }
}

pub(super) fn pattern(token: &str) -> Result<ExecutionPattern, Unreadable> {
    ExecutionPattern::ALL.into_iter().find(|one| one.token() == token).ok_or_else(|| unreadable("pattern"))
}

fn stage_value(stage: &Stage) -> Value<'_> {
    Object::fields().field("name", stage.name.as_str()).field("prompt", stage.prompt.as_str()).finish()
}

fn route_value(route: &Route) -> Value<'_> {
    Object::fields()
        .field("name", route.name.as_str())
        .field("prompt", route.prompt.as_str())
        .field("when", route.when.as_str())
        .finish()
}

fn branch_value(branch: &Branch) -> Value<'_> {
    Object::fields()
        .non_empty("artifacts", text_list(&branch.artifacts))
        .optional("model", branch.model.as_deref())
        .field("name", branch.name.as_str())
        .non_empty("read", text_list(&branch.read))
        .field("task", branch.task.as_str())
        .non_empty("write", text_list(&branch.write))
        .finish()
}

fn read_branch(row: Row<'_>) -> Result<Branch, Unreadable> {
    Ok(Branch {
        name: row.owned("name")?,
        task: row.owned("task")?,
        read: row.texts("read")?,
        write: row.texts("write")?,
        artifacts: row.texts("artifacts")?,
        model: row.optional("model")?,
    })
}

fn evaluator_value(evaluator: &Evaluator) -> Value<'_> {
    let fields = Object::fields().field("maxRounds", count(evaluator.max_rounds));
    match &evaluator.judge {
        Judge::Command(command) => fields.field("command", command.as_str()),
        Judge::Model { reference, prompt } => {
            fields.field("model", reference.as_str()).field("prompt", prompt.as_str())
        }
    }
    .finish()
}

fn read_evaluator(row: Row<'_>) -> Result<Evaluator, Unreadable> {
    let judge = match row.optional("command")? {
        Some(command) => Judge::Command(command),
        None => Judge::Model { reference: row.owned("model")?, prompt: row.owned("prompt")? },
    };
    Ok(Evaluator { judge, max_rounds: row.count("maxRounds")? })
}
