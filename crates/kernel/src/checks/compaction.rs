//! Compaction: nothing that was owed, open or required was lost on the way.

use super::View;
use crate::evidence::Compaction;
use crate::failure::FailureClass;
use crate::policy::PolicyKind;
use crate::refusal::Findings;

const CLASS: FailureClass = FailureClass::CompactionStateInvalid;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let Some(compaction) = &view.turn.compaction else {
        return;
    };
    own_fields(view, compaction, findings);
    carried_forward(view, compaction, findings);
}

fn own_fields(view: &View<'_>, compaction: &Compaction, findings: &mut Findings) {
    let declared = view.turn.spec.binding(PolicyKind::Compaction);
    let mut broken = |detail: &str| findings.add(CLASS, "compaction", detail);
    match declared {
        None => broken("the turn declares no compaction policy"),
        Some(declared) if compaction.policy_digest.as_ref() != Some(declared) => {
            broken("the compaction ran under another policy than the declared one");
        }
        Some(_) => {}
    }
    if view.bound.compaction_policy.is_some_and(|policy| policy.enabled == Some(false)) {
        broken("the policy admits no compaction");
    }
    if compaction.prior_state_digest.is_none() {
        broken("the state before is not named");
    }
    if compaction.state_digest.is_none() {
        broken("the state after is not named");
    }
}

fn carried_forward(view: &View<'_>, compaction: &Compaction, findings: &mut Findings) {
    let required = [
        (compaction.open_call_ids.iter(), "an open call was not carried forward"),
        (compaction.obligations.iter(), "an obligation was not carried forward"),
        (compaction.constraints.iter(), "a constraint was not carried forward"),
    ];
    for (entries, detail) in required {
        for lost in entries.filter(|entry| !compaction.kept.contains(entry.as_str())) {
            findings.add(CLASS, lost.as_str(), detail);
        }
    }
    let must_keep = view.bound.compaction_policy.iter().flat_map(|policy| policy.must_keep.iter());
    for lost in must_keep.filter(|entry| !compaction.kept.contains(entry.as_str())) {
        findings.add(CLASS, lost.as_str(), "the policy's mustKeep was not carried forward");
    }
    for both in compaction.dropped.iter().filter(|entry| compaction.kept.contains(entry.as_str())) {
        findings.add(CLASS, both.as_str(), "it is said to be both kept and dropped");
    }
}
