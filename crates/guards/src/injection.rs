//! Texts that try to give orders to a model: phrases, sums of cues, hidden and encoded text, fake structure.
//!
//! A pattern cannot know what a text means; what it finds is a reason to be careful, and by default nothing more. It must
//! not change a text.

mod carriers;
mod cues;
mod decoded;
mod hidden;
mod lexicon;
mod mention;
mod phrases;
mod score;
mod sentences;
#[cfg(test)]
mod tests;

use std::ops::Range;

use premath_tusk::policy::Finding;

use self::score::Carrier;

/// Encodings of encodings, to this depth.
const DEEPEST: u32 = 2;
/// What had to be decoded or uncovered begins with these points: who writes plainly does not do that.
const DISGUISED: i32 = 6;

/// Whether everything that is looked for can be looked for.
pub(crate) fn is_ready() -> bool {
    phrases::is_ready() && carriers::is_ready()
}

/// Everything that looks like an order, in order of where it stands.
pub(crate) fn find(text: &str) -> Vec<Finding> {
    let carriers = carriers::find(text);
    let outcome = score::find(text, &carriers, 0);
    let mut found = phrases::find(text);
    add(&mut found, outcome.findings);
    let unseen = hidden::find(text);
    if !unseen.is_empty() {
        // Letters with invisible characters between them read like letters, and tags spell a text of their own.
        for shown in [hidden::shown(text), hidden::spelled(text)] {
            let known: Vec<Finding> = judge(&shown, DISGUISED, DEEPEST);
            let place = unseen.first().and_then(|finding| finding.span.as_ref());
            add_new(&mut found, known, place);
        }
        found.extend(unseen);
    }
    found.extend(disguised(text, DEEPEST));
    if outcome.rotated >= 1 {
        found.extend(encoded(judge(&decoded::rotated(text), DISGUISED, 0), &(0..text.len())));
    }
    found.sort_by_key(|finding| finding.span.as_ref().map_or(usize::MAX, |span| span.start));
    found
}

/// What a text that was uncovered has in it.
fn judge(text: &str, ahead: i32, depth: u32) -> Vec<Finding> {
    let none: &[Carrier] = &[];
    let mut found = phrases::find(text);
    found.extend(score::find(text, none, ahead).findings);
    found.extend(disguised(text, depth));
    found
}

fn disguised(text: &str, depth: u32) -> Vec<Finding> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    decoded::find(text)
        .into_iter()
        .flat_map(|one| encoded(judge(&one.text, DISGUISED, depth), &one.place))
        .collect()
}

/// The findings of a decoded text, at the place of the code.
fn encoded(found: Vec<Finding>, place: &Range<usize>) -> Vec<Finding> {
    let mut labels: Vec<String> = found.into_iter().map(|finding| finding.label).collect();
    if labels.is_empty() {
        return Vec::new();
    }
    labels.push("encoded-order".to_owned());
    labels.sort();
    labels.dedup();
    labels.into_iter().map(|label| Finding { label, span: Some(place.clone()) }).collect()
}

/// Findings of cues, where no phrase has the same label at the same place.
fn add(found: &mut Vec<Finding>, more: Vec<Finding>) {
    let phrases = found.len();
    for finding in more {
        let is_known = found.iter().take(phrases).any(|known| {
            known.label == finding.label
                && known
                    .span
                    .as_ref()
                    .zip(finding.span.as_ref())
                    .is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
        });
        if !is_known {
            found.push(finding);
        }
    }
}

/// Findings whose label is not known yet.
fn add_new(found: &mut Vec<Finding>, more: Vec<Finding>, place: Option<&Range<usize>>) {
    for finding in more {
        if !found.iter().any(|known| known.label == finding.label) {
            found.push(Finding { span: place.cloned(), ..finding });
        }
    }
}
