//! Truncation: what a tool answered fits its budget, or was cut the way the policy says.

use super::View;
use crate::digest::Digest;
use crate::evidence::{ResultStatus, Truncation};
use crate::failure::FailureClass;
use crate::normalize::ResultRow;
use crate::policy::{Cut, PolicyKind, TruncationPolicy};
use crate::refusal::Findings;
use crate::scalar::Count;

const CLASS: FailureClass = FailureClass::ResponseTruncationPolicyViolation;

/// Equal halves, give or take the bytes of one UTF-8 character, which a cut must not split.
const CHARACTER_SLACK: u64 = 3;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    asserted(view, findings);
    let declared = view.turn.spec.binding(PolicyKind::Truncation);
    let (Some(policy), Some(declared)) = (view.bound.truncation_policy, declared) else {
        return;
    };
    for row in view.calls.iter().filter_map(|call| call.terminal()) {
        for detail in breaches(row, policy, declared).into_iter().flatten() {
            findings.add(CLASS, row.tool_call_id.as_str(), detail);
        }
    }
}

fn asserted(view: &View<'_>, findings: &mut Findings) {
    let constraints = &view.turn.constraints.truncation;
    if constraints.valid == Some(false) {
        findings.add(
            CLASS,
            "truncationConstraints.valid",
            "the caller says that the truncation broke its policy",
        );
    } else if constraints.required == Some(true) && constraints.valid.is_none() {
        findings.add(
            CLASS,
            "truncationConstraints.valid",
            "truncation is required and nobody vouches for it",
        );
    }
}

fn breaches(row: &ResultRow, policy: &TruncationPolicy, declared: &Digest) -> [Option<&'static str>; 4] {
    let Some(truncation) = &row.truncation else {
        return [untruncated(row, policy), None, None, None];
    };
    let foreign =
        (truncation.policy_digest.as_ref() != Some(declared)).then_some("it was cut under another policy");
    [foreign, contradicted(row, truncation), sizes(truncation, policy), shape(truncation, policy)]
}

/// A row without metadata must show by its payload that nothing needed cutting. Errors carry no payload.
fn untruncated(row: &ResultRow, policy: &TruncationPolicy) -> Option<&'static str> {
    let Some(bytes) = row.payload_bytes else {
        return (row.status == ResultStatus::Ok)
            .then_some("neither payload nor truncation metadata shows the size");
    };
    let is_over = u64::try_from(bytes).is_ok_and(|bytes| bytes > policy.max_bytes.get());
    is_over.then_some("the payload is over the budget and was not cut")
}

/// A payload beside its metadata is what was kept, or what there was.
fn contradicted(row: &ResultRow, truncation: &Truncation) -> Option<&'static str> {
    let bytes = u64::try_from(row.payload_bytes?).unwrap_or(u64::MAX);
    let is_said = bytes == truncation.kept_bytes.get() || bytes == truncation.original_bytes.get();
    (!is_said).then_some("the payload has another size than the metadata says")
}

fn sizes(truncation: &Truncation, policy: &TruncationPolicy) -> Option<&'static str> {
    let (original, kept) = (truncation.original_bytes.get(), truncation.kept_bytes.get());
    if kept > policy.max_bytes.get() {
        Some("more was kept than the budget")
    } else if kept > original {
        Some("more was kept than there was")
    } else {
        None
    }
}

/// How the cut must look, where there had to be one.
fn shape(truncation: &Truncation, policy: &TruncationPolicy) -> Option<&'static str> {
    if truncation.original_bytes.get() <= policy.max_bytes.get() {
        return None;
    }
    if truncation.marker.as_ref() != Some(&policy.marker) {
        return Some("the cut is not marked the way the policy says");
    }
    match policy.cut {
        Cut::Any => None,
        Cut::Middle if is_cut_in_the_middle(truncation, policy) => None,
        Cut::Middle => Some("the cut is not shown to be in the middle"),
    }
}

fn is_cut_in_the_middle(truncation: &Truncation, policy: &TruncationPolicy) -> bool {
    let (Some(head), Some(tail)) =
        (truncation.head_bytes.map(Count::get), truncation.tail_bytes.map(Count::get))
    else {
        return false;
    };
    let marker = u64::try_from(policy.marker.len()).unwrap_or(u64::MAX);
    let sum = head.checked_add(tail).and_then(|both| both.checked_add(marker));
    head > 0 && tail > 0 && head.abs_diff(tail) <= CHARACTER_SLACK && sum == Some(truncation.kept_bytes.get())
}
