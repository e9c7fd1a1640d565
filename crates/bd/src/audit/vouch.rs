//! Rows that something depends on: believed only where the chain holds from the first row to the head.
//!
//! A line that somebody appended by hand is no row of the log, whatever it says. What a person accepted as damaged vouches
//! for nothing. It must not change anything.

use std::path::Path;

use premath_kernel::Value;

use super::{AuditFilter, AuditLog};
use crate::error::StoreError;
use crate::verify::{Accepted, Chaining, check_log};
use crate::witnesses::Witnesses;

impl AuditLog {
    /// Every row that fits, the oldest first, of a log that was followed from its first row to its head; or why the log
    /// cannot be believed. A row in the part that a person accepted as damaged is left out.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn vouched(
        &self,
        filter: &AuditFilter,
        witnesses: &Witnesses,
        root: &Path,
    ) -> Result<Result<Vec<Value<'static>>, String>, StoreError> {
        let extents = Accepted::read(witnesses, root)?.extents(&self.named_from(root)).to_vec();
        let mut found: Vec<(u64, Value<'static>)> = Vec::new();
        let mut keep = |number: u64, row: &premath_kernel::Object<'_>| {
            if filter.fits(row) {
                found.push((number, Value::Object(row.clone()).into_owned()));
            }
        };
        let report = check_log(&self.log, Chaining::Chained, &extents, &mut keep)?.unwrap_or_default();
        if let Some(problem) = report.problems.kept().iter().find(|problem| !problem.class.is_warning()) {
            let line = problem.line.map(|line| format!(" at line {line}")).unwrap_or_default();
            return Ok(Err(format!(
                "the audit log cannot be believed: {}{line}: {}",
                problem.class.code(),
                problem.detail
            )));
        }
        found.retain(|(number, _)| *number > report.accepted_lines);
        Ok(Ok(found.into_iter().map(|(_, row)| row).collect()))
    }
}
