//! What does not load, and what is said about it.

use premath_rules::{RulePack, RuleSource};
use premath_tusk::policy::{Effect, Rules};
use serde_json::{Value, json};

use crate::workbench::{examples, load, rule, tools, tools_and_desk, wrong};

fn one(text: &str) -> String {
    let errors = wrong(text, &json!({"r": {"match": [], "noMatch": []}}));
    errors.first().cloned().unwrap_or_default()
}

fn with_condition(condition: &str) -> String {
    one(&format!(
        "@id(\"r\")\n@reason(\"because\")\nforbid (principal, action == Action::\"fs_read\", resource)\nwhen {{ {condition} }};"
    ))
}

#[test]
fn everything_that_is_wrong_is_said_at_once_with_file_and_line() {
    let text = format!(
        "{}\n{}",
        rule("one", "@desicion(\"ask\")", "forbid"),
        rule("two", "@decision(\"ax\")", "forbid")
    );
    let errors = wrong(&text, &json!({}));
    assert_eq!(
        errors,
        [
            "rules/own.cedar:1: there is no annotation `@desicion`; did you mean `decision`?",
            "rules/own.cedar:7: `@decision(\"ax\")` of `two` is neither ask nor deny; did you mean `ask`?",
        ]
    );
}

#[test]
fn a_text_that_is_no_rule_is_an_error_at_its_line() {
    let error = one("\n\npermit (principal, action, resource) when { 1 + };");
    assert!(error.starts_with("rules/own.cedar:3: "), "{error}");
}

#[test]
fn a_rule_without_id_or_reason_does_not_load() {
    let errors = wrong("permit (principal, action, resource);", &json!({}));
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("has no usable id")), "{errors:?}");
    assert!(errors.iter().any(|error| error.contains("does not say why")), "{errors:?}");
    assert!(
        one("@id(\"r r\") @reason(\"x\") permit (principal, action, resource);").contains("no usable id")
    );
}

#[test]
fn two_rules_with_one_id_do_not_load_whatever_their_files() {
    let source =
        |name: &str| RuleSource::new(name, rule("same", "", "permit"), examples(&["same"]).to_string());
    let errors = RulePack::load(&[source("a.cedar"), source("b.cedar")], &tools()).unwrap_err();
    let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("b.cedar:1: `same` is also the id of the rule at a.cedar:1"), "{said:?}");
    let twice = RulePack::load(&[source("a.cedar"), source("a.cedar")], &tools()).unwrap_err();
    assert!(twice.to_string().contains("two files have this name"), "{twice}");
}

#[test]
fn a_hint_that_names_the_rule_does_not_load() {
    let error = one(&rule("r.secret", "@hint(\"ask about R.Secret\")", "forbid"));
    assert!(error.contains("the hint of `r.secret` names the rule"), "{error}");
}

#[test]
fn a_permit_cannot_ask() {
    let error = one(&rule("r", "@decision(\"ask\")", "permit"));
    assert!(error.contains("permits and has a `@decision`"), "{error}");
}

#[test]
fn optional_is_true_or_false() {
    assert!(one(&rule("r", "@optional(\"yes\")", "permit")).contains("neither true nor false"));
    assert!(load(&rule("r", "@optional(\"false\")", "permit"), &examples(&["r"])).is_ok());
}

#[test]
fn a_template_is_no_rule() {
    let error = one("\n@id(\"r\") @reason(\"x\") permit (principal == ?principal, action, resource);");
    assert!(error.starts_with("rules/own.cedar:2: a rule has a slot"), "{error}");
}

#[test]
fn a_rule_about_an_unknown_tool_does_not_load_and_the_nearest_is_named() {
    let text =
        "@id(\"r\")\n@reason(\"x\")\npermit (\n  principal,\n  action == Action::\"fs_raed\",\n  resource);";
    let error = one(text);
    assert!(error.starts_with("rules/own.cedar:5: `r` is about `fs_raed`"), "{error}");
    assert!(error.contains("did you mean `fs_read`"), "{error}");
    let group =
        one("@id(\"r\") @reason(\"x\") permit (principal, action in Action::\"risk:raed\", resource);");
    assert!(group.contains("`risk:read`"), "{group}");
    assert!(with_condition("action == Action::\"shel\"").contains("`shell`"));
}

