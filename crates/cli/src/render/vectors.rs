//! The answer of a conformance run. Its last line is `N passed, M failed`.

use premath_wire::v1::ConformanceReport;

use super::plain;
use crate::output::{BAD, STRONG};

/// Failures first, then the counts.
pub(crate) fn report(report: &ConformanceReport) -> String {
    let mut text = String::new();
    for failure in &report.failures {
        text.push_str(&format!("{BAD}✗{BAD:#} {STRONG}{}{STRONG:#}\n", plain(&failure.name)));
        for difference in &failure.differences {
            text.push_str(&format!("    {}\n", plain(difference)));
        }
    }
    for class in &report.uncovered_classes {
        text.push_str(&format!("{BAD}✗{BAD:#} no vector triggers {class}\n"));
    }
    text.push_str(&format!("{} passed, {} failed\n", report.passed, report.failed));
    text
}
