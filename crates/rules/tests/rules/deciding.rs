//! What is decided.

use premath_rules::{DenyAll, RulePack, RuleSource};
use premath_tusk::policy::{Effect, Origin, Rules};
use serde_json::{Value, json};

use crate::workbench::{Call, call, load, pack, tools};

const ASK: &str = "@decision(\"ask\")";

fn read(path: &str) -> Call {
    call("fs_read", json!({"path": path}))
}

#[test]
fn what_no_rule_allows_is_denied() {
    let ruling = read("b").decided(&pack(&[("p", "", "permit")]));
    assert_eq!(
        (ruling.effect, ruling.rule, ruling.reason.as_str()),
        (Effect::Deny, None, "no rule allows it")
    );
    assert_eq!((ruling.matched, ruling.errors), (Vec::<String>::new(), Vec::<String>::new()));
    let asked_only = read("a").decided(&pack(&[("q", ASK, "forbid")]));
    assert_eq!((asked_only.effect, asked_only.rule), (Effect::Deny, None), "asking allows nothing");
    assert_eq!(asked_only.matched, ["q"]);
    let nothing = RulePack::load(&[], &tools()).unwrap();
    assert_eq!(read("a").decided(&nothing).effect, Effect::Deny);
}

#[test]
fn a_rule_that_permits_allows() {
    let ruling = read("a").decided(&pack(&[("p.2", "", "permit"), ("p.1", "", "permit")]));
    assert_eq!((ruling.effect, ruling.rule.as_deref()), (Effect::Allow, Some("p.1")));
    assert_eq!(ruling.matched, ["p.1", "p.2"]);
    assert_eq!(ruling.reason, "because");
}

#[test]
fn asking_beats_allowing_and_denying_beats_both() {
    let asks = pack(&[
        ("a.permit", "", "permit"),
        ("q.2", ASK, "forbid"),
        ("q.1", "@decision(\"ask\") @hint(\"wait\")", "forbid"),
    ]);
    let ruling = read("a").decided(&asks);
    assert_eq!(
        (ruling.effect, ruling.rule.as_deref(), ruling.hint.as_str()),
        (Effect::Ask, Some("q.1"), "wait")
    );
    assert_eq!(ruling.matched, ["a.permit", "q.1", "q.2"], "all that matched, sorted");
    let rules = [
        ("a.permit", "", "permit"),
        ("b.ask", ASK, "forbid"),
        ("z.deny", "", "forbid"),
        ("y.deny", "@decision(\"deny\")", "forbid"),
    ];
    let ruling = read("a").decided(&pack(&rules));
    assert_eq!((ruling.effect, ruling.rule.as_deref()), (Effect::Deny, Some("y.deny")));
    assert_eq!(ruling.matched.len(), 4);
}

#[test]
fn a_tool_that_the_rules_were_loaded_without_is_denied() {
    let text = "@id(\"p\") @reason(\"x\") permit (principal, action, resource);";
    let source = RuleSource::new("own.cedar", text, "{}");
    assert!(RulePack::load(std::slice::from_ref(&source), &tools()).is_err(), "it has no examples");
    let ruling = call("nobody", json!({})).decided(&pack(&[("p", "", "permit")]));
    assert_eq!((ruling.effect, ruling.rule), (Effect::Deny, None));
    assert_eq!(ruling.errors, ["the rules were loaded without the tool `nobody`"]);
}

/// A rule that passes the strict check and fails with some arguments: sums can overflow.
fn overflowing() -> RulePack {
    let text = "@id(\"p\") @reason(\"x\") permit (principal, action == Action::\"mixed\", resource);\n\
                @id(\"sum\") @reason(\"x\") forbid (principal, action == Action::\"mixed\", resource) \
                when { context.args has count && context.args.count + 9223372036854775800 > 0 && context.args.text == \"x\" };";
    let mixed = |arguments: Value| json!({"tool": "mixed", "arguments": arguments});
    let examples = json!({
        "p": {"match": [mixed(json!({"text": "a", "maybe": null}))], "noMatch": [{"tool": "fs_list"}]},
        "sum": {
            "match": [mixed(json!({"text": "x", "maybe": null, "count": 1}))],
            "noMatch": [mixed(json!({"text": "a", "maybe": null}))],
        },
    });
    load(text, &examples).unwrap()
}

