//! What requests begin with: lists that only grow, shared by whoever holds them, and what protocols made of them.
//!
//! A conversation is sent again with every request. What was written once is kept and copied into the next body, so that
//! writing a turn costs what is new in it. It must not know a protocol: whoever sends an item says how it is written.

mod form;
#[cfg(test)]
mod tests;

use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use form::{Encoded, Piece};

use self::form::Forms;
use super::part::Message;
use super::request::{SystemBlock, ToolOffer};

/// The messages of a conversation.
pub type History = Prefix<Message>;

/// The tools that are offered, in the order they are shown.
pub type Offers = Prefix<ToolOffer>;

/// What is said before everything else.
pub type SystemText = Prefix<SystemBlock>;

/// A list that only grows, cheap to clone. Clones share their items and what was made of them; one that goes another
/// way than the others leaves them as they are.
pub struct Prefix<T> {
    items: Arc<Vec<Arc<T>>>,
    /// How many of them are before the window.
    start: usize,
    // INVARIANT: all lists that share this agree on every item that both of them have.
    forms: Arc<Mutex<Forms>>,
}

impl<T> Prefix<T> {
    /// Adds an item. It costs the same however long the list is, unless a clone of it is still held: then the
    /// addresses of the items are copied, and what was made of them if the clone has grown as well.
    pub fn push(&mut self, item: T) {
        if !locked(&self.forms).grows_from(self.items.len()) {
            self.part();
        }
        Arc::make_mut(&mut self.items).push(Arc::new(item));
    }

    /// Somebody who shares this list went on from here in another way: from now on it is a list of its own.
    fn part(&mut self) {
        let length = self.items.len();
        if let Some(forms) = Arc::get_mut(&mut self.forms) {
            forms.get_mut().unwrap_or_else(PoisonError::into_inner).forget_from(length);
        } else {
            let own = locked(&self.forms).between(self.start, length);
            self.items = Arc::new(self.items.iter().skip(self.start).map(Arc::clone).collect());
            self.start = 0;
            self.forms = Arc::new(Mutex::new(own));
        }
        // Nobody else shares it now, so this is granted.
        locked(&self.forms).grows_from(self.items.len());
    }

    /// How many items it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len().saturating_sub(self.start)
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.shown().iter().map(Arc::as_ref)
    }

    fn shown(&self) -> &[Arc<T>] {
        self.items.get(self.start..).unwrap_or_default()
    }

    /// The same items from `index` on. Nothing is copied and nothing is written again: it holds on to the items before
    /// it, which collecting it anew does not.
    #[must_use]
    pub fn starting_at(&self, index: usize) -> Self {
        let start = self.start.saturating_add(index).min(self.items.len());
        Self { start, ..self.clone() }
    }

    /// Everything as `form` writes it, one item behind the other. `encode` is asked for those that were not written in
    /// that form before; a form has one way to write an item, and it depends on nothing but the item. What is returned
    /// keeps others from reading the list's forms for as long as it is held.
    ///
    /// # Errors
    /// The first of `encode`.
    pub fn encoded<E>(
        &self,
        form: &'static str,
        encode: impl FnMut(&T, &mut Piece) -> Result<(), E>,
    ) -> Result<Encoded<'_>, E> {
        let mut forms = locked(&self.forms);
        forms.complete(form, &self.items, encode)?;
        Ok(Encoded::new(forms, form, self.start, self.items.len()))
    }
}

/// Whoever panicked while holding the lock left whole items behind: they are added in one go.
fn locked(forms: &Mutex<Forms>) -> MutexGuard<'_, Forms> {
    forms.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Clone for Prefix<T> {
    fn clone(&self) -> Self {
        Self { items: Arc::clone(&self.items), start: self.start, forms: Arc::clone(&self.forms) }
    }
}

impl<T> Default for Prefix<T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<T: Debug> Debug for Prefix<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl<T: PartialEq> PartialEq for Prefix<T> {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (self.shown(), other.shown());
        own.len() == others.len()
            && own.iter().zip(others).all(|(own, other)| Arc::ptr_eq(own, other) || own == other)
    }
}

impl<T: Eq> Eq for Prefix<T> {}

impl<T> From<Vec<T>> for Prefix<T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T> FromIterator<T> for Prefix<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items: Vec<Arc<T>> = items.into_iter().map(Arc::new).collect();
        let forms = Forms::of_length(items.len());
        Self { items: Arc::new(items), start: 0, forms: Arc::new(Mutex::new(forms)) }
    }
}
