//! Counting the instructions of one program run with valgrind's callgrind.
//! Valgrind's virtual processor has no SHA extensions: both sides of a ratio hash in software.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::system::Invocation;

/// Instructions that the program and its libraries executed.
pub(super) fn instructions(program: &Path, arguments: &[&str]) -> Result<u64> {
    let invocation = Invocation::new("valgrind")
        .arguments(&["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .argument(program)
        .arguments(arguments);
    let captured = invocation.capture().with_context(|| format!("cannot start `{invocation}`"))?;
    if !captured.status.success() {
        bail!("`{invocation}` failed: {}\n{}", captured.status, captured.stderr);
    }
    count_in(&captured.stderr)
        .with_context(|| format!("`{invocation}` reported no instruction count\n{}", captured.stderr))
}

/// Reads `==7== Collected : 163411` or, from other versions, `==7== I   refs:      163,411`.
pub(super) fn count_in(report: &str) -> Option<u64> {
    report.lines().rev().find_map(|line| {
        let (name, number) = line.rsplit_once(':')?;
        let name: Vec<&str> = name.split_whitespace().filter(|word| !word.starts_with("==")).collect();
        if name != ["Collected"] && name != ["I", "refs"] {
            return None;
        }
        number.trim().replace(',', "").parse().ok()
    })
}
