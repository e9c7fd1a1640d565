//! What a principal used on one day, counted and compared in one statement, so that two processes cannot both take the
//! last of it. A day is one of UTC.

use premath_wire::time::format_time;
use rusqlite::{OptionalExtension as _, params};

use super::database::{Desk, from_stored};
use super::file::{signed, unsigned};
use crate::error::StoreError;

/// What was used on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls of tools.
    pub tool_calls: u64,
    /// Money, in millionths.
    pub cost_micros: u64,
}

/// What came of wanting to use something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// It was counted; this is used by now.
    Counted(Usage),
    /// It would be more than allowed, and was not counted; this is used already.
    Exceeded(Usage),
}

impl Desk {
    /// Counts what is about to be used today, unless that would be more than `most`; a limit of none is no limit.
    ///
    /// # Errors
    /// A database that failed.
    pub fn spend(
        &self,
        principal: &str,
        more: Usage,
        most: (Option<u64>, Option<u64>),
    ) -> Result<Spending, StoreError> {
        let limit = |limit: Option<u64>| signed(limit.unwrap_or(u64::MAX));
        let spent = self.write(|writing| {
            let statement = "INSERT INTO usage(day, principal, tool_calls, cost_micros)
                 SELECT ?1, ?2, ?3, ?4 WHERE ?3 <= ?5 AND ?4 <= ?6
                 ON CONFLICT(day, principal) DO UPDATE SET
                   tool_calls = tool_calls + excluded.tool_calls, cost_micros = cost_micros + excluded.cost_micros
                 WHERE tool_calls <= ?5 - excluded.tool_calls AND cost_micros <= ?6 - excluded.cost_micros
                 RETURNING tool_calls, cost_micros";
            let (calls, cost) = (signed(more.tool_calls), signed(more.cost_micros));
            let day = day_of(writing.now);
            let row = params![day, principal, calls, cost, limit(most.0), limit(most.1)];
            let counted = writing
                .transaction
                .query_row(statement, row, |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
                .optional()?;
            Ok(Ok(match counted {
                Some((tool_calls, cost_micros)) => {
                    let (tool_calls, cost_micros) = (unsigned(tool_calls)?, unsigned(cost_micros)?);
                    Some(Usage { tool_calls, cost_micros })
                }
                None => None,
            }))
        })?;
        match spent {
            Ok(Some(usage)) => Ok(Spending::Counted(usage)),
            // Nothing in there refuses.
            Ok(None) | Err(_) => Ok(Spending::Exceeded(self.usage(principal)?)),
        }
    }

    /// What a principal used today.
    ///
    /// # Errors
    /// A database that failed.
    pub fn usage(&self, principal: &str) -> Result<Usage, StoreError> {
        let day = day_of(self.now());
        self.read(|connection| {
            let query = "SELECT tool_calls, cost_micros FROM usage WHERE day = ?1 AND principal = ?2";
            let row = connection.query_row(query, params![day, principal], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
            });
            let Some((tool_calls, cost_micros)) = row.optional()? else { return Ok(Usage::default()) };
            Ok(Usage { tool_calls: unsigned(tool_calls)?, cost_micros: unsigned(cost_micros)? })
        })
    }
}

fn day_of(millis: i64) -> String {
    format_time(from_stored(millis)).chars().take(10).collect()
}