#[test]
fn a_misspelt_attribute_or_argument_is_found_with_its_line() {
    let argument = with_condition("context.args.pth == \"a\"");
    assert!(argument.starts_with("rules/own.cedar:4: ") && argument.contains("`path`"), "{argument}");
    let attribute = with_condition("context.teir == \"low\"");
    assert!(attribute.contains("`tier`"), "{attribute}");
    let asked =
        with_condition("context.tier == \"low\" || (context.args has pth && context.args.pth == \"a\")");
    assert!(asked.contains("asks for the argument `pth`") && asked.contains("`path`"), "{asked}");
    assert!(with_condition("resource.tire == \"low\"").contains("`tier`"));
    assert!(with_condition("principal in Roel::\"a\"").contains("Role"));
}

#[test]
fn an_optional_argument_needs_to_be_asked_for() {
    assert!(with_condition("context.args.limit > 3").contains("limit"));
    let text = "@id(\"r\") @reason(\"x\") forbid (principal, action in Action::\"resource:files\", resource) \
                when { context.args has limit && context.args.limit > 3 };";
    let examples = json!({"r": {
        "match": [{"tool": "fs_read", "arguments": {"path": "a", "limit": 4}}],
        "noMatch": [{"tool": "apply_patch", "arguments": {"patch": "x"}}],
    }});
    assert_eq!(load(text, &examples).unwrap().rules().len(), 1);
}

#[test]
fn a_wrong_type_and_a_rule_that_can_never_match_do_not_load() {
    assert!(with_condition("context.args.path > 3").starts_with("rules/own.cedar:4: "));
    assert!(with_condition("context.args.path == 3").starts_with("rules/own.cedar:4: "));
    assert!(with_condition("context.args has command").contains('`'), "no file tool has a command");
}

#[test]
fn arguments_that_are_not_simple_are_not_there() {
    let condition = |argument: &str| {
        let text = format!(
            "@id(\"r\") @reason(\"x\") forbid (principal, action == Action::\"mixed\", resource) when {{ {argument} }};"
        );
        wrong(&text, &json!({})).join("\n")
    };
    for argument in ["context.args has ratio", "context.args has deep", "context.args has rows"] {
        assert!(condition(argument).contains("which no tool has"), "{argument}");
    }
    assert!(
        condition("context.args.maybe == \"a\"").contains("maybe"),
        "what may be null has to be asked for"
    );
}

#[test]
fn an_optional_rule_waits_for_its_tools() {
    let text = "@id(\"r\") @reason(\"x\") @optional(\"true\") @decision(\"ask\") forbid (principal, action in \
                [Action::\"server__drop\", Action::\"fs_read\", Action::\"scope:server:drop\"], resource);";
    let examples = json!({"r": {
        "match": [{"tool": "server__drop"}, {"tool": "fs_read", "arguments": {"path": "a"}}],
        "noMatch": [{"tool": "fs_list"}],
    }});
    let pack = load(text, &examples).unwrap();
    assert_eq!(pack.absent().collect::<Vec<_>>(), ["scope:server:drop", "server__drop"]);
    assert_eq!(pack.rules()[0].examples, 2, "what is not there is not tried");
    assert_eq!(pack.rules()[0].effect, Effect::Ask);
    let strict = wrong(&text.replace("@optional(\"true\")", ""), &examples);
    assert_eq!(strict.len(), 2, "{strict:?}");
}

#[test]
fn an_optional_rule_is_checked_like_any_other_where_its_tools_are() {
    let text = "@id(\"r\") @reason(\"x\") @optional(\"true\") forbid (principal, action in [Action::\"gone\", \
                Action::\"fs_read\"], resource) when { context.args.pth == \"a\" };";
    assert!(one(text).contains("`path`"), "{}", one(text));
}

#[test]
fn every_rule_needs_an_example_of_both_kinds() {
    let text = rule("r", "", "permit");
    let only_match = json!({"r": {"match": [{"tool": "fs_read", "arguments": {"path": "a"}}]}});
    assert_eq!(
        wrong(&text, &only_match),
        [
            "rules/own.examples.json:1: `r` has no example under `noMatch`; write a call that it must match, and one that it must not"
        ]
    );
    assert_eq!(wrong(&text, &json!({})).len(), 2);
}

fn example_of(kind: &str, example: &Value) -> String {
    let mut all = examples(&["r"]);
    all["r"][kind] = json!([example]);
    wrong(&rule("r", "", "permit"), &all).join("\n")
}

