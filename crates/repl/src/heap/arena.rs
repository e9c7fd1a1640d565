//! Slots of one kind, given out and taken back by number.

use crate::position::index;
use crate::value::Handle;

#[derive(Debug, Default)]
pub(super) struct Arena<T> {
    slots: Vec<T>,
    free: Vec<Handle>,
    /// Which slots hold something; used while collecting
    marked: Vec<bool>,
    /// For a handle that was never given out, which does not happen
    none: T,
}

impl<T: Default> Arena<T> {
    #[inline]
    pub(super) fn add(&mut self, value: T) -> Handle {
        if let Some(handle) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(handle as usize)
        {
            *slot = value;
            return handle;
        }
        let handle = index(self.slots.len());
        self.slots.push(value);
        handle
    }

    #[inline]
    pub(super) fn get(&self, handle: Handle) -> &T {
        self.slots.get(handle as usize).unwrap_or(&self.none)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, handle: Handle) -> Option<&mut T> {
        self.slots.get_mut(handle as usize)
    }

    pub(super) fn begin(&mut self) {
        self.marked.clear();
        self.marked.resize(self.slots.len(), false);
    }

    /// Marks a slot; whether it was not marked before.
    pub(super) fn mark(&mut self, handle: Handle) -> bool {
        match self.marked.get_mut(handle as usize) {
            Some(mark) => !std::mem::replace(mark, true),
            None => false,
        }
    }

    /// Empties what is not marked and sums the bytes of what is.
    pub(super) fn sweep(&mut self, bytes: impl Fn(&T) -> usize) -> usize {
        let mut used = 0;
        self.free.clear();
        for (at, (slot, marked)) in self.slots.iter_mut().zip(&self.marked).enumerate() {
            if *marked {
                used += bytes(slot);
            } else {
                *slot = T::default();
                self.free.push(index(at));
            }
        }
        // The lowest slots are given out first, so that what lives stays together.
        self.free.reverse();
        used
    }
}
