//! A workflow as arguments give it. The document is the one that `--workflow` names, as JSON.

use std::collections::BTreeSet;

use premath_kernel::ExecutionPattern;
use premath_tusk::turn_loop::{Branch, Evaluator, Judge, Route, Stage, WorkerDefaults, Workflow};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

/// How often something is made again when nobody says.
const ROUNDS: u64 = 3;

/// The shape of the work.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", default, deny_unknown_fields)]
pub(crate) struct WorkflowArgs {
    /// One of the six patterns.
    pattern: Option<String>,
    /// Prompts after one another.
    stage: Vec<StageArgs>,
    /// What the first turn chooses from.
    route: Vec<RouteArgs>,
    /// What is worked on at the same time.
    branch: Vec<BranchArgs>,
    /// What is asked when all branches have returned.
    join: Option<JoinArgs>,
    /// How workers run.
    worker: Option<WorkerArgs>,
    /// Who judges.
    evaluator: Option<EvaluatorArgs>,
}

/// One prompt of a chain.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StageArgs {
    /// What it is called.
    name: String,
    /// What is asked.
    prompt: String,
}

/// One way to go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RouteArgs {
    /// What it is called.
    name: String,
    /// When it is taken.
    when: String,
    /// What is asked then.
    prompt: String,
}

/// One of several things that are worked on at the same time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BranchArgs {
    /// What it is called.
    name: String,
    /// What is to be done.
    task: String,
    /// Paths it reads.
    #[serde(default)]
    read: Vec<String>,
    /// Paths it may write.
    #[serde(default)]
    write: Vec<String>,
    /// What it must leave behind.
    #[serde(default)]
    artifacts: Vec<String>,
    /// The model that does it.
    model: Option<String>,
}

/// What follows the branches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct JoinArgs {
    /// What is asked.
    prompt: String,
}

/// How workers run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkerArgs {
    /// Their model.
    model: Option<String>,
    /// The most turns of each.
    max_turns: Option<u64>,
}

/// Who judges.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvaluatorArgs {
    /// A command whose exit code is the verdict.
    command: Option<String>,
    /// A model, another one than the one that works.
    model: Option<String>,
    /// What the model is asked.
    prompt: Option<String>,
    /// How often something is made again.
    max_rounds: Option<u64>,
}

/// The workflow that arguments describe; `pattern` is a flag that must agree with the document.
pub(super) fn read(pattern: Option<&str>, args: Option<WorkflowArgs>) -> Result<Workflow, InputError> {
    let args = args.unwrap_or_default();
    let token = match (pattern, args.pattern.as_deref()) {
        (Some(flag), Some(document)) if flag != document => {
            let what = format!("the workflow says `{document}`, the flag says `{flag}`");
            return Err(invalid(what, "pattern"));
        }
        (Some(token), _) | (None, Some(token)) => token.to_owned(),
        (None, None) => ExecutionPattern::Chain.token().to_owned(),
    };
    let pattern = ExecutionPattern::ALL.into_iter().find(|one| one.token() == token).ok_or_else(|| {
        let all: Vec<&str> = ExecutionPattern::ALL.into_iter().map(ExecutionPattern::token).collect();
        invalid(format!("expected one of {}", all.join(", ")), "pattern")
    })?;
    check(&args)?;
    let worker =
        args.worker.map(|worker| WorkerDefaults { model: worker.model, max_turns: worker.max_turns });
    Ok(Workflow {
        pattern,
        stages: args.stage.into_iter().map(|one| Stage { name: one.name, prompt: one.prompt }).collect(),
        routes: args
            .route
            .into_iter()
            .map(|one| Route { name: one.name, when: one.when, prompt: one.prompt })
            .collect(),
        branches: args.branch.into_iter().map(branch).collect(),
        join: args.join.map(|join| join.prompt),
        worker: worker.unwrap_or_default(),
        evaluator: args.evaluator.map(evaluator).transpose()?,
    })
}

/// Names that say something and are there once, prompts that ask something.
fn check(args: &WorkflowArgs) -> Result<(), InputError> {
    let stages = args.stage.iter().map(|one| (one.name.as_str(), vec![("prompt", one.prompt.as_str())]));
    check_parts("stage", stages)?;
    let routes = args
        .route
        .iter()
        .map(|one| (one.name.as_str(), vec![("when", one.when.as_str()), ("prompt", one.prompt.as_str())]));
    check_parts("route", routes)?;
    let branches = args.branch.iter().map(|one| (one.name.as_str(), vec![("task", one.task.as_str())]));
    check_parts("branch", branches)?;
    let place = |part: &str, member: &str| JsonPath::root().key("workflow").key(part).key(member);
    if let Some(join) = &args.join {
        check_text(&join.prompt, place("join", "prompt"))?;
    }
    if let Some(evaluator) = &args.evaluator {
        let texts =
            [("command", &evaluator.command), ("model", &evaluator.model), ("prompt", &evaluator.prompt)];
        for (member, text) in texts {
            text.as_ref().map_or(Ok(()), |text| check_text(text, place("evaluator", member)))?;
        }
    }
    Ok(())
}

fn check_parts<'w>(
    list: &str,
    parts: impl Iterator<Item = (&'w str, Vec<(&'static str, &'w str)>)>,
) -> Result<(), InputError> {
    let mut names = BTreeSet::new();
    for (at, (name, texts)) in parts.enumerate() {
        let place = JsonPath::root().key("workflow").key(list).index(at);
        check_text(name, place.clone().key("name"))?;
        for (member, text) in texts {
            check_text(text, place.clone().key(member))?;
        }
        if !names.insert(name.trim()) {
            let what = format!("there are two of the name `{}`", name.trim());
            return Err(InputError::new(InputClass::FieldInvalid, what, place.key("name")));
        }
    }
    Ok(())
}

fn check_text(text: &str, place: JsonPath) -> Result<(), InputError> {
    if text.trim().is_empty() {
        return Err(InputError::new(InputClass::FieldInvalid, "it must not be blank", place));
    }
    Ok(())
}

fn branch(args: BranchArgs) -> Branch {
    Branch {
        name: args.name,
        task: args.task,
        read: args.read,
        write: args.write,
        artifacts: args.artifacts,
        model: args.model,
    }
}

fn evaluator(args: EvaluatorArgs) -> Result<Evaluator, InputError> {
    let judge = match (args.command, args.model) {
        (Some(command), None) => Judge::Command(command),
        (None, Some(reference)) => {
            let prompt = args.prompt.unwrap_or_else(|| "Judge whether the task was done.".to_owned());
            Judge::Model { reference, prompt }
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(invalid("an evaluator is a command or a model", "evaluator"));
        }
    };
    Ok(Evaluator { judge, max_rounds: args.max_rounds.unwrap_or(ROUNDS) })
}

fn invalid(what: impl Into<String>, key: &str) -> InputError {
    InputError::new(InputClass::FieldInvalid, what.into(), JsonPath::root().key("workflow").key(key))
}
