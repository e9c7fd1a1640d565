//! A path through a graph that is read piece by piece, for stores that do not load everything.
//!
//! Must not ask twice about the same issue.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

/// A shortest path from `start` to `goal`, both included, over what `next` says lies behind each id.
///
/// `start` reaches itself without a question asked.
///
/// # Errors
/// The first error of `next`, as it is.
pub fn find_path<E>(
    start: &str,
    goal: &str,
    mut next: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Option<Vec<String>>, E> {
    if start == goal {
        return Ok(Some(Vec::from([String::from(start)])));
    }
    let mut seen = BTreeSet::from([String::from(start)]);
    // Breadth first: what was found is also the queue, and each entry knows the place of the one it was found from.
    let mut found: Vec<(String, usize)> = Vec::from([(String::from(start), 0)]);
    let mut place = 0;
    while let Some((id, _)) = found.get(place) {
        for target in next(id)? {
            if target == goal {
                return Ok(Some(trace(&found, place, target)));
            }
            if seen.insert(target.clone()) {
                found.push((target, place));
            }
        }
        place = place.saturating_add(1);
    }
    Ok(None)
}

/// The way to the entry at `place`, and `goal` behind it.
fn trace(found: &[(String, usize)], place: usize, goal: String) -> Vec<String> {
    let mut path = Vec::from([goal]);
    let mut place = place;
    while let Some((id, from)) = found.get(place) {
        path.push(id.clone());
        if *from == place {
            break;
        }
        place = *from;
    }
    path.reverse();
    path
}
