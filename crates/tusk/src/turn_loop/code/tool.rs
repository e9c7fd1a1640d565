//! `code_execution`: the one tool of action mode `code`. Its schema carries the language and the functions, so that every call
//! cites them by digest.
//!
//! It runs nothing: the machine owns the program. It must not name a tool that programs may not call.

use super::bindings::Bindings;
use super::calling::functions;
use super::examples::examples;
use crate::tools::{
    Arguments, Caller, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput, ToolSpec,
};

/// The tool that runs programs.
pub const CODE_EXECUTION: &str = "code_execution";
/// What must be granted for it: it shapes a run, and what its programs call is granted by itself.
const SCOPE: &str = "run:code";
/// How arguments are given, for models.
pub(super) const SHAPE: &str = "required arguments by position, or all of them as one table; \
optional ones in a table behind the required ones";

const DESCRIPTION: &str = "Runs a program in a small Scheme. It is the only way to use tools here: every tool is a function \
of the program. Read, loop, filter and combine in the program, and return only what you need to see: what its calls give \
back stays in the program, and you are shown its value, what it displays, and its error if it fails. Independent calls run \
at the same time with parallel-map. A call that fails is a condition with a class, which guard can catch. Changes that a \
tool only asks for (issues) happen after the turn, not inside the program.";

/// `code_execution`.
#[derive(Debug)]
pub struct CodeExecution {
    spec: ToolSpec,
}

impl CodeExecution {
    /// The tool of a run with these tools.
    ///
    /// # Errors
    /// Never, as long as its own definition is well formed.
    pub fn new<'s>(tools: impl IntoIterator<Item = &'s ToolSpec>) -> Result<Self, SpecError> {
        let tools: Vec<&ToolSpec> = tools.into_iter().filter(|spec| spec.name != CODE_EXECUTION).collect();
        let bindings = Bindings::of(tools.iter().copied());
        let schema = serde_json::json!({
            "type": "object",
            "properties": {
                "program": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 262_144,
                    "description": language(&bindings, &tools),
                }
            },
            "required": ["program"],
            "additionalProperties": false
        });
        let examples = examples(&bindings);
        let examples: Vec<&str> = examples.iter().map(String::as_str).collect();
        let mut spec = ToolSpec::new(CODE_EXECUTION, SCOPE, DESCRIPTION, &schema.to_string(), &examples)?;
        // Its calls can have effects at once, so that it does not run in a turn that cannot close.
        (spec.kind, spec.risk, spec.idempotent) = (ToolKind::Effect, Risk::Read, false);
        spec.allowed_callers = vec![Caller::Model];
        Ok(Self { spec })
    }
}

impl Tool for CodeExecution {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new("tool.not_here", "a program runs in the turn that asks for it, nowhere else"))
    }
}

fn language(bindings: &Bindings, tools: &[&ToolSpec]) -> String {
    let offered = tools.iter().copied().filter(|spec| !spec.defer_loading);
    format!(
        "The program.\n\n{}\n# Functions\n\nCalled with {SHAPE}. What is in brackets is optional; `list(…)` is a list, `{{…}}` \
         a hash table with these keys (`?`: may be left out). Names may be written with hyphens.\n\n{}",
        premath_repl::CHEAT_SHEET,
        functions(bindings, offered).join("\n")
    )
}

/// How each of these tools is called that programs may call.
pub(crate) fn signatures<'s>(tools: impl IntoIterator<Item = &'s ToolSpec> + Clone) -> Vec<String> {
    functions(&Bindings::of(tools.clone()), tools)
}
