//! How much a program of a model may use, and how much a call gives back to it.

use premath_kernel::{Object, Value};
use premath_repl::Limits;

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count};

/// So many of the longest results are what all calls of one program give back at most.
const RESULTS: u64 = 256;

/// The budgets of one program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeLimits {
    /// Steps of the evaluator.
    pub fuel: u64,
    /// Bytes that are alive at once.
    pub memory: u64,
    /// Calls that wait for another to return.
    pub depth: u64,
    /// Bytes it writes, and of its value.
    pub output: u64,
    /// Calls of tools.
    pub calls: u64,
    /// The most bytes that one call gives back to it. No model is shown them.
    pub result_bytes: u64,
}

impl CodeLimits {
    /// What holds when nobody says otherwise.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            fuel: 20_000_000,
            memory: 64 << 20,
            depth: 50_000,
            output: 1 << 20,
            calls: 1_000,
            result_bytes: 64 << 10,
        }
    }

    /// The bytes behind which no further call is made: all of what calls give back is in the journal.
    pub(crate) const fn results(self) -> u64 {
        self.result_bytes.saturating_mul(RESULTS)
    }

    /// As the evaluator takes them.
    pub(crate) fn budgets(self) -> Limits {
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Limits {
            fuel: self.fuel,
            memory: size(self.memory),
            depth: size(self.depth),
            output: size(self.output),
            host_calls: self.calls,
            ..Limits::default()
        }
    }

    pub(crate) fn to_value(self) -> Value<'static> {
        Object::fields()
            .field("calls", count(self.calls))
            .field("depth", count(self.depth))
            .field("fuel", count(self.fuel))
            .field("memory", count(self.memory))
            .field("output", count(self.output))
            .field("resultBytes", count(self.result_bytes))
            .finish()
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            fuel: row.count("fuel")?,
            memory: row.count("memory")?,
            depth: row.count("depth")?,
            output: row.count("output")?,
            calls: row.count("calls")?,
            result_bytes: row.count("resultBytes")?,
        })
    }
}
