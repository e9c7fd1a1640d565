//! `code_execution`: the one tool of action mode `code`. Its schema carries the language and the functions, so that every call
//! cites them by digest.
//!
//! It runs nothing: the machine owns the program. It must not name a tool that programs may not call.

use super::bindings::Bindings;
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

const EXAMPLES: [&str; 3] = [
    r#"{"program": "(define paths (string-lines (fs_list \".\")))\n(length paths)"}"#,
    r#"{"program": "(define (todo path)\n  (guard (e (else '()))\n    (filter (lambda (line) (string-contains line \"TODO\")) (string-lines (fs_read path)))))\n(append-map todo '(\"a.txt\" \"b.txt\"))"}"#,
    r#"{"program": "(parallel-map (lambda (path) (list path (string-length (fs_read path (hash-table \"limit\" 100))))) '(\"a.txt\" \"b.txt\"))"}"#,
];

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
        let tools: Vec<&ToolSpec> =
            tools.into_iter().filter(|spec| !spec.defer_loading && spec.name != CODE_EXECUTION).collect();
        let schema = serde_json::json!({
            "type": "object",
            "properties": {
                "program": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 262_144,
                    "description": language(&tools),
                }
            },
            "required": ["program"],
            "additionalProperties": false
        });
        let mut spec = ToolSpec::new(CODE_EXECUTION, SCOPE, DESCRIPTION, &schema.to_string(), &EXAMPLES)?;
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

fn language(tools: &[&ToolSpec]) -> String {
    format!(
        "The program.\n\n{}\n# Functions\n\n{SHAPE}: (fs_read \"a.txt\" (hash-table \"limit\" 10)). What is in brackets is \
         optional. Names may be written with hyphens.\n\n{}",
        premath_repl::CHEAT_SHEET,
        signatures(tools.iter().copied()).join("\n")
    )
}

/// One line for each tool that programs may call.
pub(crate) fn signatures<'s>(tools: impl IntoIterator<Item = &'s ToolSpec> + Clone) -> Vec<String> {
    let bindings = Bindings::of(tools.clone());
    let line = |spec: &ToolSpec| {
        let binding = bindings.of_tool(&spec.name)?;
        let schema: serde_json::Value = serde_json::from_str(spec.input_schema.as_str()).unwrap_or_default();
        let members = schema.get("properties").and_then(serde_json::Value::as_object);
        let (needed, optional) = binding.placed.split_at_checked(binding.least)?;
        let shown = |name: &str| match members.and_then(|members| members.get(name)).map(kind) {
            Some(kind) if !kind.is_empty() => format!("{name}:{kind}"),
            Some(_) | None => name.to_owned(),
        };
        let mut parts = vec![binding.name.clone()];
        parts.extend(needed.iter().map(|name| shown(name)));
        let others = members.into_iter().flat_map(|members| members.keys());
        let others = others.filter(|name| !binding.placed.contains(name));
        let others: Vec<String> = optional.iter().chain(others).map(|name| shown(name)).collect();
        if !others.is_empty() {
            parts.push(format!("[{}]", others.join(" ")));
        }
        Some(format!("({}) ; {}", parts.join(" "), first_sentence(&spec.description)))
    };
    tools.into_iter().filter_map(line).collect()
}

/// What a member may be, in a word.
fn kind(member: &serde_json::Value) -> String {
    let choices = member.get("enum").and_then(serde_json::Value::as_array);
    if let Some(choices) = choices {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return choices.join("|");
    }
    member.get("type").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

fn first_sentence(text: &str) -> &str {
    let text = text.split('\n').next().unwrap_or_default();
    text.split_once(". ").map_or(text, |(first, _)| first)
}
