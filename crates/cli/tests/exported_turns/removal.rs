//! R16 over live turns: from turns of real runs, exported, every member and item is taken away by itself. What a turn requires,
//! and what a declared policy of it reads, is refused without; whatever else is taken changes the identity of what was judged.
//! What may be taken is listed in `removable.txt`, and the list is compared.
//!
//! A line says what a removal changes: `turn` the turnDigest, `supplement` the supplementDigest and with it the witness,
//! `witness` the witness id alone. Three change nothing: `unread` is read with an intent only, and there is none; `equal` because the row means the same without it and has the same normal form, `document` because it
//! is the document behind one of the eleven mandatory digests, which may be absent.

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use premath_host::join_check;
use premath_kernel::Strictness;
use serde_json::Value;

use super::live_run::{PATTERNS, Project, repository};

const LIST: &str = "crates/cli/tests/exported_turns/removable.txt";
/// The keys of the documents behind the mandatory digests of a call spec.
const MANDATORY_DOCUMENTS: [&str; 6] = [
    "$.policies.decompositionPolicy",
    "$.policies.governancePolicy",
    "$.policies.mutationPolicy",
    "$.policies.reminderQueuePolicy",
    "$.policies.stateViewPolicy",
    "$.policies.toolRenderProtocol",
];
/// What only a mutation reads: where the turn is cited, and what its policy grants.
const READ_WITH_AN_INTENT: [&str; 3] =
    ["$.evidence.sessionRefs", "$.evidence.trajectoryRefs", "$.policies.mutationPolicy."];
/// How often a place inside a policy document is tried per pattern: a digest covers all of it. Everywhere when
/// `PREMATH_PROVE` is set.
const TRIES: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    Member(String),
    Item(usize),
}

/// What a check says of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Judged {
    Refused,
    Admitted { turn: String, supplement: Option<String>, witness: String, normal_form: Vec<u8> },
}

/// Checks a case as the runtime does. A case that asks for a change is admitted only with it.
fn judge(case: &Value, asks: bool) -> Judged {
    let Ok(checked) = join_check(&serde_json::to_vec(case).unwrap(), Strictness::Strict) else {
        return Judged::Refused;
    };
    let is_refused = checked.assessment.refusal().is_some();
    if is_refused || (asks && checked.assessment.mutation_ready() != Some(true)) {
        return Judged::Refused;
    }
    let digests = checked.turn.digests();
    Judged::Admitted {
        turn: digests.turn.as_str().to_owned(),
        supplement: digests.supplement.as_ref().map(|digest| digest.as_str().to_owned()),
        witness: checked.witness().id().to_owned(),
        normal_form: premath_kernel::encode(&checked.turn.canonical(true)),
    }
}

