//! A rule that is not asked would have had nothing to say.

use premath_kernel::Digest;
use premath_tusk::policy::{CallFacts, Principal, RunFacts};
use premath_tusk::tools::{Risk, ToolKind, ToolSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::needle;
use crate::error::Problems;
use crate::rule::{Rule, rules};
use crate::source::RuleSource;
use crate::tool_pack::{Spoken, ToolPack};
use crate::words::Words;

const TOOL: &str = "tool_0";

fn words() -> Words {
    let schema = r#"{"type": "object", "properties": {
        "path": {"type": "string"}, "text": {"type": "string"}, "depth": {"type": "integer"}
    }, "required": ["path"]}"#;
    let spec = ToolSpec::new(TOOL, "files:write", "Tried.", schema, &[]).unwrap();
    Words::new([&spec]).unwrap()
}

fn read(conditions: &[String]) -> Vec<Rule> {
    let rule = |(number, condition): (usize, &String)| {
        format!(
            "@id(\"rule.{number}\") @reason(\"tried\") forbid (principal, action, resource) when {{ {condition} }};\n"
        )
    };
    let text: String = conditions.iter().enumerate().map(rule).collect();
    let read = rules(&RuleSource::new("tried.cedar", text, "{}"), &mut Problems::default());
    assert_eq!(read.len(), conditions.len(), "{conditions:?}");
    read
}

fn asked(conditions: &[String], arguments: &Value) -> (Vec<String>, Vec<String>) {
    let words = words();
    let rules = read(conditions);
    let pack = ToolPack::new(words.tools.get(TOOL).unwrap(), &words, &rules).unwrap();
    let run = RunFacts {
        run_id: "run-1".to_owned(),
        issue_id: None,
        principal: Principal { id: "one".to_owned(), role: "developer".to_owned() },
        risk_tier: "moderate".to_owned(),
    };
    let call = CallFacts {
        run: &run,
        tool: TOOL,
        risk: Risk::Write,
        kind: ToolKind::Effect,
        scope: "files:write",
        arguments,
        arguments_digest: &Digest::of_bytes(b"arguments"),
        targets: &[],
    };
    let Spoken { matched, failed } = pack.ask(&call).unwrap();
    (matched, failed.into_iter().map(|(id, _)| id).collect())
}

/// Letters that names and patterns share, so that they often meet.
fn piece() -> impl Strategy<Value = String> {
    "[ab/.é]{0,4}"
}

fn condition() -> impl Strategy<Value = String> {
    let pattern = (piece(), piece()).prop_flat_map(|(first, second)| {
        prop::sample::select(vec![
            format!("*{first}*"),
            format!("{first}*{second}"),
            format!("*{first}"),
            first.clone(),
            format!("*{first}*{second}\\n*"),
            format!("\\*{first}"),
        ])
    });
    (pattern, 0..8_u8).prop_map(|(pattern, shape)| {
        let names = format!("context.names like \"{pattern}\"");
        let path = format!("context.args.path like \"{pattern}\"");
        match shape {
            0 => names,
            1 => path,
            2 => format!("{path} && context.args has depth && context.args.depth > 3"),
            3 => format!("context.args has text && context.args.text like \"{pattern}\""),
            4 => format!("!({names})"),
            5 => format!("{names} || {path}"),
            6 => format!("{names} && {path}"),
            // An optional argument that nobody asked for: it fails when it is not there.
            _ => format!("{path} && context.args.text like \"a*\""),
        }
    })
}

proptest! {
    #[test]
    fn what_is_not_asked_has_nothing_to_say(
        conditions in prop::collection::vec(condition(), 1..24),
        path in "[ab/.é*]{0,8}",
        text in prop::option::of("[ab]{0,3}"),
        depth in prop::option::of(0..9_i64),
    ) {
        let mut arguments = json!({"path": path});
        if let Some(text) = text { arguments["text"] = json!(text); }
        if let Some(depth) = depth { arguments["depth"] = json!(depth); }
        // With something before it, a pattern is no needle: every rule is asked.
        let plain: Vec<String> = conditions.iter().map(|condition| format!("1 == 1 && ({condition})")).collect();
        prop_assert_eq!(asked(&conditions, &arguments), asked(&plain, &arguments));
    }
}

#[test]
fn only_what_every_call_has_is_searched_and_only_first() {
    let words = words();
    let tool = words.tools.get(TOOL).unwrap();
    let found = |condition: &str| {
        let rules = read(&[condition.to_owned()]);
        needle(rules.first().unwrap(), tool).map(|(_, letters)| letters)
    };
    assert_eq!(found("context.names like \"*/.env\\n*\"").as_deref(), Some("/.env\n"));
    assert_eq!(
        found("context.args.path like \"a*bcd*e\" && context.tier == \"low\"").as_deref(),
        Some("bcd")
    );
    assert_eq!(found("context.args.path like \"\\*x\"").as_deref(), Some("*x"));
    for other in [
        "context.args.path like \"*\"",
        "context.args.text like \"abc\"",
        "context.tier like \"abc\"",
        "!(context.names like \"abc\")",
        "context.names like \"abc\" || context.tier == \"low\"",
        "context.tier == \"low\" && context.names like \"abc\"",
    ] {
        assert_eq!(found(other), None, "{other}");
    }
}
