//! Adds the cues of neighbouring sentences up and holds the sum against the threshold.
//!
//! Text that a reader of the page does not see, and text that had to be decoded, begins with points of its own. Talk about
//! attacks costs points. One pass, three sentences at a time. It must not look for phrases.

use std::collections::VecDeque;
use std::ops::Range;

use premath_tusk::policy::Finding;

use super::cues::{Cues, TALK};
use super::sentences::{self, Word};

/// What a passage must reach.
pub(super) const THRESHOLD: i32 = 10;
/// Who writes where nobody looks does not write about attacks.
const UNSEEN: i32 = 4;
/// So many sentences count together.
const NEIGHBOURS: usize = 3;
/// Sentences further apart than this, in bytes, are not neighbours.
const FARTHEST: usize = 420;
/// More than these are one attack, not many.
const MOST_FINDINGS: usize = 64;

/// A part of a text that begins with points: a comment, a hidden element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Carrier {
    pub(super) place: Range<usize>,
    pub(super) points: i32,
    pub(super) label: &'static str,
}

/// What a pass over a text found.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) findings: Vec<Finding>,
    /// How often words written with ROT13 were seen.
    pub(super) rotated: usize,
}

/// Passages that reach the threshold. `carriers` are sorted by place; `ahead` is what every passage begins with.
pub(super) fn find(text: &str, carriers: &[Carrier], ahead: i32) -> Outcome {
    let mut outcome = Outcome::default();
    let mut window: VecDeque<(Range<usize>, Cues)> = VecDeque::with_capacity(NEIGHBOURS + 1);
    let mut words: Vec<Word> = Vec::new();
    let (mut at, mut carrier, mut reported) = (0, 0, 0);
    while let Some(sentence) = sentences::next(text, at, &mut words) {
        at = sentence.end;
        let cues = Cues::of(text, &words);
        outcome.rotated += usize::from(cues.is_rotated());
        window.push_back((sentence.clone(), cues));
        while window.len() > NEIGHBOURS
            || window
                .front()
                .is_some_and(|(first, _)| sentence.end - first.start > FARTHEST && window.len() > 1)
        {
            window.pop_front();
        }
        if cues.is_empty() {
            continue;
        }
        while carriers.get(carrier).is_some_and(|known| known.place.end <= sentence.start) {
            carrier += 1;
        }
        let carried = carriers.get(carrier).filter(|known| known.place.start < sentence.end);
        let Some((place, all)) = best(&window, carried, ahead) else { continue };
        if place.start < reported {
            continue;
        }
        reported = place.end;
        report(&mut outcome.findings, &place, all, carried);
        window.clear();
        if outcome.findings.len() >= MOST_FINDINGS {
            break;
        }
    }
    outcome
}

/// The shortest run of sentences up to the newest that reaches the threshold.
fn best(
    window: &VecDeque<(Range<usize>, Cues)>,
    carried: Option<&Carrier>,
    ahead: i32,
) -> Option<(Range<usize>, Cues)> {
    let newest = window.back()?;
    let about = window.iter().any(|(_, cues)| cues.talks_about());
    let mut all = Cues::default();
    for (place, cues) in window.iter().rev() {
        all = all.with(*cues);
        let more =
            carried.filter(|carrier| carrier.place.start < place.end).map_or(0, |carrier| carrier.points);
        let talk = match (about, all.talks_about(), more + ahead >= UNSEEN) {
            (true, true, true) => -TALK,
            (true, false, false) => TALK,
            (_, _, _) => 0,
        };
        if (all.is_an_order() || more + ahead >= UNSEEN) && all.points() + talk + more + ahead >= THRESHOLD {
            return Some((place.start..newest.0.end, all));
        }
    }
    None
}

fn report(findings: &mut Vec<Finding>, place: &Range<usize>, cues: Cues, carried: Option<&Carrier>) {
    let mut labels = cues.labels();
    labels.extend(carried.map(|carrier| carrier.label).filter(|label| !label.is_empty()));
    if labels.is_empty() {
        labels.push("addressed-order");
    }
    findings.extend(
        labels.into_iter().map(|label| Finding { label: label.to_owned(), span: Some(place.clone()) }),
    );
}
