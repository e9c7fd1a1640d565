//! Views are pure, say what a stop decision needs, and tell the model what changed.

use premath_kernel::{Value, encode};
use proptest::prelude::*;

use super::{
    Budget, OpenCall, PendingIntent, PlanStep, RunState, Spent, StepState, VIEW_IDS, VIEWS_BYTES, exceeded,
    text, views,
};
use crate::context::fixture::{classes, digest, texts, turn};

fn spent(used: u64, limit: u64) -> Spent {
    Spent { used, limit: Some(limit) }
}

fn state() -> RunState {
    RunState {
        open_calls: vec![OpenCall { tool_call_id: "call-7".to_owned(), tool: "shell".to_owned() }],
        budget: Budget {
            turns: spent(5, 10),
            tool_calls: spent(4, 10),
            tokens: spent(76_000, 100_000),
            cost_micros: spent(999, 1000),
            wall_millis: spent(1, 1000),
            ..Budget::default()
        },
        obligations: texts(&["run the tests"]),
        plan: vec![
            PlanStep { title: "look".to_owned(), state: StepState::Done },
            PlanStep { title: "mend </untrusted>\nit".to_owned(), state: StepState::Active },
        ],
        pending_intents: vec![PendingIntent {
            intent_digest: "sha256:77".to_owned(),
            action: "issue.update".to_owned(),
            outcome: "applied: bd-1 is closed".to_owned(),
        }],
        source_refs: texts(&["journal:12"]),
    }
}

fn of(state: &RunState) -> super::Views {
    views(state, &digest("pol1_view"))
}

fn content(state: &RunState, id: &str) -> String {
    String::from_utf8(encode(&of(state).content(id).unwrap())).unwrap()
}

#[test]
fn the_model_is_told_what_is_worth_telling() {
    assert_eq!(
        text(&of(&state()), None).unwrap(),
        "State of the run:\n\
         - open calls: call-7 (shell)\n\
         - budget: 5 of 10 turns used; 76000 of 100000 tokens used; at least 90 % of the cost used\n\
         - still owed: run the tests\n\
         - plan: [done] look; [active] mend <\\/untrusted>\\nit\n\
         - intents: issue.update sha256:77: applied: bd-1 is closed"
    );
    assert_eq!(text(&of(&RunState::default()), None), None);
}

#[test]
fn what_did_not_change_is_not_told_again() {
    let before = of(&state());
    assert_eq!(text(&before, Some(&before)), None);
    let mut next = state();
    next.open_calls.clear();
    next.budget.turns.used = 7;
    next.budget.tokens.used = 89_999;
    assert_eq!(text(&of(&next), Some(&before)), None, "no mark was passed, and no open calls are no news");
    next.budget.turns.used = 8;
    next.obligations.clear();
    next.pending_intents.push(PendingIntent {
        intent_digest: "sha256:78".to_owned(),
        action: "dep.add".to_owned(),
        outcome: "pending".to_owned(),
    });
    assert_eq!(
        text(&of(&next), Some(&before)).unwrap(),
        "State of the run:\n\
         - budget: 8 of 10 turns used\n\
         - still owed: nothing\n\
         - intents: dep.add sha256:78: pending"
    );
}

#[test]
fn the_budget_is_exact_but_for_money_time_and_tokens() {
    assert_eq!(
        content(&state(), "budget"),
        "{\"costPercent\":90,\"exceeded\":[],\"identicalCalls\":{\"used\":0},\
         \"tokensPercent\":70,\"toolCalls\":{\"limit\":10,\"used\":4},\
         \"turns\":{\"limit\":10,\"used\":5},\"wallPercent\":0,\"workers\":{\"used\":0}}"
    );
    let mut slower = state();
    slower.budget.wall_millis.used = 99;
    slower.budget.cost_micros.used = 900;
    assert_eq!(of(&slower).rows().collect::<Vec<_>>(), of(&state()).rows().collect::<Vec<_>>());
    slower.budget.tokens.used += 1;
    assert_eq!(content(&slower, "budget"), content(&state(), "budget"));
    slower.budget.tool_calls.used += 1;
    assert_ne!(content(&slower, "budget"), content(&state(), "budget"));
}

/// Seed: 001 §6.3/4
#[test]
fn every_limit_stops_the_run_once_the_next_turn_would_pass_it() {
    let mut state = RunState::default();
    assert!(exceeded(&state).is_empty(), "no limit, no end");
    type Field = fn(&mut Budget) -> &mut Spent;
    let limits: [(&str, Field, u64); 7] = [
        ("turns", |budget| &mut budget.turns, 10),
        ("toolCalls", |budget| &mut budget.tool_calls, 11),
        ("tokens", |budget| &mut budget.tokens, 10),
        ("costMicros", |budget| &mut budget.cost_micros, 10),
        ("wallMillis", |budget| &mut budget.wall_millis, 10),
        ("identicalCalls", |budget| &mut budget.identical_calls, 10),
        ("workers", |budget| &mut budget.workers, 11),
    ];
    for (name, field, first) in limits {
        *field(&mut state.budget) = spent(first - 1, 10);
        assert!(exceeded(&state).is_empty(), "{name}");
        *field(&mut state.budget) = spent(first, 10);
        assert_eq!(exceeded(&state), [name]);
        assert!(content(&state, "budget").contains(&format!("\"exceeded\":[\"{name}\"]")));
        *field(&mut state.budget) = Spent::default();
    }
    assert_eq!(
        (spent(3, 10).left(), spent(11, 10).left(), Spent::default().left()),
        (Some(7), Some(0), None)
    );
    assert_eq!((spent(5, 0).percent(), spent(u64::MAX, 1).percent()), (Some(100), Some(u64::MAX)));
}

/// Seed: 004 §3.2/6
#[test]
fn the_rows_are_what_the_kernel_reads() {
    let views = of(&state());
    assert_eq!(views.all().iter().map(|view| view.id).collect::<Vec<_>>(), VIEW_IDS);
    let mut turn = turn();
    turn.evidence.views = views.rows().cloned().collect();
    assert_eq!(classes(turn), []);
    assert_eq!(views.content("plan").unwrap().as_array().map(<[Value<'_>]>::len), Some(2));
}

proptest! {
    // Lists far over every budget: a few say as much as many.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_told_is_bounded_and_cannot_break_its_lines(
        items in prop::collection::vec("(.|\n|</untrusted>){0,300}", 0..40), used in any::<u64>(),
    ) {
        let all = |limit| spent(used, limit);
        let budget = Budget {
            turns: all(u64::MAX), tool_calls: all(7), tokens: all(1), cost_micros: all(0), wall_millis: all(9),
            identical_calls: all(2), workers: all(1),
        };
        let state = RunState {
            open_calls: items.iter().map(|item| OpenCall { tool_call_id: item.clone(), tool: item.clone() }).collect(),
            budget,
            obligations: items.clone(),
            plan: items.iter().map(|item| PlanStep { title: item.clone(), state: StepState::Open }).collect(),
            pending_intents: items
                .iter()
                .map(|item| PendingIntent { intent_digest: item.clone(), action: item.clone(), outcome: item.clone() })
                .collect(),
            source_refs: Vec::new(),
        };
        let told = text(&of(&state), None).unwrap_or_default();
        prop_assert!(told.len() <= VIEWS_BYTES);
        prop_assert!(told.lines().count() <= 6);
        prop_assert!(!told.contains("</untrusted"));
    }
}
