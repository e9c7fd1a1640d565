//! What rules say together is what they say apart.

use cedar_policy::{Authorizer, Context, Entities, Entity, PolicySet, Request};

use super::{Batch, LEAST, MOST};
use crate::error::Problems;
use crate::rule::{Rule, rules};
use crate::source::RuleSource;
use crate::tool_pack::Spoken;

/// Forty rules of every shape: conditions, exceptions, several of both, for some roles only, and some that fail.
fn forty() -> Vec<Rule> {
    let mut text = String::new();
    for number in 0..40 {
        let (scope, condition) = match number % 8 {
            0 => ("principal", format!("when {{ context.number == {number} }}")),
            1 => ("principal", format!("unless {{ context.number != {number} }}")),
            2 => (
                "principal",
                format!("when {{ context.number > 36 }} unless {{ context.number != {number} }}"),
            ),
            3 => ("principal in Role::\"guest\"", format!("when {{ context.number < {number} }}")),
            4 => ("principal", format!("when {{ context.number == {number} && context.missing == 1 }}")),
            5 => (
                "principal",
                format!("when {{ principal in Role::\"guest\" && context.number == {number} }}"),
            ),
            6 => ("principal", format!("when {{ context has other && context.other.number == {number} }}")),
            _ => ("principal", "when { false }".to_owned()),
        };
        text.push_str(&format!(
            "@id(\"rule.{number}\") @reason(\"tried\") forbid ({scope}, action, resource) {condition};\n"
        ));
    }
    let mut problems = Problems::default();
    let read = rules(&RuleSource::new("forty.cedar", text, "{}"), &mut problems);
    assert_eq!(read.len(), 40);
    read
}

fn request(number: i64, user: &str) -> Request {
    let context = Context::from_json_value(serde_json::json!({ "number": number }), None).unwrap();
    let uid = |text: &str| text.parse().unwrap();
    let user = format!("User::\"{user}\"");
    Request::new(uid(&user), uid("Action::\"a\""), uid("Run::\"r\""), context, None).unwrap()
}

fn sorted(mut spoken: Spoken) -> (Vec<String>, Vec<(String, String)>) {
    spoken.matched.sort_unstable();
    spoken.failed.sort_unstable();
    (spoken.matched, spoken.failed)
}

#[test]
fn what_rules_say_together_is_what_they_say_apart() {
    let rules = forty();
    let all: Vec<&Rule> = rules.iter().collect();
    let guest = "Role::\"guest\"".parse().unwrap();
    let visitor = Entity::new_no_attrs("User::\"visitor\"".parse().unwrap(), [guest].into_iter().collect());
    let entities = Entities::from_entities([visitor], None).unwrap();
    let apart = PolicySet::from_policies(rules.iter().map(|rule| rule.policy.clone())).unwrap();
    let authorizer = Authorizer::new();
    let (mut silent, mut failing) = (0, 0);
    for some in [all.as_slice(), all.split_at(LEAST).0, all.split_at(LEAST - 1).0] {
        let batches = Batch::of(some).unwrap();
        for (number, user) in (-1..41).flat_map(|number| [(number, "visitor"), (number, "owner")]) {
            let request = request(number, user);
            let mut together = Spoken::default();
            for batch in &batches {
                batch.ask(&authorizer, &request, &entities, &mut together);
            }
            let mut one_by_one = Spoken::default();
            one_by_one.add(&authorizer.is_authorized(&request, &apart, &entities));
            let is_among = |id: &String| some.iter().any(|rule| rule.about.id == *id);
            one_by_one.matched.retain(is_among);
            one_by_one.failed.retain(|(id, _)| is_among(id));
            let (together, one_by_one) = (sorted(together), sorted(one_by_one));
            assert_eq!(together, one_by_one, "{number} {user} {}", some.len());
            silent += usize::from(together.0.is_empty() && together.1.is_empty());
            failing += usize::from(!together.1.is_empty());
        }
    }
    assert!(silent > 20 && failing > 4, "{silent} {failing}: the cases have to differ");
}

#[test]
fn rules_for_everybody_are_asked_as_one_and_others_apart() {
    let rules = forty();
    let all: Vec<&Rule> = rules.iter().collect();
    let batches = Batch::of(&all).unwrap();
    let sizes: Vec<(usize, bool)> =
        batches.iter().map(|batch| (batch.apart.policies().count(), batch.together.is_some())).collect();
    assert_eq!(sizes, [(MOST, true), (40 - 5 - MOST, false), (5, false)]);
}
