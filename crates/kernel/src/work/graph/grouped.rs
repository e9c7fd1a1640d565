//! Items in groups, one block of memory for all of them.
//!
//! Made by counting, in linear time and without disturbing the order within a group. Must not know what it groups.

use alloc::vec;
use alloc::vec::Vec;

/// Items by group number.
#[derive(Debug, Clone)]
pub(super) struct Grouped<T> {
    /// Where each group starts, and behind the last one the end.
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Groups `items` by their number. INVARIANT: callers pass numbers below `groups`.
    pub(super) fn new(groups: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        let mut starts = vec![0_usize; groups.saturating_add(1)];
        for (group, _) in items.clone() {
            if let Some(count) = starts.get_mut(group.saturating_add(1)) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0_usize;
        for start in &mut starts {
            sum = sum.saturating_add(*start);
            *start = sum;
        }
        // Every slot is written again below: collecting first is how a slot gets a value without a default one.
        let mut placed: Vec<T> = items.clone().map(|(_, item)| item).collect();
        let mut next = starts.clone();
        for (group, item) in items {
            let Some(slot) = next.get_mut(group) else { continue };
            if let Some(place) = placed.get_mut(*slot) {
                *place = item;
            }
            *slot = slot.saturating_add(1);
        }
        Self { starts, items: placed }
    }

    /// The items of one group, in the order they came; none for a group there is not.
    pub(super) fn group(&self, group: usize) -> &[T] {
        let start = self.starts.get(group);
        let end = self.starts.get(group.saturating_add(1));
        start.zip(end).and_then(|(start, end)| self.items.get(*start..*end)).unwrap_or_default()
    }
}
