//! The rules of the feature ledger: which feature comes next, and when all of them are done.
//!
//! Takes rows as they were read, with what was unreadable in them. Must not read or write a ledger.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::natural::natural_cmp;

/// Where a feature stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Set aside.
    Blocked,
    /// Done and verified.
    Completed,
}

impl FeatureStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Blocked, Self::Completed];

    /// Reads a token, trimmed and without regard to ASCII case.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        let token = token.trim();
        Self::ALL.into_iter().find(|status| token.eq_ignore_ascii_case(status.token()))
    }

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
        }
    }
}

/// One row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Names the feature.
    pub feature_id: String,
    /// Where it stands; none for a token that is no status.
    pub status: Option<FeatureStatus>,
    /// The session that works on it; blank is absent.
    pub session_ref: Option<String>,
    /// What it was asked for in.
    pub instruction_refs: Vec<String>,
    /// What shows that it works.
    pub verification_refs: Vec<String>,
    /// When the row was last written.
    pub updated_at: Option<String>,
}

impl Feature {
    fn is_at(&self, status: FeatureStatus) -> bool {
        self.status == Some(status)
    }

    fn is_verified(&self) -> bool {
        self.verification_refs.iter().any(|reference| !is_blank(reference))
    }

    fn is_complete(&self) -> bool {
        self.is_at(FeatureStatus::Completed) && self.is_verified()
    }
}

/// Whether a check asks for all features to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closure {
    /// What is not done is a problem.
    Required,
    /// Work may be going on.
    NotRequired,
}

macro_rules! ledger_classes {
    ($($variant:ident $code:literal;)+) => {
        /// The stable names of what can be wrong with a ledger. Ordered by code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LedgerClass {
            $(#[doc = concat!("`harness_feature_ledger.", $code, "`")] $variant,)+
        }

        impl LedgerClass {
            /// Every class, sorted by code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable string.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => concat!("harness_feature_ledger.", $code),)+ }
            }
        }
    };
}

ledger_classes! {
    ClosureIncomplete "closure_incomplete";
    CompletedMissingVerificationRef "completed_missing_verification_ref";
    Empty "empty";
    FeatureUpdatedAtEmpty "feature.updated_at.empty";
    FeatureIdDuplicate "feature_id.duplicate";
    FeatureIdEmpty "feature_id.empty";
    InProgressNonContractible "in_progress.non_contractible";
    InstructionRefEmpty "instruction_ref.empty";
    StatusInvalid "status.invalid";
    UpdatedAtEmpty "updated_at.empty";
    VerificationRefEmpty "verification_ref.empty";
}

impl fmt::Display for LedgerClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// Everything that is wrong with a ledger and what it is about, sorted, without repeats.
///
/// The subject is the feature, its place where it has no id, or the field of the ledger. Two features in progress under
/// one session are both named; features without a session count as one session.
#[must_use]
pub fn check_ledger(
    features: &[Feature],
    ledger_updated_at: Option<&str>,
    closure: Closure,
) -> Vec<(LedgerClass, String)> {
    let mut problems = Vec::new();
    if features.is_empty() {
        problems.push((LedgerClass::Empty, String::from("features")));
        if closure == Closure::Required {
            problems.push((LedgerClass::ClosureIncomplete, String::from("features")));
        }
    }
    if ledger_updated_at.is_none_or(is_blank) {
        problems.push((LedgerClass::UpdatedAtEmpty, String::from("updatedAt")));
    }
    for (place, feature) in features.iter().enumerate() {
        let classes = row_problems(feature, closure);
        problems.extend(classes.into_iter().map(|class| (class, subject(place, feature))));
    }
    repeated_ids(features, &mut problems);
    crowded_sessions(features, &mut problems);
    problems.sort_unstable();
    problems.dedup();
    problems
}

/// The feature to work on: the smallest in progress, else the smallest pending, in natural order.
#[must_use]
pub fn next_feature(features: &[Feature]) -> Option<&str> {
    let smallest = |status: FeatureStatus| {
        let at = features.iter().filter(move |feature| feature.is_at(status));
        at.map(|feature| feature.feature_id.as_str())
            .filter(|id| !is_blank(id))
            .min_by(|one, other| natural_cmp(one, other))
    };
    smallest(FeatureStatus::InProgress).or_else(|| smallest(FeatureStatus::Pending))
}

/// Whether there are features and each is completed with something that verifies it.
#[must_use]
pub fn closure_complete(features: &[Feature]) -> bool {
    !features.is_empty() && features.iter().all(Feature::is_complete)
}

/// What is wrong with one row by itself.
fn row_problems(feature: &Feature, closure: Closure) -> Vec<LedgerClass> {
    let has_blank = |refs: &[String]| refs.iter().any(|reference| is_blank(reference));
    let is_unverified = feature.is_at(FeatureStatus::Completed) && !feature.is_verified();
    let is_undone = closure == Closure::Required && !feature.is_complete();
    [
        (is_undone, LedgerClass::ClosureIncomplete),
        (is_unverified, LedgerClass::CompletedMissingVerificationRef),
        (feature.updated_at.as_deref().is_none_or(is_blank), LedgerClass::FeatureUpdatedAtEmpty),
        (is_blank(&feature.feature_id), LedgerClass::FeatureIdEmpty),
        (has_blank(&feature.instruction_refs), LedgerClass::InstructionRefEmpty),
        (feature.status.is_none(), LedgerClass::StatusInvalid),
        (has_blank(&feature.verification_refs), LedgerClass::VerificationRefEmpty),
    ]
    .into_iter()
    .filter_map(|(is_found, class)| is_found.then_some(class))
    .collect()
}

fn repeated_ids(features: &[Feature], problems: &mut Vec<(LedgerClass, String)>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for id in features.iter().map(|feature| feature.feature_id.trim()).filter(|id| !id.is_empty()) {
        let count = counts.entry(id).or_default();
        *count = count.saturating_add(1);
    }
    let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
    problems.extend(repeated.map(|(id, _)| (LedgerClass::FeatureIdDuplicate, String::from(id))));
}

fn crowded_sessions(features: &[Feature], problems: &mut Vec<(LedgerClass, String)>) {
    let mut sessions: BTreeMap<Option<&str>, Vec<String>> = BTreeMap::new();
    for (place, feature) in features.iter().enumerate() {
        if feature.is_at(FeatureStatus::InProgress) {
            let session = feature.session_ref.as_deref().map(str::trim).filter(|name| !name.is_empty());
            sessions.entry(session).or_default().push(subject(place, feature));
        }
    }
    let crowded = sessions.into_values().filter(|subjects| subjects.len() > 1).flatten();
    problems.extend(crowded.map(|subject| (LedgerClass::InProgressNonContractible, subject)));
}

fn subject(place: usize, feature: &Feature) -> String {
    match feature.feature_id.trim() {
        "" => format!("features[{place}]"),
        id => String::from(id),
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests;
