//! A machine that is played without any outside: answers and results are said as sentences, and two laws are held on the way.
//!
//! Every request is looked at for calls without results and results without calls, and a play that ends is run again from
//! its rows. It must not do anything by itself that a driver would not.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a play that cannot go on fails the test")]
#![expect(clippy::indexing_slicing, reason = "a play names its workers by place")]
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever else comes fails the test")]

mod code;
mod code_governed;
mod code_mended;
mod governed;
mod limits;
mod pairing;
mod patterns;
mod people;
mod play;
mod redrive_laws;
mod runs;

pub(crate) use pairing::unpaired;
pub(crate) use people::{
    calls, cut_off, done, failed, forged, judge, lookup, note, ok, paused, program, refusal, said, spawn,
    worker,
};
pub(crate) use play::{Play, redriven, values};

use premath_kernel::ActionMode;
use premath_tusk::tools::{Risk, Tool as _, ToolKind, ToolSpec, built_in};
use premath_tusk::turn_loop::{
    ChooseRoute, CodeExecution, ContextLimits, EvidenceRules, GiveVerdict, Limits, ParentRun, Relation,
    Route, RunConfig, STRUCTURED, SpawnWorker, Workflow,
};

/// A run with the built-in tools, a tool of each other kind, and nothing unusual.
pub(crate) fn config() -> RunConfig {
    RunConfig {
        run_id: "play".to_owned(),
        task: "make the check pass".to_owned(),
        issue_id: None,
        instruction_ref: None,
        models: vec!["scripted:maker".to_owned()],
        system: vec!["You work in a folder.".to_owned()],
        opening: "Make the check pass.".to_owned(),
        action_mode: ActionMode::Json,
        normalizer: STRUCTURED.to_owned(),
        workflow: Workflow::chain(),
        role: None,
        scope: None,
        tools: tools(),
        profile: "workspace-write".to_owned(),
        limits: Limits::standard(),
        context: ContextLimits::standard(),
        code: None,
        capabilities: vec!["capabilities.change_morphisms.issue_add".to_owned()],
        autonomy: None,
        parent: None,
        required_artifacts: Vec::new(),
        issue_scope: Vec::new(),
        edit_surfaces: Some(vec!["apply_patch".to_owned(), "shell".to_owned()]),
        incoming: Vec::new(),
        blocked: Vec::new(),
        policy: None,
        evidence: EvidenceRules::Computed,
        verification: None,
        turn_policies: Vec::new(),
        sinks: None,
    }
}

/// The same with a model that writes programs.
pub(crate) fn coding() -> RunConfig {
    let mut config = RunConfig { action_mode: ActionMode::Code, ..config() };
    let programs = CodeExecution::new(&config.tools).unwrap();
    config.tools.push(programs.spec().clone());
    config
}

/// The same with other limits.
pub(crate) fn limited(limits: Limits) -> RunConfig {
    RunConfig { limits, ..config() }
}

/// The same with another shape of work, on an issue.
pub(crate) fn working(workflow: Workflow) -> RunConfig {
    let mut config = RunConfig { workflow, issue_id: Some("pm-1".to_owned()), ..config() };
    if config.workflow.spawns() {
        config.tools.push(SpawnWorker::new("pm-1", "pm").unwrap().spec().clone());
    }
    if !config.workflow.routes.is_empty() {
        config.tools.push(ChooseRoute::new(&config.workflow.routes).unwrap().spec().clone());
    }
    config
}

/// A worker of another run, which must leave `artifacts` behind.
pub(crate) fn specialist(artifacts: &[&str]) -> RunConfig {
    RunConfig {
        role: Some(premath_kernel::OrchestrationRole::Specialist),
        parent: Some(ParentRun {
            run_id: "above".to_owned(),
            call_id: "above.t0001".to_owned(),
            depth: 1,
            relation: Relation::Worker,
        }),
        required_artifacts: artifacts.iter().map(|path| (*path).to_owned()).collect(),
        ..config()
    }
}

/// Two ways to go on.
pub(crate) fn routes() -> Vec<Route> {
    let route = |name: &str, when: &str| Route {
        name: name.to_owned(),
        when: when.to_owned(),
        prompt: format!("You are on the way of {name}."),
    };
    vec![route("mend", "something is broken"), route("explain", "somebody asks")]
}

fn tools() -> Vec<ToolSpec> {
    let mut tools: Vec<ToolSpec> = built_in().unwrap().iter().map(|tool| tool.spec().clone()).collect();
    let text = r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}"#;
    let example = [r#"{"text": "a"}"#];
    let mut add = ToolSpec::new("issue_add", "issues:write", "Notes work.", text, &example).unwrap();
    (add.kind, add.risk, add.idempotent) = (ToolKind::Intent, Risk::Create, false);
    let mut rare = ToolSpec::new("rare", "files:read", "Looks at rare things.", text, &example).unwrap();
    rare.defer_loading = true;
    tools.extend([add, rare, GiveVerdict::new().unwrap().spec().clone()]);
    tools
}
