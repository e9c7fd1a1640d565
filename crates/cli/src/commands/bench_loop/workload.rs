//! What both loops are given to do: so many turns of so many calls of a trivial tool, and the tool itself.
//!
//! Sizes are those of ordinary work: an answer of about 200 bytes of text, calls with about 100 bytes of arguments, results
//! of about 1 KB. It must not do anything that either loop could be faster at than the other.

use premath_models::scenario::{
    Call, ClaimedUsage, Conversation, Expectation, Scenario, Speech, Stop, Turn, When,
};
use premath_tusk::tools::{
    Arguments, Extent, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput, ToolSpec,
};

const TEXT: &str = "I look at the next part of what was asked for, compare it with what the last call gave back, and go on \
                    from there; nothing so far speaks against the plan, so the next step is the one that was named.";
const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "What to look at."},
    "step": {"type": "integer", "minimum": 0, "description": "Which step this is."}
  },
  "required": ["path", "step"],
  "additionalProperties": false
}"#;
const EXAMPLES: [&str; 1] = [r#"{"path": "src/lib.rs", "step": 1}"#];
/// The length of a result.
const RESULT_BYTES: usize = 1024;

/// What a call of the trivial tool counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It looks only: what came of it is made durable with the next request.
    Read,
    /// It changes something: its intent is durable before it happens.
    Effect,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Read, Self::Effect];

    /// The tool.
    pub(super) const fn tool(self) -> &'static str {
        match self {
            Self::Read => "look",
            Self::Effect => "touch",
        }
    }
}

/// So many turns of so many calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Workload {
    pub(super) kind: Kind,
    pub(super) turns: usize,
    pub(super) calls: usize,
}

impl Workload {
    pub(super) const fn new(kind: Kind, turns: usize, calls: usize) -> Self {
        Self { kind, turns, calls }
    }

    /// The model that answers with it.
    pub(super) fn model(self) -> String {
        format!("{}-{}x{}", self.kind.tool(), self.turns, self.calls)
    }

    fn conversation(self) -> Conversation {
        let turn = |number: usize| {
            let calls = (0..self.calls).map(|call| self.call(number, call)).collect();
            said(calls, Stop::ToolUse)
        };
        let last = said(Vec::new(), Stop::EndTurn);
        let when = When { model: Some(self.model()), system_contains: None, asked: None };
        Conversation { when, turns: (0..self.turns).map(turn).chain([last]).collect() }
    }

    fn call(self, turn: usize, call: usize) -> Call {
        let path =
            format!("crates/example/src/part_{:03}/a_file_with_an_ordinary_name_{call:02}.rs", turn % 1000);
        let step = turn * self.calls + call;
        Call {
            id: format!("toolu_{turn:05}_{call:03}"),
            tool: self.kind.tool().to_owned(),
            arguments: format!(r#"{{"path":"{path}","step":{step}}}"#),
        }
    }
}

fn said(calls: Vec<Call>, stop: Stop) -> Turn {
    let usage = ClaimedUsage { input: Some(1_000), output: Some(100), ..ClaimedUsage::default() };
    let speech =
        Speech { reasoning: None, text: Some(TEXT.to_owned()), refusal: None, calls, stop, usage, chunk: 16 };
    Turn { speech, expect: Expectation::default(), faults: Vec::new() }
}

/// The scenario that answers with all of them.
pub(super) fn scenario(workloads: &[Workload]) -> Scenario {
    let conversations = workloads.iter().map(|workload| workload.conversation()).collect();
    Scenario { name: "bench".to_owned(), conversations }
}

/// What a call comes to.
pub(super) fn result(path: &str, step: u64) -> String {
    let mut text = format!("{path}: step {step}\n");
    while text.len() < RESULT_BYTES {
        text.push_str("one more line of an ordinary file, as long as such lines are\n");
    }
    text.truncate(RESULT_BYTES);
    text
}

/// The trivial tool.
#[derive(Debug)]
pub(super) struct Trivial(ToolSpec);

impl Trivial {
    pub(super) fn new(kind: Kind) -> Result<Self, SpecError> {
        let description = "Looks at one part of what was asked for.";
        let mut spec = ToolSpec::new(kind.tool(), "bench:call", description, SCHEMA, &EXAMPLES)?;
        (spec.kind, spec.risk) = match kind {
            Kind::Read => (ToolKind::Read, Risk::Read),
            Kind::Effect => (ToolKind::Effect, Risk::Write),
        };
        Ok(Self(spec))
    }
}

impl Tool for Trivial {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let step = arguments.count("step").unwrap_or_default();
        let content = result(arguments.required_text("path")?, step);
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let extent = Extent { total_bytes: bytes, shown_bytes: bytes, ..Extent::default() };
        Ok(ToolOutput { content, extent, ..ToolOutput::default() })
    }
}