#[test]
fn an_example_that_comes_out_wrong_is_an_error() {
    let wrong = example_of("match", &json!({"tool": "fs_read", "arguments": {"path": "b"}}));
    assert!(wrong.contains("example 1 under `match` of `r`: the rule does not match it"), "{wrong}");
    let wrong = example_of("noMatch", &json!({"tool": "fs_read", "arguments": {"path": "a"}}));
    assert!(wrong.contains("example 1 under `noMatch` of `r`: the rule matches it"), "{wrong}");
}

#[test]
fn an_example_must_be_a_call_that_its_tool_takes() {
    let unknown = example_of("match", &json!({"tool": "fs_raed", "arguments": {"path": "a"}}));
    assert!(unknown.contains("there is no tool `fs_raed`; did you mean `fs_read`"), "{unknown}");
    let refused = example_of("match", &json!({"tool": "fs_read", "arguments": {"pth": "a"}}));
    assert!(refused.contains("give arguments that the tool takes"), "{refused}");
    let member = example_of("match", &json!({"tool": "fs_read", "args": {"path": "a"}}));
    assert!(member.contains("unknown field `args`"), "{member}");
}

#[test]
fn examples_that_cannot_be_read_or_belong_to_nobody_are_errors() {
    let load = |examples: &str| {
        let source = RuleSource::new("own.cedar", rule("read.a", "", "permit"), examples);
        RulePack::load(&[source], &tools()).unwrap_err()
    };
    assert!(load("{\n,").iter().any(|error| error.file == "own.examples.json" && error.line == 2));
    let twice = load("{\"read.a\": {}, \"read.a\": {}}").to_string();
    assert!(twice.contains("not JSON"), "{twice}");
    let lost = load("{\n\"read.b\": {}}");
    let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
    assert!(
        lost.iter().any(|error| error.starts_with("own.examples.json:2:") && error.contains("`read.a`")),
        "{lost:?}"
    );
}

#[test]
fn examples_may_say_who_asks_and_in_which_run() {
    let text = "@id(\"r\") @reason(\"x\") forbid (principal in Role::\"guest\", action == Action::\"fs_read\", resource) \
                when { resource.tier == \"high\" && context.tier == \"high\" && resource has issue && resource.issue == \"bd-7\" \
                && principal == User::\"eve\" };";
    let call = json!({"tool": "fs_read", "arguments": {"path": "a"}, "user": "eve", "role": "guest", "tier": "high", "issue": "bd-7"});
    let without = |member: &str| {
        let mut call = call.clone();
        call.as_object_mut().unwrap().remove(member);
        call
    };
    let others: Vec<Value> = ["user", "role", "tier", "issue"].into_iter().map(without).collect();
    let pack = load(text, &json!({"r": {"match": [call], "noMatch": others}})).unwrap();
    assert_eq!(pack.rules()[0].examples, 5);
}

#[test]
fn a_tool_that_cannot_be_offered_is_an_error() {
    let mut tools = tools_and_desk();
    tools[0].scope = "nothing".to_owned();
    let errors = RulePack::load(&[], &tools).unwrap_err();
    assert!(errors.to_string().starts_with("tools:1: "), "{errors}");
}

#[test]
fn rules_know_where_they_are_written() {
    let text = format!("// first\n\n{}", rule("r", "", "permit"));
    let pack = load(&text, &examples(&["r"])).unwrap();
    let rules = pack.rules();
    assert_eq!(
        (rules[0].id.as_str(), rules[0].source.as_str(), rules[0].examples),
        ("r", "rules/own.cedar:3", 2)
    );
    assert_eq!(rules[0].reason, "because");
}

#[test]
fn the_digest_is_over_names_rules_and_examples_and_not_over_their_order() {
    let a = || RuleSource::new("a.cedar", rule("a", "", "permit"), examples(&["a"]).to_string());
    let b = || RuleSource::new("b.cedar", rule("b", "", "permit"), examples(&["b"]).to_string());
    let digest = |sources: &[RuleSource]| RulePack::load(sources, &tools()).unwrap().digest().clone();
    let whole = digest(&[a(), b()]);
    assert!(whole.as_str().starts_with("pol1_") && whole.as_str().len() == 69, "{whole}");
    assert_eq!(whole, digest(&[b(), a()]));
    let mut named = b();
    named.name = "c.cedar".to_owned();
    let mut ruled = b();
    ruled.text.push('\n');
    let mut tried = b();
    tried.examples.push('\n');
    for other in [named, ruled, tried] {
        assert_ne!(whole, digest(&[a(), other]));
    }
}
