//! List prices of well-known models, each with the day on which it was true. Where a provider takes more for very long
//! prompts, the number here is that of ordinary ones, and what a long one cost is more. Only names that are known to have
//! the price are here: it must not guess that a snapshot costs what another one does.

use super::Price;

/// One row of the table.
pub(super) struct Row {
    /// The model, as its provider names it.
    pub(super) model: &'static str,
    /// Dated names of the same model that are known to have the same price.
    pub(super) snapshots: &'static [&'static str],
    /// Its price.
    pub(super) price: Price,
    /// When that was the price.
    pub(super) as_of: &'static str,
}

const ANTHROPIC: &str = "2026-10-10";
const OPENAI: &str = "2026-06-30";

const fn row(
    model: &'static str,
    snapshots: &'static [&'static str],
    as_of: &'static str,
    [input, cache_read, cache_write, output]: [u64; 4],
) -> Row {
    Row { model, snapshots, price: Price { input, cache_read, cache_write, output }, as_of }
}

/// Millionths of a dollar per million tokens: input, cache read, cache write, output. OpenAI writes to its cache at the
/// price of input.
pub(super) const ROWS: &[Row] = &[
    row("claude-fable-5-1", &[], ANTHROPIC, [10_000_000, 250_000, 12_500_000, 50_000_000]),
    row("claude-fable-5", &[], ANTHROPIC, [10_000_000, 1_000_000, 12_500_000, 50_000_000]),
    row("claude-opus-5-5", &[], ANTHROPIC, [4_000_000, 200_000, 5_000_000, 20_000_000]),
    row("claude-opus-5", &[], ANTHROPIC, [5_000_000, 500_000, 6_250_000, 25_000_000]),
    row("claude-opus-4-8", &[], ANTHROPIC, [5_000_000, 500_000, 6_250_000, 25_000_000]),
    row("claude-opus-4-7", &[], ANTHROPIC, [5_000_000, 500_000, 6_250_000, 25_000_000]),
    row("claude-opus-4-6", &[], ANTHROPIC, [5_000_000, 500_000, 6_250_000, 25_000_000]),
    row(
        "claude-opus-4-5",
        &["claude-opus-4-5-20251101"],
        ANTHROPIC,
        [5_000_000, 500_000, 6_250_000, 25_000_000],
    ),
    row(
        "claude-opus-4-1",
        &["claude-opus-4-1-20250805"],
        ANTHROPIC,
        [15_000_000, 1_500_000, 18_750_000, 75_000_000],
    ),
    row("claude-sonnet-5-5", &[], ANTHROPIC, [2_000_000, 200_000, 2_500_000, 10_000_000]),
    row("claude-sonnet-5", &[], ANTHROPIC, [2_000_000, 200_000, 2_500_000, 10_000_000]),
    row("claude-sonnet-4-6", &[], ANTHROPIC, [3_000_000, 300_000, 3_750_000, 15_000_000]),
    row(
        "claude-sonnet-4-5",
        &["claude-sonnet-4-5-20250929"],
        ANTHROPIC,
        [3_000_000, 300_000, 3_750_000, 15_000_000],
    ),
    row(
        "claude-sonnet-4",
        &["claude-sonnet-4-0", "claude-sonnet-4-20250514"],
        ANTHROPIC,
        [3_000_000, 300_000, 3_750_000, 15_000_000],
    ),
    row(
        "claude-haiku-4-5",
        &["claude-haiku-4-5-20251001"],
        ANTHROPIC,
        [1_000_000, 100_000, 1_250_000, 5_000_000],
    ),
    row("gpt-4.1", &["gpt-4.1-2025-04-14"], OPENAI, [2_000_000, 500_000, 2_000_000, 8_000_000]),
    row("gpt-4.1-mini", &["gpt-4.1-mini-2025-04-14"], OPENAI, [400_000, 100_000, 400_000, 1_600_000]),
    row("gpt-4.1-nano", &["gpt-4.1-nano-2025-04-14"], OPENAI, [100_000, 25_000, 100_000, 400_000]),
    row(
        "gpt-4o",
        &["gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
        OPENAI,
        [2_500_000, 1_250_000, 2_500_000, 10_000_000],
    ),
    row("gpt-4o-mini", &["gpt-4o-mini-2024-07-18"], OPENAI, [150_000, 75_000, 150_000, 600_000]),
    row("gpt-5", &["gpt-5-2025-08-07"], OPENAI, [1_250_000, 125_000, 1_250_000, 10_000_000]),
    row("gpt-5-mini", &["gpt-5-mini-2025-08-07"], OPENAI, [250_000, 25_000, 250_000, 2_000_000]),
    row("gpt-5-nano", &["gpt-5-nano-2025-08-07"], OPENAI, [50_000, 5_000, 50_000, 400_000]),
    row("gpt-5.1", &["gpt-5.1-2025-11-13"], OPENAI, [1_250_000, 125_000, 1_250_000, 10_000_000]),
    row("gpt-5.2", &["gpt-5.2-2025-12-11"], OPENAI, [1_750_000, 175_000, 1_750_000, 14_000_000]),
    row("gpt-5.4", &[], OPENAI, [2_500_000, 250_000, 2_500_000, 15_000_000]),
    row("gpt-5.4-mini", &[], OPENAI, [750_000, 75_000, 750_000, 4_500_000]),
    row("gpt-5.5", &[], OPENAI, [5_000_000, 500_000, 5_000_000, 30_000_000]),
];
