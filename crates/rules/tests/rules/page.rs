//! The page about rules: what it shows loads and decides as it says.

use premath_rules::{RulePack, RuleSource};
use premath_tusk::policy::{Effect, Rules};
use serde_json::json;

use crate::workbench::{call, tools};

const PAGE: &str = include_str!("../../../../docs/reference/rules.md");

fn block(language: &str) -> &'static str {
    let begin = format!("```{language}\n");
    let (_, rest) = PAGE.split_once(&begin).expect("the page shows it");
    rest.split_once("```").expect("the block ends").0
}

#[test]
fn the_example_of_the_page_loads_and_decides_as_it_says() {
    let source = RuleSource::new("page.cedar", block("cedar"), block("json"));
    let pack = RulePack::load(&[source], &tools()).unwrap();
    let effect = |tool: &str, arguments| call(tool, arguments).decided(&pack).effect;
    assert_eq!(effect("issue_add", json!({"title": "TODO: think"})), Effect::Deny);
    assert_eq!(effect("issue_add", json!({"title": "Bound the index"})), Effect::Allow);
    assert_eq!(effect("fs_read", json!({"path": "production/a"})), Effect::Ask);
    assert_eq!(effect("shell", json!({"command": "ls", "workdir": "."})), Effect::Deny);
    let operator = call("fs_read", json!({"path": "production/a"})).role("operator");
    assert_eq!(operator.decided(&pack).effect, Effect::Allow);
}

#[test]
fn the_page_names_every_shipped_rule() {
    let pack = RulePack::load(&RulePack::default_sources(), &tools()).unwrap();
    for rule in pack.rules() {
        let family = rule.id.split('.').next().unwrap_or_default();
        assert!(
            PAGE.contains(&format!("`{}`", rule.id)) || PAGE.contains(&format!("`{family}.*`")),
            "{}",
            rule.id
        );
    }
}
