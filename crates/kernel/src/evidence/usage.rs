//! What became of a result.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, ToolCallId};

/// How a result was used, as it was spelled. Both spellings stay byte-stable; [`Disposition::meaning`] joins them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It went into a summary, a handoff or a mutation.
    Consumed,
    /// It was looked at.
    ObservedOnly,
    /// The same, in the short spelling.
    Observed,
    /// It was put aside, and why is written down.
    DiscardedWithReason,
    /// The same, in the short spelling.
    Discarded,
    /// It will be tried again.
    RetryScheduled,
}

/// What a disposition means, whichever way it was spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseMeaning {
    /// It went into a summary, a handoff or a mutation.
    Consumed,
    /// It was looked at.
    Observed,
    /// It was put aside.
    Discarded,
    /// It will be tried again.
    RetryScheduled,
}

impl Disposition {
    /// Every spelling.
    pub const ALL: [Self; 6] = [
        Self::Consumed,
        Self::ObservedOnly,
        Self::Observed,
        Self::DiscardedWithReason,
        Self::Discarded,
        Self::RetryScheduled,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Consumed => "consumed",
            Self::ObservedOnly => "observed_only",
            Self::Observed => "observed",
            Self::DiscardedWithReason => "discarded_with_reason",
            Self::Discarded => "discarded",
            Self::RetryScheduled => "retry_scheduled",
        }
    }

    /// What it means.
    #[must_use]
    pub const fn meaning(self) -> UseMeaning {
        match self {
            Self::Consumed => UseMeaning::Consumed,
            Self::ObservedOnly | Self::Observed => UseMeaning::Observed,
            Self::DiscardedWithReason | Self::Discarded => UseMeaning::Discarded,
            Self::RetryScheduled => UseMeaning::RetryScheduled,
        }
    }
}

/// What became of one result.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The call whose result this is about.
    pub tool_call_id: ToolCallId,
    /// What became of it.
    pub disposition: Disposition,
    /// The result that was used.
    pub result_digest: Option<Digest>,
    /// Why it was discarded.
    pub reason: Option<Text>,
    /// The summary it went into.
    pub summary_ref: Option<Text>,
    /// The handoff it went into.
    pub handoff_ref: Option<Text>,
    /// The mutation intent it went into.
    pub mutation_input_ref: Option<Text>,
}

impl ToolUse {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("disposition", self.disposition.token())
            .optional("handoffRef", self.handoff_ref.as_ref())
            .optional("mutationInputRef", self.mutation_input_ref.as_ref())
            .optional("reason", self.reason.as_ref())
            .optional("resultDigest", self.result_digest.as_ref())
            .optional("summaryRef", self.summary_ref.as_ref())
            .field("toolCallId", &self.tool_call_id)
            .finish()
    }
}
