//! What is left of a workflow when a session hands over.

use premath_kernel::ExecutionPattern;

use super::super::state::Progress;
use super::super::workflow::{Branch, Evaluator, Judge, Route, Stage, Workflow};
use super::remaining;

#[test]
fn stages_that_were_begun_are_not_asked_again() {
    let stage = |name: &str| Stage { name: name.to_owned(), prompt: name.to_owned() };
    let workflow = Workflow { stages: vec![stage("a"), stage("b"), stage("c")], ..Workflow::chain() };
    let rest = remaining(&workflow, &Progress { stage: 2, ..Progress::default() });
    assert_eq!(rest.stages, [stage("c")]);
    assert_eq!(remaining(&workflow, &Progress::default()), workflow);
}

#[test]
fn a_route_that_was_chosen_and_branches_that_returned_are_behind() {
    let route = Route { name: "a".to_owned(), when: "always".to_owned(), prompt: "go".to_owned() };
    let routes = Workflow { routes: vec![route], ..Workflow::of(ExecutionPattern::Route) };
    assert_eq!(remaining(&routes, &Progress::default()), routes);
    assert_eq!(remaining(&routes, &Progress { route: Some(0), ..Progress::default() }), Workflow::chain());
    let branches = Workflow { branches: vec![Branch::default()], ..Workflow::of(ExecutionPattern::Parallel) };
    let joined = Progress { is_joined: true, ..Progress::default() };
    assert_eq!(remaining(&branches, &joined), Workflow::chain());
}

#[test]
fn rounds_that_were_judged_count() {
    let evaluator = |max_rounds| Evaluator { judge: Judge::Command("true".to_owned()), max_rounds };
    let workflow =
        Workflow { evaluator: Some(evaluator(3)), ..Workflow::of(ExecutionPattern::EvaluatorOptimizer) };
    for (round, left) in [(0, 3), (2, 1), (3, 1)] {
        let rest = remaining(&workflow, &Progress { round, ..Progress::default() });
        assert_eq!(rest.evaluator, Some(evaluator(left)));
    }
}
