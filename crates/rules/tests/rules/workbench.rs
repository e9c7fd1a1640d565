//! Tools to make rules about, and calls of them.

use premath_kernel::Digest;
use premath_rules::{LoadError, LoadErrors, RulePack, RuleSource};
use premath_tusk::policy::{CallFacts, Origin, Principal, Rules, Ruling, RunFacts, Target};
use premath_tusk::tools::{Risk, ToolKind, ToolSpec, built_in};
use serde_json::{Value, json};

const TITLE: &str =
    r#"{"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}"#;
const ISSUE: &str = r#"{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}"#;
const RENAME: &str = r#"{"type": "object", "properties": {"file_id": {"type": "string"}, "name": {"type": "string"}},
    "required": ["file_id", "name"]}"#;
/// One argument of every kind that rules can see, and some that they cannot.
const MIXED: &str = r#"{"type": "object", "properties": {
    "text": {"type": "string"}, "count": {"type": "integer"}, "flag": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}}, "mode": {"enum": ["a", "b"]},
    "maybe": {"type": ["string", "null"]}, "ratio": {"type": "number"}, "deep": {"type": "object"},
    "rows": {"type": "array", "items": {"type": "object"}}
}, "required": ["text", "maybe"]}"#;

fn spec(name: &str, scope: &str, risk: Risk, schema: &str) -> ToolSpec {
    let mut spec = ToolSpec::new(name, scope, "For tests.", schema, &[]).unwrap();
    spec.risk = risk;
    spec.kind = if risk == Risk::Read { ToolKind::Read } else { ToolKind::Effect };
    spec
}

/// The built-in tools, some that ask for changes of issue memory, and one with arguments of every kind.
pub(crate) fn tools() -> Vec<ToolSpec> {
    let mut tools: Vec<ToolSpec> = built_in().unwrap().iter().map(|tool| tool.spec().clone()).collect();
    tools.push(spec("issue_add", "issues:write", Risk::Create, TITLE));
    tools.push(spec("issue_update", "issues:write", Risk::Write, ISSUE));
    tools.push(spec("dep_add", "deps:write", Risk::Write, ISSUE));
    tools.push(spec("mixed", "mixed:write", Risk::Write, MIXED));
    tools
}

/// The same, with the desk.
pub(crate) fn tools_and_desk() -> Vec<ToolSpec> {
    let mut tools = tools();
    tools.push(spec("desk_rename_file", "desk:write", Risk::Write, RENAME));
    tools.push(spec("desk_delete_file", "desk:delete", Risk::Destructive, ISSUE));
    tools.push(spec("desk_delete_folder", "desk:delete", Risk::Destructive, ISSUE));
    tools
}

/// A call that somebody makes.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) spec: ToolSpec,
    pub(crate) arguments: Value,
    pub(crate) targets: Vec<Target>,
    pub(crate) run: RunFacts,
}

pub(crate) fn call(tool: &str, arguments: Value) -> Call {
    let spec = tools_and_desk().into_iter().find(|spec| spec.name == tool);
    let spec = spec.unwrap_or_else(|| spec_of_nobody(tool));
    let principal = Principal { id: "ada".to_owned(), role: "developer".to_owned() };
    let run = RunFacts {
        run_id: "run-1".to_owned(),
        issue_id: Some("bd-1".to_owned()),
        principal,
        risk_tier: "low".to_owned(),
    };
    Call { spec, arguments, targets: Vec::new(), run }
}

fn spec_of_nobody(tool: &str) -> ToolSpec {
    spec(tool, "nobody:read", Risk::Read, r#"{"type": "object"}"#)
}

impl Call {
    pub(crate) fn on(mut self, id: &str, origin: Origin) -> Self {
        self.targets.push(Target { kind: "file".to_owned(), id: id.to_owned(), name: id.to_owned(), origin });
        self
    }

    pub(crate) fn role(mut self, role: &str) -> Self {
        self.run.principal.role = role.to_owned();
        self
    }

    pub(crate) fn facts<T>(&self, with: impl FnOnce(&CallFacts<'_>) -> T) -> T {
        with(&CallFacts {
            run: &self.run,
            tool: &self.spec.name,
            risk: self.spec.risk,
            kind: self.spec.kind,
            scope: &self.spec.scope,
            arguments: &self.arguments,
            arguments_digest: &Digest::of_bytes(b"arguments"),
            targets: &self.targets,
        })
    }

    pub(crate) fn decided(&self, rules: &dyn Rules) -> Ruling {
        self.facts(|facts| rules.decide(facts))
    }
}

pub(crate) fn load(text: &str, examples: &Value) -> Result<RulePack, LoadErrors> {
    RulePack::load(&[RuleSource::new("rules/own.cedar", text, examples.to_string())], &tools())
}

/// What is wrong with some rules: every error as it is shown.
pub(crate) fn wrong(text: &str, examples: &Value) -> Vec<String> {
    load(text, examples).unwrap_err().iter().map(LoadError::to_string).collect()
}

/// A rule, and examples of it that are right: it is about `fs_read` of `a` and not of `b`.
pub(crate) fn rule(id: &str, annotations: &str, head: &str) -> String {
    format!(
        "@id(\"{id}\")\n@reason(\"because\")\n{annotations}\n{head} (principal, action == Action::\"fs_read\", resource)\n\
         when {{ context.args.path like \"a*\" }};\n"
    )
}

pub(crate) fn examples(ids: &[&str]) -> Value {
    let one = || {
        json!({
            "match": [{"tool": "fs_read", "arguments": {"path": "a"}}],
            "noMatch": [{"tool": "fs_read", "arguments": {"path": "b"}}],
        })
    };
    Value::Object(ids.iter().map(|id| ((*id).to_owned(), one())).collect())
}

/// Rules that are each about `fs_read` of `a…`: an id and how it stands to it.
pub(crate) fn pack(rules: &[(&str, &str, &str)]) -> RulePack {
    let text: String = rules.iter().map(|(id, annotations, head)| rule(id, annotations, head)).collect();
    let ids: Vec<&str> = rules.iter().map(|(id, _, _)| *id).collect();
    load(&text, &examples(&ids)).unwrap()
}
