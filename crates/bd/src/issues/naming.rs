//! What new ids look like. It must not draw anything by itself: fresh names come from an [`IdSource`].

use std::sync::Arc;

use super::short_id::{name_length, short_name};
use super::store::IssueView;
use crate::clock::IdSource;
use crate::error::StoreError;

/// So many names are drawn before they get longer.
const DRAWS: usize = 8;

/// What new ids look like.
#[derive(Debug, Clone, Default)]
pub enum IdNaming {
    /// `bd-1`, `bd-2`: the next free number. Two branches give the same ones.
    #[default]
    Sequential,
    /// `bd-k3f9`: drawn at random, longer the more issues there are.
    Short(Arc<dyn IdSource>),
}

impl IdNaming {
    /// An id that no issue has.
    pub(crate) fn next_id(&self, view: &dyn IssueView, prefix: &str) -> Result<String, StoreError> {
        let ids = match self {
            Self::Sequential => {
                return Ok(format!("{prefix}-{}", view.highest_number(prefix)?.saturating_add(1)));
            }
            Self::Short(ids) => ids,
        };
        // Rows are as many as there are issues, or more: counting issues would read all of them.
        let mut length = name_length(view.row_count());
        loop {
            for _ in 0..DRAWS {
                let id = format!("{prefix}-{}", short_name(ids.fresh().as_bytes(), length));
                if view.find(&id)?.is_none() {
                    return Ok(id);
                }
            }
            length += 1;
        }
    }
}
