//! How many tokens a text takes, before a provider says so.
//!
//! An estimate that never falls when a text grows, corrected by every report. It must not be taken for what is billed.

#[cfg(test)]
mod tests;

use super::excerpt::length;

/// About how many tokens a text takes: one for four bytes of ASCII, one for two bytes of anything else, rounded up.
///
/// English and code come out a little high, other scripts about right; what matters is that it is never far too low.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let ascii = if text.is_ascii() { text.len() } else { text.bytes().filter(u8::is_ascii).count() };
    let other = text.len() - ascii;
    length(ascii.saturating_add(other.saturating_mul(2))).div_ceil(4)
}

/// The size of a conversation: what was last reported, and an estimate of what came since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meter {
    reported: u64,
    since: u64,
}

impl Meter {
    /// A conversation with nothing in it.
    #[must_use]
    pub const fn new() -> Self {
        Self { reported: 0, since: 0 }
    }

    /// Something was added to the conversation.
    pub fn added(&mut self, text: &str) {
        self.since = self.since.saturating_add(estimate(text));
    }

    /// Something of about so many tokens was added.
    pub const fn grew(&mut self, tokens: u64) {
        self.since = self.since.saturating_add(tokens);
    }

    /// A provider says how many tokens everything took that it was sent. What is added later is estimated on top.
    pub const fn reported(&mut self, input_tokens: u64) {
        self.reported = input_tokens;
        self.since = 0;
    }

    /// Something was taken away: a window or a compaction. Corrected by the next report.
    pub const fn removed(&mut self, tokens: u64) {
        let from_since = if tokens < self.since { tokens } else { self.since };
        self.since -= from_since;
        self.reported = self.reported.saturating_sub(tokens - from_since);
    }

    /// How many tokens the conversation takes.
    #[must_use]
    pub const fn context_tokens(&self) -> u64 {
        self.reported.saturating_add(self.since)
    }
}