#[test]
fn a_rule_that_fails_denies_and_says_so() {
    let pack = overflowing();
    let allowed = call("mixed", json!({"text": "a", "maybe": null, "count": 1})).decided(&pack);
    assert_eq!(allowed.effect, Effect::Allow, "{allowed:?}");
    let ruling = call("mixed", json!({"text": "a", "maybe": null, "count": 1000})).decided(&pack);
    assert_eq!((ruling.effect, ruling.rule), (Effect::Deny, None));
    assert_eq!(ruling.errors.len(), 1);
    assert!(
        ruling.errors[0].starts_with("`sum` failed: ") && ruling.reason.contains("`sum`"),
        "{}",
        ruling.reason
    );
    assert_eq!(ruling.matched, ["p"]);
}

#[test]
fn an_example_that_makes_its_rule_fail_does_not_load() {
    let text = "@id(\"sum\") @reason(\"x\") forbid (principal, action == Action::\"mixed\", resource) \
                when { context.args has count && context.args.count + 9223372036854775800 > 0 };";
    let mixed =
        |count: i64| json!({"tool": "mixed", "arguments": {"text": "a", "maybe": null, "count": count}});
    let errors = load(text, &json!({"sum": {"match": [mixed(1)], "noMatch": [mixed(1000)]}})).unwrap_err();
    assert!(errors.to_string().contains("the rule failed"), "{errors}");
}

#[test]
fn arguments_that_are_not_as_the_schema_says_are_denied() {
    let pack = pack(&[("p", "", "permit")]);
    for arguments in
        [json!({}), json!({"path": 3}), json!({"path": null}), json!([]), json!(null), json!("a")]
    {
        let ruling = call("fs_read", arguments.clone()).decided(&pack);
        assert_eq!((ruling.effect, ruling.errors.len()), (Effect::Deny, 1), "{arguments}");
    }
    let too_big =
        call("mixed", json!({"text": "a", "maybe": null, "count": u64::MAX})).decided(&overflowing());
    assert_eq!(too_big.errors, ["the argument `count` is not a whole number"]);
    let written_otherwise =
        call("mixed", json!({"text": "x", "maybe": null, "count": 2.0})).decided(&overflowing());
    assert_eq!(written_otherwise.rule.as_deref(), Some("sum"));
}

#[test]
fn a_call_that_is_too_deep_or_too_large_is_denied() {
    let pack = pack(&[("p", "", "permit")]);
    let mut deep = json!("a");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let mib = "a".repeat(1 << 20);
    let calls = [
        call("fs_read", json!({"path": "a", "more": deep})),
        call("fs_read", json!({"path": mib})),
        call("fs_read", json!({"path": "a", "more": {mib.as_str(): 1}})),
        call("fs_read", json!({"path": "a", "more": vec![0; 1 << 18]})),
        read("a").on(&mib, Origin::Bot),
    ];
    for call in calls {
        let ruling = call.decided(&pack);
        assert_eq!((ruling.effect, ruling.rule), (Effect::Deny, None));
        assert!(
            ruling.errors[0].starts_with("the call is more than 1048576 bytes long"),
            "{:?}",
            ruling.errors
        );
    }
    let fits = call("fs_read", json!({"path": "a", "more": "a".repeat(1 << 19)}));
    assert_eq!(fits.decided(&pack).effect, Effect::Allow);
}

#[test]
fn every_word_of_the_context_can_be_used() {
    let conditions = [
        "context.tool == \"mixed\" && context.risk == \"write\" && context.scope == \"mixed:write\" && context.tier == \"low\"",
        "context.targetIds.contains(\"one\") && context.targetNames.containsAll([\"one\", \"two\"]) && context.targetKinds == [\"file\"]",
        "context.targetCount == 2 && context.anyByPerson && !context.allByBot && context.names like \"*/two\\n*\"",
        "context.args.text == \"t\" && context.args has count && context.args.count == 3",
        "context.args has flag && context.args.flag && context.args has list && context.args.list.contains(\"x\")",
        "context.args has mode && context.args.mode == \"a\" && !(context.args has maybe)",
        "action in Action::\"risk:write\" && action in Action::\"scope:mixed:write\" && action in Action::\"resource:mixed\"",
        "principal in Role::\"developer\" && resource == Run::\"run-1\"",
        "context has args && context has args.text",
    ];
    let arguments = json!({"text": "t", "count": 3, "flag": true, "list": ["x"], "mode": "a", "maybe": null, "ratio": 0.5});
    let call = call("mixed", arguments).on("one", Origin::Bot).on("two", Origin::Person);
    for condition in conditions {
        let text = format!(
            "@id(\"p\") @reason(\"x\") permit (principal, action == Action::\"mixed\", resource) when {{ context.args.text == \"only in examples\" || ({condition}) }};"
        );
        let mixed = |text: &str| json!({"tool": "mixed", "arguments": {"text": text, "maybe": null}});
        let no_match = json!({"tool": "fs_list"});
        let pack = load(&text, &json!({"p": {"match": [mixed("only in examples")], "noMatch": [no_match]}}))
            .unwrap();
        let ruling = call.decided(&pack);
        assert_eq!(ruling.effect, Effect::Allow, "{condition}: {ruling:?}");
    }
}

