//! `governance.check`: does a governance profile hold by itself.

use premath_kernel::{GovernanceProfile, Policies, Refusal, Strictness, Value, assess_profile};
use premath_wire::v1::{GovernanceInput, GovernanceReport};
use premath_wire::{InputError, Json};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::issue::arguments;
use super::join_check::{classes, strictness};
use crate::table::{ActionError, Answer, Host, document_schema};

/// A profile that was checked.
#[derive(Debug)]
pub struct GovernanceChecked {
    profile: GovernanceProfile,
    /// What speaks against it.
    pub refusal: Option<Refusal>,
}

impl GovernanceChecked {
    /// The report that is printed.
    #[must_use]
    pub fn report(&self) -> GovernanceReport {
        GovernanceReport::new(&self.profile, self.refusal.as_ref())
    }

    /// Whether the profile is claimed at all.
    #[must_use]
    pub const fn is_claimed(&self) -> bool {
        self.profile.claimed
    }
}

/// Checks the profile in `document`.
///
/// # Errors
/// A document that cannot be read, and where.
pub fn run(document: &[u8], strictness: Strictness) -> Result<GovernanceChecked, InputError> {
    let (profile, policies) = GovernanceInput::read(document, strictness)?;
    Ok(check(profile, &policies))
}

fn check(profile: GovernanceProfile, policies: &Policies) -> GovernanceChecked {
    let refusal = assess_profile(&profile, policies).err();
    GovernanceChecked { profile, refusal }
}

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocumentArgs {
    #[schemars(schema_with = "profile_schema")]
    document: Json,
    /// Whether members that nobody knows are refused.
    strict: Option<bool>,
}

fn profile_schema(_: &mut SchemaGenerator) -> Schema {
    document_schema("governance-check-input", "A governance profile")
}

/// `governance.check`
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DocumentArgs = arguments(args)?;
    let (profile, policies) = GovernanceInput::from_value(&args.document.0, strictness(args.strict))?;
    let checked = check(profile, &policies);
    let result = if checked.refusal.is_none() { "accepted" } else { "rejected" };
    let mut answer = Answer::new(result, &checked.report())?;
    answer.failure_classes = classes(checked.refusal.as_ref());
    Ok(answer)
}
