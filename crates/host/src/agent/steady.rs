//! Reading several files of a policy package as one: a promotion that begins or ends meanwhile is noticed, and everything is
//! read again. It must not read anything itself.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use premath_bd::PolicyStore;

use crate::table::ActionError;
use crate::workspace::Workspace;

/// So often is read again; then nothing begins.
const TRIES: usize = 5;

/// What `read` makes of one package: it is called again while packages change under it.
///
/// # Errors
/// What `read` says, or that packages did not come to rest.
pub(super) fn steady<T>(
    workspace: &Workspace,
    mut read: impl FnMut() -> Result<T, ActionError>,
) -> Result<T, ActionError> {
    let packages = PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone());
    for _ in 0..TRIES {
        let before = packages.standing()?;
        let made = read();
        // Half of two packages may not even load: what was read says nothing before both looks agree.
        if packages.standing()? == before {
            return made;
        }
    }
    Err(ActionError::Unavailable {
        what: "the policy package changes faster than it can be read".to_owned(),
        hint: "wait until the promotion is over; `premath policy history` shows it".to_owned(),
    })
}
