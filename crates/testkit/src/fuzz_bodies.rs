//! What each fuzz target checks, here so that plain tests replay the same checks over the committed corpus.
//!
//! A body panics on a broken promise and on nothing else; it must not read or write anything.

use std::borrow::Cow;

use premath_kernel::{
    Assessment, FailureClass, NormalizedTurn, Object, PolicyKind, Refusal, Strictness, Value, assess, encode,
};
use premath_wire::InputError;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::JoinCheck;

/// Whatever the strict decoder accepts, serde_json accepts too, and its canonical bytes are a fixed point.
///
/// # Panics
/// When one of these promises is broken.
pub fn strict_decode(bytes: &[u8]) {
    // serde_json stops one level before our default does.
    let limits = Limits { max_depth: 127, ..Limits::default() };
    match parse(bytes, limits) {
        Ok(value) => {
            assert!(serde_json::from_slice::<serde_json::Value>(bytes).is_ok(), "serde_json refuses it");
            let canonical = encode(&value);
            let again = parse(&canonical, limits).map(|value| encode(&value));
            assert_eq!(again.as_deref(), Ok(canonical.as_slice()), "canonical bytes are no fixed point");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "a message must stay on one line: {message:?}");
        }
    }
}

/// Any bytes are read, refused or accepted without a panic; a refusal says why, in order; and an accepted turn that is
/// written in its normal form and read again is the same turn, accepted again.
///
/// # Panics
/// When one of these promises is broken.
pub fn join_check(bytes: &[u8]) {
    for strictness in [Strictness::Lenient, Strictness::Strict] {
        let (turn, assessment) = match checked(bytes, strictness) {
            Ok(checked) => checked,
            Err(error) => {
                assert_one_line(&error);
                continue;
            }
        };
        match assessment.refusal() {
            Some(refusal) => assert_ordered(refusal),
            None => assert_accepted_again(bytes, &turn, strictness),
        }
    }
}

fn checked(bytes: &[u8], strictness: Strictness) -> Result<(NormalizedTurn, Assessment), InputError> {
    let JoinCheck { turn, intent, claims } = JoinCheck::read(bytes, strictness)?;
    let turn = JoinCheck::normalize(turn)?;
    let assessment = assess(&turn, intent.as_ref(), &claims);
    Ok((turn, assessment))
}

fn assert_one_line(error: &InputError) {
    let message = error.to_string();
    assert!(!message.contains(char::is_control), "a message must stay on one line: {message:?}");
}

fn assert_ordered(refusal: &Refusal) {
    let reasons = refusal.reasons();
    assert!(!reasons.is_empty(), "a refusal without a reason");
    assert!(reasons.is_sorted(), "the reasons are not sorted: {reasons:?}");
}

/// Reads the normal form back in the place of the evidence and compares.
fn assert_accepted_again(bytes: &[u8], turn: &NormalizedTurn, strictness: Strictness) {
    let document = with_normal_evidence(bytes, turn);
    let again = checked(&document, strictness);
    assert!(again.is_ok(), "the normal form is not read: {again:?}");
    let Ok((same, assessment)) = again else { return };
    assert_eq!(turn.digests().canonical(), same.digests().canonical(), "the normal form has other digests");
    // The normal form has no payloads, by which alone an uncut result shows its size; and an open turn backs no mutation.
    const LOST: [FailureClass; 2] =
        [FailureClass::ResponseTruncationPolicyViolation, FailureClass::UseEvidenceMissing];
    let is_bounded = turn.spec().declared.contains_key(&PolicyKind::Truncation);
    let mut classes = assessment.refusal().map(Refusal::classes).unwrap_or_default();
    classes.retain(|class| !(is_bounded && LOST.contains(class)));
    assert!(classes.is_empty(), "the normal form is refused: {classes:?}");
}

/// The same document with the evidence in its normal form, without what only a report has.
fn with_normal_evidence(bytes: &[u8], turn: &NormalizedTurn) -> Vec<u8> {
    const REPORTED: [&str; 5] = ["contextState", "digests", "joinState", "kind", "schema"];
    let document = parse(bytes, Limits::default()).map(Value::into_owned);
    assert!(document.is_ok(), "a document that was read is read again");
    let document = document.unwrap_or(Value::Null);
    let normal = turn.canonical(true);
    let rows = members(&normal).filter(|(name, _)| !REPORTED.contains(&name.as_ref()));
    let evidence = Object::from_members(rows.collect()).map(Value::Object);
    assert!(evidence.is_ok(), "a part of an object is an object");
    let evidence = evidence.unwrap_or(Value::Null);
    let rest = members(&document).filter(|(name, _)| name != "evidence");
    let whole = Object::from_members(rest.chain([("evidence".into(), evidence)]).collect());
    assert!(whole.is_ok(), "one member was replaced");
    whole.map(|whole| encode(&Value::Object(whole))).unwrap_or_default()
}

fn members<'v>(value: &'v Value<'_>) -> impl Iterator<Item = (Cow<'v, str>, Value<'v>)> {
    let object = value.as_object().into_iter();
    object.flat_map(|object| object.iter().map(|(name, value)| (name.into(), value.borrowed())))
}
