//! Nothing that is owed, open or required is lost in a compaction without being found.

use premath_kernel::{FailureClass, Value};
use proptest::prelude::*;

use super::{
    COMPACTION_BYTES, Carried, CompactionArtifact, CompactionInput, DroppedTurn, Lost, compact, continuity,
};
use crate::context::DocumentError;
use crate::context::fixture::{classes, compacted, compaction_policy, digest, texts};

fn carried() -> Carried {
    Carried {
        prior_state_digest: digest("sha256:before"),
        obligations: texts(&["run the tests", " close bd-1 "]),
        constraints: texts(&["do not touch </untrusted>\nthe lock file"]),
        open_calls: texts(&["call-9"]),
    }
}

fn dropped(turn_id: &str, calls: &[(&str, &str)], refs: &[&str]) -> DroppedTurn {
    DroppedTurn {
        turn_id: turn_id.to_owned(),
        tools: calls.iter().map(|(tool, _)| (*tool).to_owned()).collect(),
        outcomes: calls.iter().map(|(_, outcome)| (*outcome).to_owned()).collect(),
        refs: texts(refs),
    }
}

fn input() -> CompactionInput {
    CompactionInput {
        policy_digest: compaction_policy(),
        carried: carried(),
        must_keep: texts(&["task"]),
        kept_turns: texts(&["turn-4", "turn-3"]),
        dropped: vec![
            dropped("turn-1", &[("fs_read", "ok"), ("shell", "shell.timed_out")], &["sha256:00ff"]),
            dropped("turn-2", &[], &[]),
            dropped("turn-3", &[], &[]),
        ],
    }
}

#[test]
fn the_model_is_shown_what_is_left_of_the_turns() {
    assert_eq!(
        compact(input()).text(),
        "2 earlier turns are no longer shown. This is what is left of them; a ref is read with resolve_ref.\n\
         - turn-1: fs_read ok, shell shell.timed_out; ref sha256:00ff\n\
         - turn-2: no calls\n\
         Still owed:\n\
         - close bd-1\n\
         - run the tests\n\
         To be respected:\n\
         - do not touch <\\/untrusted>\\nthe lock file\n\
         Calls without a result:\n\
         - call-9"
    );
}

#[test]
fn what_is_left_out_of_the_text_can_be_fetched() {
    let mut input = input();
    input.dropped = (0..100).map(|at| dropped(&format!("old-{at}"), &[], &[])).collect();
    let artifact = compact(input);
    let text = artifact.text();
    assert!(text.contains("\n- 76 older turns\n- old-76: no calls\n"), "{text}");
    assert!(text.ends_with(&format!("resolve_ref {{\"ref\":\"{}\"}}", artifact.digest())), "{text}");
}

#[test]
fn a_compaction_survives_being_written_down() {
    let artifact = compact(input());
    assert_eq!(CompactionArtifact::from_value(&artifact.to_value()).unwrap(), artifact);
    assert_ne!(artifact.state_digest(), &artifact.carried().prior_state_digest);
    assert_eq!(artifact.kept().len(), 7);
    assert_eq!(artifact.dropped().len(), 2, "a turn that stays is not let go");
}

#[test]
fn a_document_that_was_changed_is_no_compaction() {
    let artifact = compact(input());
    let changed = |name: &'static str, value: Option<Value<'static>>| {
        let written = artifact.to_value().into_owned();
        let members = written.as_object().unwrap();
        let mut all: Vec<_> = members
            .iter()
            .filter(|(key, _)| *key != name)
            .map(|(key, value)| (key.to_owned().into(), value.clone()))
            .collect();
        all.extend(value.map(|value| (name.into(), value)));
        CompactionArtifact::from_value(&premath_kernel::Object::from_members(all).unwrap().into())
            .unwrap_err()
    };
    assert_eq!(changed("obligations", Some(Value::text_list([]))), DocumentError::StateDigest);
    assert_eq!(changed("priorStateDigest", Some("sha256:other".into())), DocumentError::StateDigest);
    assert_eq!(changed("kept", None), DocumentError::Member { name: "kept" });
    assert_eq!(changed("kept", Some("all".into())), DocumentError::Member { name: "kept" });
    assert_eq!(changed("more", Some(Value::Null)), DocumentError::Unknown { name: "more".to_owned() });
    let expected = DocumentError::Kind { expected: super::COMPACTION_KIND };
    assert_eq!(changed("kind", Some("premath.context.compaction.v2".into())), expected);
    assert_eq!(CompactionArtifact::from_value(&Value::Null).unwrap_err(), expected);
}

