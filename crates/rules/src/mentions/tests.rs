//! What a rule looks at.

use cedar_policy::Policy;

use super::Mentions;

fn of(condition: &str) -> Mentions {
    let policy: Policy =
        format!("permit (principal, action, resource) when {{ {condition} }};").parse().unwrap();
    Mentions::of(&policy)
}

#[test]
fn only_what_is_named_is_looked_at() {
    let mentions = of("context.tier == \"low\" && context.args has path && context.args.path like \"a*\"");
    assert!(mentions.attribute("tier") && mentions.argument("path") && mentions.any_argument());
    assert!(!mentions.attribute("names") && !mentions.argument("text"));
    assert_eq!(mentions.asked_for.iter().collect::<Vec<_>>(), ["path"]);
    let none = of("principal in Role::\"context\" && resource.tier == \"context\"");
    assert_eq!(none, Mentions::default());
}

#[test]
fn what_is_looked_at_as_a_whole_is_looked_at_in_every_part() {
    let arguments = of("context.args == context.args");
    assert!(arguments.argument("anything") && arguments.any_argument() && !arguments.attribute("names"));
    let everything = of("context == {\"Var\": context.tier}");
    assert!(everything.attribute("names") && everything.argument("anything"));
    assert!(of("if context has args.path then [context].contains(context) else true").attribute("names"));
}

#[test]
fn what_stands_deep_in_a_condition_is_seen() {
    let mentions = of(
        "!([{\".\": context.args.path}].isEmpty()) || (if context.anyByPerson then 1 else -context.targetCount) > 0",
    );
    assert!(
        mentions.argument("path") && mentions.attribute("anyByPerson") && mentions.attribute("targetCount")
    );
    assert!(!mentions.attribute("names"));
}

#[test]
fn rules_together_look_at_what_each_looks_at() {
    let mut mentions = of("context.tier == \"low\"");
    mentions.merge(&of("context.args.path == \"a\""));
    assert!(mentions.attribute("tier") && mentions.argument("path") && !mentions.argument("text"));
}
