//! `harness.join_check`: is this turn closed, and is its mutation admissible.

use premath_kernel::{Assessment, Claims, Intent, NormalizedTurn, Strictness, Value, Witness, assess};
use premath_wire::v1::{JoinCheck, JoinCheckReport};
use premath_wire::{InputError, Json};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::issue::arguments;
use crate::table::{ActionError, Answer, Host, document_schema};

/// A turn that was checked.
#[derive(Debug)]
pub struct JoinChecked {
    /// The turn in its normal form.
    pub turn: NormalizedTurn,
    /// What was found.
    pub assessment: Assessment,
    intent: Option<Intent>,
    claims: Claims,
}

impl JoinChecked {
    /// The record of the check.
    #[must_use]
    pub fn witness(&self) -> Witness<'_> {
        Witness::of(&self.turn, &self.assessment, self.intent.as_ref(), &self.claims)
    }

    /// The report that is printed.
    #[must_use]
    pub fn report(&self) -> JoinCheckReport<'_> {
        JoinCheckReport::new(&self.turn, &self.assessment, self.witness())
    }
}

/// Checks the turn in `document`.
///
/// # Errors
/// A document that cannot be read, and where.
pub fn run(document: &[u8], strictness: Strictness) -> Result<JoinChecked, InputError> {
    check(JoinCheck::read(document, strictness)?)
}

fn check(input: JoinCheck) -> Result<JoinChecked, InputError> {
    let JoinCheck { turn, intent, claims } = input;
    let turn = JoinCheck::normalize(turn)?;
    let assessment = assess(&turn, intent.as_ref(), &claims);
    Ok(JoinChecked { turn, assessment, intent, claims })
}

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DocumentArgs {
    #[schemars(schema_with = "turn_schema")]
    document: Json,
    /// Whether members that nobody knows are refused, and uses must say what for.
    strict: Option<bool>,
}

fn turn_schema(_: &mut SchemaGenerator) -> Schema {
    document_schema("join-check-input", "A turn")
}

/// `harness.join_check`
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DocumentArgs = arguments(args)?;
    let checked = check(JoinCheck::from_value(&args.document.0, strictness(args.strict))?)?;
    let mut answer = Answer::new(checked.assessment.outcome().token(), &checked.report())?;
    answer.witness_refs = vec![checked.witness().id().to_owned()];
    answer.failure_classes = classes(checked.assessment.refusal());
    Ok(answer)
}

pub(crate) fn classes(refusal: Option<&premath_kernel::Refusal>) -> Vec<String> {
    let classes = refusal.map(premath_kernel::Refusal::classes).unwrap_or_default();
    classes.into_iter().map(|class| class.code().to_owned()).collect()
}

pub(crate) const fn strictness(strict: Option<bool>) -> Strictness {
    match strict {
        Some(true) => Strictness::Strict,
        Some(false) | None => Strictness::Lenient,
    }
}