fn places(value: &Value, here: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let steps: Vec<(Step, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (Step::Member(name.clone()), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (Step::Item(at), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    for (step, value) in steps {
        here.push(step);
        found.push(here.clone());
        places(value, here, found);
        here.pop();
    }
}

fn without(case: &Value, place: &[Step]) -> Value {
    let mut case = case.clone();
    let (last, parents) = place.split_last().unwrap();
    let parent = parents.iter().fold(&mut case, |value, step| match step {
        Step::Member(name) => &mut value[name],
        Step::Item(at) => &mut value[at],
    });
    match last {
        Step::Member(name) => drop(parent.as_object_mut().unwrap().remove(name).unwrap()),
        Step::Item(at) => drop(parent.as_array_mut().unwrap().remove(*at)),
    }
    case
}

/// A place with every index as `[*]`.
fn shape(place: &[Step]) -> String {
    let steps = place.iter().map(|step| match step {
        Step::Member(name) => format!(".{name}"),
        Step::Item(_) => "[*]".to_owned(),
    });
    format!("${}", steps.collect::<String>())
}

fn turn(judged: &Judged) -> Option<&[u8]> {
    match judged {
        Judged::Refused => None,
        Judged::Admitted { turn, .. } => Some(turn.as_bytes()),
    }
}

fn supplement(judged: &Judged) -> Option<&[u8]> {
    match judged {
        Judged::Refused => None,
        Judged::Admitted { supplement, .. } => supplement.as_ref().map(String::as_bytes),
    }
}

fn witness(judged: &Judged) -> Option<&[u8]> {
    match judged {
        Judged::Refused => None,
        Judged::Admitted { witness, .. } => Some(witness.as_bytes()),
    }
}

fn normal_form(judged: &Judged) -> Option<&[u8]> {
    match judged {
        Judged::Refused => None,
        Judged::Admitted { normal_form, .. } => Some(normal_form),
    }
}

/// What a removal changed, for the list.
fn change(shape: &str, asks: bool, before: &Judged, after: &Judged) -> Option<&'static str> {
    let (Judged::Admitted { .. }, Judged::Admitted { .. }) = (before, after) else { return None };
    let differs = |part: fn(&Judged) -> Option<&[u8]>| part(before) != part(after);
    Some(if differs(turn) {
        "turn"
    } else if differs(supplement) {
        "supplement"
    } else if differs(witness) {
        "witness"
    } else if MANDATORY_DOCUMENTS.contains(&shape) {
        "document"
    } else if shape.starts_with("$.evidence.") && !differs(normal_form) {
        "equal"
    } else if !asks && READ_WITH_AN_INTENT.iter().any(|member| shape.starts_with(member)) {
        "unread"
    } else {
        "nothing"
    })
}

/// Tries every place of one case; what may be taken goes to the list, with what it changes.
fn try_case(
    case: &Value,
    label: &str,
    tried: &mut BTreeMap<String, usize>,
    removable: &mut BTreeSet<String>,
) -> usize {
    let asks = case.get("intent").is_some();
    let whole = judge(case, asks);
    assert_ne!(whole, Judged::Refused, "{label}: a live turn that was closed is admitted");
    let is_proof = env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    let (mut found, mut count) = (Vec::new(), 0);
    places(case, &mut Vec::new(), &mut found);
    for place in found {
        let shape = shape(&place);
        let times = tried.entry(shape.clone()).or_default();
        let is_repeated = shape.starts_with("$.policies.") && *times >= TRIES && !is_proof;
        // How strict a check is belongs to whoever checks; this one always is.
        if shape == "$.strict" || is_repeated {
            continue;
        }
        *times += 1;
        count += 1;
        let after = judge(&without(case, &place), asks);
        if let Some(change) = change(&shape, asks, &whole, &after) {
            assert_ne!(change, "nothing", "{label}: without {shape} the same turn is admitted");
            removable.insert(format!("{change} {shape}"));
        }
    }
    count
}

/// Seed: 001 §4.1/*, 001 §4.2/*, 001 §4.5/*, 004 §3.1/*, 004 §3.2/*, 004 §2/2, 001 §4/2
#[test]
fn a_live_turn_is_refused_without_anything_that_it_requires() {
    let (mut removable, mut total, mut intents) = (BTreeSet::new(), 0, 0);
    for pattern in PATTERNS {
        let project = Project::pattern(pattern);
        let mut tried = BTreeMap::new();
        for call_id in project.judged_turns() {
            let card = project.json(&["turn", "show", &call_id, "--json"]);
            if card["verdict"] != "closed" {
                continue;
            }
            let asked = card["intents"].as_array().map_or(0, Vec::len);
            let more: Vec<&str> = if asked > 0 { vec!["--intent", "1"] } else { Vec::new() };
            let case: Value = serde_json::from_str(&project.case(&call_id, &more)).unwrap();
            total += try_case(&case, &format!("{pattern} {call_id}"), &mut tried, &mut removable);
            intents += asked;
        }
    }
    eprintln!("{total} removals, {intents} intents, {} places that may be absent", removable.len());
    assert!(total > 1_000 && intents > 0, "{total} {intents}");
    compare(&removable);
}

/// The list as it is committed; `PREMATH_UPDATE=1` writes it.
fn compare(removable: &BTreeSet<String>) {
    let path = repository().join(LIST);
    let found: String = removable.iter().map(|line| format!("{line}\n")).collect();
    if env::var("PREMATH_UPDATE").is_ok_and(|value| value == "1") {
        fs::write(&path, &found).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert_eq!(found, committed, "what may be taken from a live turn has changed; look at every line");
}
