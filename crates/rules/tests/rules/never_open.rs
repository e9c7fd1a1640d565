//! Whatever the arguments are, a decision is made, nothing panics, and nothing that went wrong is allowed.

use premath_rules::RulePack;
use premath_tusk::policy::{Effect, Origin, Target};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::workbench::{call, tools_and_desk};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        prop_oneof![Just("a/.env"), Just("premath approvals approve"), Just("\u{0}\n*"), Just("x")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,8}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Objects that often have the names of real arguments.
fn any_arguments() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("path"),
        Just("text"),
        Just("maybe"),
        Just("count"),
        Just("list"),
        Just("flag"),
        Just("mode"),
        Just("command"),
        Just("workdir"),
        Just("patch"),
        Just("id"),
        Just("glob"),
        Just("__entity"),
        Just("__extn"),
        Just("")
    ];
    let object = prop::collection::btree_map(name, any_json(), 0..8).prop_map(|members| {
        Value::Object(
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
        )
    });
    prop_oneof![9 => object, 1 => any_json()]
}

fn any_targets() -> impl Strategy<Value = Vec<Target>> {
    let target = (".{0,20}", ".{0,20}", ".{0,8}", any::<bool>()).prop_map(|(id, name, kind, is_bot)| {
        Target { kind, id, name, origin: if is_bot { Origin::Bot } else { Origin::Person } }
    });
    prop::collection::vec(target, 0..4)
}

/// The shipped rules, and one that fails for large numbers.
fn pack() -> RulePack {
    let mut sources = RulePack::default_sources();
    let text = "@id(\"z.permit\") @reason(\"x\") permit (principal, action == Action::\"mixed\", resource);\n\
                @id(\"z.sum\") @reason(\"x\") forbid (principal, action == Action::\"mixed\", resource) when { \
                context.args has count && context.args.count * 4 > 4 && context.args has list && context.args.list.contains(\"x\") };";
    let mixed = |arguments: Value| json!({"tool": "mixed", "arguments": arguments});
    let examples = json!({
        "z.permit": {"match": [mixed(json!({"text": "a", "maybe": null}))], "noMatch": [{"tool": "fs_list"}]},
        "z.sum": {
            "match": [mixed(json!({"text": "a", "maybe": null, "count": 2, "list": ["x"]}))],
            "noMatch": [mixed(json!({"text": "a", "maybe": null, "count": 2}))],
        },
    });
    sources.push(premath_rules::RuleSource::new("z.cedar", text, examples.to_string()));
    RulePack::load(&sources, &tools_and_desk()).unwrap()
}

#[test]
fn arbitrary_calls_never_panic_and_never_run_past_an_error() {
    let pack = pack();
    let tools: Vec<String> = tools_and_desk().into_iter().map(|tool| tool.name).collect();
    let names = prop::sample::select(tools);
    let mut seen = [0_usize; 3];
    let mut failed = 0_usize;
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(2000));
    let seen_cell = std::cell::RefCell::new((&mut seen, &mut failed));
    let whoever = (names, any_arguments(), any_targets(), ".{0,12}", ".{0,12}", ".{0,12}");
    let ran = runner.run(&whoever, |(tool, arguments, targets, user, role, tier)| {
        let mut call = call(&tool, arguments);
        call.targets = targets;
        call.run.principal.id = user;
        call.run.principal.role = role;
        call.run.risk_tier = tier;
        let ruling = call.decided(&pack);
        let mut seen = seen_cell.borrow_mut();
        *seen.0.get_mut(ruling.effect as usize).expect("three effects") += 1;
        if !ruling.errors.is_empty() {
            *seen.1 += 1;
            prop_assert_eq!(ruling.effect, Effect::Deny);
            prop_assert_eq!(&ruling.rule, &None);
        }
        let all = call.facts(|facts| premath_tusk::policy::Rules::explain(&pack, facts));
        let matched: Vec<String> = all.into_iter().filter(|one| one.matched).map(|one| one.rule).collect();
        prop_assert_eq!(matched, ruling.matched);
        Ok(())
    });
    ran.unwrap();
    assert!(
        seen.iter().all(|count| *count > 0) && failed > 0,
        "the calls reach everything: {seen:?}, {failed}"
    );
}
