//! What the result class of a trajectory row means.
//!
//! Judges by whole words of the class. Must not read logs or messages.

use alloc::string::String;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultMeaning {
    /// It did what it was for.
    Success,
    /// Anything else.
    Failed,
}

/// The classes that mean success; all others mean failure.
const SUCCESSES: [&str; 6] = ["accepted", "verified_accept", "completed", "success", "ok", "passed"];
/// Words that say that trying again may help.
const RETRY_WORDS: [&str; 4] = ["retry", "transient", "timeout", "network"];

/// How a step with this class ended. Case does not count, and `-` is `_`.
#[must_use]
pub fn result_meaning(result_class: &str) -> ResultMeaning {
    meaning(&normal(result_class))
}

/// Whether trying the step again may help: a failure whose words say so, and do not say `no retry`.
#[must_use]
pub fn retry_needed(result_class: &str) -> bool {
    let class = normal(result_class);
    if meaning(&class) == ResultMeaning::Success {
        return false;
    }
    let mut is_needed = false;
    let mut previous = "";
    for word in class.split(['_', '.']).filter(|word| !word.is_empty()) {
        if (previous, word) == ("no", "retry") {
            return false;
        }
        is_needed |= RETRY_WORDS.contains(&word) || (previous, word) == ("rate", "limit");
        previous = word;
    }
    is_needed
}

fn meaning(class: &str) -> ResultMeaning {
    if SUCCESSES.contains(&class) { ResultMeaning::Success } else { ResultMeaning::Failed }
}

/// Trimmed, in lower case, with `_` for `-`.
fn normal(result_class: &str) -> String {
    result_class.trim().to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests;