#[test]
fn the_kernel_takes_the_row_and_finds_what_continuity_finds() {
    let artifact = compact(input());
    assert_eq!(continuity(&carried(), &artifact), Ok(()));
    assert_eq!(classes(compacted(artifact.row(), &["task"])), []);
    let lossy = CompactionArtifact { kept: texts(&["task"]), ..artifact };
    let lost = continuity(&carried(), &lossy).unwrap_err();
    assert_eq!(lost.len(), 4);
    let found = classes(compacted(lossy.row(), &["task"]));
    assert_eq!(found, [FailureClass::CompactionStateInvalid; 4]);
}

#[test]
fn what_is_kept_but_no_longer_owed_is_lost_as_well() {
    let mut artifact = compact(input());
    artifact.carried.obligations.retain(|owed| owed != "run the tests");
    let lost = continuity(&carried(), &artifact).unwrap_err();
    assert_eq!(lost, [Lost::Obligation("run the tests".to_owned())]);
}

#[test]
fn another_prior_state_and_a_turn_on_both_sides_are_found() {
    let mut artifact = compact(input());
    artifact.carried.prior_state_digest = digest("sha256:another");
    artifact.dropped.push(dropped("turn-4", &[], &[]));
    let lost = continuity(&carried(), &artifact).unwrap_err();
    assert_eq!(lost, [Lost::PriorState, Lost::KeptAndDropped("turn-4".to_owned())]);
    assert_eq!(classes(compacted(artifact.row(), &[])), [FailureClass::CompactionStateInvalid]);
}

fn lists() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-e ]{0,3}", 0..5)
}

proptest! {
    #[test]
    fn a_compaction_loses_nothing_and_the_kernel_agrees(
        obligations in lists(), constraints in lists(), open_calls in lists(), turns in lists(), kept_turns in lists(),
    ) {
        let before = Carried { prior_state_digest: digest("sha256:before"), obligations, constraints, open_calls };
        let dropped: Vec<_> = turns.iter().map(|turn| dropped(turn, &[("shell", "ok")], &["sha256:1"])).collect();
        let artifact = compact(CompactionInput {
            policy_digest: compaction_policy(), carried: before.clone(), must_keep: Vec::new(), kept_turns, dropped,
        });
        prop_assert_eq!(continuity(&before, &artifact), Ok(()));
        prop_assert_eq!(classes(compacted(artifact.row(), &[])), []);
        prop_assert_eq!(CompactionArtifact::from_value(&artifact.to_value()), Ok(artifact));
    }

    /// Seed: 001 §8/12
    #[test]
    fn dropping_any_of_it_is_found(which in 0_usize..4, everywhere in any::<bool>()) {
        let artifact = compact(input());
        let before = carried();
        let all: Vec<String> =
            [&before.obligations, &before.constraints, &before.open_calls].into_iter().flatten().cloned().collect();
        let gone = all[which].trim();
        let without = |list: &[String]| list.iter().filter(|text| *text != gone).cloned().collect::<Vec<_>>();
        let kept = without(&artifact.kept);
        let mut lossy = CompactionArtifact { kept, ..artifact };
        if everywhere {
            // An artifact that no longer says it was ever owed: the kernel cannot see that, this can.
            lossy.carried.obligations = without(&lossy.carried.obligations);
            lossy.carried.constraints = without(&lossy.carried.constraints);
            lossy.carried.open_calls = without(&lossy.carried.open_calls);
        }
        let lost = continuity(&before, &lossy).unwrap_err();
        prop_assert_eq!(lost.len(), 1);
        prop_assert_eq!(classes(compacted(lossy.row(), &[])).is_empty(), everywhere);
    }
}

proptest! {
    // Texts far over every budget: a few say as much as many.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_shown_of_it_is_bounded(
        items in prop::collection::vec("(.|\n){0,300}", 0..60), calls in prop::collection::vec(("[a-z_]{0,60}", "[a-z.]{0,60}"), 0..40),
    ) {
        let calls: Vec<(&str, &str)> = calls.iter().map(|(tool, code)| (tool.as_str(), code.as_str())).collect();
        let refs: Vec<&str> = items.iter().map(String::as_str).collect();
        let before = Carried {
            prior_state_digest: digest("sha256:before"), obligations: items.clone(), constraints: items.clone(), open_calls: items.clone(),
        };
        let dropped = (0..60).map(|at| dropped(&format!("turn-{at}"), &calls, &refs)).collect();
        let artifact = compact(CompactionInput {
            policy_digest: digest("pol1_c"), carried: before, must_keep: Vec::new(), kept_turns: Vec::new(), dropped,
        });
        prop_assert!(artifact.text().len() <= COMPACTION_BYTES);
    }
}
