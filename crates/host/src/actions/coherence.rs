//! `coherence.check`: whether a repository keeps its own contract.

use premath_kernel::Value;
use premath_wire::v1::CoherenceAnswer;

use super::issue::{arguments, count};
use crate::coherence::{check, is_our_own};
use crate::table::{ActionError, Answer, Host, Nothing};

/// `coherence.check`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let found = check(host)?;
    let mut classes: Vec<String> = found.problems.iter().map(|problem| problem.class.clone()).collect();
    classes.sort();
    classes.dedup();
    let ok = found.problems.is_empty();
    let mut answer = Answer::new(
        if ok { "accepted" } else { "rejected" },
        &CoherenceAnswer {
            action: "coherence.check".to_owned(),
            scope: if is_our_own(host) { "premath" } else { "repository" }.to_owned(),
            ok,
            checked: found.checked,
            problem_count: count(found.problems.len()),
            problems: found.problems,
        },
    )?;
    answer.failure_classes = classes;
    Ok(answer)
}
