//! Workers a turn spawned.

use crate::canon::{Object, Value};
use crate::scalar::{Count, Text};

/// One spawned worker.
#[derive(Debug, Clone, PartialEq)]
pub struct Worker {
    /// Which worker.
    pub id: Text,
    /// The worker that spawned it; none for the turn itself.
    pub parent_id: Option<Text>,
    /// How deep: 1 below the turn itself.
    pub depth: Count,
}

impl Worker {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("depth", self.depth)
            .field("id", &self.id)
            .optional("parentId", self.parent_id.as_ref())
            .finish()
    }
}
