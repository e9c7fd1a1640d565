//! Notes that two branches appended to: both are kept, as paragraphs, in an order that does not depend on who merges.
//!
//! It must not merge notes that were rewritten: they are a conflict like any other text.

use std::iter::Peekable;

use premath_kernel::Value;

/// What stands between two notes of different branches.
const BETWEEN: &str = "\n\n";

/// The text with what both sides added; none when a side did more than add.
pub(super) fn appended(
    base: Option<&Value<'static>>,
    one: Option<&Value<'static>>,
    other: Option<&Value<'static>>,
) -> Option<String> {
    let base = base.and_then(Value::as_text).unwrap_or_default();
    let added = |side: Option<&Value<'static>>| -> Option<Vec<String>> {
        let tail = side?.as_text()?.strip_prefix(base)?;
        let paragraphs =
            tail.split(BETWEEN).map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty());
        Some(paragraphs.map(ToOwned::to_owned).collect())
    };
    let paragraphs = interleaved(added(one)?, added(other)?);
    let first = (!base.is_empty()).then(|| base.trim_end_matches('\n').to_owned());
    Some(first.into_iter().chain(paragraphs).collect::<Vec<_>>().join(BETWEEN))
}

/// Two lists as one: of the two next paragraphs the smaller comes first, and what both have comes once. Merging a third list
/// in gives the same, in whichever order the three come together.
fn interleaved(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
    while let (Some(left), Some(right)) = (one.peek(), other.peek()) {
        let order = left.cmp(right);
        let next = |list: &mut Peekable<std::vec::IntoIter<String>>| list.next();
        if order.is_le() {
            all.extend(next(&mut one));
            if order.is_eq() {
                drop(next(&mut other));
            }
        } else {
            all.extend(next(&mut other));
        }
    }
    all.extend(one);
    all.extend(other);
    all
}
