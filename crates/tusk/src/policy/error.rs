//! Why policy did not let a call run: one error, three views.
//!
//! The model is told what it can act on and nothing that helps it around a rule: no rule names, no ids. A person sees which
//! policy it was. The audit has everything. It must not be shown to a model but through [`PolicyError::for_model`].

use premath_kernel::{Object, Value};

use crate::evidence::row::count;

/// The five kinds, for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyCode {
    /// A rule or a guard says no.
    Denied,
    /// A person must say yes first.
    RequiresApproval,
    /// Too many in too short a time.
    RateLimited,
    /// The scope was not granted.
    ScopeMissing,
    /// A budget is spent.
    QuotaExceeded,
}

impl PolicyCode {
    /// Every one of them.
    pub const ALL: [Self; 5] =
        [Self::Denied, Self::RequiresApproval, Self::RateLimited, Self::ScopeMissing, Self::QuotaExceeded];

    /// Machine-readable, for ever.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Denied => "policy_denied",
            Self::RequiresApproval => "policy_requires_approval",
            Self::RateLimited => "policy_rate_limited",
            Self::ScopeMissing => "policy_scope_missing",
            Self::QuotaExceeded => "policy_quota_exceeded",
        }
    }

    /// What a model is told when nobody wrote a hint.
    const fn hint(self) -> &'static str {
        match self {
            Self::Denied => "this is not allowed here; do something else or say why you cannot go on",
            Self::RequiresApproval => {
                "a person has to agree first; go on with something else or end your turn"
            }
            Self::RateLimited => "too many calls in a short time; wait before you try again",
            Self::ScopeMissing => "you were not given the permission for this; say so and go on without it",
            Self::QuotaExceeded => "the budget for this is used up; say so and end your turn",
        }
    }
}

/// Why a call did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// Which kind.
    pub code: PolicyCode,
    /// What to do instead; the kind's own words when empty.
    pub hint: String,
    /// Whether the same call may run later without anybody changing anything.
    pub retryable: bool,
    /// When, where that is known.
    pub retry_after_millis: Option<u64>,
    /// Which policy: a rule, a guard, a layer.
    pub policy_name: String,
    /// What happened, for a person.
    pub human_message: String,
    /// Why, with values.
    pub reason: String,
    /// What was looked at.
    pub evidence: Vec<String>,
}

impl PolicyError {
    /// An error of a kind; what is not said is empty.
    #[must_use]
    pub fn new(code: PolicyCode, policy_name: impl Into<String>, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            code,
            hint: String::new(),
            retryable: matches!(code, PolicyCode::RateLimited),
            retry_after_millis: None,
            policy_name: policy_name.into(),
            human_message: reason.clone(),
            reason,
            evidence: Vec::new(),
        }
    }

    /// What a model reads: the hint, or the kind's own words.
    #[must_use]
    pub fn model_message(&self) -> &str {
        if self.hint.is_empty() { self.code.hint() } else { &self.hint }
    }

    /// What a model is given: `{code, hint, retryable, retryAfterMs?}`.
    #[must_use]
    pub fn for_model(&self) -> Value<'_> {
        Object::fields()
            .field("code", self.code.code())
            .field("hint", self.model_message())
            .optional("retryAfterMs", self.retry_after_millis.map(count))
            .field("retryable", self.retryable)
            .finish()
    }

    /// What a person is given: the model's view, with the policy and a message.
    #[must_use]
    pub fn for_client(&self) -> Value<'_> {
        Object::fields()
            .field("code", self.code.code())
            .field("hint", self.model_message())
            .field("humanMessage", self.human_message.as_str())
            .field("policyName", self.policy_name.as_str())
            .optional("retryAfterMs", self.retry_after_millis.map(count))
            .field("retryable", self.retryable)
            .finish()
    }

    /// What the audit is given: the person's view, with the reason, what was looked at, when, and about which arguments.
    #[must_use]
    pub fn for_audit<'v>(&'v self, decided_at: &'v str, arguments_digest: &'v str) -> Value<'v> {
        Object::fields()
            .field("argsDigest", arguments_digest)
            .field("code", self.code.code())
            .field("decidedAt", decided_at)
            .field("evidence", Value::text_list(self.evidence.iter().map(String::as_str)))
            .field("hint", self.model_message())
            .field("humanMessage", self.human_message.as_str())
            .field("policyName", self.policy_name.as_str())
            .field("reason", self.reason.as_str())
            .optional("retryAfterMs", self.retry_after_millis.map(count))
            .field("retryable", self.retryable)
            .finish()
    }
}
