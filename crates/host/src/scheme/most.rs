//! The most that the budgets of an evaluation can be: live, and in a trace that somebody hands over. It must not be less than
//! what an evaluation has by default.

use premath_repl::Limits;

/// The most of each.
pub(crate) const MOST: Limits = Limits {
    fuel: 10_000_000_000,
    memory: 1 << 30,
    depth: 50_000,
    output: 1 << 20,
    host_calls: 100_000,
    source: 1 << 20,
};

/// The first budget that is more than it can be, by its name in traces, and the most that it can be.
pub(super) fn over(limits: &Limits) -> Option<(&'static str, u64)> {
    let Limits { fuel, memory, depth, output, host_calls, source } = *limits;
    let length = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    [
        ("fuel", fuel, MOST.fuel),
        ("memory", length(memory), length(MOST.memory)),
        ("depth", length(depth), length(MOST.depth)),
        ("output", length(output), length(MOST.output)),
        ("hostCalls", host_calls, MOST.host_calls),
        ("source", length(source), length(MOST.source)),
    ]
    .into_iter()
    .find_map(|(name, wanted, most)| (wanted > most).then_some((name, most)))
}
