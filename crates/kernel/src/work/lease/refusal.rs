//! Why a lease was not given or is not accepted.
//!
//! A lease answer is one class: the first rule that is broken, in the order the functions list them. Must not decide.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::{MAX_TTL_SECONDS, MIN_TTL_SECONDS};

macro_rules! lease_classes {
    ($($variant:ident $code:literal $hint:literal;)+) => {
        /// The stable names of lease refusals.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LeaseClass {
            $(#[doc = concat!("`", $code, "`")] $variant,)+
        }

        impl LeaseClass {
            /// Every class.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable string.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What to do next, in one line.
            #[must_use]
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)+ }
            }
        }
    };
}

lease_classes! {
    NotFound "lease_not_found" "look for the issue's id with `premath issue list`";
    IssueClosed "lease_issue_closed" "reopen the issue before working on it, or claim another one";
    IssueBlocked "lease_issue_blocked"
        "finish what it waits for (`premath issue blocked`), or claim with `--force` and a reason";
    ContentionActive "lease_contention_active"
        "take other work with `premath issue claim-next`, or wait until the lease is released or ends";
    Missing "lease_missing" "claim the issue first";
    Stale "lease_stale" "stop writing: read the issue again and claim it anew if it is still free";
    OwnerMismatch "lease_owner_mismatch" "act under the name that claimed the issue";
    IdMismatch "lease_id_mismatch" "give the lease id that the claim returned";
    InvalidTtl "lease_invalid_ttl" "give a time to live from 30 to 86400 seconds";
    InvalidAssignee "lease_invalid_assignee" "name who is to work on the issue";
    InvalidExpiresAt "lease_invalid_expires_at" "give an end 30 to 86400 seconds from now";
    BindingAmbiguous "lease_binding_ambiguous" "say whose lease it is: give its owner or its id";
    StoreBusy "lease_store_busy" "try again: another process is writing";
}

impl fmt::Display for LeaseClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// The negative answer of a lease rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct LeaseRefusal {
    /// Which rule.
    pub class: LeaseClass,
    /// What was found, for a person, in one line.
    pub detail: String,
}

impl LeaseRefusal {
    pub(super) fn new(class: LeaseClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }

    pub(super) fn ttl(ttl_seconds: u64) -> Self {
        let detail =
            format!("a lease lasts from {MIN_TTL_SECONDS} to {MAX_TTL_SECONDS} seconds, not `{ttl_seconds}`");
        Self::new(LeaseClass::InvalidTtl, detail)
    }
}

/// A name as a detail may repeat it: on one line, and not without end.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        const LIMIT: usize = 64;
        formatter.write_char('`')?;
        for character in self.0.chars().take(LIMIT) {
            formatter.write_char(if character.is_control() { ' ' } else { character })?;
        }
        formatter.write_str(if self.0.chars().nth(LIMIT).is_some() { "…`" } else { "`" })
    }
}
