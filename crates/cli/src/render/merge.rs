//! What a merge of issue memory came to, among the lines of git. It must say nothing when nothing is left to decide.

use std::fmt::Write as _;

use premath_wire::v1::MergeAnswer;

/// Ids that are named in a line.
const NAMED: usize = 5;

pub(crate) fn merged(answer: &MergeAnswer) -> String {
    let mut text = String::new();
    if !answer.conflicts.is_empty() {
        let named = answer.conflicts.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        let more = answer.conflicts.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(
            text,
            "premath: branches disagree about {named}{more}; `premath issue check` lists what to settle"
        );
    }
    for renamed in answer.renamed.iter().take(NAMED) {
        let _ = writeln!(
            text,
            "premath: two issues were called {}; one of them is {} now",
            renamed.former, renamed.id
        );
    }
    text
}
