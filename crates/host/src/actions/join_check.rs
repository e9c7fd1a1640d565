//! `harness.join_check`: is this turn closed, and is its mutation admissible.

use premath_kernel::{Assessment, Claims, Intent, NormalizedTurn, Strictness, Value, Witness, assess};
use premath_wire::v1::{JoinCheck, JoinCheckReport};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::table::{ActionError, Answer, Host, required};

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

/// The same for arguments `{document, strict?}`.
pub(crate) fn call(_: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let checked = check(JoinCheck::from_value(required(args, "document")?, strictness(args)?)?)?;
    let mut answer = Answer::new(checked.assessment.outcome().token(), &checked.report())?;
    answer.witness_refs = vec![checked.witness().id().to_owned()];
    answer.failure_classes = classes(checked.assessment.refusal());
    Ok(answer)
}

pub(crate) fn classes(refusal: Option<&premath_kernel::Refusal>) -> Vec<String> {
    let classes = refusal.map(premath_kernel::Refusal::classes).unwrap_or_default();
    classes.into_iter().map(|class| class.code().to_owned()).collect()
}

/// The argument `strict?`. Anything but a boolean is refused: a guess would be the lenient one.
pub(crate) fn strictness(args: &Value<'_>) -> Result<Strictness, InputError> {
    match args.as_object().and_then(|object| object.get("strict")) {
        Some(Value::Bool(true)) => Ok(Strictness::Strict),
        None | Some(Value::Bool(false) | Value::Null) => Ok(Strictness::Lenient),
        Some(_) => {
            let path = JsonPath::root().key("strict");
            Err(InputError::new(InputClass::FieldInvalid, "expected a boolean", path))
        }
    }
}
