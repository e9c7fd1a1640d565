//! The join: every request has its result, every result its use, and nothing stands alone.

use super::View;
use crate::evidence::{ToolUse, UseMeaning};
use crate::failure::FailureClass;
use crate::normalize::Call;
use crate::refusal::Findings;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let mut open = |class: FailureClass, call: &str, detail: &'static str| {
        findings.add(class, call, detail);
        findings.add(FailureClass::JoinIncomplete, call, detail);
    };
    for call in &view.calls {
        rows_meet(call, &mut open);
        if let Some(detail) = view.turn.strictness.is_strict().then(|| incomplete_use(call.used)).flatten() {
            open(FailureClass::UseMissing, call.id.as_str(), detail);
        }
    }
    for repeated in &view.turn.repeated_results {
        findings.add(FailureClass::JoinIncomplete, repeated.as_str(), "the call has two terminal results");
    }
}

fn rows_meet(call: &Call<'_>, open: &mut impl FnMut(FailureClass, &str, &'static str)) {
    let id = call.id.as_str();
    if call.request.is_some() && call.terminal().is_none() {
        open(FailureClass::ResultMissing, id, "the call was requested and has no terminal result");
    }
    if call.request.is_none() && call.result.is_some() {
        open(FailureClass::ResultOrphan, id, "nobody requested the call that this result answers");
    }
    if call.terminal().is_some() && call.used.is_none() {
        open(FailureClass::UseMissing, id, "the result has no use");
    }
    let Some(used) = call.used else { return };
    if call.result.is_none() {
        open(FailureClass::UseWithoutResult, id, "the use has no result");
    } else if call.terminal().is_none() && relies_on_result(used) {
        open(FailureClass::UseUnknownResult, id, "the use relies on a result that is not terminal");
    } else if call.cites_another_result() {
        open(
            FailureClass::UseUnknownResult,
            id,
            "the use cites another digest than that of the terminal result",
        );
    }
}

/// Whether the use says what the result was, or that it went into something.
fn relies_on_result(used: &ToolUse) -> bool {
    used.disposition.meaning() == UseMeaning::Consumed || used.result_digest.is_some()
}

/// What a strict use row leaves out.
fn incomplete_use(used: Option<&ToolUse>) -> Option<&'static str> {
    let used = used?;
    let goes_nowhere =
        used.summary_ref.is_none() && used.handoff_ref.is_none() && used.mutation_input_ref.is_none();
    match used.disposition.meaning() {
        UseMeaning::Consumed if goes_nowhere => Some("the consumed result names nothing that it went into"),
        UseMeaning::Discarded if used.reason.is_none() => Some("the discarded result has no reason"),
        UseMeaning::Consumed | UseMeaning::Discarded | UseMeaning::Observed | UseMeaning::RetryScheduled => {
            None
        }
    }
}
