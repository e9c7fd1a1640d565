//! The rules, one file per family. Each reads the normalised turn and the policies that count, and notes every breach.
//!
//! A rule never stops at its first finding, never reads what a caller asserts as permission, and treats absent
//! evidence under a declared policy as a breach.

mod callers;
mod compaction;
mod context;
mod coordination;
mod discovery;
pub(crate) mod governance;
mod guardrails;
mod handoff;
mod join;
pub(crate) mod mutation;
mod parallel;
mod prior;
mod protocol;
mod requests;
mod scope;
mod shell;
mod tiers;
mod truncation;

use alloc::vec::Vec;

use crate::normalize::{Call, NormalizedTurn};
use crate::policy::Bound;
use crate::refusal::Findings;

/// What every rule reads.
#[derive(Debug)]
pub(crate) struct View<'t> {
    /// The turn.
    pub(crate) turn: &'t NormalizedTurn,
    /// Its rows, joined by call id.
    pub(crate) calls: Vec<Call<'t>>,
    /// The policies that count.
    pub(crate) bound: Bound<'t>,
}

impl<'t> View<'t> {
    /// Joins the rows and binds the policies, noting those that cannot be trusted.
    pub(crate) fn new(turn: &'t NormalizedTurn, findings: &mut Findings) -> Self {
        Self { turn, calls: turn.calls(), bound: Bound::new(&turn.spec, &turn.policies, findings) }
    }
}

/// Every rule that closing a turn needs.
pub(crate) const CLOSING: [fn(&View<'_>, &mut Findings); 16] = [
    requests::check,
    discovery::check,
    callers::check,
    join::check,
    prior::check,
    parallel::check,
    truncation::check,
    protocol::check,
    shell::check,
    compaction::check,
    context::check,
    scope::check,
    coordination::check,
    handoff::check,
    guardrails::check,
    tiers::check,
];