#[test]
fn the_context_as_a_whole_can_be_compared() {
    let text = "@id(\"p\") @reason(\"x\") permit (principal, action == Action::\"fs_list\", resource) \
                when { context == context && context.args == context.args };";
    let pack = load(
        text,
        &json!({"p": {"match": [{"tool": "fs_list"}], "noMatch": [{"tool": "fs_read", "arguments": {"path": "a"}}]}}),
    );
    assert_eq!(call("fs_list", json!({"depth": 2})).decided(&pack.unwrap()).effect, Effect::Allow);
}

#[test]
fn nothing_is_not_the_bots() {
    let text = "@id(\"p\") @reason(\"x\") permit (principal, action == Action::\"fs_read\", resource) when { context.allByBot };";
    let example = |targets: Value| json!({"tool": "fs_read", "arguments": {"path": "a"}, "targets": targets});
    let bots = json!([{"id": "a", "by": "bot"}, {"id": "b", "by": "bot"}]);
    let mixed = json!([{"id": "a", "by": "bot"}, {"id": "b"}]);
    let examples = json!({"p": {"match": [example(bots)], "noMatch": [example(mixed), example(json!([]))]}});
    assert_eq!(load(text, &examples).unwrap().rules()[0].examples, 3);
}

#[test]
fn a_role_holds_for_whoever_has_it() {
    let text = "@id(\"p\") @reason(\"x\") permit (principal in Role::\"admin\", action == Action::\"fs_list\", resource);";
    let list = |role: &str| json!({"tool": "fs_list", "role": role});
    let pack = load(text, &json!({"p": {"match": [list("admin")], "noMatch": [list("guest")]}})).unwrap();
    let list = call("fs_list", json!({}));
    assert_eq!(list.clone().role("admin").decided(&pack).effect, Effect::Allow);
    assert_eq!(list.role("Admin").decided(&pack).effect, Effect::Deny);
}

#[test]
fn explaining_shows_every_rule_sorted() {
    let text = "@id(\"other\") @reason(\"o\") permit (principal, action == Action::\"fs_list\", resource);"
        .to_owned();
    let others = json!({"other": {"match": [{"tool": "fs_list"}], "noMatch": [{"tool": "fs_read", "arguments": {"path": "a"}}]}});
    let mut examples = crate::workbench::examples(&["ask", "permit"]);
    examples.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
    let text = text
        + &crate::workbench::rule("permit", "", "permit")
        + &crate::workbench::rule("ask", ASK, "forbid");
    let pack = load(&text, &examples).unwrap();
    let told = |call: &Call| -> Vec<(String, Effect, bool)> {
        let all = call.facts(|facts| pack.explain(facts));
        all.into_iter().map(|one| (one.rule, one.effect, one.matched)).collect()
    };
    let row = |rule: &str, effect, matched| (rule.to_owned(), effect, matched);
    let expected = |matched| {
        [
            row("ask", Effect::Ask, matched),
            row("other", Effect::Allow, false),
            row("permit", Effect::Allow, matched),
        ]
    };
    assert_eq!(told(&read("a")), expected(true));
    assert_eq!(told(&read("b")), expected(false));
    assert_eq!(told(&call("nobody", json!({}))), expected(false));
}

#[test]
fn rules_that_did_not_load_deny_everything_and_name_the_file() {
    let missing = DenyAll::new("policies/governor/desk.cedar", "no such file");
    let ruling = read("a").decided(&missing);
    assert_eq!((ruling.effect, ruling.rule), (Effect::Deny, None));
    assert_eq!(ruling.errors, ["the rules did not load: policies/governor/desk.cedar: no such file"]);
    let errors = load("permit (principal, action, resource);", &json!({})).unwrap_err();
    let broken = DenyAll::from(&errors);
    let ruling = read("a").decided(&broken);
    assert_eq!((ruling.effect, ruling.errors.len()), (Effect::Deny, errors.count()));
    assert!(ruling.reason.contains("rules/own.cedar:1"), "{}", ruling.reason);
    assert!(broken.rules().is_empty() && read("a").facts(|facts| broken.explain(facts)).is_empty());
    assert_ne!(missing.digest(), broken.digest());
}
