//! A copy of a store as its own clone would have written it: keys are bound to places, and what is tested is not the copying.

use super::workplace::Workplace;

/// Takes over what is in a copy, as a person does who moved a repository.
pub(super) fn rekey(place: &Workplace) {
    let has_key = place.state().join("premath/clone.key").is_file();
    if has_key && place.path().join(".premath").is_dir() {
        place.accepted(&["trust", "--all", "--reason", "copied for a test", "--json"]);
    }
}
