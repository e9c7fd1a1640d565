//! Pages about failure classes, in a terminal.

use premath_wire::v1::Explanation;

use crate::output::{DIM, STRONG};

/// A page: headings bold, fenced examples dimmed.
pub(crate) fn page(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut is_fenced = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        let styled = match line.strip_prefix("## ").or_else(|| line.strip_prefix("# ")) {
            Some(heading) if !is_fenced => format!("{STRONG}{heading}{STRONG:#}\n"),
            _ if is_fenced => format!("    {DIM}{line}{DIM:#}\n"),
            _ => format!("{line}\n"),
        };
        text.push_str(&styled);
    }
    text
}

/// Every class with its sentence.
pub(crate) fn classes(all: &[Explanation]) -> String {
    let width = all.iter().map(|explanation| explanation.class.len()).max().unwrap_or_default();
    all.iter()
        .map(|explanation| {
            format!("{STRONG}{:<width$}{STRONG:#}  {}\n", explanation.class, explanation.summary)
        })
        .collect()
}
