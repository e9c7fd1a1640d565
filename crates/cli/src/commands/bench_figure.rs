//! One measured figure beside its limit, as every bench prints it. It must not measure anything.

use serde::Serialize;

use crate::output::{BAD, DIM, GOOD, STRONG};

/// One figure.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    pub(super) limit: f64,
    /// Whether more is better.
    pub(super) at_least: bool,
    /// What it was worked out from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) detail: String,
}

impl Figure {
    /// One that must not be larger.
    pub(super) fn at_most(name: impl Into<String>, value: f64, unit: &'static str, limit: f64) -> Self {
        Self { name: name.into(), value, unit, limit, at_least: false, detail: String::new() }
    }

    /// One that must not be smaller.
    pub(super) fn at_least(name: impl Into<String>, value: f64, unit: &'static str, limit: f64) -> Self {
        Self { name: name.into(), value, unit, limit, at_least: true, detail: String::new() }
    }

    /// The same with what it was worked out from.
    pub(super) fn from(self, detail: String) -> Self {
        Self { detail, ..self }
    }

    pub(super) fn holds(&self) -> bool {
        if self.at_least { self.value >= self.limit } else { self.value <= self.limit }
    }

    /// Its line in a table for a person.
    pub(super) fn line(&self) -> String {
        let style = if self.holds() { GOOD } else { BAD };
        let relation = if self.at_least { "at least" } else { "at most" };
        let decimals = if self.limit >= 100.0 { 0 } else { 2 };
        format!(
            "{:<66} {STRONG}{style}{:>9.decimals$}{style:#}{STRONG:#} {:<9} {relation} {:.decimals$}{}\n",
            self.name,
            self.value,
            self.unit,
            self.limit,
            self.basis()
        )
    }

    fn basis(&self) -> String {
        if self.detail.is_empty() { String::new() } else { format!("  {DIM}{}{DIM:#}", self.detail) }
    }
}
