//! What a decision costs with 200 rules. Run: `cargo bench -p premath-rules`. At most 50 µs are allowed, and `spread` keeps to
//! it; so does `all_on_one_tool`, where most rules begin with a pattern whose letters do not occur. A rule that has to be asked costs
//! about 0.3 µs.
//!
//! `spread`: the rules are about twenty tools, as rules are. `all_on_one_tool`: every one of the 200 is about the tool that
//! is called, and none is left out of the decision.

use divan::{Bencher, black_box};
use premath_kernel::Digest;
use premath_rules::{RulePack, RuleSource};
use premath_tusk::policy::{CallFacts, Effect, Origin, Principal, Rules, RunFacts, Target};
use premath_tusk::tools::{Risk, SpecError, ToolKind, ToolSpec};
use serde_json::json;

const RULES: usize = 200;
const TOOLS: usize = 20;

fn main() {
    divan::main();
}

#[divan::bench]
fn spread(bencher: Bencher<'_, '_>) {
    decide(bencher, pack(TOOLS));
}

#[divan::bench]
fn all_on_one_tool(bencher: Bencher<'_, '_>) {
    decide(bencher, pack(1));
}

#[divan::bench(sample_count = 10)]
fn load(bencher: Bencher<'_, '_>) {
    bencher.bench(|| pack(black_box(TOOLS)).map(|pack| pack.rules().len()));
}

/// A call that no `forbid` matches and one `permit` does: every rule has to be asked.
fn decide(bencher: Bencher<'_, '_>, pack: Option<RulePack>) {
    let Some(pack) = pack else { return };
    let run = RunFacts {
        run_id: "run-1".to_owned(),
        issue_id: Some("bd-1".to_owned()),
        principal: Principal { id: "ada".to_owned(), role: "developer".to_owned() },
        risk_tier: "moderate".to_owned(),
    };
    let targets = [Target {
        kind: "file".to_owned(),
        id: "src/main.rs".to_owned(),
        name: "main.rs".to_owned(),
        origin: Origin::Person,
    }];
    let arguments = json!({"path": "src/main.rs", "text": "fn main() {}\n".repeat(8), "depth": 3});
    let arguments_digest = Digest::of_bytes(b"arguments");
    let call = CallFacts {
        run: &run,
        tool: "tool_0",
        risk: Risk::Write,
        kind: ToolKind::Effect,
        scope: "files:write",
        arguments: &arguments,
        arguments_digest: &arguments_digest,
        targets: &targets,
    };
    assert_eq!(pack.decide(&call).effect, Effect::Allow, "the call is meant to run");
    bencher.bench(|| pack.decide(black_box(&call)));
}

/// 200 rules about so many of the twenty tools: one permits, the others forbid what no call does.
fn pack(about: usize) -> Option<RulePack> {
    let tools: Result<Vec<ToolSpec>, SpecError> = (0..TOOLS).map(tool).collect();
    let (mut text, mut examples) = (String::new(), serde_json::Map::new());
    for number in 0..RULES {
        let tool = if number == 0 { 0 } else { number % about };
        let (head, condition) = match number {
            0 => ("permit", "context.risk == \"write\"".to_owned()),
            number if number % 3 == 0 => {
                ("forbid", format!("context.args.path like \"*/secret_{number}/*\""))
            }
            number if number % 3 == 1 => ("forbid", format!("context.names like \"*/private_{number}\\n*\"")),
            number => (
                "forbid",
                format!(
                    "principal in Role::\"guest\" && context.args has depth && context.args.depth > {number}"
                ),
            ),
        };
        text.push_str(&format!(
            "@id(\"rule.{number}\") @reason(\"measured\") {head} (principal, action == Action::\"tool_{tool}\", resource) when {{ {condition} }};\n"
        ));
        let tool = format!("tool_{tool}");
        let path = format!("a/secret_{number}/private_{number}");
        let guilty = json!({"tool": tool, "arguments": {"path": path, "depth": 1000}, "role": "guest"});
        let other = if number == 0 { "tool_1" } else { tool.as_str() };
        let innocent = json!({"tool": other, "arguments": {"path": "a"}});
        examples.insert(format!("rule.{number}"), json!({"match": [guilty], "noMatch": [innocent]}));
    }
    let examples = serde_json::Value::Object(examples).to_string();
    RulePack::load(&[RuleSource::new("bench.cedar", text, examples)], &tools.ok()?).ok()
}

fn tool(number: usize) -> Result<ToolSpec, SpecError> {
    let schema = r#"{"type": "object", "properties": {
        "path": {"type": "string"}, "text": {"type": "string"}, "depth": {"type": "integer"}
    }, "required": ["path"]}"#;
    let mut spec = ToolSpec::new(&format!("tool_{number}"), "files:write", "Measured.", schema, &[])?;
    spec.risk = Risk::Write;
    spec.kind = ToolKind::Effect;
    Ok(spec)
}
