//! R16: the gate needs every field. From a turn that declares every policy and whose intent is admitted, members and items
//! are taken away one by one and two by two; a mutation must never be admitted without something the turn requires.
//!
//! What may be taken away is listed beside the turn, in `removable` of its expectation.

#![expect(clippy::disallowed_methods, reason = "`cargo xtask prove` asks for the whole work by a variable")]
#![expect(clippy::unwrap_used, reason = "a turn that cannot be written fails the test")]

mod vectors;

use std::collections::BTreeSet;
use std::env;

use premath_host::{VectorSource, join_check};
use premath_kernel::Strictness;
use serde_json::Value;
use vectors::Vectors;

const GOLDEN: &str = "harness-typestate/golden/everything_declared_accept";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Member(String),
    Item(usize),
}

type Path = Vec<Step>;

/// What became of a turn from which something was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Unreadable,
    Rejected,
    Accepted { mutation_ready: Option<bool> },
}

struct Golden {
    turn: Value,
    removable: BTreeSet<String>,
    paths: Vec<Path>,
}

impl Golden {
    fn read() -> Self {
        let case = Vectors.cases().unwrap().into_iter().find(|case| case.name == GOLDEN).unwrap();
        let turn: Value = serde_json::from_slice(&case.case).unwrap();
        let expect: Value = serde_json::from_slice(&case.expect).unwrap();
        let removable = serde_json::from_value(expect.get("removable").unwrap().clone()).unwrap();
        let mut paths = Vec::new();
        collect(&turn, &mut Vec::new(), &mut paths);
        Self { turn, removable, paths }
    }

    fn is_removable(&self, path: &[Step]) -> bool {
        self.removable.contains(&shown(path))
    }

    /// The outcome without these parts, none of which lies inside another.
    fn without(&self, paths: &[&Path]) -> Outcome {
        let mut turn = self.turn.clone();
        let mut paths = paths.to_vec();
        // A later item goes first, so that the place of an earlier one stays what it was.
        paths.sort();
        for path in paths.into_iter().rev() {
            remove(&mut turn, path);
        }
        match join_check(&serde_json::to_vec(&turn).unwrap(), Strictness::Strict) {
            Err(_) => Outcome::Unreadable,
            Ok(checked) if checked.assessment.refusal().is_some() => {
                assert_ne!(checked.assessment.mutation_ready(), Some(true), "refused and admitted");
                Outcome::Rejected
            }
            Ok(checked) => Outcome::Accepted { mutation_ready: checked.assessment.mutation_ready() },
        }
    }
}

fn collect(value: &Value, here: &mut Path, paths: &mut Vec<Path>) {
    let steps: Vec<(Step, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (Step::Member(name.clone()), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (Step::Item(index), value)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    for (step, value) in steps {
        here.push(step);
        paths.push(here.clone());
        collect(value, here, paths);
        here.pop();
    }
}

fn remove(turn: &mut Value, path: &[Step]) {
    let (last, parents) = path.split_last().unwrap();
    let parent = parents.iter().fold(turn, |value, step| match step {
        Step::Member(name) => &mut value[name],
        Step::Item(index) => &mut value[index],
    });
    match last {
        Step::Member(name) => drop(parent.as_object_mut().unwrap().remove(name).unwrap()),
        Step::Item(index) => drop(parent.as_array_mut().unwrap().remove(*index)),
    }
}

fn shown(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Member(name) => format!(".{name}"),
        Step::Item(index) => format!("[{index}]"),
    });
    format!("${}", steps.collect::<String>())
}

const ADMITTED: Outcome = Outcome::Accepted { mutation_ready: Some(true) };

