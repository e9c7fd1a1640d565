//! What coherence found, as a person reads it: file, line, what does not fit.

use premath_wire::v1::CoherenceAnswer;

use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG};

/// `coherence-check`
pub(crate) fn checked(answer: &CoherenceAnswer) -> String {
    let mut text = String::new();
    for problem in &answer.problems {
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let (file, class) = (plain(&problem.file), plain(&problem.class));
        text.push_str(&format!(
            "{BAD}✗{BAD:#} {STRONG}{file}{line}{STRONG:#} {} {DIM}{class}{DIM:#}\n",
            plain(&problem.detail)
        ));
    }
    let counts: Vec<String> =
        answer.checked.iter().map(|checked| format!("{} {}", checked.count, plain(&checked.what))).collect();
    let counts = counts.join(", ");
    if answer.ok {
        text.push_str(&format!("{GOOD}✓ everything fits together:{GOOD:#} {counts}\n"));
    } else {
        text.push_str(&format!("{BAD}✗ {} problems{BAD:#}: {counts}\n", answer.problem_count));
    }
    text
}