/// What is required only because of something removable: without the declaration on the left nothing asks for what is on
/// the right. `[*]` is any item; a place stands for everything inside it too.
const RELEASES: &[(&str, &[&str])] = &[
    (
        "$.evidence.callSpec.allowedCallersDigest",
        &["$.policies.allowedCallers", "$.evidence.toolRequests[*].callerId"],
    ),
    (
        "$.evidence.callSpec.contextScopeDigest",
        &["$.policies.contextScope", "$.evidence.callSpec.orchestrationRole"],
    ),
    (
        "$.evidence.callSpec.deferPolicyDigest",
        &["$.policies.deferPolicy", "$.evidence.toolRequests[*].searchRef"],
    ),
    ("$.evidence.callSpec.evalProfileRef", &["$.policies.evalProfile"]),
    (
        "$.evidence.callSpec.executionBoundaryPolicy",
        &["$.policies.executionBoundaryPolicy", "$.evidence.toolResults[*].artifacts"],
    ),
    (
        "$.evidence.callSpec.guardrailStagePolicyDigest",
        &[
            "$.policies.guardrailStagePolicy",
            "$.evidence.guardrails",
            "$.evidence.toolRequests[*].guardrails",
            "$.evidence.toolResults[*].guardrails",
            "$.governanceProfile.guardrailStages",
        ],
    ),
    (
        "$.evidence.callSpec.handoffContractDigest",
        &["$.policies.handoffContract", "$.evidence.handoff.fromRole"],
    ),
    (
        "$.evidence.callSpec.observabilityMode",
        &["$.policies.observabilityMode", "$.evidence.observations.sinks"],
    ),
    (
        "$.evidence.callSpec.preContextFilterPolicy",
        &["$.policies.preContextFilterPolicy", "$.evidence.toolResults[*].tokens"],
    ),
    ("$.evidence.callSpec.riskTier", &["$.policies.riskTier"]),
    ("$.evidence.callSpec.runtimeSandboxRef", &["$.policies.runtimeSandbox"]),
    (
        "$.evidence.callSpec.stopPolicy",
        &[
            "$.policies.stopPolicy",
            "$.evidence.protocolState.checkpointRef",
            "$.evidence.protocolState.counters",
        ],
    ),
    (
        "$.evidence.callSpec.toolCatalogDigest",
        &[
            "$.policies.toolCatalog",
            "$.evidence.toolRequests[*].searchRef.resultSet",
            "$.evidence.toolRequests[*].searchRef.resultSetDigest",
        ],
    ),
    ("$.evidence.callSpec.toolChoice", &["$.evidence.callSpec.toolPolicy"]),
    ("$.evidence.callSpec.toolExampleDigest", &["$.policies.toolExample"]),
    (
        "$.evidence.callSpec.toolResponseTruncationPolicy",
        &["$.policies.toolResponseTruncationPolicy", "$.evidence.toolResults[*].truncation"],
    ),
    (
        "$.evidence.callSpec.toolTransportPolicy",
        &[
            "$.policies.toolTransportPolicy",
            "$.evidence.toolRequests[*].order",
            "$.evidence.toolResults[*].order",
        ],
    ),
    ("$.evidence.compaction", &["$.evidence.callSpec.compactionPolicyDigest"]),
    ("$.evidence.handoffProjection.incomingArtifactRefs", &["$.evidence.observations.artifacts"]),
    ("$.evidence.handoffProjection.incomingArtifactRefs[*]", &["$.evidence.observations.artifacts"]),
    ("$.evidence.observations.files", &["$.evidence.toolResults[*].artifacts"]),
    ("$.evidence.observations.files[*]", &["$.evidence.toolResults[*].artifacts"]),
    (
        "$.evidence.toolUse[*].resultDigest",
        &["$.evidence.toolResults[*].resultDigest", "$.evidence.toolResults[*].payload"],
    ),
    ("$.evidence.workers[*]", &["$.evidence.workers[*]"]),
    ("$.handoffConstraints", &["$.evidence.handoff"]),
];

/// The row of the table that lets `required` go with `removable`.
fn release(removable: &str, required: &str) -> Option<(&'static str, &'static str)> {
    let (removable, required) = (any_item(removable), any_item(required));
    let is_inside = |place: &&&str| {
        let rest = required.strip_prefix(**place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let (declaration, places) = RELEASES.iter().find(|(declaration, _)| *declaration == removable)?;
    places.iter().find(is_inside).map(|place| (*declaration, *place))
}

fn any_item(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let (_, rest) = part.split_once(']').unwrap();
        format!("{shown}[*]{rest}")
    })
}

/// Seed: 001 §4.1/*, 001 §4.2/*, 001 §4.3/*, 001 §4.4/*
#[test]
fn the_whole_turn_is_admitted() {
    assert_eq!(Golden::read().without(&[]), ADMITTED);
}

#[test]
fn every_removable_place_exists() {
    let golden = Golden::read();
    let known: BTreeSet<String> = golden.paths.iter().map(|path| shown(path)).collect();
    let unknown: Vec<&String> = golden.removable.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// Seed: 001 §4/1, 001 §4.1/*, 001 §4.5/*, 001 §4.6/*, 004 §3.1/*, 004 §3.2/*, 004 §6/1, 004 §6/2, 004 §6/3
#[test]
fn without_any_one_place_the_turn_is_refused_unless_it_is_listed_as_removable() {
    let golden = Golden::read();
    assert!(golden.paths.len() >= 400, "only {} places", golden.paths.len());
    let mut wrong = Vec::new();
    for path in &golden.paths {
        let outcome = golden.without(&[path]);
        if matches!(outcome, Outcome::Accepted { .. }) != golden.is_removable(path) {
            wrong.push(format!("{}: {outcome:?}", shown(path)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Every tenth pair; `PREMATH_PROVE=1` tries them all.
#[test]
fn without_any_two_places_of_which_one_is_required_no_mutation_is_admitted() {
    let golden = Golden::read();
    let is_whole = env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    let stride = if is_whole { 1 } else { 10 };
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (left, right) in pairs(&golden).into_iter().step_by(stride) {
        tried += 1;
        if golden.without(&[left, right]) != ADMITTED {
            continue;
        }
        let (first, second) = (shown(left), shown(right));
        let released = match (golden.is_removable(left), golden.is_removable(right)) {
            (true, false) => release(&first, &second),
            (false, true) => release(&second, &first),
            _ => None,
        };
        match released {
            Some(row) => drop(used.insert(row)),
            None => wrong.push(format!("{first} and {second}")),
        }
    }
    assert!(wrong.is_empty(), "admitted without\n{}", wrong.join("\n"));
    assert!(tried >= 80_000 / stride, "only {tried} pairs");
    if is_whole {
        let all = RELEASES
            .iter()
            .flat_map(|(declaration, places)| places.iter().map(|place| (*declaration, *place)));
        let idle: Vec<_> = all.filter(|row| !used.contains(row)).collect();
        assert!(idle.is_empty(), "rows that release nothing: {idle:?}");
    }
}

/// Every two places, neither inside the other, at least one of them required.
fn pairs(golden: &Golden) -> Vec<(&Path, &Path)> {
    let mut pairs = Vec::new();
    for (at, left) in golden.paths.iter().enumerate() {
        for right in golden.paths.iter().skip(at + 1) {
            let is_nested = right.starts_with(left) || left.starts_with(right);
            let is_free = golden.is_removable(left) && golden.is_removable(right);
            if !is_nested && !is_free {
                pairs.push((left, right));
            }
        }
    }
    pairs
}
